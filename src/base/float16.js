// Converts float16 to and from float32, for engines without Float16Array and for bits in a Uint16Array.

const word = new Uint32Array(1)
const number = new Float32Array(word.buffer)

/** The float32 values of all 65536 float16. @type {Float32Array | undefined} */
let table

/**
 * Converts float16 to float32.
 * @param {Uint16Array | ArrayLike<number>} half bits in a Uint16Array, or numbers in a Float16Array
 * @returns {Float32Array} the same numbers
 */
export function fromFloat16(half) {
  if (!(half instanceof Uint16Array)) return Float32Array.from(half)
  table ??= Float32Array.from({ length: 65536 }, (_, bits) => {
    const exponent = (bits >> 10) & 31
    const fraction = (bits & 1023) / 1024
    const size = exponent ? (1 + fraction) * 2 ** (exponent - 15) : fraction * 2 ** -14
    return (bits >> 15 ? -1 : 1) * (exponent < 31 ? size : fraction ? Number.NaN : Infinity)
  })
  const floats = new Float32Array(half.length)
  for (let i = 0; i < half.length; i++) floats[i] = table[half[i]]
  return floats
}

/**
 * Converts bfloat16 to float32.
 * @param {Uint16Array} bits of bfloat16: the upper halves of float32
 * @returns {Float32Array} the same numbers
 */
export function fromBfloat16(bits) {
  const words = new Uint32Array(bits.length)
  for (let i = 0; i < bits.length; i++) words[i] = bits[i] << 16
  return new Float32Array(words.buffer)
}

/**
 * Rounds float32 to float16.
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
      number[0] = Math.abs(floats[i]) + 0.5 // the last bit of this sum is worth 2^-24, as in a subnormal float16
      half[i] = sign | (word[0] - 0x3f000000)
    }
  }
  return half
}
