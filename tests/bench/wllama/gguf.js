// Writes a checkpoint as GGUF, llama.cpp's format, with weights of Q8_0 or Q4_0.

import { closeSync, openSync, writeSync } from 'node:fs'
import { toFloat16 } from '../../../src/base/float16.js'

/** @typedef {'F32' | 'Q8_0' | 'Q4_0'} GgufType */
/** @typedef {{ name: string, dims: readonly number[], values: () => Float32Array, type: GgufType }} GgufTensor dims as (out, in) */
/** @typedef {string | number | { float: number } | { strings: string[] } | { floats: number[] } | { integers: number[] }} GgufValue */

/** Numeric codes of GGUF for its types. */
const TYPES = { F32: 0, Q4_0: 2, Q8_0: 8 }
const UINT32 = 4
const INT32 = 5
const FLOAT32 = 6
const STRING = 8
const ARRAY = 9
const BLOCK = 32 // weights that share a scale
const ALIGNMENT = 32

/** Returns the bytes of a tensor. @param {GgufTensor} tensor */
const bytesOf = ({ dims, type }) =>
  (dims.reduce((a, b) => a * b) / BLOCK) * { F32: 4 * BLOCK, Q8_0: 34, Q4_0: 18 }[type]

/** Quantises to 8 bits: q = w / scale, scale = the largest magnitude / 127. @param {Float32Array} values */
function toQ8(values) {
  const blocks = values.length / BLOCK
  const out = new Uint8Array(blocks * 34)
  for (let b = 0; b < blocks; b++) {
    let most = 0
    for (let i = b * BLOCK; i < (b + 1) * BLOCK; i++) most = Math.max(most, Math.abs(values[i]))
    const [half] = toFloat16(Float32Array.of(most / 127))
    out.set([half & 255, half >> 8], b * 34)
    for (let i = 0; i < BLOCK; i++) out[b * 34 + 2 + i] = most ? Math.round((values[b * BLOCK + i] * 127) / most) : 0
  }
  return out
}

/** Quantises to 4 bits: q = w / scale + 8, scale = the value of the largest magnitude / -8. @param {Float32Array} values */
function toQ4(values) {
  const blocks = values.length / BLOCK
  const out = new Uint8Array(blocks * 18)
  for (let b = 0; b < blocks; b++) {
    let most = 0
    for (let i = b * BLOCK; i < (b + 1) * BLOCK; i++) if (Math.abs(values[i]) > Math.abs(most)) most = values[i]
    const [half] = toFloat16(Float32Array.of(most / -8))
    out.set([half & 255, half >> 8], b * 18)
    for (let i = 0; i < BLOCK; i++) {
      const q = most ? Math.min(15, Math.floor((values[b * BLOCK + i] * -8) / most + 8.5)) : 8
      out[b * 18 + 2 + (i % 16)] |= i < 16 ? q : q << 4
    }
  }
  return out
}

/** @param {GgufTensor} tensor */
function encode({ values, type }) {
  const floats = values()
  if (type === 'F32') return new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength)
  return type === 'Q8_0' ? toQ8(floats) : toQ4(floats)
}

/**
 * @param {string} path
 * @param {Record<string, GgufValue>} metadata numbers are whole
 * @param {GgufTensor[]} tensors
 */
export function writeGguf(path, metadata, tensors) {
  /** @type {Buffer[]} */
  const parts = []
  const uint32 = (/** @type {number} */ n) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(n)
    parts.push(bytes)
  }
  const uint64 = (/** @type {number} */ n) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(n))
    parts.push(bytes)
  }
  const text = (/** @type {string} */ given) => {
    const bytes = Buffer.from(given)
    uint64(bytes.length)
    parts.push(bytes)
  }
  const array = (/** @type {number} */ type, /** @type {number} */ length) => {
    uint32(ARRAY)
    uint32(type)
    uint64(length)
  }
  const value = (/** @type {GgufValue} */ given) => {
    if (typeof given === 'string') {
      uint32(STRING)
      text(given)
    } else if (typeof given === 'number') {
      uint32(UINT32)
      uint32(given)
    } else if ('float' in given) {
      uint32(FLOAT32)
      parts.push(Buffer.from(Float32Array.of(given.float).buffer))
    } else if ('strings' in given) {
      array(STRING, given.strings.length)
      for (const string of given.strings) text(string)
    } else if ('floats' in given) {
      array(FLOAT32, given.floats.length)
      parts.push(Buffer.from(Float32Array.from(given.floats).buffer))
    } else {
      array(INT32, given.integers.length)
      parts.push(Buffer.from(Int32Array.from(given.integers).buffer))
    }
  }
  parts.push(Buffer.from('GGUF'))
  uint32(3)
  uint64(tensors.length)
  uint64(Object.keys(metadata).length)
  for (const [key, given] of Object.entries(metadata)) {
    text(key)
    value(given)
  }
  let offset = 0
  for (const tensor of tensors) {
    text(tensor.name)
    uint32(tensor.dims.length)
    for (const size of [...tensor.dims].reverse()) uint64(size) // innermost first
    uint32(TYPES[tensor.type])
    uint64(offset)
    offset += Math.ceil(bytesOf(tensor) / ALIGNMENT) * ALIGNMENT
  }
  const file = openSync(path, 'w')
  const write = (/** @type {Uint8Array} */ bytes) => {
    writeSync(file, bytes)
    writeSync(file, new Uint8Array((ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT))
  }
  write(Buffer.concat(parts))
  for (const tensor of tensors) write(encode(tensor))
  closeSync(file)
}
