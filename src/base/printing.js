// Prints a tensor as PyTorch does (torch/_tensor_str.py, default options): four decimals, aligned columns, lines of 80 characters,
// scientific notation if magnitudes differ by a factor of more than 1000, and only the ends of each axis if the tensor has more than 1000
// values.

const PRECISION = 4
const LINE_WIDTH = 80
const THRESHOLD = 1000
const EDGE_ITEMS = 3
const INDENT = 'tensor('.length

/** @import { Tensor } from './tensor.js' */
/** @typedef {(x: number) => string} Write */

/**
 * Formats a number with ties rounded to even, as in Python. JavaScript rounds exact decimal ties away from zero.
 * @param {(digits: number) => string} write x.toFixed or x.toExponential
 */
function roundTiesToEven(write) {
  const [rounded, exponent] = write(PRECISION).split('e')
  const exact = write(PRECISION + 40).split('e')[0]
  const isTie = /^50*$/.test(exact.slice(rounded.length))
  const mantissa = isTie && Number(rounded.at(-1)) % 2 === 1 ? exact.slice(0, rounded.length) : rounded
  return exponent === undefined ? mantissa : `${mantissa}e${exponent.replace(/^([+-])(\d)$/, '$10$2')}`
}

/** Returns '-' for -0, whose sign JavaScript does not print. @type {Write} */
const minus = x => (Object.is(x, -0) ? '-' : '')
/** @type {Write} */
const fixed = x => minus(x) + roundTiesToEven(digits => x.toFixed(digits))
/** @type {Write} */
const scientific = x => minus(x) + roundTiesToEven(digits => x.toExponential(digits))
/** @type {Write} */
const whole = x => `${minus(x)}${x.toFixed(0)}.`

/**
 * Returns a function that formats the values of one tensor with equal width.
 * @param {ArrayLike<number>} values
 * @param {Tensor['dtype']} dtype
 * @returns {Write}
 */
function formatter(values, dtype) {
  /** @type {(write: Write, sizing: number[]) => Write} */
  const align = (write, sizing) => {
    const width = sizing.reduce((most, x) => Math.max(most, write(x).length), 1)
    return x => write(x).padStart(width)
  }
  if (dtype === 'bool') return align(x => (x ? 'True' : 'False'), Array.from(values))
  if (dtype === 'int32' || dtype === 'uint32') return align(String, Array.from(values))
  const sizing = Array.from(values).filter(x => Number.isFinite(x) && x !== 0)
  const most = sizing.reduce((a, x) => Math.max(a, Math.abs(x)), 0)
  const least = sizing.reduce((a, x) => Math.min(a, Math.abs(x)), Infinity)
  const isWhole = sizing.every(Number.isInteger)
  const isWide = most / least > 1000 || most > 1e8 || (!isWhole && least < 1e-4)
  const finite = isWide ? scientific : isWhole ? whole : fixed
  return align(x => (Number.isFinite(x) ? finite(x) : Number.isNaN(x) ? 'nan' : x < 0 ? '-inf' : 'inf'), sizing)
}

/**
 * Returns the indices of an axis to print; null marks the gap.
 * @param {number} size
 * @param {boolean} summarise
 * @returns {(number | null)[]}
 */
function shown(size, summarise) {
  const all = Array.from({ length: size }, (_, i) => i)
  if (!summarise || size <= 2 * EDGE_ITEMS) return all
  return [...all.slice(0, EDGE_ITEMS), null, ...all.slice(-EDGE_ITEMS)]
}

/**
 * Formats a tensor as PyTorch's print does.
 * @param {Tensor} tensor
 * @returns {string}
 */
export function format({ data, dims, dtype }) {
  const suffix = dtype === 'float64' ? ', dtype=torch.float64' : ''
  if (data.length === 0) {
    const size = dims.length === 1 ? '' : `, size=(${dims.join(', ')})`
    return `tensor([]${size}${suffix})`
  }
  const summarise = data.length > THRESHOLD
  const strides = dims.map((_, axis) => dims.slice(axis + 1).reduce((a, b) => a * b, 1))

  /** @type {(axis: number, offset: number) => number[]} collects the values to print */
  const collect = (axis, offset) =>
    axis === dims.length
      ? [data[offset]]
      : shown(dims[axis], summarise).flatMap(i => (i === null ? [] : collect(axis + 1, offset + i * strides[axis])))
  const write = formatter(summarise ? collect(0, 0) : data, dtype)

  /** @type {(axis: number, offset: number) => string} */
  const print = (axis, offset) => {
    if (axis === dims.length) return write(data[offset])
    const indent = ' '.repeat(INDENT + axis + 1)
    const indices = shown(dims[axis], summarise)
    if (axis < dims.length - 1) {
      const parts = indices.map(i => (i === null ? '...' : print(axis + 1, offset + i * strides[axis])))
      return `[${parts.join(`,${'\n'.repeat(dims.length - 1 - axis)}${indent}`)}]`
    }
    const items = indices.map(i => (i === null ? ' ...' : write(data[offset + i])))
    const width = write(data[0]).length + 2
    const perLine = Math.max(1, Math.floor((LINE_WIDTH - INDENT - axis) / width))
    const lines = []
    for (let i = 0; i < items.length; i += perLine) lines.push(items.slice(i, i + perLine).join(', '))
    return `[${lines.join(`,\n${indent}`)}]`
  }
  return `tensor(${print(0, 0)}${suffix})`
}
