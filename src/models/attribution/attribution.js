// Computes direct attribution: how much each part of a model adds to the logits of tokens or classes. The layers between the last norm and
// the logits are linear once the factors of their activations are frozen.

import { readOptions, toNumber } from '../../base/arguments.js'
import { toTensor } from '../../base/operand.js'
import { present } from '../../base/present.js'
import { overTexts } from '../run/over-texts.js'
import { contributions, dot, multiplied, normed, pulled } from './linear-attribution.js'

/** @import { ClassesSpec } from '../family-shapes/parts.js' */
/** @import { ModelWeights } from '../weights/weights.js' */
/** @import { ModelInput } from '../model.js' */
/** @import { Attributed, Linearized, Readout } from './linear-attribution.js' */

/**
 * @typedef {object} AttributionOptions
 * @property {ArrayLike<number> | readonly (number | string)[] | readonly (readonly (number | string)[])[]} [tokens] ids, or texts that are
 *   one token each; for several texts, one such list per text is also possible; default: the token with the largest logit
 * @property {ArrayLike<number> | readonly (readonly number[])[]} [classes] indices of classes instead of tokens, for a classification
 *   checkpoint; default: the class with the largest logit
 * @property {number} [position] of the query, counted from the end if negative; default -1, which predicts the next token. Not allowed for
 *   classes of a whole text
 * @property {import('../model.js').Hooks} [hooks]
 * @property {AbortSignal} [signal]
 */
/**
 * The contributions to the logits of T tokens or classes. They sum to each logit (before the softcap, if the model has one).
 * @typedef {{ tokens: number[], classes?: number[] } & import('./linear-attribution.js').Contributions} LogitAttribution
 */

/**
 * @param {Attributed} model
 * @param {ModelInput} input
 * @param {AttributionOptions} options
 * @returns {Promise<LogitAttribution>}
 */
export async function attribute(model, input, options) {
  const where = 'logitAttribution'
  const { family, weights } = model
  const known = ['tokens', 'classes', 'position', 'hooks', 'signal']
  const { hooks, position = -1, tokens, classes, signal } = readOptions(options, known, where)
  const { vocab, type, classes: classHead } = family
  if (!classHead && !weights.hasHead)
    throw new Error(`${where}: this ${type} checkpoint has no head, so it has no logits`)
  if (classHead ? tokens !== undefined : classes !== undefined)
    throw new TypeError(
      `${where}: ${classHead ? 'this checkpoint is a classifier: give classes instead of tokens' : `this ${type} checkpoint has no classes: give tokens instead`}`,
    )
  const [name, count] = classHead ? ['classes', classHead.labels.length] : ['tokens', vocab]
  const given = classHead ? classes : tokens
  const isWords = !classHead && Array.isArray(given)
  const ids = isWords
    ? given.map((token, n) => model.tokenOf(token, `${where}: tokens[${n}]`))
    : given === undefined
      ? undefined
      : Array.from(toTensor(given, `${where}: ${name}`, true).data)
  for (const id of ids ?? []) toNumber(id, `${where}: ${name}`, { least: 0, most: count - 1, whole: true })
  let chosen = ids ?? []
  const made = await contributions(model, input, {
    hooks,
    signal,
    where,
    logits: ids || classHead ? 'none' : position === -1 ? 'last' : 'all',
    positions(L) {
      if (classHead?.row) return rowsRead(classHead.row, model, input, L)
      return [(toNumber(position, `${where}: position`, { least: -L, most: L - 1, whole: true }) + L) % L]
    },
    readouts({ logits, classLogits }, rows, [at]) {
      if (!ids) {
        const all = present(classHead ? classLogits : logits)
        chosen = [largest(classHead?.row || all.dims[1] === 1 ? all.data : all.row(0).row(at).data)]
      }
      return classHead
        ? readClasses(classHead, family, weights, rows, chosen)
        : readTokens(family, weights, rows[0], chosen)
    },
  })
  return { tokens: classHead ? [] : chosen, ...(classHead && { classes: chosen }), ...made }
}

/**
 * Computes the attribution of several texts, with mean and standard deviation.
 * @param {Attributed} model
 * @param {readonly ModelInput[]} inputs
 * @param {AttributionOptions} options tokens and classes: the same for all texts, or one list per text
 */
export async function attributeEach(model, inputs, options) {
  const where = 'logitAttribution'
  if (!inputs.length) throw new RangeError(`${where}: expected a text or a list of texts, got no texts`)
  /** @type {(list: any, n: number, name: string) => any} */
  const own = (list, n, name) => {
    if (!Array.isArray(list?.[0])) return list
    if (list.length === inputs.length) return list[n]
    throw new RangeError(
      `${where}: ${name}: expected a list for each of the ${inputs.length} texts, got ${list.length}`,
    )
  }
  const each = []
  for (const [n, input] of inputs.entries()) {
    const { tokens, classes } = options
    const given = { ...options, tokens: own(tokens, n, 'tokens'), classes: own(classes, n, 'classes') }
    each.push(await attribute(model, input, given))
  }
  return overTexts(each, ['heads', 'crossHeads', 'mlps', 'embedding', 'rest'])
}

/**
 * Returns the indices of the rows from which the logits of classes are read, in a text of L tokens.
 * @param {'first' | 'last' | 'mean' | 'pooled'} which
 * @param {Attributed} model
 * @param {ModelInput} input
 * @param {number} L
 */
function rowsRead(which, { padding }, { ids, attentionMask, embeddings }, L) {
  if (which === 'first' || which === 'pooled') return [0]
  const given = attentionMask ?? (embeddings ? undefined : ids)
  const numbers = given === undefined ? undefined : toTensor(given, 'logitAttribution: ids', true).data
  const isReal = (/** @type {number} */ i) =>
    !numbers || (attentionMask === undefined ? numbers[i] !== padding : numbers[i] === 1)
  const real = Array.from({ length: L }, (_, i) => i).filter(isReal)
  if (which === 'last') return [real.at(-1) ?? 0]
  if (!real.length)
    throw new RangeError(
      'logitAttribution: expected a text with tokens other than padding, got only padding; this checkpoint reads their mean',
    )
  return real
}

/** Reads the logits of tokens from a row after the last norm. @param {import('../family-shapes/parts.js').Family} family @param {ModelWeights} weights @param {Float64Array} row @param {readonly number[]} ids @returns {Readout[]} */
export function readTokens({ head }, weights, row, ids) {
  const { transform, activation, norm, scale = 1 } = head
  const { y, pull } = chained(weights, transform ? [{ layer: transform, activation, norm }] : [], row)
  return ids.map(id => {
    const { weight, bias } = weights.head.row(id)
    return { value: scale * dot(weight, y) + bias, rows: [pull(Float64Array.from(weight, value => value * scale))] }
  })
}

/**
 * Reads the logits of the classes `chosen`.
 * @param {ClassesSpec} spec
 * @param {import('../family-shapes/parts.js').Family} family
 * @param {ModelWeights} weights
 * @param {Float64Array[]} rows rows whose mean is read
 * @param {readonly number[]} chosen
 * @returns {Readout[]}
 */
function readClasses({ row, layers }, { pooler }, weights, rows, chosen) {
  const mean = rows[0].map((_, c) => rows.reduce((sum, each) => sum + each[c], 0) / rows.length)
  const first = row === 'pooled' && pooler ? [{ layer: pooler, activation: /** @type {const} */ ('tanh') }] : []
  const { y, pull } = chained(weights, [...first, ...layers], mean)
  return chosen.map(n => {
    const g = pull(y.map((_, i) => Number(i === n))).map(value => value / rows.length)
    return { value: y[n], rows: rows.map(() => g) }
  })
}

/**
 * Runs a chain of layers, each norm(activation(W x + b)), and linearises it: each activation becomes a fixed factor per value.
 * @param {ModelWeights} weights
 * @param {ClassesSpec['layers']} layers
 * @param {Float64Array} x
 * @returns {Linearized}
 */
function chained(weights, layers, x) {
  /** @type {Linearized['pull'][]} */
  const pulls = []
  let y = x
  for (const { layer, activation, norm } of layers) {
    const sums = multiplied(weights, layer, y)
    const factors = activation ? sums.map(FACTORS[activation]) : undefined
    y = factors ? sums.map((value, i) => value * factors[i]) : sums
    pulls.push(g => pulled(weights, layer, [factors ? g.map((value, i) => value * factors[i]) : g])[0])
    if (!norm) continue
    const after = normed(norm, weights, y)
    y = after.y
    pulls.push(after.pull)
  }
  return { y, pull: g => pulls.reduceRight((own, pull) => pull(own), g) }
}

/** Returns the normal cumulative distribution function, by the erfc of Numerical Recipes (error below 1.2e-7). @param {number} x */
function normalShare(x) {
  const z = Math.abs(x) / Math.SQRT2
  const t = 1 / (1 + z / 2)
  const terms = [
    1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277,
  ]
  const sum = terms.reduceRight((own, term) => term + t * own, 0)
  const tail = (t * Math.exp(-z * z - 1.26551223 + t * sum)) / 2
  return x < 0 ? tail : 1 - tail
}

/** activation(x) / x for each activation. @type {Record<NonNullable<ClassesSpec['layers'][0]['activation']>, (x: number) => number>} */
export const FACTORS = {
  tanh: x => (x === 0 ? 1 : Math.tanh(x) / x),
  relu: x => Number(x > 0),
  silu: x => 1 / (1 + Math.exp(-x)),
  gelu: normalShare,
  gelu_tanh: x => (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))) / 2,
}

/** Returns the index of the largest value. @param {ArrayLike<number>} values */
function largest(values) {
  let best = 0
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i
  return best
}
