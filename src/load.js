import { readOptions } from './base/arguments.js'
import { QkvError } from './base/errors.js'
import { Qkv } from './qkv.js'
import { Core } from './runtime/memory.js'
import { checkThreads, Threads } from './threads/pool.js'
import { canShareMemory, importSharedMemory, makeSharedMemory } from './threads/shared-memory.js'
import { open } from './wasm-source.js'

/** (func (result v128) i32.const 0 i8x16.splat): valid in engines with SIMD only. */
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11,
])

/** @typedef {import('./wasm-source.js').WasmSource} WasmSource */

/**
 * Loads the core. Each call makes a module with a memory of its own.
 * @typedef {object} LoadOptions
 * @property {WasmSource} [wasm] where the wasm comes from: bytes, a compiled Module, a URL or a Response; by default the
 *   file beside this one
 * @property {number | 'auto'} [threads] how many threads work on a large call, the calling one included; default 1,
 *   'auto': as many as the machine has. More than one needs shared memory: in a page cross-origin isolation, else
 *   qkv.threads is 1
 *
 * @param {LoadOptions} [options]
 * @returns {Promise<Qkv>}
 * @throws {QkvError} with code WASM_MISSING, WASM_INVALID, WASM_VERSION, NO_SIMD or THREAD_START
 */
export async function load(options = {}) {
  const given = readOptions(options, ['wasm', 'threads'], 'load')
  const threads = checkThreads(given.threads)
  if (!WebAssembly.validate(SIMD_PROBE))
    throw new QkvError(
      'NO_SIMD',
      'this engine has no WebAssembly SIMD: use Chrome 91, Firefox 89, Safari 16.4, Node 16.4 or later',
    )
  const source = await given.wasm
  return new Qkv(await (threads > 1 && canShareMemory() ? loadThreads(source, threads) : loadCore(source)))
}

/** @param {Awaited<WasmSource> | undefined} source */
const loadCore = async source => new Core(await instantiate(await compile(source)))

/** @param {Awaited<WasmSource> | undefined} source @param {number} count */
async function loadThreads(source, count) {
  if (source instanceof WebAssembly.Module)
    throw new TypeError(
      `load: wasm: a compiled WebAssembly.Module given, ${count} threads need the file itself: ` +
        'give its bytes, a URL or a Response, or threads: 1',
    )
  const opened = await open(source)
  const buffer = 'byteLength' in opened ? opened : await opened.arrayBuffer()
  const bytes = ArrayBuffer.isView(buffer)
    ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    : new Uint8Array(buffer)
  const alone = await loadCore(bytes) // which also finds whatever is wrong with the file
  const shared = importSharedMemory(bytes)
  const memory = makeSharedMemory(shared.pages)
  if (!memory) return alone
  const module = await compile(shared.bytes)
  const core = new Core(await instantiate(module, { env: { memory } }))
  core.threads = await Threads.start(core, module, count)
  core.unshared = alone
  return core
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

/** @param {WebAssembly.Module} module @param {WebAssembly.Imports} [imports] */
async function instantiate(module, imports) {
  try {
    return await WebAssembly.instantiate(module, imports)
  } catch (cause) {
    throw new QkvError('WASM_INVALID', `the wasm file is not the one of qkv: ${/** @type {Error} */ (cause).message}`, {
      cause,
    })
  }
}
