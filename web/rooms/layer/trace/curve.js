// Where queries, keys and values are single numbers, the output is a curve over the query.

import { Tensor } from 'qkv'

/** @import { FloatTensor, Tensors } from '../layer.js' */

/**
 * @typedef {object} Curve
 * @property {[number, number]} ends of the queries
 * @property {Float32Array} queries
 * @property {Float32Array} outputs
 */

const POINTS = 241

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
  const queries = Float32Array.from({ length: POINTS }, (_, i) => ends[0] + ((ends[1] - ends[0]) * i) / (POINTS - 1))
  const outputs = outputsOf(new Tensor(queries, [1, POINTS, 1])).data
  // Scores beyond float32 have no picture.
  const isDrawable = [queries, outputs, Q.data].every(values => values.every(Number.isFinite))
  return isDrawable ? { ends, queries, outputs } : undefined
}
