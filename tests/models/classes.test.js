// Tests classifiers, and decoders without a head. goldens.test.js checks the numbers of all heads.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Tensor } from '../../src/base/tensor.js'
import { load } from '../../src/entries/index.js'
import { loadModel, readSafetensors, writeSafetensors } from '../../src/entries/models.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
after(() => assert.equal(qkv.memory.resident, 0))
const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))
const tokenizer = new Uint8Array(readFileSync(`${folder}/distilbert-sst-tiny/tokenizer.json`))
const open = (/** @type {string} */ name) => loadModel(qkv, `${folder}/${name}`, { tokenizer: Tokenizer })

/**
 * Returns the files of a golden checkpoint with the keys of `change` in its config and its tensors edited by `edit`.
 * @param {string} name
 * @param {Record<string, unknown>} change
 * @param {(tensors: Record<string, import('../../src/base/tensor.js').FloatTensor>) => void} [edit]
 */
async function changed(name, change, edit = () => {}) {
  const config = JSON.parse(readFileSync(`${folder}/${name}/config.json`, 'utf8'))
  const tensors = await readSafetensors(new Uint8Array(readFileSync(`${folder}/${name}/model.safetensors`)))
  edit(tensors)
  return {
    'config.json': new TextEncoder().encode(JSON.stringify({ ...config, ...change })),
    'model.safetensors': writeSafetensors(tensors),
  }
}

test('classify reads a text or ids, and gives the names of the classes; forward gives the same logits', async () => {
  const model = await open('distilbert-sst-tiny')
  assert.deepEqual(model.classes, { of: 'text', labels: ['NEGATIVE', 'POSITIVE'], scores: 'softmax' })
  const text = 'The river was slow.'
  const { logits, labels } = await model.classify(text)
  assert.deepEqual(labels, ['NEGATIVE', 'POSITIVE'])
  assert.deepEqual([...logits.dims], [1, 2])
  const kept = await model.classify(text, { keep: ['attentions.1'] })
  for (const name of ['until', 'logits'])
    await assert.rejects(() => model.classify(text, /** @type {any} */ ({ [name]: 0 })), {
      name: 'TypeError',
      message: new RegExp(`^classify: there is no option "${name}"`),
    })
  assert.equal(kept.attentions[1]?.dims.length, 4)
  assert.deepEqual((await model.classify(model.tokenize(text))).logits.data, logits.data)
  const { classLogits, logits: words } = await model.forward(model.tokenize(text))
  assert.deepEqual(classLogits?.data, logits.data)
  assert.equal(words, undefined)
  assert.equal(model.hasHead, false)
  const without = (await model.classify(text, { hooks: { 'layers.1.heads.2': 0 } })).logits
  assert.notDeepEqual(without.data, logits.data)
  model.dispose()
})

test('a classifier on GPT-2 shows no logits of tokens, and reads the last token that is no padding', async () => {
  const model = await open('gpt2-sequence-made')
  const ids = [5, 9, 13, 5]
  const { logits, classLogits } = model.forwardSync({ ids })
  assert.equal(logits, undefined)
  const padded = await model.classify({ ids: [[...ids, 0, 0]] })
  const masked = await model.classify({ ids: [[...ids, 0, 0]], attentionMask: [[1, 1, 1, 1, 0, 0]] })
  for (const given of [padded, masked])
    given.logits.data.forEach((value, n) => {
      assert.ok(Math.abs(value - Number(classLogits?.data[n])) <= 1e-5)
    })
  // The id of padding at the end of a text counts as padding even if the attention mask says otherwise, as in transformers.
  const rows = await model.classify({
    ids: [
      [0, 0, ...ids],
      [3, 9, ...ids.slice(0, 3), 0],
    ],
    attentionMask: [[0, 0, 1, 1, 1, 1], Array(6).fill(1)],
  })
  const alone = await model.classify({ ids: [3, 9, ...ids.slice(0, 3)] })
  alone.logits.data.forEach((value, n) => {
    assert.ok(Math.abs(value - rows.logits.at(1, n)) <= 1e-5, `${value} ${rows.logits.at(1, n)}`)
  })
  assert.deepEqual(model.forwardSync({ ids }, { logits: 'last' }).classLogits?.data, classLogits?.data)
  await assert.rejects(
    () => model.generate(ids).next(),
    /generate: this gpt2 checkpoint has no language-model head, so it cannot predict tokens/,
  )
  await assert.rejects(() => model.logitLens(model.forwardSync({ ids }).lastHiddenState), /has no head/)
  model.dispose()
})

test('a classifier on GPT-2 reads the last row of embeddings, whatever the id of padding is', async () => {
  const model = await open('gpt2-sequence-made')
  const tensors = await readSafetensors(new Uint8Array(readFileSync(`${folder}/gpt2-sequence-made/model.safetensors`)))
  const table = tensors['transformer.wte.weight']
  const ids = [5, 9, 13, 5]
  const [, d] = table.dims
  const data = Float32Array.from(ids.flatMap(id => [...table.row(id).data]))
  const { logits } = await model.classify({ embeddings: /** @type {any} */ ({ data, dims: [1, ids.length, d] }) })
  assert.deepEqual(logits.data, (await model.classify({ ids })).logits.data)
  model.dispose()
})

test('a decoder without a head gives hidden states', async () => {
  const files = await changed('llama-linear-made', { architectures: ['LlamaModel'], tie_word_embeddings: false })
  const model = await loadModel(qkv, files)
  const { logits, lastHiddenState } = model.forwardSync({ ids: [5, 9] })
  assert.equal(logits, undefined)
  assert.deepEqual([...lastHiddenState.dims], [1, 2, 24])
  model.dispose()
  const whole = await changed('llama-linear-made', { architectures: ['LlamaForCausalLM'], tie_word_embeddings: false })
  await assert.rejects(loadModel(qkv, whole), /missing: lm_head\.weight/)
})

test('without id2label classes are LABEL_0 and so on; labels that do not fit are refused', async () => {
  const name = 'bert-tokens-made'
  const model = await loadModel(qkv, await changed(name, { id2label: undefined, num_labels: 3 }))
  assert.deepEqual(model.classes, { of: 'token', labels: ['LABEL_0', 'LABEL_1', 'LABEL_2'], scores: 'softmax' })
  assert.deepEqual([...(await model.classify({ ids: [[5, 9, 13]] })).logits.dims], [1, 3, 3])
  model.dispose()
  for (const [change, message] of /** @type {[Record<string, unknown>, RegExp][]} */ ([
    [{ id2label: { 0: 'a', 1: 'b' } }, /classifier\.weight: expected \(2, 24\), got \(3, 24\)/],
    [
      { id2label: { 1: 'a', 2: 'b' } },
      /id2label: expected a name for each of the numbers from 0, got an object with 1, 2/,
    ],
    [{ id2label: { 0: [1] } }, /id2label: .*got an object with 0/],
    [{ id2label: { 0: 1 } }, /classifier\.weight: expected \(1, 24\), got \(3, 24\)/],
    [{ id2label: {} }, /id2label: .*got an empty object/],
    [{ id2label: 'abc' }, /id2label: .*got "abc"/],
    [{ architectures: ['BertForSequenceClassification'] }, /missing: pooler\.dense\.bias/],
  ]))
    await assert.rejects(loadModel(qkv, await changed(name, change)), message, JSON.stringify(change))
  const other = await changed('phi-made', { architectures: ['PhiForTokenClassification'] })
  await assert.rejects(loadModel(qkv, other), /phi with classes for each token is not covered/)
  const plain = await open('bert-tiny')
  assert.equal(plain.classes, undefined)
  await assert.rejects(
    () => plain.classify('a'),
    /classify: this bert checkpoint has no classes, as architectures of config\.json names none/,
  )
  plain.dispose()
})

test('a problem type selects the function from logits to scores; labels may be numbers or null', async () => {
  const name = 'distilbert-sst-tiny'
  const text = 'The river was slow.'
  const close = (/** @type {ArrayLike<number>} */ got, /** @type {number[]} */ want) =>
    want.forEach((value, i) => {
      assert.ok(Math.abs(got[i] - value) < 1e-6, `${[...Array.from(got)]} for ${want}`)
    })
  const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x))
  for (const [
    change,
    scores,
    of,
  ] of /** @type {[Record<string, unknown>, string, (logits: number[]) => number[]][]} */ ([
    [{}, 'softmax', ([a, b]) => [sigmoid(a - b), sigmoid(b - a)]],
    [{ problem_type: null }, 'softmax', ([a, b]) => [sigmoid(a - b), sigmoid(b - a)]],
    [{ problem_type: 'multi_label_classification' }, 'sigmoid', list => list.map(sigmoid)],
    [{ problem_type: 'regression', id2label: { 0: 7, 1: null } }, 'none', list => list],
  ])) {
    const model = await loadModel(
      qkv,
      { ...(await changed(name, change)), 'tokenizer.json': tokenizer },
      { tokenizer: Tokenizer },
    )
    assert.equal(model.classes?.scores, scores)
    const result = await model.classify(text)
    close(result.scores.data, of([...result.logits.data]))
    const { classScores } = await model.forward(model.tokenize(text))
    assert.deepEqual(classScores?.data, result.scores.data)
    if (scores === 'none') assert.deepEqual(result.labels, ['7', 'LABEL_1'])
    model.dispose()
  }
  const one = await loadModel(
    qkv,
    await changed(name, { id2label: { 0: 'LABEL_0' } }, tensors => {
      for (const part of ['weight', 'bias']) {
        const { data, dims } = tensors[`classifier.${part}`]
        tensors[`classifier.${part}`] = new Tensor(data.slice(0, data.length / 2), [1, ...dims.slice(1)])
      }
    }),
  )
  const { logits, scores } = await one.classify({ ids: [5, 9, 13] })
  close(scores.data, [sigmoid(logits.data[0])])
  one.dispose()
  await assert.rejects(
    async () => loadModel(qkv, await changed(name, { problem_type: 'ranking' })),
    /problem_type "ranking" is not covered; covered: regression, multi_label_classification, single_label_classification/,
  )
})
