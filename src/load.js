import { QkvError } from './errors.js'
import { Core } from './memory.js'
import { checkNames } from './options.js'
import { Qkv } from './qkv.js'
import { open } from './source.js'

/** (func (result v128) i32.const 0 i8x16.splat): valid in engines with SIMD only. */
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11,
])

/** @typedef {import('./source.js').WasmSource} WasmSource */

/**
 * Loads the core. Each call makes a module with a memory of its own.
 * @param {{ wasm?: WasmSource }} [options] where the wasm comes from: bytes, a compiled Module, a URL or a Response;
 *   by default the file beside this one
 * @returns {Promise<Qkv>}
 * @throws {QkvError} with code WASM_MISSING, WASM_INVALID, WASM_VERSION or NO_SIMD
 */
export async function load(options = {}) {
  checkNames(options, ['wasm'], 'load')
  if (!WebAssembly.validate(SIMD_PROBE))
    throw new QkvError(
      'NO_SIMD',
      'this engine has no WebAssembly SIMD: use Chrome 91, Firefox 89, Safari 16.4, Node 16.4 or later',
    )
  const module = await compile(await options.wasm)
  return new Qkv(new Core(await instantiate(module)))
}

/** @param {Awaited<WasmSource> | undefined} source */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source
  const opened = await open(source)
  const isBytes = 'byteLength' in opened
  try {
    return await (isBytes ? WebAssembly.compile(opened) : WebAssembly.compileStreaming(opened))
  } catch (cause) {
    const size = isBytes ? ` (${opened.byteLength} bytes)` : ''
    throw new QkvError('WASM_INVALID', `the wasm file is damaged${size}: ${/** @type {Error} */ (cause).message}`, {
      cause,
    })
  }
}

/** @param {WebAssembly.Module} module */
async function instantiate(module) {
  try {
    return await WebAssembly.instantiate(module)
  } catch (cause) {
    throw new QkvError('WASM_INVALID', `the wasm file is not the one of qkv: ${/** @type {Error} */ (cause).message}`, {
      cause,
    })
  }
}
