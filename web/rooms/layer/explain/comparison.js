// Compares the chosen head with another head or with a baseline. Shapes: L queries, S keys. Pure.

import { messageOf } from '../../../files/trouble.js'
import { ofHead } from '../numbers/tensors.js'

/** @import { Arithmetic, FloatTensor, Result, Settings } from '../layer.js' */

/**
 * @typedef {{ tensor?: FloatTensor, difference?: FloatTensor, trouble?: import('../../../i18n/index.js').Key, params?: Record<string,
 * string | number> }} Compared tensor: weights of the other head or of the baseline, (L, S); trouble: text key of the reason why there is
 *   no difference
 */

/**
 * The trace of the baseline settings, or why it failed. While it is computed, both properties are missing.
 * @typedef {{ result?: Result, failure?: unknown }} Baseline
 */

/** Caches the last difference. @type {{ from: FloatTensor, less: FloatTensor, is: FloatTensor } | undefined} */
let last

/**
 * Returns the head to compare `head` with: `other`, or the head after `head` if `other` equals `head` or does not exist.
 * @param {number} other
 * @param {number} head
 * @param {number} heads
 */
export const otherHead = (other, head, heads) => (other !== head && other < heads ? other : (head + 1) % heads)

/**
 * @param {Result} result
 * @param {number} head
 * @param {Settings} settings
 * @param {Arithmetic} arithmetic
 * @param {Baseline} baseline
 * @returns {Compared}
 */
export function comparedWith(result, head, { minus, other, baseline: link }, arithmetic, baseline) {
  const weights = result.tensors.weights
  const here = ofHead(weights, head)
  /** @param {FloatTensor} from @param {FloatTensor} less */
  const subtract = (from, less) => {
    if (last?.from.data !== from.data || last.less.data !== less.data)
      last = { from, less, is: arithmetic.minus(from, less) }
    return last.is
  }
  if (minus === 'head') {
    if (result.heads === 1) return { trouble: 'compareOneHead' }
    if (result.smalls) return { trouble: 'compareLeftOut' }
    const tensor = ofHead(weights, otherHead(other, head, result.heads))
    return { tensor, difference: subtract(here, tensor) }
  }
  if (!link) return { trouble: 'compareNone' }
  if (baseline.failure !== undefined)
    return { trouble: 'compareFailed', params: { message: messageOf(baseline.failure) } }
  if (!baseline.result) return { trouble: 'comparePending' }
  const tensor = ofHead(baseline.result.tensors.weights, head)
  const [L, S] = weights.dims.slice(-2)
  const [rows, columns] = tensor.dims
  if (rows !== L || columns !== S) return { trouble: 'compareSizes', params: { rows, columns, queries: L, keys: S } }
  return { tensor, difference: subtract(tensor, here) }
}
