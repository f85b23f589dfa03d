// Shows why scores are divided by sqrt(d): computes the spread of scores of random queries and keys, the softmax of a row with and without
// the division, and the gradient that the softmax passes back.

import { Tensor } from 'qkv'
import { attentionBackward } from 'qkv/nn'

/** @import { Qkv } from 'qkv' */

/** Number of random queries, and of random keys (COUNT); number of keys in the displayed row (SHOWN). */
const [COUNT, SHOWN] = [64, 8]
export const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

/**
 * @typedef {object} ScoreDistribution
 * @property {number} d
 * @property {number} deviation standard deviation of the scores of 64 queries and 64 keys, standard normal
 * @property {Side} plain without division
 * @property {Side} scaled with scores divided by sqrt(d)
 *
 * @typedef {object} Side
 * @property {number[]} scores of the first query with the first keys
 * @property {number[]} weights their softmax
 * @property {number} gradient root mean square of the gradient of the query, divided by the factor of the scores
 */

/**
 * @param {Qkv} qkv
 * @param {number} d
 * @param {bigint} seed
 * @returns {ScoreDistribution}
 */
export function distributionOf(qkv, d, seed) {
  const generator = qkv.generator(seed)
  const [Q, K] = [generator.randn([COUNT, d]), generator.randn([COUNT, d])]
  const scores = qkv.matmul(Q, K.T)
  const q = new Tensor(Q.data.slice(0, d), [1, d])
  const k = new Tensor(K.data.slice(0, SHOWN * d), [SHOWN, d])
  // Random values, and a random output gradient in place of the gradient of a loss.
  const v = generator.randn([SHOWN, SHOWN])
  const dOutput = generator.randn([1, SHOWN])
  const side = (/** @type {number} */ scale) => {
    const traced = qkv.trace(q, k, v, { scale })
    const { dQ: dq } = attentionBackward(qkv, q, k, v, dOutput, { scale })
    return {
      scores: Array.from(traced.scaled?.data ?? traced.scores.data),
      weights: Array.from(traced.weights.data),
      gradient: rms(qkv, dq) / scale,
    }
  }
  return { d, deviation: rms(qkv, scores), plain: side(1), scaled: side(1 / Math.sqrt(d)) }
}

/** Returns the root mean square, which estimates the standard deviation of scores, whose expected mean is zero. @param {Qkv} qkv @param {Tensor<Float32Array>} x */
function rms(qkv, x) {
  const { length } = x.data
  return Math.sqrt(qkv.matmul(x.reshape([1, length]), x.reshape([length, 1])).data[0] / length)
}
