// The trained models that ship with the page: what their about.json states is true, and training makes the same bytes.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from 'qkv'
import { loadModel } from 'qkv/models'
import { parameters, tape } from 'qkv/train'
import { forward } from '../../web/learn/trained/marian.js'
import { sentences, trainTranslator, translatorFiles, WORDS } from '../../web/learn/trained/translator.js'
import { translatorFigures } from '../../web/learn/trained/translator-figures.js'

const qkv = await load()
const folderOf = (/** @type {string} */ name) => fileURLToPath(new URL(`../../web/trained/${name}`, import.meta.url))
const aboutOf = (/** @type {string} */ name) => JSON.parse(readFileSync(`${folderOf(name)}/about.json`, 'utf8'))

test('the translator translates sentences of lengths never trained, and its head looks at the word it translates', async () => {
  const { figures } = aboutOf('translation')
  const { accuracy, heads, heldOut, example } = await translatorFigures(qkv, folderOf('translation'), { count: 100 })
  for (const found of [{ accuracy, heads }, heldOut]) {
    assert.ok(found.accuracy >= 0.99, `accuracy ${found.accuracy}`)
    const [{ aligned, weight, cost }] = found.heads
    assert.ok(aligned >= 0.95 && weight >= 0.9 && cost >= 0.5, `${aligned}, ${weight}, ${cost}`)
    assert.ok(Math.abs(found.accuracy - figures.accuracy) < 0.01 && Math.abs(aligned - figures.heads[0].aligned) < 0.02)
  }
  assert.equal(example.translation, '工程师 今天 在 北京 想要 一套 自动 驾驶 解决 方案 </s>')
})

test('a translator trained twice is the same, byte by byte; its logits as a model are those of the training', async t => {
  const [once, twice] = [0, 1].map(() => trainTranslator(qkv, { steps: 3, warmup: 1, seed: 5 }))
  const files = translatorFiles(once)
  assert.deepEqual(files, translatorFiles(twice))
  const { settings, weights } = once
  const drawn = sentences(qkv.generator(1), 4, 'train')
  const p = parameters(qkv, weights)
  const want = tape(qkv, p, t => forward(t, p.values, drawn, settings)).output.data.slice()
  p.dispose()
  const model = await loadModel(qkv, files)
  const [, S] = drawn.ids.dims
  const attentionMask = {
    data: drawn.ids.data.map((_, i) => Number(i % S < drawn.lengths[Math.floor(i / S)])),
    dims: drawn.ids.dims,
  }
  const { logits } = model.forward({ ids: drawn.ids, attentionMask, decoderIds: drawn.previous })
  model.dispose()
  assert.deepEqual(logits?.dims, [...drawn.previous.dims, WORDS.length])
  const error = want.reduce((most, value, i) => Math.max(most, Math.abs(value - Number(logits?.data[i]))), 0)
  t.diagnostic(`logits differ by ${error.toExponential(1)}`)
  assert.ok(error <= 0.01, `logits differ by ${error}`)
})

test('the tokenizers read words whatever their case', async () => {
  const model = await loadModel(qkv, folderOf('translation'))
  assert.deepEqual(model.tokenize('She buys a car in Beijing').tokens, ['she', 'buys', 'a', 'car', 'in', 'beijing'])
  model.dispose()
})
