// Loads a core with relaxed SIMD, kernels of integer weights, or threads. Imported only if one of these is requested.

import { describe, messageOf } from '../base/errors.js'
import { addIntegers } from '../integers.js'
import { relaxedSource } from '../relaxed.js'
import { compile, instantiate, loadCore } from '../runtime/load-core.js'
import { Core } from '../runtime/memory.js'
import { readBytes } from '../wasm-bytes.js'
import { Threads } from './pool.js'
import { importSharedMemory, makeSharedMemory } from './shared-memory.js'
import { MOST_THREADS } from './words.js'

export { trim } from './trim.js'

/** Returns the number of threads for the option `threads`. @param {unknown} threads an option of load */
function countThreads(threads) {
  if (threads === 'auto') {
    const { process, navigator } = globalThis
    const all = process?.getBuiltinModule?.('node:os')?.availableParallelism() ?? navigator?.hardwareConcurrency
    return Math.min(all ?? 1, MOST_THREADS)
  }
  if (typeof threads !== 'number')
    throw new TypeError(`load: threads: expected a number or 'auto', got ${describe(threads)}`)
  if (!Number.isInteger(threads) || threads < 1 || threads > MOST_THREADS)
    throw new RangeError(`load: threads: expected a whole number from 1 to ${MOST_THREADS}, or 'auto', got ${threads}`)
  return threads
}

/**
 * Returns why threads are impossible here, or ''. Browsers share memory with workers only if the page is cross-origin isolated.
 */
function whyAlone(/** @type {unknown} */ source) {
  if (typeof SharedArrayBuffer !== 'function' || globalThis.crossOriginIsolated === false)
    return 'the page is not cross-origin isolated: serve it with Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp'
  return source instanceof WebAssembly.Module
    ? 'threads need the wasm file itself, not a compiled WebAssembly.Module'
    : ''
}

/**
 * Loads a core with the requested features.
 * @param {Awaited<import('../wasm-source.js').WasmSource> | undefined} source
 * @param {unknown} threads
 * @param {unknown} relaxed
 * @param {boolean | import('../wasm-source.js').WasmSource} integers
 */
export async function loadWith(source, threads, relaxed, integers) {
  const core = await loadShared(source, threads, relaxed)
  if (integers !== false) await addIntegers(core, integers === true ? undefined : integers)
  return core
}

/** Stores in a core why it has only one thread, and returns the core. @param {Core} core @param {string} reason */
const withReason = (core, reason) => Object.assign(core, { threadsReason: reason })

/**
 * @param {Awaited<import('../wasm-source.js').WasmSource> | undefined} source
 * @param {unknown} threads
 * @param {unknown} relaxed
 */
async function loadShared(source, threads, relaxed) {
  if (relaxed !== false) source = relaxedSource(relaxed, source)
  const count = countThreads(threads)
  if (count === 1) return withReason(await loadCore(source), threads === 1 ? '' : 'the machine has one')
  const reason = whyAlone(threads === 'auto' ? source : undefined)
  if (reason) return withReason(await loadCore(source), reason)
  const bytes = await readBytes(source, `wasm: ${count} threads`)
  const alone = await loadCore(bytes) // also reports every error of the file
  const shared = importSharedMemory(bytes)
  const memory = makeSharedMemory(shared.pages)
  if (!memory) return withReason(alone, 'the engine gives no shared memory')
  const module = await compile(shared.bytes)
  const core = new Core(await instantiate(module, { env: { memory } }), module)
  try {
    core.threads = await Threads.start(core, module, count)
  } catch (error) {
    if (threads !== 'auto') throw error
    return withReason(alone, messageOf(error))
  }
  core.unshared = alone
  return core
}
