// Compares two ways of masking: -Infinity before the softmax, or zeros and renormalisation after it. Shapes: H heads, L queries, S keys.

import { Tensor } from 'qkv'
import { onlyHead } from '../numbers/tensors.js'
import { steps } from './attend.js'
import { largest, minus } from './subtract.js'

/** @import { Qkv } from 'qkv' */
/** @import { Checked, FloatTensor, Tensors } from '../layer.js' */

/**
 * Weights (H, L, S) by both ways of masking.
 * @typedef {object} MaskOrder
 * @property {FloatTensor} before masked before softmax
 * @property {FloatTensor} after masked after softmax, and renormalised
 * @property {FloatTensor} exponentials of all scores including hidden ones, minus the row maximum
 * @property {FloatTensor} full softmax without a mask
 * @property {FloatTensor} sums of each row of exponentials
 * @property {FloatTensor} zeroedSums of each row of `full`, without hidden keys
 * @property {Extreme[]} extremes one weight by both ways, if a hidden score is NaN or huge
 * @property {number} most largest difference between `before` and `after`
 */

/** Maximum heads * queries * keys for computing both ways at every key stroke. */
const MOST_PAIRS = 2 ** 16

/**
 * Computes the weights by both ways of masking.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} tensors of the trace, without edited weights
 * @param {Uint8Array | undefined} visible
 * @returns {MaskOrder | undefined} undefined without a mask or with too many pairs
 */
export function maskOrderOf(qkv, settings, tensors, visible) {
  const { scores, Q: bareQ, K: bareK, Qr: Q = bareQ, Kr: K = bareK } = tensors
  if (!visible || !Q || !K || !scores || scores.data.length > MOST_PAIRS) return undefined
  const traced = (
    /** @type {'before' | 'after'} */ masking,
    /** @type {readonly (keyof import('qkv').Trace)[]} */ keep,
  ) => {
    if (masking === settings.masking) return /** @type {ReturnType<typeof steps>} */ (tensors)
    // Leave out V, since the weights do not depend on the values.
    const own = { ...tensors, V: undefined }
    return steps(qkv, { ...settings, masking }, own, visible, keep)
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
 * Replaces the first hidden key of the first query by NaN or by huge numbers. Returns the weight of that query on its first visible key by
 * both ways of masking.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {{ Q: FloatTensor, K: FloatTensor }} head tensors of head 0
 * @param {Uint8Array} visible
 * @returns {Extreme[]}
 */
function extremesOf(qkv, settings, { Q, K }, visible) {
  const [S, d] = K.dims.slice(1)
  const hidden = visible.subarray(0, S).indexOf(0)
  const seen = visible.subarray(0, S).indexOf(1)
  if (hidden < 0 || seen < 0 || !['scaled', 'plain'].includes(settings.score)) return []
  const q = Q.data
  return Object.entries({ NaN: Number.NaN, '1e30': 1e30 }).map(([name, value]) => {
    const data = K.data.slice()
    // Use the signs of the query, so that the score is a huge positive number.
    for (let i = 0; i < d; i++) data[hidden * d + i] = value * Math.sign(q[i])
    const changed = { Q, K: new Tensor(data, K.dims) }
    const weight = (/** @type {Checked['masking']} */ masking) =>
      steps(qkv, { ...settings, masking }, changed, visible, ['weights']).weights.data[seen]
    return { name, before: weight('before'), after: weight('after') }
  })
}
