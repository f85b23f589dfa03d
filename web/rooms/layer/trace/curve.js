// Computes the output as a curve over the query, if queries, keys and values are single numbers.

import { Tensor } from 'qkv'

/** @import { FloatTensor, Tensors } from '../layer.js' */

/**
 * @typedef {object} Curve
 * @property {[number, number]} ends range of queries around the keys
 * @property {Float32Array} queries within the range, extended to the current query
 * @property {Float32Array} outputs
 */

const POINTS = 241
/** Number of extra points that extend the curve to a query outside of the range. */
const BEYOND = 60

/** Returns evenly spaced numbers. @param {number} from @param {number} to @param {number} count */
const between = (from, to, count) => Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1))

/**
 * Computes the curve.
 * @param {Tensors} tensors
 * @param {(queries: FloatTensor) => FloatTensor} outputsOf computes the outputs of all queries in one call
 * @returns {Curve | undefined} undefined for more than one dimension, head or query, or if numbers overflow
 */
export function curveOf({ Wq, Q, K, V }, outputsOf) {
  if (Wq || !Q || !K || !V || Q.data.length !== 1 || V.dims[2] !== 1) return undefined
  const [least, most] = K.data.reduce(([a, b], k) => [Math.min(a, k), Math.max(b, k)], [Infinity, -Infinity])
  const room = (most - least) * 0.75 || 1
  /** @type {[number, number]} */
  const ends = [least - room, most + room]
  const [query] = Q.data
  const queries = Float32Array.from([
    ...(query < ends[0] ? between(query, ends[0], BEYOND) : []),
    ...between(...ends, POINTS),
    ...(query > ends[1] ? between(ends[1], query, BEYOND) : []),
  ])
  const outputs = outputsOf(new Tensor(queries, [1, queries.length, 1])).data
  // Values beyond float32 cannot be drawn.
  const isDrawable = [queries, outputs, Q.data].every(values => values.every(Number.isFinite))
  return isDrawable ? { ends, queries, outputs } : undefined
}
