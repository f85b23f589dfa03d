// Opens the source of the wasm file: a URL, a path, a response, or bytes.

import { isBytes } from './base/buffers.js'
import { describe, QkvError } from './base/errors.js'
import { whyOf, withoutSecrets } from './base/fetch-error.js'
import { readInstalled } from './base/installed.js'

/**
 * @typedef {URL | string | Response | PromiseLike<Response> | BufferSource | WebAssembly.Module} WasmSource
 */

/**
 * Opens a source, and returns what WebAssembly compiles.
 * @param {URL | string | Response | BufferSource} [source] default: the file next to this one
 * @returns {Promise<BufferSource | Response>} a response only if it can be compiled while it streams in
 */
export async function open(source = ofPackage('qkv.wasm', () => new URL('./qkv.wasm', import.meta.url))) {
  if (source instanceof URL || typeof source === 'string') return openURL(source)
  if (isBytes(source)) return source
  // This check comes last: in Node the first use of Response loads its implementation, which takes milliseconds.
  if (typeof Response !== 'undefined' && source instanceof Response) return openResponse(source)
  throw new TypeError(`load: wasm: expected bytes, a WebAssembly.Module, a URL or a Response, got ${describe(source)}`)
}

const MEND =
  "copy the file from qkv/dist beside the bundle, or give its address to load (Vite's dev server: optimizeDeps.exclude: ['qkv'])"

const NO_ADDRESS =
  'a bundle that is not an ES module has no address: give those of the files, or their bytes: load({ wasm }), for int8 and int4 load({ wasm, integers })'

/**
 * Returns a URL with the name of a file of the qkv package. If the URL fails, openURL reads this file of the installed package.
 * @param {string} name
 * @param {() => URL} address throws in bundles that are not ES modules
 */
export function ofPackage(name, address) {
  try {
    return Object.assign(address(), { ofPackage: name, hasAddress: true })
  } catch {
    return Object.assign(new URL(`file:${name}`), { ofPackage: name, hasAddress: false })
  }
}

/** @param {URL | string} source */
async function openURL(source) {
  const { ofPackage: name, hasAddress } = Object(source)
  try {
    if (hasAddress === false) throw new TypeError(NO_ADDRESS)
    const url = source instanceof URL ? source : new URL(source, globalThis.location?.href ?? import.meta.url)
    // Node's fetch cannot read files. getBuiltinModule keeps bundlers from resolving node:fs.
    const fs = url.protocol === 'file:' ? globalThis.process?.getBuiltinModule?.('node:fs/promises') : undefined
    return fs ? await fs.readFile(url) : await openResponse(await fetch(url))
  } catch (cause) {
    if (cause instanceof QkvError) throw cause
    const found = name && (await readInstalled(name))
    if (found) return found
    const said =
      hasAddress === false ? `${name}: ${NO_ADDRESS}` : `${withoutSecrets(String(source))}: ${whyOf(cause)}: ${MEND}`
    throw new QkvError('WASM_MISSING', `cannot read ${said}`, { cause })
  }
}

/** @param {Response} response */
async function openResponse(response) {
  const type = typeOf(response)
  if (!response.ok || /^text\/html/i.test(type))
    throw new QkvError('WASM_MISSING', `${response.url || 'the response'} answers ${response.status} ${type}: ${MEND}`)
  const canStream = 'compileStreaming' in WebAssembly && /^application\/wasm$/i.test(type)
  return canStream ? response : response.arrayBuffer()
}

/**
 * Returns the MIME type of a response. Engines compile a response while it streams in only if the type is application/wasm.
 * @param {Response} response
 */
const typeOf = response => response.headers.get('content-type')?.trim() ?? ''
