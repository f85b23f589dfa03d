// Compares models from GGUF files with llama.cpp, if node-llama-cpp is installed here or in the folder NODE_LLAMA_CPP. Compares every architecture
// in float32; every type of block in the token table, which llama.cpp widens, too; and models whose matrices all are blocks, for which llama.cpp
// rounds activations to 8 bits. TABLE=1 runs these for every architecture with eight types and prints the table of docs/models.md; TABLE=all with
// every type.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { BLOCK_TYPES } from '../../src/models/gguf/block-types.js'
import { MADE, make, VOCAB } from './gguf/made.js'
import { edited, ODD } from './gguf/odd.js'
import { plainLlama } from './gguf/plain-llama.js'
import { farthest, IDS, isEncoder, probabilitiesOf } from './gguf/probabilities.js'
import { importLlama } from './gguf/vocabularies.js'
import { randomOf } from './tokenizers/random-files.js'

const { TABLE } = process.env
const PACKAGE = 'node-llama-cpp'

const peer = await importLlama()
const skip = peer ? false : `${PACKAGE} is not installed; NODE_LLAMA_CPP=FOLDER names a folder where it is`
const llama = await peer?.getLlama({ gpu: false, build: 'never', logLevel: 'error' })
after(() => llama?.dispose())
const place = mkdtempSync(join(tmpdir(), 'qkv-llama-'))
after(() => rmSync(place, { recursive: true, force: true }))

const qkv = await load()
/** All types of blocks but Q8_K, which is for activations: llama.cpp cannot multiply by Q8_K weights. */
const TYPES = Object.keys(BLOCK_TYPES).filter(type => type !== 'Q8_K')
/** Matches architectures in which llama.cpp rounds to float16: in its lookup table of gelu, or in the keys and values of encoders. */
const ROUNDED = /gemma|phi2|gptneox|gpt2|bert|starcoder|falcon|bloom|mpt|t5/

/** True if node-llama-cpp cannot run a model. It only calls llama_decode, which hides later tokens from an encoder. @param {import('./gguf/made.js').Made} made */
const isNotRun = ({ of, title }) => of === 't5' || title === 't5encoder, as converters write it'
/** True if the head of a model scores pairs of texts. */
const isReranker = (/** @type {string} */ title) => title.includes('a reranker')

/** Options of a context whose keys and values are float32. */
const IN_FULL = {
  contextSize: 64,
  batchSize: 64,
  experimentalKvCacheKeyType: 'F32',
  experimentalKvCacheValueType: 'F32',
  flashAttention: false,
}

/** Returns a ranking context with keys and values of float32, for which node-llama-cpp has no option. @param {any} model */
async function rankingOf(model) {
  const { constructor: Context } = await model.createRankingContext({ contextSize: 64 })
  return new Context({ _llamaContext: await model.createContext({ ...IN_FULL, _embeddings: true, _ranking: true }) })
}

/** Returns what `ours` returns, computed by llama.cpp. @param {Uint8Array} gguf @param {string} of @param {string} title */
async function theirs(gguf, of, title) {
  const path = join(place, 'model.gguf')
  writeFileSync(path, gguf)
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 0, useMmap: false })
  try {
    if (isReranker(title)) {
      return [[await (await rankingOf(model))._evaluateRankingForInput(IDS)]]
    }
    if (isEncoder(of)) {
      const context = await model.createEmbeddingContext({ contextSize: 64 })
      const { vector } = await context.getEmbeddingFor(IDS)
      const size = Math.hypot(...vector)
      return [vector.map((/** @type {number} */ one) => one / size)]
    }
    const context = await model.createContext(IN_FULL)
    const input = IDS.map(id => [id, { generateNext: { probabilities: true } }])
    const answers = await context.getSequence().controlledEvaluate(input)
    return answers.map((/** @type {any} */ { next }) => {
      const row = Array(VOCAB).fill(0)
      for (const [id, probability] of next.probabilities) row[id] = probability
      return row
    })
  } finally {
    await model.dispose()
  }
}

/** Returns the largest difference between ours and theirs. @param {Uint8Array} gguf @param {string} of @param {string} [title] */
async function difference(gguf, of, title = of) {
  const [a, b] = [await probabilitiesOf(qkv, gguf, of), await theirs(gguf, of, title)]
  assert.ok(Math.max(...a.flat()) > 1.2 / VOCAB)
  return farthest(a, b)
}

/** @param {number} got @param {number} most @param {string} what */
const within = (got, most, what) => assert.ok(got <= most, `${what}: ${got}, at most ${most} expected`)

/** The largest difference from llama.cpp in float32, by title of the model. @type {Map<string, number>} */
const inFloat32 = new Map()

for (const made of MADE.filter(made => !isNotRun(made)))
  test(`${made.title}: probabilities of llama.cpp, in float32`, { skip }, async t => {
    const worst = await difference(make(made, 'F32', randomOf(3)).gguf, made.of, made.title)
    inFloat32.set(made.title, worst)
    t.diagnostic(worst.toExponential(1))
    within(worst, ROUNDED.test(made.of) ? 3e-4 : 1e-6, made.title)
  })

for (const { title, of, edit } of ODD)
  test(`${title}: probabilities of llama.cpp, in float32`, { skip }, async () => {
    within(await difference(edited(of, edit), of), ROUNDED.test(of) ? 3e-4 : 1e-6, title)
  })

for (const made of MADE.filter(({ title }) => isReranker(title)))
  test(`${made.title}: rank gives the scores of llama.cpp`, { skip }, async t => {
    const { gguf } = make(made, 'F32', randomOf(6))
    const path = join(place, 'reranker.gguf')
    writeFileSync(path, gguf)
    const [query, texts] = ['ab', ['a', 'b c', 'a {query} b']]
    const model = await loadModel(qkv, gguf, { dtype: 'float32' })
    const got = await model.rank(query, texts)
    model.dispose()
    const peer = await llama.loadModel({ modelPath: path, gpuLayers: 0, useMmap: false })
    const context = await rankingOf(peer)
    // Build the pairs as llama-server does: node-llama-cpp tokenizes query, text and template separately, and strips a leading space of each.
    const template = made.keys['tokenizer.chat_template.rerank']
    const { bos, eos, sep } = peer.tokens
    const idsOf = (/** @type {string} */ text) =>
      template
        ? peer.tokenize(String(template).replaceAll('{query}', query).replaceAll('{document}', text), true)
        : [bos, ...peer.tokenize(query), eos, sep, ...peer.tokenize(text), eos]
    /** @type {number[]} */
    const want = []
    for (const text of texts) want.push(await context._evaluateRankingForInput(idsOf(text)))
    await peer.dispose()
    assert.ok(new Set(want).size === 3)
    const worst = Math.max(...got.map(({ index, score }) => Math.abs(score - want[index])))
    t.diagnostic(worst.toExponential(1))
    within(worst, ROUNDED.test(made.of) ? 3e-4 : 1e-6, made.title)
  })

for (const type of TYPES)
  test(`${type}: the weights of llama.cpp`, { skip }, async t => {
    const worst = await difference(make(MADE[0], 'F32', randomOf(4), type).gguf, 'llama')
    t.diagnostic(worst.toExponential(1))
    within(worst, 1e-6, type)
  })

for (const type of TYPES.filter(type => !/^B?F/.test(type)))
  test(`${type}: the rounding of activations makes the difference from llama.cpp`, { skip }, async t => {
    // llama.cpp may round an activation halfway between two whole numbers the other way. If it does, the next seed makes another model.
    let [before, after] = [0, Infinity]
    for (const seed of [5, 6, 7]) {
      const random = () => randomOf(seed)
      const { gguf, weights, config } = make(MADE[0], type, random())
      const [own, peer] = [await probabilitiesOf(qkv, gguf, 'llama'), await theirs(gguf, 'llama', 'llama')]
      within(farthest(own, plainLlama(weights, config, IDS)), 1e-5, 'ours beside float64')
      const rounded = plainLlama(weights, config, IDS, { type, random })
      ;[before, after] = [farthest(own, peer), farthest(rounded, peer)]
      t.diagnostic(`${type} ${before.toExponential(1)}, with llama.cpp's rounding ${after.toExponential(1)}`)
      if (after <= 1e-5) break
    }
    within(after, 1e-5, 'float64 with the rounding beside llama.cpp')
    assert.ok(before > 10 * after, `${before} ${after}`)
  })

test('whole models of blocks: probabilities of llama.cpp, which rounds activations to 8 bits', { skip }, async t => {
  const rows = TABLE ? MADE.filter(made => made.title === made.of && !isNotRun(made)) : [MADE[0], MADE[9]]
  const columns = TABLE === 'all' ? TYPES : ['F16', 'Q8_0', 'Q4_0', 'Q5_1', 'Q2_K', 'Q4_K', 'Q6_K', 'MXFP4']
  t.diagnostic(`| architecture | F32 | ${columns.join(' | ')} |`)
  for (const made of rows) {
    const cells = []
    for (const type of columns) {
      const worst = await difference(make(made, type, randomOf(5)).gguf, made.of)
      within(worst, 0.05, `${made.title} ${type}`)
      cells.push(worst.toExponential(0))
    }
    const [first = NaN] = [inFloat32.get(made.title)]
    t.diagnostic(`| ${made.title} | ${first.toExponential(0)} | ${cells.join(' | ')} |`)
  }
})
