// Named entities: groups as in the pipeline of transformers, and the offsets of tokens.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Tokenizer as Rust } from '@anush008/tokenizers'
import { loadModel } from '../../src/entries/models.js'
import { aggregate } from '../../src/models/classes/entities.js'
import { goldens, qkv } from './checkpoints.js'
import { Tokenizer } from './tokenizer.js'

test('tokens become words and names as in the pipeline of transformers, by every strategy', () => {
  const { labels, cases } = JSON.parse(readFileSync(new URL('../goldens/entities.json', import.meta.url), 'utf8'))
  const join = (/** @type {number[]} */ _, /** @type {string[]} */ words) => words.join(' ').replaceAll(' ##', '')
  let many = 0
  for (const [n, { tokens, made }] of cases.entries())
    for (const [strategy, want] of Object.entries(made)) {
      const given = tokens.map((/** @type {any} */ token) => ({ ...token, id: 0, isSubword: token.is_subword }))
      const got = aggregate(given, /** @type {any} */ (strategy), labels, join)
      const note = `case ${n}, ${strategy}`
      const plain = (/** @type {any} */ { label, word, start, end }) => [label, word, start, end]
      assert.deepEqual(
        got.map(plain),
        want.map((/** @type {any} */ one) => plain({ ...one, label: one.entity ?? one.entity_group })),
        note,
      )
      got.forEach(({ score }, i) => {
        assert.ok(Math.abs(score - want[i].score) < 2e-6, note)
        many++
      })
    }
  assert.ok(many > 300, String(many))
})

/** Returns the files of a text classifier, or of a token classifier with the same weights. @param {object} [change] of its config */
const files = change => {
  const read = (/** @type {string} */ file) => new Uint8Array(readFileSync(`${goldens}/distilbert-sst-tiny/${file}`))
  const config = JSON.parse(new TextDecoder().decode(read('config.json')))
  return {
    'config.json': new TextEncoder().encode(JSON.stringify({ ...config, ...change })),
    'model.safetensors': read('model.safetensors'),
    'tokenizer.json': read('tokenizer.json'),
  }
}
const OF_TOKENS = { architectures: ['DistilBertForTokenClassification'], id2label: { 0: 'O', 1: 'B-PER' } }

test('entities of a text lie at their places, special tokens are left out', async () => {
  const model = await loadModel(qkv, files(OF_TOKENS), { tokenizer: Tokenizer })
  const text = 'The cat  and the Dog, \u00e9t\u00e9.'
  const all = await model.entities(text, { aggregation: 'none', ignore: [] })
  const { tokens, ids } = model.tokenize(text)
  assert.deepEqual(
    all.map(({ word }) => word),
    tokens.slice(1, -1),
  )
  assert.equal(all.length, ids.length - 2)
  for (const { word, start, end } of all) {
    if (start === undefined || end === undefined) continue
    const written = text.slice(start, end).toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
    assert.equal(written, word.replace(/^##/, '').toLowerCase())
  }
  const rust = Rust.fromString(readFileSync(`${goldens}/distilbert-sst-tiny/tokenizer.json`, 'utf8'))
  for (const each of [
    text,
    'Angela Merkel lives in Berlin; "John O\u2019Neil" (CEO) said: 1,234.5!',
    '\u65e5\u672c\u8a9e text \u{1f600} nai\u0308ve',
  ]) {
    const encoded = await rust.encode(each, null, { addSpecialTokens: true })
    const at = (/** @type {number} */ n) => [...each].slice(0, n).join('').length
    const want = encoded
      .getOffsets()
      .slice(1, -1)
      .map(([from, to]) => [at(from), at(to)])
    const got = await model.entities(each, { aggregation: 'none', ignore: [] })
    assert.deepEqual(
      got.map(({ start, end }) => [start, end]),
      want,
      each,
    )
  }
  const { scores } = await model.classify(text)
  assert.equal(all[0].score, Math.max(...scores.row(0).row(1).data))
  for (const aggregation of /** @type {const} */ (['simple', 'first', 'average', 'max'])) {
    const found = await model.entities(text, { aggregation })
    assert.ok(found.every(({ label, score }) => label !== 'O' && score > 0 && score <= 1))
  }
  await assert.rejects(
    model.entities(text, /** @type {any} */ ({ aggregation: 'mean' })),
    /entities: aggregation: expected .*got "mean"/,
  )
  model.dispose()
  const other = await loadModel(qkv, files(), { tokenizer: Tokenizer })
  await assert.rejects(other.entities(text), /has no classes of tokens; classify gives those of a text/)
  other.dispose()
})
