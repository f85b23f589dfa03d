// Places queries and keys of a head as arrows in a plane. The dot product of two arrows approximates their score minus the row mean, which
// is all that softmax uses of the score. The two directions belong to the largest two singular values of the scores minus their row means.

import { Tensor } from 'qkv'
import { ofHead } from '../numbers/tensors.js'

/** @import { Qkv } from 'qkv' */
/** @import { FloatTensor, Result } from '../layer.js' */

/** Number of power iterations. Each multiplies the share of all other directions by at most (third / second singular value)^2. */
const STEPS = 60

/** Maximum number of keys drawn as arrows. */
const MOST = 128

/** @param {ArrayLike<number>} x */
const norm = x => Math.hypot(...Array.from(x))

/** Makes two columns orthonormal. @param {FloatTensor} axes (keys, 2) */
function orthonormal({ data, dims }) {
  const column = (/** @type {number} */ c) => Float64Array.from({ length: dims[0] }, (_, i) => data[2 * i + c])
  const unit = (/** @type {Float64Array} */ x) => {
    const size = norm(x)
    return x.map(value => (size > 0 ? value / size : 0))
  }
  const a = unit(column(0))
  const other = column(1)
  const along = other.reduce((sum, x, i) => sum + x * a[i], 0)
  const b = unit(other.map((x, i) => x - along * a[i]))
  return new Tensor(
    Float32Array.from({ length: data.length }, (_, i) => (i % 2 ? b : a)[i >> 1]),
    dims,
  )
}

/** @type {{ result: Result, head: number, plane: ReturnType<typeof planeAnew> } | undefined} */
let last

/**
 * @param {Qkv} qkv
 * @param {Result} result
 * @param {number} head
 */
function planeAnew(qkv, { tensors, settings }, head) {
  const scores = tensors.scores && ofHead(tensors.scores, head)
  const isProduct = settings.score === 'scaled' || settings.score === 'plain'
  if (!scores || !isProduct || scores.dims[1] > MOST || !scores.data.every(Number.isFinite)) return undefined
  const n = scores.dims[1]
  // Multiplying by C subtracts the mean of each row.
  const C = new Tensor(
    Float32Array.from({ length: n * n }, (_, i) => (i % (n + 1) ? 0 : 1) - 1 / n),
    [n, n],
  )
  const above = qkv.matmul(scores, C)
  const squares = qkv.matmul(above.T, above)
  let axes = orthonormal(
    new Tensor(
      Float32Array.from({ length: 2 * n }, (_, i) => Math.cos(i * (i + 1))),
      [n, 2],
    ),
  )
  for (let step = 0; step < STEPS; step++) axes = orthonormal(qkv.matmul(squares, axes))
  const along = qkv.matmul(above, axes)
  // Split each singular value between queries and keys, so that their lengths are comparable.
  const roots = [0, 1].map(c => Math.sqrt(norm(along.data.filter((_, i) => i % 2 === c))))
  const scaled = (/** @type {FloatTensor} */ { data, dims }, /** @type {(root: number) => number} */ by) =>
    new Tensor(
      data.map((x, i) => x * by(roots[i % 2])),
      dims,
    )
  const q = scaled(along, root => (root > 0 ? 1 / root : 0))
  const k = scaled(axes, root => root)
  const whole = norm(above.data)
  return { q, k, above, kept: whole > 0 ? Math.min(1, (norm(along.data) / whole) ** 2) : 1 }
}

/**
 * Returns the queries and keys of a head as points in a plane.
 * @param {Qkv} qkv
 * @param {Result} result
 * @param {number} head
 * @returns {{ q: FloatTensor, k: FloatTensor, above: FloatTensor, kept: number } | undefined} above: scores minus their row mean; kept:
 *   share of the sum of squares of `above` that the plane preserves; undefined if scores are not dot products, or too many
 */
export function planeOf(qkv, result, head) {
  if (last?.result !== result || last.head !== head) last = { result, head, plane: planeAnew(qkv, result, head) }
  return last.plane
}
