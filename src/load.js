import { readOptions } from './base/arguments.js'
import { QkvError, toAwait } from './base/errors.js'
import { later, Qkv } from './qkv.js'
import { loadCore } from './runtime/load-core.js'

/** A module that is valid only in engines with SIMD: (func (result v128) i32.const 0 i8x16.splat). */
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11,
])

/** @import { WasmSource } from './wasm-source.js' */

/**
 * Loads the core. Each call makes a module with separate memory.
 * @typedef {object} LoadOptions
 * @property {WasmSource} [wasm] where the wasm comes from: bytes, a compiled Module, a URL or a Response; by default the file next to this
 *   one
 * @property {number | 'auto'} [threads] number of threads for a large call, including the calling one, at most 64; default 1; 'auto': the
 *   number of cores. Threads need shared memory, which pages have only if they are cross-origin isolated. If no worker can start,
 *   qkv.threads is 1 and qkv.threadsReason says why
 * @property {boolean | 'auto'} [relaxed] true uses the build with relaxed SIMD; default false. It is faster, because it fuses products and
 *   sums on processors that can, but results depend on the processor. In an engine without relaxed SIMD, true throws, and 'auto' uses the
 *   default build
 * @property {boolean | WasmSource} [integers] also loads the kernels of integer weights, for packLinear with dtype int8 or int4; default
 *   false; true: from the file next to this one. loadModel loads them on demand
 *
 * @param {LoadOptions} [options]
 * @returns {Promise<Qkv>}
 * @throws {QkvError} with code WASM_MISSING, WASM_INVALID, WASM_BLOCKED, WASM_VERSION, NO_SIMD, NO_RELAXED_SIMD or
 *   THREAD_START
 */
export const load = (options = {}) => toAwait(start(options), Qkv, 'const qkv = await load()')

/** @param {LoadOptions} options @returns {Promise<Qkv>} */
async function start(options) {
  const {
    wasm,
    threads = 1,
    relaxed = false,
    integers = false,
  } = readOptions(options, ['wasm', 'threads', 'relaxed', 'integers'], 'load')
  if (!WebAssembly.validate(SIMD_PROBE))
    throw new QkvError(
      'NO_SIMD',
      'this engine has no WebAssembly SIMD: use Chrome 91, Firefox 89, Safari 16.4, Node 16.4 or later',
    )
  const source = await wasm
  if (threads === 1 && relaxed === false && integers === false) return new Qkv(await loadCore(source))
  const { loadWith } = await later()
  return new Qkv(await loadWith(source, threads, relaxed, integers))
}
