// Computes attention in plain JavaScript and float64, written like the formulas: the reference for the kernels.

/**
 * @typedef {{ data: ArrayLike<number>, dims: readonly number[] }} Input
 * @typedef {{ data: Float64Array, dims: number[] }} Output
 */

/** @param {readonly number[]} dims */
const count = dims => dims.reduce((product, size) => product * size, 1)

/**
 * @param {readonly number[]} dims
 * @param {(index: number[], place: number) => number} value
 * @returns {Output}
 */
function fill(dims, value) {
  const data = new Float64Array(count(dims))
  const index = dims.map(() => 0)
  for (let n = 0; n < data.length; n++) {
    data[n] = value(index, n)
    for (let axis = dims.length - 1; axis >= 0 && ++index[axis] === dims[axis]; axis--) index[axis] = 0
  }
  return { data, dims: [...dims] }
}

/** Returns the value at an index; axes of size 1 and absent leading axes are broadcast. @param {Input} x @param {readonly number[]} index */
function at({ data, dims }, index) {
  const absent = index.length - dims.length
  let offset = 0
  for (let axis = 0; axis < dims.length; axis++)
    offset = offset * dims[axis] + (dims[axis] === 1 ? 0 : index[absent + axis])
  return data[offset]
}

/**
 * Returns the values along the last axis at an index of the other axes.
 * @param {Input} x
 * @param {...number} index
 */
export function row({ data, dims }, ...index) {
  const width = dims[dims.length - 1]
  const start = index.reduce((offset, i, axis) => offset * dims[axis] + i, 0) * width
  const values = []
  for (let c = 0; c < width; c++) values.push(data[start + c])
  return values
}

/** Returns the values along the last axis at each index of the other axes. @param {Input} x */
const rowsOf = ({ data, dims: [...outer] }) => {
  const width = Number(outer.pop())
  return Array.from({ length: count(outer) }, (_, n) => Array.from({ length: width }, (_, c) => data[n * width + c]))
}

/** Returns the n-th line of values along one axis. @param {Input} x @param {number} axis @param {number} n */
function line({ data, dims }, axis, n) {
  const stride = count(dims.slice(axis + 1))
  const start = Math.floor(n / stride) * stride * dims[axis] + (n % stride)
  const values = []
  for (let i = 0; i < dims[axis]; i++) values.push(data[start + i * stride])
  return values
}

/** Replaces each value x by value(x, n), where n is the number of its line along `axis`. @param {Input} x @param {number} axis @param {(value: number, n: number) => number} value */
function mapLines({ data, dims }, axis, value) {
  const stride = count(dims.slice(axis + 1))
  const size = stride * dims[axis]
  return fill(dims, (_, place) => value(data[place], Math.floor(place / size) * stride + (place % stride)))
}

/** @param {readonly number[]} values */
const sum = values => {
  let total = 0
  for (const value of values) total += value
  return total
}

/** @param {readonly number[]} a @param {(x: number, d: number) => number} value */
const sumOf = (a, value) => {
  let total = 0
  for (let d = 0; d < a.length; d++) total += value(a[d], d)
  return total
}

/** @param {readonly number[]} a @param {readonly number[]} b */
const dot = (a, b) => sumOf(a, (x, d) => x * b[d])

/** @type {Record<string, (q: number[], k: number[], score: any) => number>} */
export const SCORES = {
  dot: (q, k) => dot(q, k),
  gaussian: (q, k, { sigma = 1 }) => -sumOf(q, (x, d) => (x - k[d]) ** 2) / (2 * sigma ** 2),
  additive: (q, k, { v }) => sumOf(q, (x, d) => v.data[d] * Math.tanh(x + k[d])),
}

/** For each score, returns d score / d q[d] and d score / d k[d]. @type {Record<string, (q: number, k: number, w: number, sigma: number) => number[]>} */
export const SCORE_DERIVATIVES = {
  dot: (q, k) => [k, q],
  gaussian: (q, k, _, sigma) => [(k - q) / sigma ** 2, (q - k) / sigma ** 2],
  additive: (q, k, w) => Array(2).fill(w * (1 - Math.tanh(q + k) ** 2)),
}

/**
 * Computes y = x W^T + bias; x (..., in), weight (out, in), bias (out).
 * @param {Input} x
 * @param {Input} weight
 * @param {Input} [bias]
 */
export function linear(x, weight, bias) {
  const [rows, columns] = [rowsOf(x), rowsOf(weight)]
  const wide = columns.length
  return fill([...x.dims.slice(0, -1), wide], (_, place) => {
    const n = place % wide
    return dot(rows[Math.floor(place / wide)], columns[n]) + (bias ? bias.data[n] : 0)
  })
}

/**
 * Computes exp(x - maximum) / sum along one axis; a line of only -Infinity gives zeros.
 * @param {Input} x
 * @param {number} [axis] the last one by default
 * @param {(...line: number[]) => number} [sink] an extra value of each line, whose weight is not returned
 */
export function softmax(x, axis = x.dims.length - 1, sink = () => -Infinity) {
  const lines = x.dims.filter((_, a) => a !== axis)
  const maxima = fill(lines, (index, n) => Math.max(sink(...index), ...line(x, axis, n)))
  const exp = (/** @type {number} */ value, /** @type {number} */ n) =>
    maxima.data[n] === -Infinity ? 0 : Math.exp(value - maxima.data[n])
  const exponentials = mapLines(x, axis, exp)
  const sinks = fill(lines, (index, n) => exp(sink(...index), n))
  const sums = sumLines(exponentials, axis, sinks)
  return { maxima, exponentials, sums, sinks: divide(sinks, sums), weights: divideLines(exponentials, sums, axis) }
}

/** @param {Input} x @param {number} axis @param {Output} first initial value of each sum */
const sumLines = (x, axis, first) => fill(first.dims, (_, n) => first.data[n] + sum(line(x, axis, n)))

/** @param {Output} x @param {Output} y */
const divide = (x, y) => ({ ...x, data: x.data.map((value, n) => (y.data[n] === 0 ? 0 : value / y.data[n])) })

/** @param {Input} x @param {Output} sums @param {number} axis */
const divideLines = (x, sums, axis) => mapLines(x, axis, (value, n) => (sums.data[n] === 0 ? 0 : value / sums.data[n]))

/**
 * The options of qkv.trace, with tensors in place of nested arrays.
 * @typedef {object} Options
 * @property {any} [score]
 * @property {number} [scale]
 * @property {number} [softcap]
 * @property {boolean} [causal]
 * @property {readonly number[]} [window]
 * @property {number | ArrayLike<number>} [pastLength]
 * @property {Input} [alibi]
 * @property {Input} [sinks]
 * @property {Input} [mask] 0 hides
 * @property {Input} [bias]
 * @property {Input} [keep] (B, H, L, S), the factors by which dropout multiplies the weights
 * @property {ArrayLike<number>} [keyLengths]
 * @property {'keys' | 'queries'} [softmaxAxis]
 * @property {'before' | 'after'} [masking]
 */

/**
 * Computes every step of attention. Results are (B, H, L, S), except output (B, H, L, E), and maxima and sums (B, H, L) or (B, H, S).
 * @param {Input} query (L, D), (H, L, D) or (B, H, L, D)
 * @param {Input} key
 * @param {Input} value
 * @param {Options} [options]
 */
export function attention(query, key, value, options = {}) {
  /** @type {(x: Input) => Input} */
  const four = ({ data, dims }) => ({ data, dims: [...Array(4 - dims.length).fill(1), ...dims] })
  const v = four(value)
  const score = typeof options.score === 'object' ? options.score : { kind: options.score ?? 'dot' }
  const isAdditive = score.kind === 'additive'
  const q = isAdditive ? linear(four(query), score.wQuery, score.bias) : four(query)
  const k = isAdditive ? linear(four(key), score.wKey) : four(key)
  const [B, H, L, D] = q.dims
  const [, G, S] = k.dims
  const E = v.dims[3]
  const { alibi, sinks } = options
  const { scale = score.kind === 'dot' ? 1 / Math.sqrt(D || 1) : 1, softcap = 0, pastLength = 0, mask, bias } = options
  const [left, right] = options.window ?? [Infinity, Infinity]
  const head = (/** @type {number} */ h) => Math.floor(h / (H / G))

  const positionOf = (/** @type {number} */ b, /** @type {number} */ i) =>
    i + (typeof pastLength === 'number' ? pastLength : pastLength[b])
  /** @type {(b: number, h: number, i: number, j: number) => number} */
  const biasAt = (b, h, i, j) => (bias ? at(bias, [b, h, i, j]) : 0)
  /** @type {(b: number, h: number, i: number, j: number) => number} */
  const alibiAt = (b, h, i, j) => (alibi ? -alibi.data[h] * Math.abs(positionOf(b, i) - j) : 0)
  /** @type {(b: number, h: number, i: number, j: number) => boolean} */
  const sees = (b, h, i, j) => {
    const position = positionOf(b, i)
    if (options.causal && j > position) return false
    if (j < position - left || j > position + right) return false
    if (options.keyLengths && j >= options.keyLengths[b]) return false
    if (mask && !at(mask, [b, h, i, j])) return false
    return biasAt(b, h, i, j) !== -Infinity
  }

  const dims = [B, H, L, S]
  const axis = options.softmaxAxis === 'queries' ? 2 : 3
  const after = options.masking === 'after'
  const each = (/** @type {Output} */ x, /** @type {(x: number) => number} */ f) => ({ ...x, data: x.data.map(f) })
  const [queries, keys] = [rowsOf(q), rowsOf(k)]
  const scores = fill(dims, ([b, h, i, j]) =>
    SCORES[score.kind](queries[(b * H + h) * L + i], keys[(b * G + head(h)) * S + j], score),
  )
  const scaled = each(scores, x => scale * x)
  const capped = softcap ? each(scaled, x => softcap * Math.tanh(x / softcap)) : scaled
  const masked = fill(dims, ([b, h, i, j], place) =>
    after || sees(b, h, i, j) ? capped.data[place] + alibiAt(b, h, i, j) + biasAt(b, h, i, j) : -Infinity,
  )
  const {
    maxima,
    exponentials,
    sums,
    sinks: sinkWeights,
    weights: fullWeights,
  } = softmax(masked, axis, (_, h) => (sinks ? sinks.data[h] : -Infinity))
  const zeroed = fill(dims, ([b, h, i, j], place) => (sees(b, h, i, j) ? fullWeights.data[place] : 0))
  const zeroedSums = sumLines(zeroed, axis, sinkWeights)
  const weights = after ? divideLines(zeroed, zeroedSums, axis) : fullWeights
  /** The keys that the query of the current row sees. @type {number[]} */
  let seen = []
  const output = fill([B, H, L, E], ([b, h, i, e]) => {
    if (e === 0) seen = Array.from({ length: S }, (_, j) => j).filter(j => sees(b, h, i, j))
    const row = ((b * H + h) * L + i) * S
    const values = (b * G + head(h)) * S
    let total = 0
    for (const j of seen)
      total += weights.data[row + j] * (options.keep ? options.keep.data[row + j] : 1) * v.data[(values + j) * E + e]
    return total
  })
  const steps = {
    scores,
    scaled,
    capped,
    masked,
    logits: masked,
    maxima,
    exponentials,
    sums,
    fullWeights,
    zeroed,
    zeroedSums,
    weights,
  }
  return { ...steps, sinkWeights, output, sees }
}
