// Tests the page's English model: no text has unknown words, and continuations of simple sentences make sense.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Tokenizer as Rust } from '@anush008/tokenizers'
import { load } from 'qkv'
import { loadModel } from 'qkv/models'
import { CLOZE, SENTENCES } from '../../build/train/english/cloze.js'
import { filesOf, wordsAfter } from '../../build/train/english/measure.js'
import { atEnd } from '../at-end.js'

const folder = fileURLToPath(new URL('../../web/trained/english', import.meta.url))
const qkv = await load()
const model = await loadModel(qkv, filesOf(folder))
atEnd(() => model.dispose())

test('any text is read without unknown words, as the Rust library reads it, and comes back', async () => {
  const rust = Rust.fromFile(`${folder}/tokenizer.json`)
  const generator = qkv.generator(44)
  const draw = (/** @type {number} */ most) => generator.randint(0, most, [1]).data[0]
  const random = Array.from({ length: 60 }, () =>
    Array.from({ length: 1 + draw(30) }, () => String.fromCodePoint(draw(4) ? 32 + draw(95) : 160 + draw(0xd000))).join(
      '',
    ),
  )
  for (const text of [
    ...SENTENCES,
    ...CLOZE.map(([text]) => text),
    "Zaphod’s naïve 猫 saw 2 🐈‍⬛!\n\tDon't",
    ...random,
  ]) {
    const { ids } = model.tokenize(text)
    assert.deepEqual([...ids], [...(await rust.encode(text, null, { addSpecialTokens: true })).getIds()], text)
    assert.equal(model.decode(ids), text)
  }
})

test('for at least 60 of 100 simple sentences, one of the five likeliest words makes sense', t => {
  const { figures } = JSON.parse(readFileSync(`${folder}/about.json`, 'utf8'))
  const hits = CLOZE.filter(([text, words]) => wordsAfter(model, text, 5).some(({ word }) => words.includes(word)))
  t.diagnostic(`${hits.length} of ${CLOZE.length}`)
  assert.ok(hits.length >= 60)
  assert.ok(Math.abs(hits.length - figures.cloze) <= 1, `${hits.length}, recorded ${figures.cloze}`)
})
