// Formulas in plain JavaScript and float64. The references in tests/operations are built from them.

/** @typedef {{ data: ArrayLike<number>, dims: readonly number[] }} Input */
/** @typedef {Record<string, Input>} Inputs by the names of the operands */

export const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0)
export const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x))

/** Returns the rows along the last axis. @param {Input} x @returns {number[][]} */
export function rows({ data, dims }) {
  const C = dims[dims.length - 1]
  return Array.from({ length: data.length / C }, (_, r) => Array.from({ length: C }, (_, c) => data[r * C + c]))
}

/** Returns Phi of the normal distribution, by a series with only positive terms. @param {number} x */
function phi(x) {
  const z = Math.abs(x) / Math.SQRT2
  let [term, total] = [z, z]
  for (let n = 1; term > 1e-18 * total; n++) {
    term *= (2 * z * z) / (2 * n + 1)
    total += term
  }
  const erf = z > 8 ? 1 : (2 / Math.sqrt(Math.PI)) * Math.exp(-z * z) * total
  return x < 0 ? (1 - erf) / 2 : (1 + erf) / 2
}

/** Lists the indices of all values of a tensor, in row-major order. @param {readonly number[]} dims @returns {number[][]} */
export const elements = dims =>
  dims.reduce(
    (found, size) => found.flatMap(index => Array.from({ length: size }, (_, i) => [...index, i])),
    /** @type {number[][]} */ ([[]]),
  )

/** Returns the offset of a value; an axis of size 1 is broadcast. @param {readonly number[]} dims @param {readonly number[]} index */
export const indexIn = (dims, index) => dims.reduce((at, size, n) => at * size + (size === 1 ? 0 : index[n]), 0)

/** Sums over some axes, or over all. @param {Input} x @param {number | number[]} [dim] */
export function sumOver({ data, dims }, dim = []) {
  const axes = [dim].flat().map(axis => (axis < 0 ? axis + dims.length : axis))
  const left = dims.map((size, n) => (axes.length === 0 || axes.includes(n) ? 1 : size))
  const sums = Array(left.reduce((a, b) => a * b, 1)).fill(0)
  for (const [n, index] of elements(dims).entries()) sums[indexIn(left, index)] += data[n]
  return sums
}

/** @type {Record<string, (x: number) => number>} */
export const ACTIVATIONS = {
  none: x => x,
  gelu: x => x * phi(x),
  gelu_tanh: x => (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  relu: x => Math.max(x, 0),
  silu: x => x * sigmoid(x),
}

/** @param {Input} x @param {Input | undefined} weight @param {Input | undefined} bias @param {{ eps: number, plusOne?: boolean }} options @param {boolean} center */
export const norm = (x, weight, bias, { eps, plusOne }, center) =>
  rows(x).flatMap(row => {
    const mean = center ? sum(row) / row.length : 0
    const variance = sum(row.map(a => (a - mean) ** 2)) / row.length
    const gain = (/** @type {number} */ c) => (weight ? weight.data[c] + (plusOne ? 1 : 0) : 1)
    return row.map((a, c) => ((a - mean) / Math.sqrt(variance + eps)) * gain(c) + (bias?.data[c] ?? 0))
  })

/** @param {(x: number) => number} f @param {Input} x @param {Input | undefined} up */
export function gated(f, x, up) {
  if (up) return Array.from(x.data, (a, n) => f(a) * up.data[n])
  return rows(x).flatMap(row => row.slice(0, row.length / 2).map((a, c) => f(a) * row[row.length / 2 + c]))
}

/** @param {number[]} line */
export function softmaxOf(line) {
  const most = Math.max(...line)
  const exponentials = line.map(x => Math.exp(x - most))
  return exponentials.map(x => x / sum(exponentials))
}

/** Reads row i of head h from (B, rows, heads * size), or from dims without B. `start` is the offset of the first head in a row. @param {Input} x @param {number} b @param {number} i @param {number} h @param {number} size @param {number} start */
export function headOf({ data, dims }, b, i, h, size, start = 0) {
  const [L, width] = dims.slice(-2)
  return Array.from({ length: size }, (_, d) => data[(b * L + i) * width + start + h * size + d])
}

/**
 * Computes the gradients of sum(dY * f(inputs)) by central differences.
 * @param {(inputs: Inputs) => number[]} f
 * @param {Inputs} inputs
 * @param {ArrayLike<number>} dY
 * @returns {Record<string, Input>}
 */
export function differences(f, inputs, dY) {
  const total = (/** @type {Inputs} */ at) => sum(f(at).map((y, n) => y * dY[n]))
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { data, dims }]) => {
      const values = Float64Array.from(data)
      const gradient = values.map((x, n) => {
        const step = 1e-5 * Math.max(1, Math.abs(x))
        const [up, down] = [step, -step].map(h => {
          values[n] = x + h
          return total({ ...inputs, [name]: { data: values, dims } })
        })
        values[n] = x
        return (up - down) / (2 * step)
      })
      return [name, { data: gradient, dims }]
    }),
  )
}
