// Embeds sentences with a model of all-MiniLM-L6-v2's size and random weights, compared with the fastest of three ways to run onnxruntime-web on the
// same graph. onnxruntime-node and transformers.js are native code: a ceiling. --shape picks rows: float32, int8, threads, activations, or alone.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../../../src/entries/index.js'
import { loadModel } from '../../../src/entries/models.js'
import { writeFolder } from '../gpt2/checkpoint.js'
import { flops, Ids, lengthsOf, makeMiniLM, SIZES, sentences } from '../minilm/sentence-model.js'
import { openMiniLM } from '../minilm/sentence-peer.js'
import { openTransformers } from '../minilm/transformers-js.js'

/** @import { Comparison } from '../only.js' */

const TEXTS = 96
const TRIES = 2
const LARGEST_ERROR = { float32: 1e-4, int8: 0.1 } // for numbers of about 1

/**
 * Tries the three ways to run a peer (waysOf) and returns the fastest, or why the peer cannot be opened. Throws if a result differs from `want`.
 * @param {string} name
 * @param {ReturnType<typeof makeMiniLM>} weights
 * @param {'float32' | 'int8'} dtype
 * @param {number[][]} texts
 * @param {Float32Array} want
 */
async function bestOf(name, weights, dtype, texts, want) {
  const opened =
    name === 'transformers.js'
      ? openTransformers(weights, dtype === 'int8')
      : openMiniLM(name, weights, dtype === 'int8')
  const peer = await opened.catch(error => ({ failure: error.message.split('\n')[0] }))
  if ('failure' in peer) return peer
  let best = { way: '', time: Infinity }
  const order = texts.map((_, n) => n).sort((a, b) => texts[a].length - texts[b].length)
  for (const [way, run] of Object.entries(peer.ways)) {
    const got = await run(texts)
    const places = way.startsWith('sorted') ? order : texts.map((_, n) => n)
    let error = 0
    for (const [n, text] of places.entries())
      for (let c = 0; c < SIZES.d; c++)
        error = Math.max(error, Math.abs(got[n * SIZES.d + c] - want[text * SIZES.d + c]))
    if (!(error <= LARGEST_ERROR[dtype])) throw new Error(`${name}, ${way}: differs by ${error}`)
    for (let i = 0; i < TRIES; i++) {
      const start = performance.now()
      await run(texts)
      const time = performance.now() - start
      if (time < best.time) best = { way, time }
    }
  }
  return { way: best.way, run: () => peer.ways[best.way](texts), dispose: peer.dispose }
}

/**
 * Opens the model, and makes a call that embeds sentences of `lengths` tokens.
 * @param {{ dtype: 'float32' | 'int8', activations?: 'int8', threads?: number, lengths: number[] }} options
 */
export async function openSentences({ dtype, activations, threads = 1, lengths }) {
  const weights = makeMiniLM((await load()).generator(1))
  const folder = writeFolder(weights)
  writeFileSync(join(folder.path, 'tokenizer.json'), '{"model":{"type":"BPE","vocab":{},"merges":[]}}') // must exist; Ids ignores its content
  const texts = sentences(lengths)
  const strings = texts.map(ids => ids.join(' '))
  const qkv = await load({ threads })
  const model = await loadModel(qkv, folder.path, { dtype, activations, tokenizer: /** @type {any} */ (Ids) })
  const run = async () => (await model.embed(strings, { pooling: 'mean_tokens' })).data
  const want = await run() // also reads the files that embed needs, so the folder may be deleted now
  folder.dispose()
  return { qkv, weights, texts, run, want, flops: flops(lengths), dispose: () => qkv.dispose() }
}

/** @param {import('../only.js').Means} means shape: `alone` leaves out the rows with two threads @returns {AsyncGenerator<Comparison>} */
export async function* embed({ shape }) {
  const lengths = lengthsOf(TEXTS)
  const note = (/** @type {number} */ ms) => `${Math.round((TEXTS / ms) * 1000)} sentences a second`
  for (const [dtype, goal] of /** @type {const} */ ([
    ['float32', '>= 1.6'],
    ['int8', '>= 1.3'],
  ])) {
    if (!`${dtype} threads alone`.includes(shape)) continue
    const ours = await openSentences({ dtype, lengths })
    const name = `embed, ${TEXTS} sentences, ${dtype}`
    for (const [peer, aim] of [
      ['onnxruntime-web', goal],
      ['onnxruntime-node', ''],
      ['transformers.js', ''],
    ]) {
      if (shape === 'threads') continue
      const other = await bestOf(peer, ours.weights, dtype, ours.texts, ours.want)
      if ('failure' in other) yield { name, ours, beside: `${peer}: ${other.failure}`, goal: aim, note }
      else {
        const beside = `${peer}${aim ? '' : ', native'}, ${other.way}`
        yield { name, ours, beside, other, isSpeedup: true, goal: aim, note, samples: 5, dispose: other.dispose }
      }
    }
    if (shape !== 'alone') {
      const two = await openSentences({ dtype, threads: 2, lengths })
      const means = { isSpeedup: true, goal: '>= 1.75', note, samples: 5, dispose: two.dispose }
      yield { name: `${name}, 2 threads`, ours: two, beside: 'one thread', other: ours, ...means }
    }
    ours.dispose()
  }
  if (!'activations'.includes(shape)) return
  const [usual, ours] = [
    await openSentences({ dtype: 'int8', lengths }),
    await openSentences({ dtype: 'int8', activations: 'int8', lengths }),
  ]
  const dispose = () => [usual, ours].forEach(one => void one.dispose())
  const means = { isSpeedup: true, goal: '>= 1.15 from Node 22 on with AVX-VNNI', note, dispose }
  yield {
    name: `embed, ${TEXTS} sentences, int8, activations: 'int8'`,
    ours,
    beside: "'int16'",
    other: usual,
    ...means,
  }
}
