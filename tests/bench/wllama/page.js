// In the page: prompts and tokens of ours and of llama.cpp's wasm, turn by turn.

import { load } from '../../../src/entries/index.js'
import { loadModel } from '../../../src/entries/models.js'

/** @typedef {import('../../../src/models/weight-types.js').WeightType} WeightType */
/** Milliseconds of a prompt, and of each token after it. @typedef {{ prompt: number, token: number }} Milliseconds */
/** @typedef {{ name: string, clear: () => unknown, decode: (ids: number[]) => unknown, likeliest: () => Promise<[id: number, probability: number][]>, close: () => unknown }} Runner */
/** @typedef {{ name: string, of: { [length: number]: Milliseconds }, likeliest: [id: number, probability: number][] }} WllamaRow */

const PACKAGE = '../node_modules/@wllama/wllama/esm/' // the peer may not be installed
const TOKENS = 4 // measured after each prompt
const CONTEXT = 1024
/** Dtypes of a cache. */
const NARROW = /** @type {const} */ (['float32', 'int8'])

/** @param {number} n @param {number} vocab */
const idsOf = (n, vocab) => Array.from({ length: n }, (_, i) => 300 + ((i * 7919) % (vocab - 300)))

/** @param {string} folder @param {WeightType | undefined} dtype @param {number} threads @param {boolean} isRelaxed @param {'float32' | 'int8'} cacheDtype @param {string} [type] of blocks @returns {Promise<Runner>} */
async function ours(folder, dtype, threads, isRelaxed, cacheDtype, type) {
  const qkv = await load({ threads, relaxed: isRelaxed })
  const model = await loadModel(qkv, folder, { dtype, cacheDtype, tokenizer: false })
  const cache = model.cache({ capacity: CONTEXT })
  /** @type {Float32Array | undefined} */
  let logits
  return {
    name: `ours ${dtype ?? `the same GGUF, ${type}`}${cacheDtype === 'int8' ? ', cache int8' : ''}${isRelaxed ? ', relaxed' : ''}`,
    clear: () => cache.clear(),
    decode: ids => {
      logits = model.forwardSync({ ids }, { cache, logits: 'last' }).logits?.data
    },
    likeliest: async () => {
      const exps = Array.from(logits ?? [], Math.exp)
      const sum = exps.reduce((a, b) => a + b, 0)
      const all = exps.map((value, id) => /** @type {[number, number]} */ ([id, value / sum]))
      return all.sort(([, a], [, b]) => b - a).slice(0, 5)
    },
    close: () => qkv.dispose(),
  }
}

/** The file that the peer opens, multiplied in its blocks. @param {string} folder @param {string} type @param {number} threads @returns {Promise<Runner>} */
const ofFile = (folder, type, threads) => ours(`${folder}${type}.gguf`, undefined, threads, false, 'float32', type)

/** @param {string} folder @param {string} type @param {number} threads @returns {Promise<Runner>} */
async function peer(folder, type, threads) {
  const { Wllama } = await import(`${PACKAGE}index.js`)
  const at = (/** @type {string} */ name) => new URL(`${PACKAGE}${name}/wllama.wasm`, import.meta.url).href
  const quiet = { debug() {}, log() {}, warn() {}, error: console.error }
  const wllama = new Wllama(
    { 'single-thread/wllama.wasm': at('single-thread'), 'multi-thread/wllama.wasm': at('multi-thread') },
    { suppressNativeLog: true, logger: quiet },
  )
  const blob = await (await fetch(`${folder}${type}.gguf`)).blob()
  await wllama.loadModel([blob], { n_ctx: CONTEXT, n_batch: CONTEXT, n_threads: threads })
  return {
    name: `llama.cpp ${type}`,
    clear: () => wllama.kvClear(),
    decode: ids => wllama.decode(ids, {}),
    likeliest: async () =>
      (await wllama.getLogits(5)).map((/** @type {{ token: number, p: number }} */ { token, p }) => [token, p]),
    close: () => wllama.exit(),
  }
}

/**
 * Least times of all, turn by turn.
 * @param {{ folder: string, vocab: number, threads: number, lengths: number[], samples: number, dtypes: WeightType[], hasPeer: boolean }} asked
 * @returns {Promise<WllamaRow[]>}
 */
export async function measureModel({ folder, vocab, threads, lengths, samples, dtypes, hasPeer }) {
  const runners = []
  for (const isRelaxed of [false, true])
    for (const dtype of dtypes)
      for (const cacheDtype of dtype === 'float32' || isRelaxed ? NARROW.slice(0, 1) : NARROW)
        runners.push(
          await ours(folder, dtype, threads, isRelaxed, cacheDtype).catch(error => {
            if (isRelaxed && error.code === 'NO_RELAXED_SIMD') return undefined
            throw error
          }),
        )
  for (const type of ['Q8_0', 'Q4_0']) runners.push(await ofFile(folder, type, threads))
  if (hasPeer) for (const type of ['Q8_0', 'Q4_0']) runners.push(await peer(folder, type, threads))
  const all = runners.filter(runner => runner !== undefined)
  /** @type {WllamaRow[]} */
  const rows = all.map(({ name }) => ({ name, of: {}, likeliest: [] }))
  for (const length of lengths)
    for (let sample = 0; sample <= samples; sample++)
      for (const [n, { clear, decode, likeliest }] of all.entries()) {
        await clear()
        const time = async (/** @type {number[]} */ ids) => {
          const start = performance.now()
          await decode(ids)
          return performance.now() - start
        }
        const row = rows[n]
        const prompt = await time(idsOf(length, vocab))
        if (sample === 0 && length === lengths[0]) row.likeliest = await likeliest()
        const tokens = []
        for (let i = 0; i < TOKENS; i++) tokens.push(await time([5]))
        if (sample === 0) continue // V8 compiles
        const least = row.of[length] ?? { prompt: Infinity, token: Infinity }
        row.of[length] = { prompt: Math.min(least.prompt, prompt), token: Math.min(least.token, ...tokens) }
      }
  for (const { close } of all) await close()
  return rows
}
