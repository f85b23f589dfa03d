// embed packs many texts and gives the bits of each text alone, in the given order, in bounded memory.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { after, test } from 'node:test'
import { Tokenizer } from '@huggingface/tokenizers'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { folders, goldens } from './checkpoints.js'

const qkv = await load()
const sentences = await loadModel(qkv, `${goldens}/sentence-bert-tiny`, { tokenizer: Tokenizer })
const words = ['the', 'cat', 'sat', 'on', 'a', 'mat']
after(() => sentences.dispose())
/** Makes texts of 1 to 12 words. @param {number} n */
const textsOf = n =>
  Array.from({ length: n }, (_, b) =>
    Array.from({ length: 1 + ((b * 7) % 12) }, (_, i) => words[(b + i * i) % words.length]).join(' '),
  )
const pooling = /** @type {const} */ ('mean_tokens')

/** Makes a tokenizer with one id for each letter. @param {number} vocab */
const letters = vocab =>
  class {
    /** @param {string} text */
    encode(text) {
      const ids = Array.from(text.slice(0, 15), letter => 3 + (Number(letter.codePointAt(0)) % (vocab - 3)))
      return { ids, tokens: ids.map(String) }
    }
  }

/** Opens a golden checkpoint with the tokenizer of `letters`. @param {import('qkv').Qkv} own @param {string} name */
function openLetters(own, name) {
  const folder = `${goldens}/${name}`
  const files = readdirSync(folder).filter(file => statSync(`${folder}/${file}`).isFile() && file !== 'modules.json')
  const bytes = Object.fromEntries(files.map(file => [file, new Uint8Array(readFileSync(`${folder}/${file}`))]))
  bytes['tokenizer.json'] = new TextEncoder().encode('{"model":{"type":"BPE","vocab":{},"merges":[]}}')
  const { vocab_size: vocab = 30 } = JSON.parse(String(readFileSync(`${folder}/config.json`)))
  return loadModel(own, /** @type {any} */ (bytes), { tokenizer: /** @type {any} */ (letters(Math.min(30, vocab))) })
}

test('in each family, packed texts have the bits of each text alone, also on two threads', async () => {
  const two = await load({ threads: 2 })
  const texts = textsOf(13)
  for (const name of folders) {
    const [model, shared] = [await openLetters(qkv, name), await openLetters(two, name)]
    const all = await model.embed(texts, { pooling })
    for (const [b, text] of texts.entries())
      assert.deepEqual(all.row(b).data.slice(), (await model.embed(text, { pooling })).data, `${name}, text ${b}`)
    assert.deepEqual((await shared.embed(texts, { pooling })).data, all.data, `${name}, two threads`)
    model.dispose()
    shared.dispose()
  }
})

test('batches are bounded, longer texts included; progress is reported after each', async () => {
  const texts = [...textsOf(300), Array(500).fill('the').join(' '), ...textsOf(200)]
  /** @type {object[]} */
  const told = []
  const { size } = qkv.memory
  const all = await sentences.embed(texts, { pooling, onProgress: progress => told.push(progress) })
  assert.ok(told.length > 3, `${told.length} batches`)
  assert.deepEqual(told.at(-1), { done: 501, texts: 501 })
  const before = qkv.memory.size
  assert.ok(before >= size)
  await sentences.embed([...texts, ...texts, ...texts], { pooling })
  assert.equal(qkv.memory.size, before, 'memory of three times as many texts')
  assert.deepEqual(all.row(300).data.slice(), (await sentences.embed(texts[300], { pooling })).data)
})

test('a stream gives each embedding in its order, and reads no further than it must', async () => {
  const texts = textsOf(400)
  const want = await sentences.embed(texts)
  let read = 0
  async function* source() {
    for (const text of texts) {
      read++
      yield text
    }
  }
  let b = 0
  for await (const row of sentences.embedStream(source())) {
    assert.deepEqual(row.data.slice(), want.row(b).data.slice())
    if (b++ === 0) assert.ok(read < texts.length, `${read} read for the first`)
  }
  assert.equal(b, 400)
  const first = (await sentences.embedStream(new Set(texts)).next()).value
  assert.deepEqual(first?.data.slice(), want.row(0).data.slice())
  read = 0
  for await (const _ of sentences.embedStream(source())) break
  assert.ok(read < texts.length)
})

test('a run ends with its signal; values that are not texts are refused by their method', async () => {
  const texts = textsOf(600)
  const controller = new AbortController()
  const run = sentences.embed(texts, {
    signal: controller.signal,
    onProgress: () => controller.abort(new Error('enough')),
  })
  await assert.rejects(run, /enough/)
  const stream = sentences.embedStream(/** @type {any} */ (['a', 5]))
  await assert.rejects(stream.next(), /embedStream: among the texts: expected a text, got 5/)
  await assert.rejects(sentences.embedStream('abc').next(), /embedStream: expected an iterable of texts, got "abc"/)
  await assert.rejects(
    sentences.embed('a', /** @type {any} */ ({ onProgress: 5 })),
    /embed: onProgress: expected a function, got 5/,
  )
  await assert.rejects(sentences.embed('a', /** @type {any} */ ({ signal: 5 })), /embed: signal: .*got 5/)
})

test('with hooks each text runs by itself, so that they see its own rows', async () => {
  const texts = textsOf(5)
  /** @type {number[]} */
  const seen = []
  await sentences.embed(texts, {
    hooks: {
      'layers.0.output': x => {
        seen.push(x.dims[1])
      },
    },
  })
  assert.deepEqual(
    seen,
    texts.map(text => sentences.tokenize(text).ids.length),
  )
  const off = { hooks: { 'layers.1.heads.0': 0 } }
  const all = await sentences.embed(texts, off)
  assert.deepEqual(all.row(2).data.slice(), (await sentences.embed(texts[2], off)).data)
})

test('other events are handled while a stream of short texts runs', async () => {
  await sentences.embed(textsOf(2), { pooling }) // imports modules now; an import below would let the event loop run, too
  let [turns, isOver] = [0, false]
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const start = performance.now()
  let texts = 0
  async function* endless() {
    while (turns < 3 && performance.now() - start < 20_000) {
      texts++
      yield* textsOf(1)
    }
  }
  for await (const row of sentences.embedStream(endless(), { pooling })) assert.equal(row.dims.length, 1)
  isOver = true
  assert.ok(turns >= 3, `${turns} turns in ${texts} texts`)
})
