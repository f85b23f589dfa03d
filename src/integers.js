// Loads the kernels of integer weights on demand: qkv.integers.wasm, a second module that uses the memory of the first.
// qkv.relaxed.integers.wasm has the same kernels with the same results. It multiplies bytes twice as fast, in engines with the instruction.

import { isShared } from './base/buffers.js'
import { QkvError } from './base/errors.js'
import { ABI } from './runtime/abi.js'
import { Int8Rows } from './runtime/int8-rows.js'
import { compile, instantiate } from './runtime/load-core.js'
import { readBytes } from './wasm-bytes.js'
import { ofPackage, open } from './wasm-source.js'

/** @import { Core } from './runtime/memory.js' */

const SHARED = 2 // bit in the flags of a memory's limits

/**
 * A module that is valid only in engines with relaxed SIMD: (func (export "") (result i32) i8x16.splat 127, i8x16.splat -1,
 * i32x4.splat 0, i32x4.relaxed_dot_i8x16_i7x16_add_s, i32x4.extract_lane 0).
 */
const PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 4, 1, 0, 0, 0, 10, 23, 1, 21, 0, 65, 255, 0, 253,
  15, 65, 127, 253, 15, 65, 0, 253, 17, 253, 147, 2, 253, 27, 0, 11,
])

/** True if the engine's products of bytes are exact. It may read the byte 255 as 255 or as -1; linear_bytes.c detects which. */
function hasByteProducts() {
  if (!WebAssembly.validate(PROBE)) return false
  const { '': multiply } = new WebAssembly.Instance(new WebAssembly.Module(PROBE)).exports
  const product = typeof multiply === 'function' && multiply()
  return product === 4 * 127 * 255 || product === -4 * 127
}

/**
 * Opens the wasm file of integer weights next to this file. Falls back to the default build if the relaxed one is missing, as when files
 * were copied by hand.
 */
async function ownFile(/** @type {boolean} */ hasBytes) {
  const usual = ofPackage('qkv.integers.wasm', () => new URL('./qkv.integers.wasm', import.meta.url))
  if (!hasBytes || !hasByteProducts()) return usual
  const relaxed = ofPackage('qkv.relaxed.integers.wasm', () => new URL('./qkv.relaxed.integers.wasm', import.meta.url))
  return open(relaxed).catch(() => usual)
}

/** Returns the bytes of the wasm file, changed to import a shared memory. @param {Awaited<import('./wasm-source.js').WasmSource>} source */
async function readShared(source) {
  const bytes = (await readBytes(source, 'integers: threads')).slice()
  const name = [...'memory'].map(letter => letter.charCodeAt(0))
  const at = bytes.findIndex((_, from) => name.every((code, n) => bytes[from + n] === code))
  bytes[at + name.length + 1] |= SHARED // after the name: the kind of the import, then the flags
  return bytes
}

/**
 * Loads the kernels of integer weights into a core, if it lacks them.
 * @param {Core} core
 * @param {import('./wasm-source.js').WasmSource} [source]
 * @param {boolean} [hasBytes] true if activations may be bytes
 * @returns {Promise<void>}
 */
export const addIntegers = (core, source, hasBytes = true) =>
  core.inTurn(async () => {
    if (!core.exports.qkv_integer_part) await add(core, source ?? ownFile(hasBytes))
    core.Int8Rows = Int8Rows
  })

/** @param {Core} core @param {import('./wasm-source.js').WasmSource} source */
async function add(core, source) {
  const { memory, qkv_heap } = core.exports
  const isInThreads = isShared(memory.buffer)
  const file = await source
  const module = await compile(isInThreads ? await readShared(file) : file)
  const { exports } = await instantiate(module, { env: { memory } })
  const { qkv_abi, qkv_stack } = exports
  if (qkv_abi?.() !== ABI)
    throw new QkvError(
      'WASM_VERSION',
      `the file of integer weights has version ${qkv_abi?.() ?? 'none'} of the interface, this JavaScript ${ABI}: take both from one package`,
    )
  qkv_stack(qkv_heap()) // both modules use the first one's stack, which ends where the heap begins; they never run at the same time
  // Exports are set before the workers restart, because calls may arrive meanwhile. Workers merge exports in the same order.
  core.exports = Object.assign({}, exports, core.exports)
  core.integers = module
  await core.threads?.restart(core, module)
}
