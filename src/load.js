import { readOptions } from './base/arguments.js'
import { describe, QkvError } from './base/errors.js'
import { Qkv } from './qkv.js'
import { loadCore } from './runtime/load-core.js'

/** (func (result v128) i32.const 0 i8x16.splat): valid in engines with SIMD only. */
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11,
])

/** The same with f32x4.relaxed_madd of three of them: valid in engines with relaxed SIMD only. */
const RELAXED_PROBE = new Uint8Array([
  ...SIMD_PROBE.subarray(0, 19),
  ...[10, 19, 1, 17, 0, 65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15, 253, 133, 2, 11],
])

const MOST_THREADS = 64

/** @typedef {import('./wasm-source.js').WasmSource} WasmSource */

/**
 * Loads the core. Each call makes a module with a memory of its own.
 * @typedef {object} LoadOptions
 * @property {WasmSource} [wasm] where the wasm comes from: bytes, a compiled Module, a URL or a Response; by default the
 *   file beside this one
 * @property {number | 'auto'} [threads] how many threads work on a large call, the calling one included; default 1,
 *   'auto': as many as the machine has; at most 64. More than one needs shared memory: in a page cross-origin isolation,
 *   else qkv.threads is 1
 * @property {boolean | 'auto'} [relaxed] the build with relaxed SIMD, whose products and sums are fused where the
 *   processor can: faster, but results then depend on the processor. True throws where the engine lacks it, 'auto' takes
 *   the default build there; default false
 *
 * @param {LoadOptions} [options]
 * @returns {Promise<Qkv>}
 * @throws {QkvError} with code WASM_MISSING, WASM_INVALID, WASM_VERSION, NO_SIMD, NO_RELAXED_SIMD or
 *   THREAD_START
 */
export async function load(options = {}) {
  const given = readOptions(options, ['wasm', 'threads', 'relaxed'], 'load')
  const relaxed = checkRelaxed(given)
  const threads = checkThreads(given.threads)
  if (!WebAssembly.validate(SIMD_PROBE))
    throw new QkvError(
      'NO_SIMD',
      'this engine has no WebAssembly SIMD: use Chrome 91, Firefox 89, Safari 16.4, Node 16.4 or later',
    )
  const source = relaxed ? new URL('./qkv.relaxed.wasm', import.meta.url) : await given.wasm
  if (threads === 1 || !canShareMemory()) return new Qkv(await loadCore(source))
  const { loadThreads } = await import('./threads/load-threads.js')
  return new Qkv(await loadThreads(source, threads))
}

/** @param {LoadOptions} options @returns {boolean} whether the relaxed build is loaded */
function checkRelaxed({ relaxed = false, wasm }) {
  if (typeof relaxed !== 'boolean' && relaxed !== 'auto')
    throw new TypeError(`load: relaxed: ${describe(relaxed)} given, true, false or 'auto' expected`)
  if (relaxed && wasm !== undefined) throw new TypeError('load: wasm and relaxed are both given: leave one out')
  const hasIt = WebAssembly.validate(RELAXED_PROBE)
  if (relaxed === true && !hasIt)
    throw new QkvError(
      'NO_RELAXED_SIMD',
      "this engine has no relaxed SIMD: use Chrome 114, Firefox 145, Node 22 or later, or relaxed: 'auto'",
    )
  return relaxed && hasIt
}

/** Browsers share memory with workers only where the page is cross-origin isolated. */
const canShareMemory = () => typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated !== false

/** @param {unknown} threads */
function checkThreads(threads = 1) {
  if (threads === 'auto') {
    const { process, navigator } = globalThis
    const all = process?.getBuiltinModule?.('node:os')?.availableParallelism() ?? navigator?.hardwareConcurrency
    return Math.min(all ?? 1, MOST_THREADS)
  }
  if (typeof threads !== 'number')
    throw new TypeError(`load: threads: ${describe(threads)} given, a number or 'auto' expected`)
  if (!Number.isInteger(threads) || threads < 1 || threads > MOST_THREADS)
    throw new RangeError(
      `load: threads: ${threads} given, a whole number from 1 to ${MOST_THREADS}, or 'auto' expected`,
    )
  return threads
}
