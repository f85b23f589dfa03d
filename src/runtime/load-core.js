// Compiles a wasm file and makes a core of it.

import { messageOf, QkvError } from '../base/errors.js'
import { open } from '../wasm-source.js'
import { Core } from './memory.js'

/** @import { WasmSource } from '../wasm-source.js' */
/** @import { Exports } from './memory.js' */

/** @param {Awaited<WasmSource> | undefined} source */
export async function loadCore(source) {
  const module = await compile(source)
  return new Core(await instantiate(module), module)
}

/** @param {Awaited<WasmSource> | undefined} source */
export async function compile(source) {
  if (source instanceof WebAssembly.Module) return source
  const opened = await open(source)
  const isBytes = 'byteLength' in opened
  try {
    return await (isBytes ? WebAssembly.compile(opened) : WebAssembly.compileStreaming(opened))
  } catch (cause) {
    const message = messageOf(cause)
    if (/content.security.policy|by CSP|unsafe-eval|wasm-eval/i.test(message))
      throw new QkvError(
        'WASM_BLOCKED',
        `the Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src (${message})`,
        { cause },
      )
    const size = isBytes ? ` (${opened.byteLength} bytes)` : ''
    throw new QkvError('WASM_INVALID', `the wasm file is damaged${size}: ${message}`, { cause })
  }
}

/** @param {WebAssembly.Module} module @param {WebAssembly.Imports} [imports] @returns {Promise<{ exports: Exports }>} */
export async function instantiate(module, imports) {
  try {
    return /** @type {{ exports: Exports }} */ (await WebAssembly.instantiate(module, imports))
  } catch (cause) {
    throw new QkvError('WASM_INVALID', `the wasm file is not the one of qkv: ${messageOf(cause)}`, {
      cause,
    })
  }
}
