// Why scores are divided by sqrt(d): random queries and keys of a size, how far their scores spread, what softmax makes
// of a row with and without the division, and what gradient it passes back. All by the core.

import { Tensor } from 'qkv'
import { attentionBackward } from 'qkv/nn'

/** @import { Qkv } from 'qkv' */

/** So many queries and keys; the row that is shown has the first keys. */
const [COUNT, SHOWN] = [64, 8]
export const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

/**
 * @typedef {object} ScoreDistribution
 * @property {number} d
 * @property {number} deviation of the scores of 64 queries and 64 keys, standard normal
 * @property {Side} plain
 * @property {Side} scaled the same, divided by sqrt(d)
 *
 * @typedef {object} Side
 * @property {number[]} scores of the first query with the first keys
 * @property {number[]} weights their softmax
 * @property {number} gradient the root mean square of the gradient of those scores
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
  // Values that tell keys apart, and a gradient of the output as a loss might have it.
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

/** The root of the mean square: the scores' mean is zero. @param {Qkv} qkv @param {Tensor<Float32Array>} x */
function rms(qkv, x) {
  const { length } = x.data
  return Math.sqrt(qkv.matmul(x.reshape([1, length]), x.reshape([length, 1])).data[0] / length)
}
