// Runs in the page: times prompts and tokens of qkv and of llama.cpp's wasm, interleaved.

import { load } from '../../../src/entries/index.js'
import { loadModel } from '../../../src/entries/models.js'

/** @import { WeightType } from '../../../src/models/weights/weight-types.js' */
/** Milliseconds for a prompt, and for each token after it. @typedef {{ prompt: number, token: number }} Milliseconds */
/**
 * @typedef {object} Runner
 * @property {string} name
 * @property {(length: number) => Promise<Milliseconds>} run a prompt and TOKENS tokens after it, from an empty cache
 * @property {(length: number) => Promise<[id: number, probability: number][]>} likeliest next tokens after a prompt
 * @property {() => unknown} close
 * @property {number} [samples] at most this many are measured, even if more are requested
 */
/** @typedef {{ name: string, of: { [length: number]: Milliseconds }, likeliest: [id: number, probability: number][] }} WllamaRow */

// in variables, so that the type checker does not look them up: the peers may not be installed
const PACKAGE = '../node_modules/@wllama/wllama/esm/'
const NEWEST = '../node_modules/wllama-3/esm/'
const TOKENS = 4 // measured after each prompt
const CONTEXT = 1024
/** Values of cacheDtype. */
const NARROW = /** @type {const} */ (['float32', 'int8'])

// The newest peer takes texts, not ids. No pair of these bytes is a token, so each byte is one token.
const BOS = 1
const BYTES = 3 // the id of byte 0
const SPACE = '\u2581' // precedes each text
const textOf = (/** @type {number} */ length) =>
  Array.from({ length: length - 4 }, (_, i) => String.fromCharCode(97 + ((i * 7) % 26))).join('')
const idsOf = (/** @type {number} */ length) => [
  BOS,
  ...Array.from(new TextEncoder().encode(SPACE + textOf(length)), byte => BYTES + byte),
]

/**
 * Measures a prompt in one step, then token by token.
 * @param {() => unknown} clear
 * @param {(ids: number[]) => unknown} decode
 * @returns {(length: number) => Promise<Milliseconds>}
 */
const inSteps = (clear, decode) => async length => {
  await clear()
  const time = async (/** @type {number[]} */ ids) => {
    const start = performance.now()
    await decode(ids)
    return performance.now() - start
  }
  const prompt = await time(idsOf(length))
  const tokens = []
  for (let i = 0; i < TOKENS; i++) tokens.push(await time([5]))
  return { prompt, token: Math.min(...tokens) }
}

/** @param {string} folder @param {WeightType | undefined} dtype @param {number} threads @param {boolean} isRelaxed @param {'float32' | 'int8'} cacheDtype @param {string} [type] of blocks @returns {Promise<Runner>} */
async function ours(folder, dtype, threads, isRelaxed, cacheDtype, type) {
  const qkv = await load({ threads, relaxed: isRelaxed })
  const model = await loadModel(qkv, folder, { dtype, cacheDtype, tokenizer: false })
  const cache = model.cache({ capacity: CONTEXT })
  /** @type {Float32Array | undefined} */
  let logits
  const decode = (/** @type {number[]} */ ids) => {
    logits = model.forwardSync({ ids }, { cache, logits: 'last' }).logits?.data
  }
  return {
    name: `ours ${dtype ?? `the same GGUF, ${type}`}${cacheDtype === 'int8' ? ', cache int8' : ''}${isRelaxed ? ', relaxed' : ''}`,
    run: inSteps(() => cache.clear(), decode),
    likeliest: async length => {
      cache.clear()
      decode(idsOf(length))
      const exps = Array.from(logits ?? [], Math.exp)
      const sum = exps.reduce((a, b) => a + b, 0)
      const all = exps.map((value, id) => /** @type {[number, number]} */ ([id, value / sum]))
      return all.sort(([, a], [, b]) => b - a).slice(0, 5)
    },
    close: () => qkv.dispose(),
  }
}

/** Makes a runner of qkv for the GGUF file that the peer opens. The weights stay in the file's blocks. @param {string} folder @param {string} type @param {number} threads @returns {Promise<Runner>} */
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
    run: inSteps(
      () => wllama.kvClear(),
      ids => wllama.decode(ids, {}),
    ),
    likeliest: async length => {
      await wllama.kvClear()
      await wllama.decode(idsOf(length), {})
      return (await wllama.getLogits(5)).map((/** @type {{ token: number, p: number }} */ { token, p }) => [token, p])
    },
    close: () => wllama.exit(),
  }
}

/** Makes a runner of the newest peer. llama.cpp itself measures its times; `token` is the mean over the generated tokens. @param {string} folder @param {string} type @param {number} threads @returns {Promise<Runner>} */
async function newest(folder, type, threads) {
  const { Wllama } = await import(`${NEWEST}index.js`)
  const quiet = { debug() {}, log() {}, warn() {}, error: console.error }
  const wllama = new Wllama(
    { default: new URL(`${NEWEST}wasm/wllama.wasm`, import.meta.url).href },
    { suppressNativeLog: true, logger: quiet },
  )
  const blob = await (await fetch(`${folder}${type}.gguf`)).blob()
  await wllama.loadModel([new File([blob], `${type}.gguf`)], {
    n_ctx: CONTEXT,
    n_batch: CONTEXT,
    n_threads: threads,
    n_gpu_layers: 0,
  })
  const complete = async (/** @type {number} */ length) => {
    const settings = { max_tokens: TOKENS + 1, temperature: 0, ignore_eos: true, cache_prompt: false, logprobs: 5 }
    const answer = await wllama.createCompletion({ prompt: textOf(length), ...settings })
    const { prompt_tokens: read } = answer.usage
    if (read !== length) throw new Error(`the newest llama.cpp read ${read} tokens instead of ${length}`)
    return answer
  }
  return {
    name: `llama.cpp ${type}, newest`,
    samples: 1,
    async run(length) {
      const { prompt_ms: prompt, predicted_per_token_ms: token } = (await complete(length)).timings
      return { prompt, token }
    },
    likeliest: async length =>
      (await complete(length)).choices[0].logprobs.content[0].top_logprobs.map(
        (/** @type {{ id: number, logprob: number }} */ { id, logprob }) => [id, Math.exp(logprob)],
      ),
    close: () => wllama.exit(),
  }
}

/**
 * Measures the least times of all runners, interleaved.
 * @param {{ folder: string, threads: number, lengths: number[], samples: number, dtypes: WeightType[], hasPeer: boolean }} asked
 * @returns {Promise<WllamaRow[]>}
 */
export async function measureModel({ folder, threads, lengths, samples, dtypes, hasPeer }) {
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
  if (hasPeer) {
    for (const type of ['Q8_0', 'Q4_0']) runners.push(await peer(folder, type, threads))
    runners.push(await newest(folder, 'Q8_0', threads))
  }
  const all = runners.filter(runner => runner !== undefined)
  /** @type {WllamaRow[]} */
  const rows = []
  for (const { name, likeliest } of all) rows.push({ name, of: {}, likeliest: await likeliest(lengths[0]) })
  for (const length of lengths)
    for (let sample = 0; sample <= samples; sample++)
      for (const [n, runner] of all.entries()) {
        if (sample > (runner.samples ?? samples)) continue
        const { prompt, token } = await runner.run(length)
        if (sample === 0) continue // V8 compiles
        const { of } = rows[n]
        const least = of[length] ?? { prompt: Infinity, token: Infinity }
        of[length] = { prompt: Math.min(least.prompt, prompt), token: Math.min(least.token, token) }
      }
  for (const { close } of all) await close()
  return rows
}
