// Converts blocks to float32, bit for bit as llama.cpp does. Every product of a scale and an integer is exact. If a minimum is subtracted,
// the difference is rounded once. https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-quants.c

import { fromBfloat16, fromFloat16 } from '../../base/float16.js'
import { BLOCK_TYPES } from './block-types.js'

/** Writes the weights of the block at byte `at` to out[to ...]. @typedef {(b: Uint8Array, at: number, out: Float32Array, to: number) => void} Decode */

/** Table of the float32 values of all float16 bit patterns. @type {Float32Array} */
let halves

/** Reads the float16 at a byte. @param {Uint8Array} b @param {number} at */
const half = (b, at) => halves[b[at] | (b[at + 1] << 8)]

const SIGNED = Int8Array.from({ length: 256 }, (_, n) => n)

/** Values of the 4-bit codes of IQ4_NL and IQ4_XS. */
const LEVELS = Int8Array.of(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)
/** Twice the values of the 4-bit codes of MXFP4. */
const FLOATS4 = Int8Array.of(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12)

/**
 * Reads 32 weights of 4 bits each from 16 bytes: the low halves of the bytes, then the high halves. `high` adds a fifth bit.
 * @param {Uint8Array} b
 * @param {number} at
 * @param {number} scale
 * @param {number} minimum
 * @param {Float32Array} out
 * @param {number} to
 * @param {number} [high] bit i belongs to weight i
 */
function nibbles(b, at, scale, minimum, out, to, high = 0) {
  for (let i = 0; i < 16; i++) {
    out[to + i] = scale * ((b[at + i] & 15) | (((high >>> i) & 1) << 4)) + minimum
    out[to + 16 + i] = scale * ((b[at + i] >> 4) | (((high >>> (i + 16)) & 1) << 4)) + minimum
  }
}

/** @param {Uint8Array} b @param {number} at */
const word = (b, at) => b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)

/**
 * Reads 32 weights, stored as 4-bit indices into a table.
 * @param {Uint8Array} b
 * @param {number} at
 * @param {number} scale
 * @param {Int8Array} table
 * @param {Float32Array} out
 * @param {number} to
 */
function fromTable(b, at, scale, table, out, to) {
  for (let i = 0; i < 16; i++) {
    out[to + i] = scale * table[b[at + i] & 15]
    out[to + 16 + i] = scale * table[b[at + i] >> 4]
  }
}

/**
 * Returns scale n and minimum n. The 12 bytes at `at` contain eight of each, 6 bits wide (Q4_K, Q5_K).
 * @param {Uint8Array} b
 * @param {number} at
 * @param {number} n
 */
function sixBits(b, at, n) {
  if (n < 4) return [b[at + n] & 63, b[at + 4 + n] & 63]
  const both = b[at + 4 + n]
  return [(both & 15) | ((b[at + n - 4] >> 6) << 4), (both >> 4) | ((b[at + n] >> 6) << 4)]
}

/** Returns scale n minus 32. The 12 bytes at `at` contain sixteen 6-bit scales (Q3_K). @param {Uint8Array} b @param {number} at @param {number} n */
const lessThirtyTwo = (b, at, n) =>
  ((n < 8 ? b[at + n] & 15 : b[at + n - 8] >> 4) | (((b[at + 8 + (n & 3)] >> (2 * (n >> 2))) & 3) << 4)) - 32

/** @type {Record<string, Decode>} */
const DECODE = {
  Q4_0(b, at, out, to) {
    const d = half(b, at)
    nibbles(b, at + 2, d, -8 * d, out, to)
  },
  Q4_1: (b, at, out, to) => nibbles(b, at + 4, half(b, at), half(b, at + 2), out, to),
  Q5_0(b, at, out, to) {
    const d = half(b, at)
    nibbles(b, at + 6, d, -16 * d, out, to, word(b, at + 2))
  },
  Q5_1: (b, at, out, to) => nibbles(b, at + 8, half(b, at), half(b, at + 2), out, to, word(b, at + 4)),
  Q8_0(b, at, out, to) {
    const d = half(b, at)
    for (let i = 0; i < 32; i++) out[to + i] = d * SIGNED[b[at + 2 + i]]
  },
  Q2_K(b, at, out, to) {
    const [d, least] = [half(b, at + 80), half(b, at + 82)]
    for (let n = 0; n < 16; n++) {
      const [scale, minimum] = [d * (b[at + n] & 15), least * (b[at + n] >> 4)]
      const [from, shift] = [at + 16 + 32 * (n >> 3) + 16 * (n & 1), n & 6]
      for (let i = 0; i < 16; i++) out[to + 16 * n + i] = scale * ((b[from + i] >> shift) & 3) - minimum
    }
  },
  Q3_K(b, at, out, to) {
    const d = half(b, at + 108)
    for (let n = 0; n < 16; n++) {
      const scale = d * lessThirtyTwo(b, at + 96, n)
      const [from, shift, bit] = [at + 32 + 32 * (n >> 3) + 16 * (n & 1), n & 6, n >> 1]
      for (let i = 0; i < 16; i++) {
        const high = (b[at + 16 * (n & 1) + i] >> bit) & 1
        out[to + 16 * n + i] = scale * (((b[from + i] >> shift) & 3) - (high ? 0 : 4))
      }
    }
  },
  Q4_K(b, at, out, to) {
    const [d, least] = [half(b, at), half(b, at + 2)]
    for (let n = 0; n < 8; n++) {
      const [scale, minimum] = sixBits(b, at + 4, n)
      const [s, m] = [d * scale, least * minimum]
      const [from, shift] = [at + 16 + 32 * (n >> 1), 4 * (n & 1)]
      for (let i = 0; i < 32; i++) out[to + 32 * n + i] = s * ((b[from + i] >> shift) & 15) - m
    }
  },
  Q5_K(b, at, out, to) {
    const [d, least] = [half(b, at), half(b, at + 2)]
    for (let n = 0; n < 8; n++) {
      const [scale, minimum] = sixBits(b, at + 4, n)
      const [s, m] = [d * scale, least * minimum]
      const [from, shift] = [at + 48 + 32 * (n >> 1), 4 * (n & 1)]
      for (let i = 0; i < 32; i++) {
        const high = (b[at + 16 + i] >> n) & 1
        out[to + 32 * n + i] = s * (((b[from + i] >> shift) & 15) | (high << 4)) - m
      }
    }
  },
  Q6_K(b, at, out, to) {
    const d = half(b, at + 208)
    for (let n = 0; n < 16; n++) {
      const scale = d * SIGNED[b[at + 192 + n]]
      const [part, quarter] = [n >> 3, (n >> 1) & 3] // which half of the 256 weights, and which 32 in this half
      const low = at + 64 * part + 32 * (quarter & 1) + 16 * (n & 1)
      const high = at + 128 + 32 * part + 16 * (n & 1)
      const [lowShift, highShift] = [4 * (quarter >> 1), 2 * quarter]
      for (let i = 0; i < 16; i++)
        out[to + 16 * n + i] =
          scale * ((((b[low + i] >> lowShift) & 15) | (((b[high + i] >> highShift) & 3) << 4)) - 32)
    }
  },
  Q8_K(b, at, out, to) {
    const [d] = new Float32Array(b.slice(at, at + 4).buffer)
    for (let i = 0; i < 256; i++) out[to + i] = d * SIGNED[b[at + 4 + i]]
  },
  IQ4_NL: (b, at, out, to) => fromTable(b, at + 2, half(b, at), LEVELS, out, to),
  IQ4_XS(b, at, out, to) {
    const d = half(b, at)
    const high = b[at + 2] | (b[at + 3] << 8)
    for (let n = 0; n < 8; n++) {
      const scale = ((b[at + 4 + (n >> 1)] >> (4 * (n & 1))) & 15) | (((high >> (2 * n)) & 3) << 4)
      fromTable(b, at + 8 + 16 * n, d * (scale - 32), LEVELS, out, to + 32 * n)
    }
  },
  MXFP4: (b, at, out, to) => fromTable(b, at + 1, 2 ** (b[at] - 128), FLOATS4, out, to),
}

/**
 * Returns the weights of blocks as float32.
 * @param {string} type a key of BLOCK_TYPES
 * @param {Uint8Array} bytes whole blocks
 * @param {Float32Array} [out] large enough for their weights
 * @returns {Float32Array}
 */
export function dequantize(type, bytes, out) {
  const [, weights, size] = BLOCK_TYPES[type]
  const count = (bytes.length / size) * weights
  const floats = out?.subarray(0, count) ?? new Float32Array(count)
  if (weights === 1) {
    const { buffer } = bytes.slice()
    floats.set(
      type === 'F32'
        ? new Float32Array(buffer)
        : (type === 'F16' ? fromFloat16 : fromBfloat16)(new Uint16Array(buffer)),
    )
    return floats
  }
  halves ??= fromFloat16(Uint16Array.from({ length: 65536 }, (_, bits) => bits))
  const decode = DECODE[type]
  for (let at = 0, to = 0; at < bytes.length; at += size, to += weights) decode(bytes, at, floats, to)
  return floats
}
