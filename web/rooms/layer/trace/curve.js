// Where queries, keys and values are single numbers, the output is a curve over the query.

import { Tensor } from 'qkv'

/** @import { FloatTensor, Tensors } from '../layer.js' */

/**
 * @typedef {object} Curve
 * @property {[number, number]} ends of the queries that are near the keys
 * @property {Float32Array} queries between the ends, and as far as the query
 * @property {Float32Array} outputs
 */

const POINTS = 241
/** Points on the way to a query that lies beyond the ends. */
const BEYOND = 60

/** Numbers from one to another, evenly spaced. @param {number} from @param {number} to @param {number} count */
const between = (from, to, count) => Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1))

/**
 * @param {Tensors} tensors
 * @param {(queries: FloatTensor) => FloatTensor} outputsOf all of them, computed in one call
 * @returns {Curve | undefined} undefined if there are more dimensions, heads or queries than one, or numbers overflow
 */
export function curveOf({ Wq, Q, K, V }, outputsOf) {
  if (Wq || !Q || !K || !V || Q.data.length !== 1 || V.dims[2] !== 1) return undefined
  const [least, most] = K.data.reduce(([a, b], k) => [Math.min(a, k), Math.max(b, k)], [Infinity, -Infinity])
  const room = (most - least) * 0.75 || 1
  const ends = /** @type {[number, number]} */ ([least - room, most + room])
  const [query] = Q.data
  const queries = Float32Array.from([
    ...(query < ends[0] ? between(query, ends[0], BEYOND) : []),
    ...between(...ends, POINTS),
    ...(query > ends[1] ? between(ends[1], query, BEYOND) : []),
  ])
  const outputs = outputsOf(new Tensor(queries, [1, queries.length, 1])).data
  // Scores beyond float32 have no picture.
  const isDrawable = [queries, outputs, Q.data].every(values => values.every(Number.isFinite))
  return isDrawable ? { ends, queries, outputs } : undefined
}
