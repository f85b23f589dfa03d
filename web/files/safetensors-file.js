// Reads and writes safetensors files: the header length in 8 bytes, a JSON header { name: { dtype, shape, data_offsets } }, then the
// numbers in float32 or float16. https://github.com/huggingface/safetensors

import { tensor } from 'qkv'
import { Trouble } from './trouble.js'

/** @typedef {Record<string, { data: Float32Array, dims: readonly number[] }>} Weights */

/**
 * Converts to float16 bits.
 * @param {Float32Array} data
 * @throws {RangeError} if float16 cannot represent a value
 */
function toHalf(data) {
  const beyond = data.find(x => !(Math.abs(x) < 65520))
  if (beyond !== undefined) throw new RangeError(`${beyond} given, which float16 cannot hold.`)
  return tensor(data).half().data
}

/**
 * @param {Weights} weights
 * @param {Record<string, string>} metadata
 * @param {'F32' | 'F16'} [dtype]
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function toSafetensors(weights, metadata, dtype = 'F32') {
  const size = dtype === 'F32' ? 4 : 2
  let at = 0
  const entries = Object.entries(weights).map(([name, { data, dims }]) => {
    const from = at
    at += size * data.length
    return [name, { dtype, shape: dims, data_offsets: [from, at] }]
  })
  const header = JSON.stringify({ __metadata__: metadata, ...Object.fromEntries(entries) })
  const text = new TextEncoder().encode(header)
  // Pad the header with spaces, so that the numbers start at a multiple of 8 bytes.
  const length = Math.ceil(text.length / 8) * 8
  const bytes = new Uint8Array(8 + length + at)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, length, true)
  bytes.fill(0x20, 8, 8 + length)
  bytes.set(text, 8)
  let to = 8 + length
  for (const { data } of Object.values(weights))
    for (const value of dtype === 'F32' ? data : toHalf(data)) {
      if (dtype === 'F32') view.setFloat32(to, value, true)
      else view.setUint16(to, value, true)
      to += size
    }
  return bytes
}

/**
 * Reads a safetensors file.
 * @param {Uint8Array} bytes
 * @returns {{ weights: Weights, metadata: Record<string, string> }}
 * @throws {Trouble} if the file is invalid
 */
export function fromSafetensors(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = bytes.length < 8 ? Number.NaN : view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32
  if (!(length <= bytes.length - 8)) throw new Trouble('fileNone')
  /** @type {any} */
  let header
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)))
  } catch {
    throw new Trouble('fileNone')
  }
  const { __metadata__: metadata = {}, ...entries } = header ?? {}
  /** @type {Weights} */
  const weights = {}
  for (const [name, entry] of Object.entries(entries)) {
    const { dtype, shape, data_offsets: offsets } = entry ?? {}
    if (dtype !== 'F32') throw new Trouble('fileDtype', { name, given: String(dtype).slice(0, 10) })
    const isSize = (/** @type {unknown} */ n) => Number.isSafeInteger(n) && Number(n) >= 0
    const fits = Array.isArray(shape) && shape.every(isSize) && Array.isArray(offsets) && offsets.every(isSize)
    const count = fits ? shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1) : Number.NaN
    const [from, to] = fits ? offsets : []
    if (!fits || to - from !== 4 * count || 8 + length + to > bytes.length) throw new Trouble('fileBytes', { name })
    const data = Float32Array.from({ length: count }, (_, i) => view.getFloat32(8 + length + from + 4 * i, true))
    weights[name] = { data, dims: shape }
  }
  return { weights, metadata }
}
