// float16 <-> float32, where the engine has no Float16Array and where bits come as a Uint16Array.

const word = new Uint32Array(1)
const number = new Float32Array(word.buffer)

/** Of all float16, for long arrays. @type {Float32Array | undefined} */
let table

/**
 * @param {Uint16Array | ArrayLike<number>} half bits in a Uint16Array, or numbers in a Float16Array
 * @returns {Float32Array} the same numbers
 */
export function fromFloat16(half) {
  if (!(half instanceof Uint16Array)) return Float32Array.from(half)
  const floats = new Float32Array(half.length)
  if (half.length > 65536) {
    table ??= fromFloat16(Uint16Array.from({ length: 65536 }, (_, bits) => bits))
    for (let i = 0; i < half.length; i++) floats[i] = table[half[i]]
    return floats
  }
  const words = new Uint32Array(floats.buffer)
  for (let i = 0; i < half.length; i++) {
    const sign = (half[i] & 0x8000) << 16
    const rest = half[i] & 0x7fff
    if (rest >= 0x7c00) {
      words[i] = sign | 0x7f800000 | (rest << 13) // infinity and NaN
    } else {
      words[i] = rest << 13 // exponent 112 too small; right for subnormal numbers, too
      floats[i] *= 2 ** 112
      words[i] |= sign
    }
  }
  return floats
}

/**
 * @param {Uint16Array} bits of bfloat16: the upper halves of float32
 * @returns {Float32Array} the same numbers
 */
export function fromBfloat16(bits) {
  const words = new Uint32Array(bits.length)
  for (let i = 0; i < bits.length; i++) words[i] = bits[i] << 16
  return new Float32Array(words.buffer)
}

/**
 * @param {Float32Array} floats
 * @returns {Uint16Array} bits of the nearest float16, ties to even; from 65520 on infinity
 */
export function toFloat16(floats) {
  const half = new Uint16Array(floats.length)
  for (let i = 0; i < floats.length; i++) {
    number[0] = floats[i]
    const sign = (word[0] >>> 16) & 0x8000
    const rest = word[0] & 0x7fffffff
    if (rest > 0x7f800000) half[i] = sign | 0x7e00
    else if (rest >= 0x477ff000) half[i] = sign | 0x7c00
    else if (rest >= 0x38800000) half[i] = sign | ((rest - 0x38000000 + 0xfff + ((rest >> 13) & 1)) >> 13)
    else {
      number[0] = Math.abs(floats[i]) + 0.5 // whose last bit is worth 2^-24, as that of a subnormal float16
      half[i] = sign | (word[0] - 0x3f000000)
    }
  }
  return half
}
