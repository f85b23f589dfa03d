// What the chosen head is compared with. Pure.

import { ofHead } from '../models/tensors.js'
import { messageOf } from '../settings/trouble.js'

/** @typedef {import('../compute/trace.js').Result} Result */
/** @typedef {import('../settings/fields.js').Settings} Settings */

/**
 * @typedef {{ tensor?: import('../models/index.js').FloatTensor, trouble?: import('../i18n/index.js').Key, params?: Record<string, string | number> }} Compared
 *   the weights (L, S), or why there are none
 */

/**
 * The head to compare with: the requested one, or the next head if that one is the same or does not exist.
 * @param {number} other
 * @param {number} head
 * @param {number} heads
 */
export const otherHead = (other, head, heads) => (other !== head && other < heads ? other : (head + 1) % heads)

/**
 * @param {Result} result
 * @param {number} head
 * @param {Settings} settings
 * @param {import('../compute/baseline.js').Baseline} [baseline] with `minus: 'settings'`
 * @returns {Compared}
 */
export function comparedWith(result, head, { minus, other, baseline: link }, baseline) {
  const weights = /** @type {import('../models/index.js').FloatTensor} */ (result.tensors.weights)
  if (minus === 'head') {
    if (result.heads === 1) return { trouble: 'compareOneHead' }
    if (result.smalls) return { trouble: 'compareLeftOut' }
    return { tensor: ofHead(weights, otherHead(other, head, result.heads)) }
  }
  if (!link) return { trouble: 'compareNone' }
  if (baseline?.failure !== undefined)
    return { trouble: 'compareFailed', params: { message: messageOf(baseline.failure) } }
  if (!baseline?.result) return { trouble: 'comparePending' }
  const tensor = ofHead(/** @type {import('../models/index.js').FloatTensor} */ (baseline.result.tensors.weights), head)
  const [L, S] = weights.dims.slice(-2)
  const [rows, columns] = tensor.dims
  if (rows !== L || columns !== S) return { trouble: 'compareSizes', params: { rows, columns, queries: L, keys: S } }
  return { tensor }
}
