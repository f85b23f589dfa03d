// The kernels of integer weights, qkv.integers.wasm: a second module that uses the memory of the first. It is loaded only
// when it is needed.

import { isShared } from './base/buffers.js'
import { QkvError } from './base/errors.js'
import { ABI } from './runtime/abi.js'
import { Int8Rows } from './runtime/int8-rows.js'
import { compile, instantiate } from './runtime/load-core.js'
import { readBytes } from './wasm-bytes.js'
import { ofPackage } from './wasm-source.js'

/** @typedef {import('./runtime/memory.js').Core} Core */

const SHARED = 2 // flag of a memory's limits

/** The bytes of the file, with the import of a shared memory. @param {Awaited<import('./wasm-source.js').WasmSource>} source */
async function readShared(source) {
  const bytes = (await readBytes(source, 'integers: threads')).slice()
  const name = [...'memory'].map(letter => letter.charCodeAt(0))
  const at = bytes.findIndex((_, from) => name.every((code, n) => bytes[from + n] === code))
  bytes[at + name.length + 1] |= SHARED // after the kind of the import
  return bytes
}

/**
 * Loads the kernels of integer weights into a core, if it lacks them.
 * @param {Core} core
 * @param {import('./wasm-source.js').WasmSource} [source]
 * @returns {Promise<void>}
 */
export const addIntegers = (core, source) =>
  core.inTurn(async () => {
    if (!core.exports.qkv_integer_part) await add(core, source)
    core.Int8Rows = Int8Rows
  })

/** @param {Core} core @param {import('./wasm-source.js').WasmSource} [source] by default the file beside this one, if this file has an address */
async function add(core, source = ofPackage('qkv.integers.wasm', new URL('./qkv.integers.wasm', import.meta.url))) {
  const { memory, qkv_heap } = core.exports
  const isInThreads = isShared(memory.buffer)
  const module = await compile(isInThreads ? await readShared(await source) : await source)
  const { exports } = await instantiate(module, { env: { memory } })
  const { qkv_abi, qkv_stack } = /** @type {Record<string, CallableFunction>} */ (exports)
  if (qkv_abi?.() !== ABI)
    throw new QkvError(
      'WASM_VERSION',
      `qkv.integers.wasm has version ${qkv_abi?.() ?? 'none'} of the interface, this JavaScript ${ABI}: take both from one package`,
    )
  qkv_stack(qkv_heap()) // the stack of the first module ends where the heap begins, and only one of them runs at a time
  // Before the workers start, since they number the kernels in this order, and calls may come while they start.
  core.exports = Object.assign({}, /** @type {typeof core.exports} */ (/** @type {unknown} */ (exports)), core.exports)
  core.integers = module
  await core.threads?.restart(core, module)
}
