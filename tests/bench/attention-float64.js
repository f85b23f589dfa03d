// Computes attention by the formula, in plain JavaScript and float64. Errors are measured against it.

/** @import { Task } from './task.js' */
/** @import { Shape } from './shapes.js' */
/** @typedef {ArrayLike<number>} Numbers */

const MOST_FLOPS = 2e8 // a third of a second in plain JavaScript; of shapes with more operations only some rows are checked

/**
 * Computes one row of softmax(q k^T / sqrt(D)) v.
 * @param {Numbers} q (H, L, D)
 * @param {Numbers} k (H, S, D)
 * @param {Numbers} v (H, S, D)
 * @param {Shape} shape
 * @param {number} row h * L + i
 * @param {Float64Array} output (D)
 * @param {Float64Array} scores at least S numbers of scratch space
 */
function attentionRow(q, k, v, { L, S = L, D, causal }, row, output, scores) {
  const keys = Math.floor(row / L) * S * D
  const seen = causal ? (row % L) + 1 : S
  let maximum = -Infinity
  for (let j = 0; j < seen; j++) {
    let sum = 0
    for (let d = 0; d < D; d++) sum += q[row * D + d] * k[keys + j * D + d]
    scores[j] = sum / Math.sqrt(D)
    maximum = Math.max(maximum, scores[j])
  }
  let total = 0
  for (let j = 0; j < seen; j++) total += scores[j] = Math.exp(scores[j] - maximum)
  output.fill(0)
  for (let j = 0; j < seen; j++) for (let d = 0; d < D; d++) output[d] += (scores[j] / total) * v[keys + j * D + d]
}

/**
 * Computes softmax(q k^T / sqrt(D)) v, (H, L, D).
 * @param {Numbers} q
 * @param {Numbers} k
 * @param {Numbers} v
 * @param {Shape} shape
 */
export function plainAttention(q, k, v, shape) {
  const { H, L, S = L, D } = shape
  const output = new Float64Array(H * L * D)
  const scores = new Float64Array(S)
  for (let row = 0; row < H * L; row++)
    attentionRow(q, k, v, shape, row, output.subarray(row * D, (row + 1) * D), scores)
  return output
}

/**
 * Computes x W^T + bias.
 * @param {Numbers} x (rows, K)
 * @param {Numbers} w (N, K)
 * @param {Numbers} bias
 */
function plainLinear(x, w, bias) {
  const N = bias.length
  const K = w.length / N
  const y = new Float64Array((x.length / K) * N)
  for (let m = 0; m < x.length / K; m++)
    for (let n = 0; n < N; n++) {
      let sum = bias[n]
      for (let k = 0; k < K; k++) sum += x[m * K + k] * w[n * K + k]
      y[m * N + n] = sum
    }
  return y
}

/**
 * Converts (rows, heads, D) to (heads, rows, D).
 * @param {Numbers} x
 * @param {number} rows
 * @param {number} heads
 */
function swapAxes(x, rows, heads) {
  const D = x.length / (rows * heads)
  const y = new Float64Array(x.length)
  for (let r = 0; r < rows; r++)
    for (let h = 0; h < heads; h++) for (let d = 0; d < D; d++) y[(h * rows + r) * D + d] = x[(r * heads + h) * D + d]
  return y
}

/** Returns the largest |got[at + i] - want[i]|. NaN counts as Infinity. @param {Numbers} got @param {Numbers} want @param {number} [at] */
export function largestError(got, want, at = 0) {
  let most = 0
  for (let i = 0; i < want.length; i++) {
    const error = Math.abs(got[at + i] - want[i])
    if (!(error <= most)) most = Number.isNaN(error) ? Infinity : error
  }
  return most
}

/**
 * Computes expected rows of a task's output: all of them or, of a large shape, `checked` rows at even distances.
 * errorOf returns the largest difference of an output from them.
 * @param {Task} task
 * @returns {{ checked: number, rows: number, errorOf: (output: Numbers) => number }}
 */
export function reference(task) {
  const { shape, q, k, v } = task
  if (task.weights) return multiheadReference(task, task.weights)
  const { H, L, S = L, D } = shape
  const rows = H * L
  const checked = Math.min(rows, Math.max(2, Math.floor(MOST_FLOPS / (4 * S * D))))
  const scores = new Float64Array(S)
  const wanted = Array.from({ length: checked }, (_, n) => {
    const row = checked === rows ? n : Math.round((n * (rows - 1)) / (checked - 1))
    const output = new Float64Array(D)
    attentionRow(q, k, v, shape, row, output, scores)
    return { at: row * D, output }
  })
  const errorOf = (/** @type {Numbers} */ got) =>
    wanted.reduce((most, { at, output }) => Math.max(most, largestError(got, output, at)), 0)
  return { checked, rows, errorOf }
}

/**
 * Computes the output of multi-head attention for the last sentence of the batch.
 * @param {Task} task
 * @param {import('./task.js').Weights} weights
 */
function multiheadReference({ shape, q: x }, { inProj, inBias, outProj, outBias }) {
  const { B = 1, H, L, D } = shape
  const E = H * D
  const at = (B - 1) * L * E
  const last = x.subarray(at)
  const [q, k, v] = [0, 1, 2].map(i => {
    const projected = plainLinear(
      last,
      inProj.subarray(i * E * E, (i + 1) * E * E),
      inBias.subarray(i * E, (i + 1) * E),
    )
    return swapAxes(projected, L, H)
  })
  const wanted = plainLinear(swapAxes(plainAttention(q, k, v, shape), H, L), outProj, outBias)
  return { checked: L, rows: B * L, errorOf: (/** @type {Numbers} */ got) => largestError(got, wanted, at) }
}
