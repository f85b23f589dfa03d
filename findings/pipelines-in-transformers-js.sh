#!/usr/bin/env bash
# Two pipelines of transformers.js give other answers than those of transformers in Python, without an error:
# - token-classification drops words without a label (O) before it joins neighbours, so two names with a word between them become one entity.
# - text-classification takes a softmax over the only logit of a checkpoint with one label, such as a reranker, so the score of every text is 1.
#   In Python it is a sigmoid.
# The models here are tables with the logits of each word, so the right answers can be read from them.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @huggingface/transformers@4.3.2
cat >run.mjs <<'JS'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { env, pipeline } from '@huggingface/transformers'

const WORDS = ['[UNK]', '[CLS]', '[SEP]', 'Anna', 'met', 'Bob']

// These encode protobuf messages field by field, for an ONNX model: logits = Gather(table, input_ids), or their mean over the words.
const varint = n => (n < 128 ? [n] : [(n % 128) + 128, ...varint(Math.floor(n / 128))])
const number = (field, n) => [...varint(field * 8), ...varint(n)]
const bytes = (field, data) => [...varint(field * 8 + 2), ...varint(data.length), ...data]
const text = (field, name) => bytes(field, Buffer.from(name))
const value = (field, name, type, dims) => {
  const shape = dims.flatMap(dim => bytes(1, text(2, dim)))
  return bytes(field, [...text(1, name), ...bytes(2, bytes(1, [...number(1, type), ...bytes(2, shape)]))])
}
const node = (op, inputs, output, attributes = []) =>
  bytes(1, [...inputs.flatMap(name => text(1, name)), ...text(2, output), ...text(4, op), ...attributes])
const [FLOAT, INT64, INT, INTS] = [1, 7, 2, 7]
const attribute = (name, field, n, type) => bytes(5, [...text(1, name), ...number(field, n), ...number(20, type)])

/** Writes a model whose logits for each word are its row of `table`. `isSummed`: their mean over the words of a text. */
function write(name, config, table, isSummed) {
  const flat = Float32Array.from(table.flat())
  const graph = [
    ...node('Gather', ['table', 'input_ids'], isSummed ? 'each' : 'logits'),
    ...(isSummed ? node('ReduceMean', ['each'], 'logits', [...attribute('axes', 8, 1, INTS), ...attribute('keepdims', 3, 0, INT)]) : []),
    ...text(2, name),
    ...bytes(5, [...number(1, table.length), ...number(1, table[0].length), ...number(2, FLOAT), ...text(8, 'table'), ...bytes(9, Buffer.from(flat.buffer))]),
    ...value(11, 'input_ids', INT64, ['texts', 'tokens']),
    ...value(12, 'logits', FLOAT, isSummed ? ['texts', 'labels'] : ['texts', 'tokens', 'labels']),
  ]
  mkdirSync(`models/${name}/onnx`, { recursive: true })
  writeFileSync(`models/${name}/onnx/model.onnx`, Buffer.from([...number(1, 8), ...bytes(7, graph), ...bytes(8, number(2, 17))]))
  const sizes = { num_hidden_layers: 1, num_attention_heads: 1, hidden_size: 8, vocab_size: WORDS.length }
  writeFileSync(`models/${name}/config.json`, JSON.stringify({ model_type: 'bert', ...sizes, ...config }))
  const added = WORDS.slice(0, 3).map((content, id) => ({ id, content, special: true, single_word: false, lstrip: false, rstrip: false, normalized: false }))
  writeFileSync(`models/${name}/tokenizer.json`, JSON.stringify({
    version: '1.0', truncation: null, padding: null, added_tokens: added, normalizer: null,
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: { type: 'BertProcessing', sep: ['[SEP]', 2], cls: ['[CLS]', 1] },
    decoder: null,
    model: { type: 'WordLevel', vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])), unk_token: '[UNK]' },
  }))
  writeFileSync(`models/${name}/tokenizer_config.json`, JSON.stringify({ tokenizer_class: 'BertTokenizer', unk_token: '[UNK]', cls_token: '[CLS]', sep_token: '[SEP]' }))
}
const [OTHER, PERSON] = [[9, 0], [0, 9]]
write('names', { architectures: ['BertForTokenClassification'], id2label: { 0: 'O', 1: 'I-PER' } }, [OTHER, OTHER, OTHER, PERSON, OTHER, PERSON])
write('one-label', { architectures: ['BertForSequenceClassification'], id2label: { 0: 'LABEL_0' } }, WORDS.map(() => [-7.5]), true)

env.localModelPath = './models'
env.allowRemoteModels = false
const entities = await (await pipeline('token-classification', 'names', { dtype: 'fp32' }))('Anna met Bob', { aggregation_strategy: 'simple' })
const [{ score }] = await (await pipeline('text-classification', 'one-label', { dtype: 'fp32' }))('Anna met Bob')
const found = entities.map(({ word, entity_group }) => `${word} (${entity_group})`)
const { version } = JSON.parse(readFileSync('node_modules/@huggingface/transformers/package.json', 'utf8'))
console.log(`@huggingface/transformers ${version}`)
console.log(`entities of "Anna met Bob", Anna and Bob labelled I-PER, met O: ${found.join(', ')}; two people in transformers`)
console.log(`score of a checkpoint with one label, logit -7.5: ${score}; the sigmoid is ${(1 / (1 + Math.exp(7.5))).toFixed(5)}`)
const isAsFound = found.join() === 'Anna Bob (PER)' && score === 1
console.log(isAsFound ? 'as found' : 'changed')
process.exit(isAsFound ? 0 : 1)
JS
node run.mjs
