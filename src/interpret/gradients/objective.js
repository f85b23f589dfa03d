// Checks and evaluates the objective that a backward pass differentiates: a loss, a weighted sum of logits, any function of the logits, or
// a function of the numbers at a place.

import { readOptions, toNumber } from '../../base/arguments.js'
import { describe, shape } from '../../base/errors.js'
import { toFloats, toTensor } from '../../base/operand.js'
import { count } from '../../base/tensor.js'
import { crossEntropy } from '../../ops/loss/cross-entropy.js'
import { isReadout, readReadout } from './readout.js'

/** @import { FloatTensor, TensorLike } from '../../base/tensor.js' */
/** @typedef {{ row?: number, position: number, token: number | string, weight?: number }} LogitTerm row: index in the batch, default 0; position: counted from the end if negative;
 *   token: an id, or a text that is one token, such as ' tom'; weight: default 1 */
/**
 * A function of the numbers at a place, given by its gradient (with the dims of the place) or by a function that returns the gradient.
 * @typedef {{ place: import('../../models/run/model-hooks.js').Place, gradient: TensorLike | ((values: FloatTensor) => TensorLike | { value?: number, gradient: TensorLike }) }} OfPlace
 */
/**
 * One of: 'loss', the mean cross-entropy over the targets; a weighted sum of logits; a function of the logits that returns its value and its
 * gradient, or the gradient alone.
 * @typedef {'loss' | { logits: readonly LogitTerm[] } | ((logits: FloatTensor) => TensorLike | { value?: number, gradient: TensorLike })} LogitObjective
 *
 * A LogitObjective, a weighted sum of logits of classes, the cosine between the text's embedding and another one, or a function of the
 * numbers at a place.
 * @typedef {LogitObjective | import('./readout.js').OfClasses | import('./readout.js').OfCosine | OfPlace} GradientObjective
 *
 * A GradientObjective or, where no gradient is needed, a function of the logits that returns only its value.
 * @typedef {GradientObjective | ((logits: FloatTensor) => number | TensorLike | { value?: number, gradient: TensorLike })} Objective
 */
/**
 * The derivative with respect to one logit, in row n of all B * L rows.
 * @typedef {{ n: number, token: number, weight: number }} Derivative
 */

/**
 * A checked objective: a function that computes its value and its gradient with respect to the logits (B, L, V), and the terms of a
 * weighted sum.
 * @typedef {object} CheckedObjective
 * @property {(qkv: import('../../qkv.js').Qkv, logits: FloatTensor) => { value: number | undefined, dLogits?: FloatTensor, isValue?: boolean }} evaluate
 *   isValue: true if a function returned its value without a gradient
 * @property {Derivative[]} [terms]
 * @property {import('./readout.js').Readout} [readout] reads the output of the last norm instead of logits
 *
 * @typedef {object} ObjectiveInput
 * @property {readonly number[]} ids of the rows that have logits, (B, L)
 * @property {readonly number[] | undefined} mask of these rows, 0 at padding
 * @property {boolean} isEmbedded true if the model reads embeddings instead of ids
 * @property {boolean} isCausal true if row i predicts the id of row i + 1
 * @property {number} B
 * @property {number} L
 * @property {number} V
 */

/**
 * Checks an objective before the model runs.
 * @param {unknown} of
 * @param {unknown} targets
 * @param {ObjectiveInput} input
 * @param {string} where
 * @param {import('./readout.js').Parts} parts of the model
 * @param {boolean} [hasReadouts] false if classes and cosines are not allowed
 * @returns {CheckedObjective}
 */
export function readObjective(of, targets, input, where, parts, hasReadouts = true) {
  const { B, L, V } = input
  if (targets !== undefined && of !== 'loss') throw new TypeError(`${where}: targets: they apply only to of: 'loss'`)
  if (hasReadouts && isReadout(of)) {
    const evaluate = () => ({ value: undefined })
    return { evaluate, readout: readReadout(of, input, where, parts) }
  }
  if (of === 'loss') {
    const labels = targets === undefined ? defaultTargets(input) : readTargets(targets, input, where)
    if (labels.every(id => id === -100)) throw new RangeError(`${where}: targets: there is none: every target is -100`)
    const evaluate = (/** @type {import('../../qkv.js').Qkv} */ qkv, /** @type {FloatTensor} */ logits) => {
      const given = { data: Int32Array.from(labels), dims: [B, L] }
      const { loss, dLogits } = crossEntropy(qkv, logits, given, { gradient: true })
      return { value: finite(loss, where), dLogits }
    }
    return { evaluate }
  }
  if (typeof of === 'function') {
    const evaluate = (/** @type {unknown} */ _, /** @type {FloatTensor} */ logits) => {
      const given = of(logits)
      if (typeof given === 'number') return { value: finite(given, where), isValue: true }
      if (typeof given !== 'object' || given === null || given instanceof Promise)
        throw new TypeError(
          `${where}: of: expected a function that returns a number, a gradient or { value, gradient }, but it returned ${describe(given)}`,
        )
      const { value, gradient } = readGradient(given, logits.dims, 'the logits', where)
      return { value, dLogits: gradient }
    }
    return { evaluate }
  }
  const given = /** @type {{ logits?: unknown } | null} */ (of)
  const list = typeof given === 'object' && given !== null ? given.logits : undefined
  if (list !== undefined && !Array.isArray(list))
    throw new TypeError(
      `${where}: of: logits: expected a list such as [{ position: -1, token: 5 }], got ${describe(list)}`,
    )
  if (!list?.length)
    throw new TypeError(
      `${where}: of: expected 'loss', { logits: [{ position: -1, token: 5, weight: 1 }] }${hasReadouts ? ', { classes: [{ class, weight }] }, { cosine, poolings }, { place, gradient }' : ''} or a function of the logits, got ${describe(of)}`,
    )
  const terms = list.map((term, i) => {
    const at = `${where}: of: logits[${i}]`
    const { row = 0, position, token, weight = 1 } = readOptions(term, ['row', 'position', 'token', 'weight'], at)
    toNumber(row, `${at}.row`, { least: 0, most: B - 1, whole: true })
    if (position === undefined) throw new TypeError(`${at}.position: expected a number, such as -1 for the last`)
    toNumber(position, `${at}.position`, { least: -L, most: L - 1, whole: true })
    const id = parts.tokenOf(token, `${at}.token`)
    finite(toNumber(weight, `${at}.weight`), where)
    return { n: row * L + ((position + L) % L), token: id, weight }
  })
  return {
    terms,
    evaluate: (_, logits) => {
      const value = terms.reduce((sum, { n, token, weight }) => sum + weight * logits.data[n * V + token], 0)
      return { value: finite(value, where) }
    },
  }
}

/**
 * Checks what a function of some numbers returned: its value and gradient, or the gradient alone.
 * @param {unknown} given
 * @param {readonly number[]} dims of the numbers
 * @param {string} what names the numbers in errors
 * @param {string} where
 */
export function readGradient(given, dims, what, where) {
  const both = given !== null && typeof given === 'object' && 'gradient' in given
  const gradient = toFloats(both ? given.gradient : given, `${where}: of: the gradient`)
  if (String(gradient.dims) !== String(dims)) {
    const isValue = !both && gradient.data.length === 1 ? '; a value is a number, such as x.data[0]' : ''
    throw new RangeError(
      `${where}: of: expected a gradient with the dims of ${what}, ${shape(dims)}; got ${shape(gradient.dims)}${isValue}`,
    )
  }
  const value =
    both && 'value' in given && given.value !== undefined ? toNumber(given.value, `${where}: of: the value`) : undefined
  for (const one of gradient.data) finite(one, where)
  return { value, gradient }
}

/** True if an objective is a function of the numbers at a place. @param {unknown} of @returns {of is OfPlace} */
export const isOfPlace = of => typeof of === 'object' && of !== null && 'place' in of

/** @param {number} value @param {string} where */
function finite(value, where) {
  if (!Number.isFinite(value))
    throw new RangeError(`${where}: of: expected a finite objective and gradient, got ${value}`)
  return value
}

/** Returns the default targets: the next ids for a decoder, the ids themselves for an encoder; -100 at padding. @param {ObjectiveInput} input */
function defaultTargets({ ids, mask, isCausal, L }) {
  const isToken = (/** @type {number} */ n) => !mask || mask[n] === 1
  return ids.map((id, n) => {
    if (!isCausal) return isToken(n) ? id : -100
    return n % L < L - 1 && isToken(n) && isToken(n + 1) ? ids[n + 1] : -100
  })
}

/** @param {unknown} targets @param {ObjectiveInput} input @param {string} where */
function readTargets(targets, { B, L, V }, where) {
  const { data, dims } = toTensor(targets, `${where}: targets`, true)
  const fits = dims.length === 1 ? B === 1 && dims[0] === L : dims.length === 2 && dims[0] === B && dims[1] === L
  if (!fits || count(dims) !== B * L)
    throw new RangeError(`${where}: targets: expected dims ${shape([B, L])}, one for each id, got ${shape(dims)}`)
  return Array.from(data, (id, n) =>
    id === -100 ? -100 : toNumber(Number(id), `${where}: targets[${n}]`, { least: 0, most: V - 1, whole: true }),
  )
}
