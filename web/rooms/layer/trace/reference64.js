// The only arithmetic outside of the core: the same attention in float64, written as plainly as the formulas. It only measures the error of
// the page's float32 numbers.

import { turnOf } from '../numbers/positions.js'
import { scaleOf } from './attention-options.js'

/** @import { FloatTensor, MatrixId, Result } from '../layer.js' */

/**
 * @typedef {object} Difference
 * @property {number} most largest difference
 * @property {MatrixId} [matrix] where it occurs
 * @property {number} rows number of compared queries per head
 * @property {number} of number of queries
 */

/** Number of multiplications that take about 0.1 s. */
const BUDGET = 3e6

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0)

/** Returns a row of a tensor as plain numbers. @param {FloatTensor} tensor @param {number} head @param {number} row */
function rowOf({ data, dims }, head, row) {
  const columns = dims[dims.length - 1]
  const at = dims.length === 3 ? (Math.min(head, dims[0] - 1) * dims[1] + row) * columns : row * columns
  return Array.from(data.subarray(at, at + columns))
}

/**
 * Computes x W + b for one row x.
 * @param {number[]} x
 * @param {FloatTensor} W
 * @param {FloatTensor | undefined} b
 * @param {number} head
 */
function project(x, W, b, head) {
  const y = b ? rowOf(b, head, 0) : Array(W.dims.at(-1)).fill(0)
  const columns = y.length
  const start = W.dims.length === 3 ? head * W.dims[1] * columns : 0
  for (let i = 0; i < x.length; i++) for (let c = 0; c < columns; c++) y[c] += x[i] * W.data[start + i * columns + c]
  return y
}

/**
 * Computes the largest difference between the trace and float64. Yields now and then, so that the page stays responsive.
 * @param {Result} result
 * @returns {Generator<undefined, Difference>}
 */
export function* difference(result) {
  const { tensors, heads } = result
  const { X, X2 = X, Wq, bq, Wk, bk, Wv, bv, Wo, bo, weights } = /** @type {Record<MatrixId, FloatTensor>} */ (tensors)
  const [, L, S] = weights.dims
  const size = (tensors.K?.dims[2] ?? 1) + (tensors.V?.dims[2] ?? 0) + 4
  // Softmax over the queries needs all queries, so none can be skipped.
  const isByKeys = result.settings.softmaxAxis === 'keys'
  const every = isByKeys ? Math.max(1, Math.ceil((heads * L * S * size) / BUDGET)) : 1
  const shown = Array.from({ length: Math.ceil(L / every) }, (_, i) => i * every)
  const isWide = Wq && heads * (L + 2 * S) * Wq.dims[1] * Wq.dims[2] > 5 * BUDGET
  /** @type {Difference} */
  const found = { most: 0, rows: shown.length, of: L }
  const compare = (
    /** @type {MatrixId} */ matrix,
    /** @type {number} */ head,
    /** @type {number} */ row,
    /** @type {number[]} */ want,
  ) => {
    const tensor = tensors[matrix]
    const isElsewhere = tensor?.dims.length === 3 && tensor.dims[0] < heads && head !== result.detailHead
    if (!tensor || isElsewhere) return
    const got = rowOf(tensor, head, row)
    want.forEach((x, c) => {
      const by = Object.is(x, got[c]) || (Number.isNaN(x) && Number.isNaN(got[c])) ? 0 : Math.abs(x - got[c])
      if (!(by <= found.most)) Object.assign(found, { most: by, matrix })
    })
  }
  /** @type {number[][]} */
  const joined = shown.map(() => [])
  for (let head = 0; head < heads; head++) {
    const made = (/** @type {'Q' | 'K' | 'V'} */ id, /** @type {number} */ row) => {
      // For wide projections, recompute only some rows and use the page's numbers for the others.
      if (!Wq || (isWide && row % every))
        return tensors[id] && rowOf((id !== 'V' && tensors[`${id}r`]) || tensors[id], head, row)
      const x = rowOf(id === 'Q' ? X : X2, 0, row)
      const [W, b] = { Q: [Wq, bq], K: [Wk, bk], V: [Wv, bv] }[id]
      const line = project(x, W, b, head)
      compare(id, head, row, line)
      if (id === 'V' || !tensors.Qr) return line
      const turned = turn(line, row)
      compare(`${id}r`, head, row, turned)
      return turned
    }
    /** @type {ReturnType<typeof made>[][]} */
    const [keys, values, queries] = [[], [], []]
    for (let j = 0; j < S; j++) {
      keys.push(made('K', j))
      values.push(made('V', j))
      if (j % 8 === 0) yield
    }
    for (const i of shown) queries.push(made('Q', i))
    yield
    const rows = attend(result, head, shown, queries, keys)
    yield
    shown.forEach((i, n) => {
      for (const [id, line] of Object.entries(rows[n])) compare(/** @type {MatrixId} */ (id), head, i, line)
      const { weights: share } = rows[n]
      if (!values[0]) return
      const output = values[0].map(() => 0)
      values.forEach((value, j) => {
        for (let c = 0; c < output.length; c++) output[c] += share[j] * /** @type {number[]} */ (value)[c]
      })
      compare('output', head, i, output)
      joined[n].push(...output)
    })
  }
  shown.forEach((i, n) => {
    compare('joined', 0, i, joined[n])
    if (Wo) compare('final', 0, i, project(joined[n], Wo, bo, 0))
  })
  return found
}

/**
 * Computes all steps from scores to weights for some queries of a head.
 * @param {Result} result
 * @param {number} head
 * @param {number[]} shown indices of the queries
 * @param {(number[] | undefined)[]} queries
 * @param {(number[] | undefined)[]} keys
 * @returns {({ [step: string]: number[] } & { weights: number[] })[]} the steps of each query
 */
function attend({ settings, tensors, visible }, head, shown, queries, keys) {
  const S = keys.length
  const sees = (/** @type {number} */ i, /** @type {number} */ j) => !visible || visible[i * S + j] === 1
  const isAfter = settings.masking === 'after'
  const own = settings.edits.filter(edit => edit.matrix === 'weights' && edit.head === head && edit.column < S)
  const byHand = (/** @type {number} */ i, /** @type {number[]} */ row) => {
    const edits = own.filter(edit => edit.row === i)
    return edits.length ? override(row, edits) : row
  }
  const { scores: given, weights } = tensors
  if (!given) return shown.map(i => ({ weights: byHand(i, rowOf(weights, head, i)) }))

  const score = scoreOf(settings, tensors)
  const scale = scaleOf(settings, /** @type {FloatTensor} */ (tensors.K).dims[2])
  const scores = queries.map(q => keys.map(k => score(/** @type {number[]} */ (q), /** @type {number[]} */ (k))))
  const scaled = scores.map(row => row.map(x => x * scale))
  const masked = scaled.map((row, n) => row.map((x, j) => (isAfter || sees(shown[n], j) ? x : -Infinity)))
  const fullWeights =
    settings.softmaxAxis === 'keys' ? masked.map(softmax) : transposed(transposed(masked).map(softmax))
  const zeroed = fullWeights.map((row, n) => row.map((x, j) => (sees(shown[n], j) ? x : 0)))
  const divide = (/** @type {number[]} */ row) => {
    const sum = row.reduce((a, b) => a + b, 0)
    return row.map(x => (sum === 0 ? 0 : x / sum))
  }
  const renormalised = settings.softmaxAxis === 'keys' ? zeroed.map(divide) : transposed(transposed(zeroed).map(divide))
  return shown.map((i, n) => ({
    scores: scores[n],
    scaled: scaled[n],
    masked: masked[n],
    fullWeights: fullWeights[n],
    zeroed: zeroed[n],
    weights: byHand(i, (isAfter ? renormalised : fullWeights)[n]),
  }))
}

/** Rotates pairs of values half a row apart by their position. @param {number[]} x @param {number} row */
function turn(x, row) {
  const half = x.length / 2
  return x.map((value, i) => {
    const { cos, sin } = turnOf(row, i % half, half)
    return i < half ? value * cos - x[i + half] * sin : value * cos + x[i - half] * sin
  })
}

/** @param {number[][]} rows */
const transposed = rows => rows[0].map((_, c) => rows.map(row => row[c]))

/** @param {number[]} row */
function softmax(row) {
  const most = row.reduce((a, b) => Math.max(a, b), -Infinity)
  const exponentials = row.map(x => (most === -Infinity ? 0 : Math.exp(x - most)))
  const sum = exponentials.reduce((a, b) => a + b, 0)
  return exponentials.map(x => (sum === 0 ? 0 : x / sum))
}

/**
 * @param {Result['settings']} settings
 * @param {Result['tensors']} tensors
 * @returns {(q: number[], k: number[]) => number}
 */
function scoreOf({ score, sigma }, { Wa, Ua, ba, va }) {
  if (score === 'gaussian') return (q, k) => -q.reduce((sum, x, d) => sum + (x - k[d]) ** 2, 0) / (2 * sigma ** 2)
  if (score !== 'additive' || !Wa || !Ua || !va) return dot
  const v = Array.from(va.data)
  return (q, k) => {
    const key = project(k, Ua, undefined, 0)
    return dot(
      v,
      project(q, Wa, ba, 0).map((x, a) => Math.tanh(x + key[a])),
    )
  }
}

/**
 * Sets weights by hand. The other weights of the row share the rest in their old proportions.
 * @param {number[]} row
 * @param {{ column: number, value: number }[]} edits
 */
function override(row, edits) {
  const held = row.map(() => 0)
  for (const { column, value } of edits) held[column] = Math.min(Math.max(Math.fround(value), 0), 1)
  const others = row.map((x, j) => (edits.some(({ column }) => column === j) ? 0 : x))
  const [taken, rest] = [held, others].map(list => list.reduce((a, b) => a + b, 0))
  if (taken >= 1 || rest === 0) return held.map(x => (taken > 0 ? x / taken : x))
  return held.map((x, j) => x + (others[j] * (1 - taken)) / rest)
}
