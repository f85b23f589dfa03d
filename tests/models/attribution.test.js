// Tests what each part of a model contributes to the logit of a masked word, to a class, and to the similarity of two texts.
// interventions.test.js tests logits of next tokens.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { loadModel } from '../../src/entries/models.js'
import { goldens, near, qkv } from './checkpoints.js'
import { Tokenizer } from './tokenizer.js'

const ids = [2, 9, 130, 5, 9, 77, 3]

/**
 * Returns the files of a golden checkpoint without biases, so that heads, MLPs and the embedding alone sum to the attributed number.
 * @param {string} name
 * @param {readonly string[]} [more] files to return in addition to config.json and model.safetensors
 */
function unbiased(name, more = []) {
  const read = (/** @type {string} */ file) => new Uint8Array(readFileSync(`${goldens}/${name}/${file}`))
  const bytes = read('model.safetensors')
  const start = 8 + Number(new DataView(bytes.buffer).getBigUint64(0, true))
  for (const [key, tensor] of Object.entries(JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)))))
    if (/\.(bias|beta)$/.test(key)) bytes.fill(0, ...tensor.data_offsets.map((/** @type {number} */ at) => start + at))
  return {
    ...Object.fromEntries(['config.json', ...more].map(file => [file, read(file)])),
    'model.safetensors': bytes,
  }
}

const sumOf = (/** @type {{ data: ArrayLike<number> }[]} */ ...parts) =>
  parts.reduce((sum, { data }) => sum + Array.from(data).reduce((a, b) => a + b, 0), 0)

for (const name of [
  'bert-tiny',
  'albert-made',
  'modernbert-made',
  'distilbert-sst-tiny',
  'bert-sequence-made',
  'bert-tokens-made',
  'electra-sequence-made',
  'modernbert-sequence-made',
  'xlm-roberta-sequence-made',
  'gpt2-sequence-made',
  'llama-sequence-made',
  'llama-tokens-made',
])
  test(`${name}: without biases, heads, MLPs and embedding sum to each logit`, async () => {
    const model = await loadModel(qkv, unbiased(name), { tokenizer: false })
    const { classes } = model
    const given = ids.map(id => id % 39)
    const { logits, classLogits } = model.forwardSync({ ids: given })
    for (const position of classes?.of === 'text' ? [undefined] : [2, -1]) {
      const all = /** @type {import('../../src/qkv.js').FloatTensor} */ (classes ? classLogits : logits).row(0)
      const row = position === undefined ? all : all.row(position)
      const chosen = classes ? classes.labels.map((_, n) => n) : [3, 11]
      const found = await model.logitAttribution(
        { ids: given },
        { position, ...(classes ? { classes: chosen } : { tokens: chosen }) },
      )
      assert.deepEqual(classes ? found.classes : found.tokens, chosen)
      for (const [t, n] of chosen.entries()) {
        const parts = [found.heads, found.mlps, found.embedding].map(part => part.row(t))
        near(found.logits[t], row.data[n], 'the logit', 1e-4)
        near(sumOf(...parts), row.data[n], 'the sum', 1e-4)
        near(found.rest.data[t], 0, 'the rest', 1e-4)
      }
      assert.ok(found.heads.data.some(value => Math.abs(value) > 1e-3))
      const best = await model.logitAttribution({ ids: given }, { position })
      const most = row.data.indexOf(Math.max(...row.data))
      assert.deepEqual(classes ? best.classes : best.tokens, [most], 'the largest')
    }
    model.dispose()
  })

test("with weights of int8 and int4 the parts sum to the logits within 5e-4, with activations: 'float32' within 1e-5, also while a head is off", async () => {
  const given = ids.map(id => id % 39)
  const chosen = given.map((_, n) => n)
  for (const name of ['gpt2-tiny', 'bert-tiny', 'albert-made'])
    for (const dtype of /** @type {const} */ (['int8', 'int4']))
      for (const activations of /** @type {const} */ (['int16', 'float32'])) {
        const model = await loadModel(qkv, unbiased(name), { tokenizer: false, dtype, activations })
        const found = []
        for (const hooks of [{}, { 'layers.1.heads.1': 0 }]) {
          const { logits } = model.forwardSync({ ids: given }, { hooks })
          const want = logits?.row(0).row(-1).data ?? assert.fail()
          const got = await model.logitAttribution({ ids: given }, { tokens: chosen, hooks })
          const off = chosen.map(t =>
            Math.abs(sumOf(...[got.heads, got.mlps, got.embedding].map(part => part.row(t))) - want[t]),
          )
          const title = `${name} ${dtype} ${activations}`
          near(Math.max(...off), 0, title, activations === 'int16' ? 5e-4 : 1e-5)
          assert.ok(activations === 'float32' || Math.max(...off) > 1e-5, `${title}: x is not rounded`)
          found.push({ want, head: chosen.map(t => got.heads.row(t).at(1, 1)) })
        }
        const [plain, changed] = found
        assert.notDeepEqual(changed.want, plain.want)
        assert.ok(changed.head.every(value => value === 0) && plain.head.every(value => value !== 0))
        model.dispose()
      }
})

const FILES = ['tokenizer.json', 'modules.json', 'sentence_bert_config.json', '1_Pooling/config.json']

test('without biases, heads, MLPs and embedding sum to the cosine of two texts, for every pooling', async () => {
  const model = await loadModel(qkv, unbiased('sentence-bert-tiny', FILES), { tokenizer: Tokenizer })
  const [text, other] = ['The cat chased the dog.', 'The river was slow.']
  for (const pooling of /** @type {const} */ ([
    undefined,
    'cls_token',
    'max_tokens',
    'mean_sqrt_len_tokens',
    'lasttoken',
  ])) {
    const both = await model.embed([text, other], { pooling, normalize: true })
    const cosine = both.row(0).data.reduce((sum, value, i) => sum + value * both.at(1, i), 0)
    const { value, heads, mlps, embedding, rest } = await model.similarity(text, other, { pooling })
    near(value, cosine, String(pooling), 1e-5)
    near(sumOf(heads, mlps) + embedding, cosine, String(pooling), 1e-4)
    near(rest, 0, String(pooling), 1e-4)
    assert.deepEqual([...heads.dims], [3, 4])
  }
  const off = await model.similarity(text, other, { hooks: { 'layers.1.heads.2': 0 } })
  assert.equal(off.heads.at(1, 2), 0)
  const { value } = await model.similarity(text, text)
  near(value, 1, 'a text and itself')
  model.dispose()
})

test('a classifier does not read padding; classes that do not fit are refused', async () => {
  const open = (/** @type {string} */ name) => loadModel(qkv, `${goldens}/${name}`, { tokenizer: Tokenizer })
  const gpt2 = await open('gpt2-sequence-made')
  const plain = await gpt2.logitAttribution({ ids: [5, 9, 13] })
  for (const input of [{ ids: [5, 9, 13, 0, 0] }, { ids: [5, 9, 13, 0], attentionMask: [1, 1, 1, 0] }]) {
    const padded = await gpt2.logitAttribution(input)
    near(padded.logits[0], plain.logits[0], 'padded', 1e-5)
    assert.deepEqual(padded.classes, plain.classes)
  }
  const modernbert = await open('modernbert-sequence-made')
  await assert.rejects(modernbert.logitAttribution({ ids: [5, 9], attentionMask: [0, 0] }), {
    name: 'RangeError',
    message: /logitAttribution: expected a text .*got only padding/,
  })
  await assert.rejects(gpt2.logitAttribution({ ids: [5] }, { tokens: [1] }), /this checkpoint is a classifier/)
  await assert.rejects(
    gpt2.logitAttribution({ ids: [5] }, { classes: [9] }),
    /classes: expected a whole number from 0.*got 9/,
  )
  const bert = await open('bert-tiny')
  await assert.rejects(bert.logitAttribution({ ids: [5] }, { classes: [0] }), /has no classes: give tokens instead/)
  await assert.rejects(bert.similarity('a', 'b'), /embed: this folder has no modules\.json/)
  const sentences = await open('sentence-bert-tiny')
  await assert.rejects(sentences.logitAttribution({ ids: [5] }), /this bert checkpoint has no head/)
  await assert.rejects(sentences.similarity('a', /** @type {any} */ (1)), /similarity: expected two texts, got 1/)
  for (const model of [gpt2, modernbert, bert, sentences]) model.dispose()
})
