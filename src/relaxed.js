// Finds the build with relaxed SIMD. Loaded only on request.

import { describe, QkvError } from './base/errors.js'
import { ofPackage } from './wasm-source.js'

/** A module that is valid only in engines with relaxed SIMD: (func (result v128) f32x4.relaxed_madd of three i8x16.splat). */
const PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 0, 253, 15, 65, 0, 253, 15, 65,
  0, 253, 15, 253, 133, 2, 11,
])

/**
 * Returns the URL of the build with relaxed SIMD. Throws if `relaxed` is true but the engine lacks relaxed SIMD.
 * @param {unknown} relaxed an option of load
 * @param {unknown} wasm another option of load
 * @returns {URL | undefined} undefined for the default build
 */
export function relaxedSource(relaxed, wasm) {
  if (relaxed !== true && relaxed !== 'auto')
    throw new TypeError(`load: relaxed: expected true, false or 'auto', got ${describe(relaxed)}`)
  if (wasm !== undefined) throw new TypeError('load: expected either wasm or relaxed, got both; leave one out')
  if (WebAssembly.validate(PROBE))
    return ofPackage('qkv.relaxed.wasm', () => new URL('./qkv.relaxed.wasm', import.meta.url))
  if (relaxed === 'auto') return undefined
  throw new QkvError(
    'NO_RELAXED_SIMD',
    "this engine has no relaxed SIMD: use Chrome 114, Firefox 145, Node 22 or later, or relaxed: 'auto'",
  )
}
