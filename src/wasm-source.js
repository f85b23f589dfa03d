// Where the wasm file comes from.

import { describe, QkvError } from './base/errors.js'

/**
 * @typedef {URL | string | Response | PromiseLike<Response> | BufferSource | WebAssembly.Module} WasmSource
 */

/**
 * @param {URL | string | Response | BufferSource} [source] default: the file beside this one
 * @returns {Promise<BufferSource | Response>} a response is one that can be compiled while it arrives
 */
export async function open(source = new URL('./qkv.wasm', import.meta.url)) {
  if (source instanceof URL || typeof source === 'string') return openURL(source)
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source
  // Checked last: in Node the first use of Response loads its implementation, which takes milliseconds.
  if (typeof Response !== 'undefined' && source instanceof Response) return openResponse(source)
  throw new TypeError(
    `load: wasm: ${describe(source)} given; bytes, a WebAssembly.Module, a URL or a Response expected`,
  )
}

/** @param {URL | string} source */
async function openURL(source) {
  try {
    const url = source instanceof URL ? source : new URL(source, globalThis.location?.href ?? import.meta.url)
    // Node has no fetch of files. getBuiltinModule keeps bundlers from looking for node:fs.
    const fs = url.protocol === 'file:' ? globalThis.process?.getBuiltinModule?.('node:fs/promises') : undefined
    return fs ? await fs.readFile(url) : await openResponse(await fetch(url))
  } catch (cause) {
    if (cause instanceof QkvError) throw cause
    throw new QkvError('WASM_MISSING', `cannot read ${source}: ${/** @type {Error} */ (cause).message}`, { cause })
  }
}

/** @param {Response} response */
async function openResponse(response) {
  const type = typeOf(response)
  if (!response.ok || /^text\/html/i.test(type))
    throw new QkvError(
      'WASM_MISSING',
      `${response.url || 'the response'} answers ${response.status} ${type}: copy the file from qkv/dist beside the bundle, or give its address to load`,
    )
  const canStream = 'compileStreaming' in WebAssembly && /^application\/wasm$/i.test(type)
  return canStream ? response : response.arrayBuffer()
}

/** The MIME type: engines compile a response while it arrives only if this is application/wasm. @param {Response} response */
const typeOf = response => response.headers.get('content-type')?.trim() ?? ''
