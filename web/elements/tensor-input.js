// Validates tensors passed to elements, and reads their cells.

import { nice } from 'd3-array'

/** @typedef {ArrayLike<number>} Numbers */
/**
 * The same as the type TensorLike that qkv exports.
 * @typedef {{ data: ArrayLike<number> | ArrayLike<boolean>, dims: ArrayLike<number>, shape?: ArrayLike<number> }
 *   | { data: ArrayLike<number> | ArrayLike<boolean>, dims?: undefined, shape: ArrayLike<number> }} TensorLike
 */
/** @typedef {{ data: Numbers, dims: number[] }} Checked */

/** Parses a JSON attribute. Other text is returned unchanged, and later refused as an invalid tensor. @param {string | null} text */
export function asJSON(text) {
  try {
    return JSON.parse(text ?? 'null') ?? undefined
  } catch {
    return text
  }
}

/** An invalid tensor, described by the key of a text and values for it. */
export class Problem extends Error {
  /**
   * @param {'problemTensor' | 'problemAxes' | 'problemSize' | 'problemNumbers' | 'problemMinus' | 'problemMask' | 'problemOption'} key
   * @param {Record<string, string | number>} values
   */
  constructor(key, values) {
    super(key)
    this.key = key
    this.values = values
  }
}

/**
 * Returns the numbers to draw: decodes float16 and bfloat16, which other libraries pass as bits in a Uint16Array, and converts booleans to
 * 0 and 1.
 * @param {Numbers} data
 * @param {string} [type]
 * @returns {Numbers}
 */
function numbersOf(data, type) {
  if (typeof data[0] === 'boolean') return Uint8Array.from(data)
  const isBits = Object.prototype.toString.call(data) === '[object Uint16Array]'
  if (isBits && type === 'float16') return Float32Array.from(data, ofFloat16)
  if (isBits && type === 'bfloat16') return new Float32Array(Uint32Array.from(data, bits => bits << 16).buffer)
  return data
}

/** Decodes a float16. @param {number} bits sign, five bits of exponent, ten of fraction */
function ofFloat16(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023]
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction)
}

const WORDS = ['a', 'b']
/** An example value of each option whose type is checked. @type {Record<string, unknown>} */
const EXAMPLES = {
  domain: [0, 1],
  scale: 'diverging',
  decimals: 4,
  side: 72,
  rowTokens: WORDS,
  columnTokens: WORDS,
  queryTokens: WORDS,
  keyTokens: WORDS,
  names: WORDS,
  notes: WORDS,
}

/** @param {string} name @param {any} value neither null nor undefined @param {unknown} example */
function isLike(name, value, example) {
  if (typeof example === 'number') return value >= 0 && (value <= 100 || name === 'side')
  if (name === 'scale') return value === example || value === 'sequential'
  if (name === 'domain') return value.length === 2 && Array.from(value).every(Number.isFinite)
  return typeof value === 'object' && value.length >= 0
}

/** Returns the problem of the first option of a wrong type, if any. @param {object} given an element, or the options of a picture */
export function optionProblem(given) {
  for (const [name, example] of Object.entries(EXAMPLES)) {
    const value = /** @type {Record<string, unknown>} */ (given)[name]
    if (value !== undefined && value !== null && !isLike(name, value, example))
      return new Problem('problemOption', { name, example: JSON.stringify(example), got: String(value) })
  }
  return undefined
}

/** Validates a tensor. @param {unknown} tensor @param {number} axes number of axes; leading axes of size 1 are dropped @returns {Checked} */
export function check(tensor, axes) {
  /** @type {Partial<TensorLike> & { type?: string, dtype?: string }} */
  const { data, dims, shape, type, dtype } = tensor ?? {}
  const all = Array.from(dims ?? shape ?? [])
  if (typeof data !== 'object' || typeof data?.length !== 'number' || !(dims ?? shape))
    throw new Problem('problemTensor', {
      got: tensor === null ? 'null' : Array.isArray(tensor) ? 'an array' : typeof tensor,
    })
  if (!all.every(n => Number.isSafeInteger(n) && n >= 0))
    throw new Problem('problemAxes', { want: axes, dims: all.join(', ') })
  const kept = [...all]
  while (kept.length > axes && kept[0] === 1) kept.shift()
  if (kept.length !== axes) throw new Problem('problemAxes', { want: axes, dims: all.join(', ') })
  const need = kept.reduce((a, b) => a * b, 1)
  if (data.length !== need) throw new Problem('problemSize', { dims: all.join(', '), need, count: data.length })
  if (need > 0 && typeof data[0] !== 'number' && typeof data[0] !== 'boolean')
    throw new Problem('problemNumbers', { got: typeof data[0] })
  return { data: numbersOf(/** @type {Numbers} */ (data), type ?? dtype), dims: kept }
}

/**
 * Returns a - b. Cells hidden in both (-Infinity) stay hidden.
 * @param {Checked} a
 * @param {Checked} b
 * @returns {Checked}
 */
export function difference(a, b) {
  if (a.dims.join() !== b.dims.join())
    throw new Problem('problemMinus', { dims: a.dims.join(', '), other: b.dims.join(', ') })
  const data = new Float32Array(a.data.length)
  for (let i = 0; i < data.length; i++)
    data[i] = a.data[i] === -Infinity && b.data[i] === -Infinity ? -Infinity : a.data[i] - b.data[i]
  return { data, dims: a.dims }
}

/**
 * Returns a predicate: true if the i-th cell is hidden, either by the mask (boolean: true is visible; numbers: -Infinity hides) or because
 * its value is -Infinity.
 * @param {Checked} tensor
 * @param {Checked | undefined} mask
 * @returns {(i: number) => boolean}
 */
export function hiddenIn({ data, dims }, mask) {
  if (!mask) return i => data[i] === -Infinity
  if (mask.dims.join() !== dims.join())
    throw new Problem('problemMask', { dims: dims.join(', '), other: mask.dims.join(', ') })
  const seen = mask.data
  const isAdded = /Float/.test(Object.prototype.toString.call(seen))
  return isAdded ? i => seen[i] === -Infinity || data[i] === -Infinity : i => !seen[i] || data[i] === -Infinity
}

/**
 * Returns the smallest and largest finite visible number.
 * @param {Checked} tensor
 * @param {(i: number) => boolean} isHidden
 */
export function extremes({ data }, isHidden) {
  let [least, most] = [Infinity, -Infinity]
  for (let i = 0; i < data.length; i++) {
    const x = data[i]
    if (!(Math.abs(x) < Infinity) || isHidden(i)) continue
    if (x < least) least = x
    if (x > most) most = x
  }
  return least <= most ? { least, most } : { least: 0, most: 0 }
}

/**
 * Returns the default ends of a colour scale: 0 to 1, or symmetric around 0 for signed values.
 * @param {import('./colour-scale.js').Scale} scale
 * @param {{ least: number, most: number }} range
 * @returns {[number, number]}
 */
export function domainOf(scale, { least, most }) {
  const isShare = scale === 'sequential'
  const reach = Math.max(Math.abs(least), Math.abs(most)) || 1
  const ends = isShare ? [Math.min(0, least), most <= 1.0001 ? 1 : most] : [-reach, reach]
  return nice(ends[0], ends[1], 5)
}

/**
 * Divides data into parts of `size` numbers, and returns part `at`: a view of a typed array, else a copy.
 * @param {Numbers} data
 * @param {number} at
 * @param {number} size
 * @returns {Numbers}
 */
export function part(data, at, size) {
  if (ArrayBuffer.isView(data)) return /** @type {Float32Array} */ (data).subarray(at * size, (at + 1) * size)
  return Array.prototype.slice.call(data, at * size, (at + 1) * size)
}
