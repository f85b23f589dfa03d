// Both ways of masking: minus infinity before softmax; zero and a division after it.

import { Tensor } from 'qkv'
import { onlyHead } from '../numbers/tensors.js'
import { steps } from './attend.js'
import { largest, minus } from './subtract.js'

/** @import { Qkv } from 'qkv' */
/** @import { Checked, FloatTensor, Tensors } from '../layer.js' */

/**
 * Weights (H, L, S) by both ways of masking.
 * @typedef {object} MaskOrder
 * @property {FloatTensor} before
 * @property {FloatTensor} after
 * @property {FloatTensor} exponentials of the scores, hidden ones as well, less the largest of the row
 * @property {FloatTensor} full their shares: weights before the mask
 * @property {FloatTensor} sums of each row of exponentials
 * @property {FloatTensor} zeroedSums of each row of `full`, without hidden ones
 * @property {Extreme[]} extremes a weight if a hidden key is NaN, or its score is huge
 * @property {number} most the largest difference
 */

/** Heads times queries times keys for which both ways of masking are computed at every key stroke. */
const MOST_PAIRS = 2 ** 16

/**
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} tensors of the trace, no weight of it set by hand
 * @param {Uint8Array | undefined} visible
 * @returns {MaskOrder | undefined}
 */
export function maskOrderOf(qkv, settings, tensors, visible) {
  const { scores, Q: bareQ, K: bareK, Qr: Q = bareQ, Kr: K = bareK } = tensors
  if (!visible || !Q || !K || !scores || scores.data.length > MOST_PAIRS) return undefined
  const traced = (
    /** @type {'before' | 'after'} */ masking,
    /** @type {readonly (keyof import('qkv').Trace)[]} */ keep,
  ) => {
    if (masking === settings.masking) return /** @type {Record<string, FloatTensor>} */ (tensors)
    // The weights do not depend on the values.
    const own = { ...tensors, V: undefined }
    return /** @type {Record<string, FloatTensor>} */ (steps(qkv, { ...settings, masking }, own, visible, keep))
  }
  const before = traced('before', ['weights']).weights
  const late = traced('after', ['exponentials', 'fullWeights', 'sums', 'weights', 'zeroedSums'])
  const after = late.weights
  return {
    before,
    after,
    most: largest(minus(qkv, after, before).data),
    exponentials: late.exponentials,
    full: late.fullWeights,
    sums: late.sums,
    zeroedSums: late.zeroedSums,
    extremes: extremesOf(qkv, settings, { Q: onlyHead(Q, 0), K: onlyHead(K, 0) }, visible),
  }
}

/** @typedef {{ name: string, before: number, after: number }} Extreme a weight of head 0 by both ways of masking */

/**
 * The first weight of the first query, if a key that it does not see is not a number, or huge.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {{ Q: FloatTensor, K: FloatTensor }} head of head 0
 * @param {Uint8Array} visible
 * @returns {Extreme[]}
 */
function extremesOf(qkv, settings, { Q, K }, visible) {
  const [S, d] = K.dims.slice(1)
  const hidden = visible.subarray(0, S).indexOf(0)
  const seen = visible.subarray(0, S).indexOf(1)
  if (hidden < 0 || seen < 0 || !['scaled', 'plain'].includes(settings.score)) return []
  const q = Q.data
  return [
    ['NaN', Number.NaN],
    ['1e30', 1e30],
  ].map(([name, value]) => {
    const data = K.data.slice()
    // The sign of the query: the score is huge, not hugely negative.
    for (let i = 0; i < d; i++) data[hidden * d + i] = /** @type {number} */ (value) * Math.sign(q[i])
    const changed = { Q, K: new Tensor(data, K.dims) }
    const [before, after] = /** @type {const} */ (['before', 'after']).map(
      masking =>
        /** @type {FloatTensor} */ (steps(qkv, { ...settings, masking }, changed, visible, ['weights']).weights).data[
          seen
        ],
    )
    return { name: String(name), before, after }
  })
}
