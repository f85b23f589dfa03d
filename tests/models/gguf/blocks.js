// Writes blocks of every type from random scales and whole numbers, and returns the weights that they encode.

import { fromFloat16, toFloat16 } from '../../../src/base/float16.js'

/** @import { Random } from '../tokenizers/random-files.js' */
/** @typedef {{ bytes: Uint8Array, values: number[] }} Block */

const LEVELS = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]
const FP4 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6]

/** Rounds a number to float16: returns its value and its two bytes. @param {number} near */
function half(near) {
  const bits = toFloat16(Float32Array.of(near))
  return { value: fromFloat16(bits)[0], bytes: [bits[0] & 255, bits[0] >> 8] }
}

/** A loop, because Array.from takes five times as long. @template T @param {number} count @param {(i: number) => T} make */
function list(count, make) {
  const made = []
  for (let i = 0; i < count; i++) made.push(make(i))
  return made
}
const byte = (/** @type {number} */ n) => n & 255
/** Returns the bitwise OR of make(0), ..., make(count - 1). @param {number} count @param {(i: number) => number} make */
const joined = (count, make) => list(count, make).reduce((a, b) => a | b)

/** Packs numbers of 4 bits, two in a byte: the first half of the numbers in the lower bits. @param {number[]} q */
const nibbles = q => list(q.length / 2, i => (q[i] & 15) | ((q[i + q.length / 2] & 15) << 4))

/** Packs bit `n` of each number q[i] into bit i % 8 of byte floor(i / 8). @param {number[]} q @param {number} n */
const bitsOf = (q, n) => list(q.length / 8, i => joined(8, j => ((q[8 * i + j] >> n) & 1) << j))

/** Packs eight scales and eight minima of 6 bits in 12 bytes. @param {number[]} s @param {number[]} m */
const twelve = (s, m) => [
  ...list(4, i => s[i] | ((s[i + 4] >> 4) << 6)),
  ...list(4, i => m[i] | ((m[i + 4] >> 4) << 6)),
  ...list(4, i => (s[i + 4] & 15) | ((m[i + 4] & 15) << 4)),
]

/** Packs 256 numbers of 2 bits in 64 bytes: byte i of each half has numbers i, 32 + i, 64 + i and 96 + i of that half. @param {number[]} q */
const quarters = q => list(64, i => joined(4, j => (q[128 * (i >> 5) + 32 * j + (i & 31)] & 3) << (2 * j)))

/** @typedef {(random: Random, size: number) => Block} Write size: about the largest weight */

/** @param {number} most @param {boolean} hasMinimum @returns {Write} */
const ofThirtyTwo = (most, hasMinimum) => (random, size) => {
  const d = half(((random.is() ? 1 : -1) * ((hasMinimum ? 2 : 1) * size)) / most / (0.5 + random.next() / 2))
  const m = half(-size * random.next())
  const q = list(32, () => random.below(most * (hasMinimum ? 1 : 2)))
  const less = hasMinimum ? 0 : most
  return {
    values: q.map(n => d.value * (n - less) + (hasMinimum ? m.value : 0)),
    bytes: Uint8Array.of(
      ...d.bytes,
      ...(hasMinimum ? m.bytes : []),
      ...(less === 16 || most === 32 ? bitsOf(q, 4) : []),
      ...nibbles(q),
    ),
  }
}

/** @param {boolean} isFive @returns {Write} */
const fourOrFive = isFive => (random, size) => {
  const most = isFive ? 32 : 16
  const [d, least] = [half((2 * size) / most / 40), half(size / 40)]
  const [s, m] = [list(8, () => random.below(64)), list(8, () => random.below(64))]
  const q = list(256, () => random.below(most))
  return {
    values: q.map((n, i) => d.value * s[i >> 5] * n - least.value * m[i >> 5]),
    bytes: Uint8Array.of(
      ...d.bytes,
      ...least.bytes,
      ...twelve(s, m),
      ...(isFive ? list(32, i => joined(8, j => (q[32 * j + i] >> 4) << j)) : []),
      ...list(4, i => nibbles(q.slice(64 * i, 64 * i + 64))).flat(),
    ),
  }
}

/** @type {Record<string, Write>} of one block */
export const WRITE = {
  Q4_0: ofThirtyTwo(8, false),
  Q4_1: ofThirtyTwo(16, true),
  Q5_0: ofThirtyTwo(16, false),
  Q5_1: ofThirtyTwo(32, true),
  Q8_0(random, size) {
    const d = half(size / 127)
    const q = list(32, () => random.below(256) - 128)
    return { values: q.map(n => d.value * n), bytes: Uint8Array.of(...d.bytes, ...q.map(byte)) }
  },
  Q2_K(random, size) {
    const [d, least] = [half(size / 20), half(size / 15)]
    const [s, m] = [list(16, () => random.below(16)), list(16, () => random.below(16))]
    const q = list(256, () => random.below(4))
    return {
      values: q.map((n, i) => d.value * s[i >> 4] * n - least.value * m[i >> 4]),
      bytes: Uint8Array.of(...s.map((n, i) => n | (m[i] << 4)), ...quarters(q), ...d.bytes, ...least.bytes),
    }
  },
  Q3_K(random, size) {
    const d = half(size / 4 / 32)
    const s = list(16, () => random.below(64))
    const q = list(256, () => random.below(8))
    return {
      values: q.map((n, i) => d.value * (s[i >> 4] - 32) * (n - 4)),
      bytes: Uint8Array.of(
        ...list(32, i => joined(8, j => (q[32 * j + i] >> 2) << j)),
        ...quarters(q),
        ...list(8, i => (s[i] & 15) | ((s[i + 8] & 15) << 4)),
        ...list(4, i => joined(4, j => (s[4 * j + i] >> 4) << (2 * j))),
        ...d.bytes,
      ),
    }
  },
  Q4_K: fourOrFive(false),
  Q5_K: fourOrFive(true),
  Q6_K(random, size) {
    const d = half(size / 32 / 128)
    const s = list(16, () => random.below(256) - 128)
    const q = list(256, () => random.below(64))
    const low = (/** @type {number} */ part, /** @type {number} */ n) => q[128 * part + n] & 15
    return {
      values: q.map((n, i) => d.value * s[i >> 4] * (n - 32)),
      bytes: Uint8Array.of(
        ...list(128, i => low(i >> 6, i & 63) | (low(i >> 6, (i & 63) + 64) << 4)),
        ...list(64, i => joined(4, j => (q[128 * (i >> 5) + 32 * j + (i & 31)] >> 4) << (2 * j))),
        ...s.map(byte),
        ...d.bytes,
      ),
    }
  },
  Q8_K(random, size) {
    const d = Float32Array.of(size / 127)
    const q = list(256, () => random.below(255) - 127)
    const sums = Int16Array.from(list(16, i => q.slice(16 * i, 16 * i + 16).reduce((a, b) => a + b)))
    return {
      values: q.map(n => d[0] * n),
      bytes: Uint8Array.of(...new Uint8Array(d.buffer), ...q.map(byte), ...new Uint8Array(sums.buffer)),
    }
  },
  IQ4_NL(random, size) {
    const d = half(size / 127)
    const q = list(32, () => random.below(16))
    return { values: q.map(n => d.value * LEVELS[n]), bytes: Uint8Array.of(...d.bytes, ...nibbles(q)) }
  },
  IQ4_XS(random, size) {
    const d = half(size / 127 / 32)
    const s = list(8, () => random.below(64))
    const q = list(256, () => random.below(16))
    const high = s.reduce((sum, n, i) => sum | ((n >> 4) << (2 * i)), 0)
    return {
      values: q.map((n, i) => d.value * (s[i >> 5] - 32) * LEVELS[n]),
      bytes: Uint8Array.of(
        ...d.bytes,
        high & 255,
        high >> 8,
        ...list(4, i => (s[2 * i] & 15) | ((s[2 * i + 1] & 15) << 4)),
        ...list(8, i => nibbles(q.slice(32 * i, 32 * i + 32))).flat(),
      ),
    }
  },
  MXFP4(random, size) {
    const exponent = Math.floor(Math.log2(size / 6)) + random.below(2)
    const q = list(32, () => random.below(16))
    return { values: q.map(n => 2 ** exponent * FP4[n]), bytes: Uint8Array.of(exponent + 127, ...nibbles(q)) }
  },
}

/**
 * Makes random weights of any type, as bytes and as the numbers that they encode.
 * @param {string} type
 * @param {number} count a multiple of the weights in a block
 * @param {Random} random
 * @param {number} [size] about the largest weight
 * @returns {{ bytes: Uint8Array, values: Float32Array }}
 */
export function writeBlocks(type, count, random, size = 0.1) {
  const write = WRITE[type]
  if (!write) {
    const floats = Float32Array.from(list(count, () => (random.next() * 2 - 1) * size))
    if (type === 'F32') return { bytes: new Uint8Array(floats.buffer), values: floats }
    const halves = type === 'F16' ? toFloat16(floats) : Uint16Array.from(new Uint32Array(floats.buffer), n => n >> 16)
    const values =
      type === 'F16' ? fromFloat16(halves) : new Float32Array(Uint32Array.from(halves, n => n << 16).buffer)
    return { bytes: new Uint8Array(halves.buffer), values }
  }
  // Makes 200 random blocks and repeats them in random order, because making each block would take long.
  const blocks = list(200, () => {
    const block = write(random, size)
    return { bytes: block.bytes, values: Float32Array.from(block.values) }
  })
  const [first] = blocks
  const weights = first.values.length
  const values = new Float32Array(count)
  const bytes = new Uint8Array((count / weights) * first.bytes.length)
  for (let n = 0; n * weights < count; n++) {
    const block = random.pick(blocks)
    values.set(block.values, n * weights)
    bytes.set(block.bytes, n * first.bytes.length)
  }
  return { bytes, values }
}
