// Computes objectives that read the output of the last norm instead of logits of tokens: logits of classes, and the cosine between the
// text's embedding and another one. Values and derivatives are computed in float64.

import { oneOf, readOptions, toNumber } from '../../base/arguments.js'
import { describe, shape } from '../../base/errors.js'
import { toFloats } from '../../base/operand.js'
import { Tensor } from '../../base/tensor.js'
import { FACTORS } from '../../models/attribution/attribution.js'
import { dot, multiplied, normed, pulled } from '../../models/attribution/linear-attribution.js'
import { POOLINGS, pool, pullPool } from '../../models/sentences/pooling.js'

/** @import { Pooling } from '../../models/sentences/pooling.js' */
/** @import { ObjectiveInput } from './objective.js' */
/** @typedef {ReturnType<typeof import('../../models/model.js').Model.parts>} Parts */
/** @typedef {{ position?: number, class: number | string, weight?: number }} ClassTerm position: of the token, for a token classifier; class: its number or its label; weight: default 1 */
/** A weighted sum of logits of classes. @typedef {{ classes: readonly ClassTerm[] }} OfClasses */
/**
 * The cosine between the text's embedding and another embedding, such as `other` of model.similarity.
 * @typedef {{ cosine: import('../../base/tensor.js').TensorLike, poolings: readonly Pooling[] }} OfCosine
 */
/**
 * Computes the value of an objective from the rows (L, d) after the last norm; `pull` returns the derivatives with respect to them.
 * @typedef {(rows: Float64Array[]) => { value: number, pull: () => Float64Array[] }} Readout
 */

/** True if an objective reads the output of the last norm instead of logits of tokens. @param {unknown} of @returns {of is OfClasses | OfCosine} */
export const isReadout = of => typeof of === 'object' && of !== null && ('classes' in of || 'cosine' in of)

/** Throws if an objective needs logits of tokens and the checkpoint has no head. @param {Parts} parts @param {unknown} of @param {string} where */
export function expectLogits({ family, weights }, of, where) {
  if (weights.hasHead || isReadout(of)) return
  throw new Error(
    `${where}: this ${family.type} checkpoint has no head, so it has no logits of tokens: say of: ${family.classes ? '{ classes: [{ class }] }' : '{ cosine, poolings }'}`,
  )
}

/**
 * Checks an objective of classes or of a cosine, and returns the readout that computes it.
 * @param {OfClasses | OfCosine} of
 * @param {ObjectiveInput} input
 * @param {string} where
 * @param {Parts} parts
 * @returns {Readout}
 */
export function readReadout(of, input, where, parts) {
  if (input.B !== 1) throw new RangeError(`${where}: of: expected one text, got ${input.B}`)
  return 'classes' in of ? ofClasses(of, input, where, parts) : ofCosine(of, input, where, parts)
}

/** Returns the rows that are not padding. @param {ObjectiveInput} input @param {unknown} padding the id of padding */
function realRows({ ids, mask, isEmbedded, L }, padding) {
  const all = Array.from({ length: L }, (_, i) => i)
  return all.filter(i => (mask ? mask[i] === 1 : isEmbedded || ids[i] !== padding))
}

/** Makes the readout of a weighted sum of logits of classes. @param {OfClasses} of @param {ObjectiveInput} input @param {string} where @param {Parts} parts @returns {Readout} */
function ofClasses(of, input, where, { family, weights, padding }) {
  const { L } = input
  const { classes: classHead, pooler, type } = family
  if (!classHead) throw new TypeError(`${where}: of: classes: this ${type} checkpoint has no classes`)
  const { classes: list } = readOptions(of, ['classes'], `${where}: of`)
  if (!Array.isArray(list) || !list.length)
    throw new TypeError(`${where}: of: classes: expected a list of { class, weight }, got ${describe(list)}`)
  const terms = list.map((term, i) => {
    const at = `${where}: of: classes[${i}]`
    const names = classHead.row ? ['class', 'weight'] : ['position', 'class', 'weight']
    const { position = -1, class: one, weight = 1 } = readOptions(term, names, at)
    const n = typeof one === 'string' ? classHead.labels.indexOf(oneOf(one, classHead.labels, `${at}.class`)) : one
    toNumber(n, `${at}.class`, { least: 0, most: classHead.labels.length - 1, whole: true })
    toNumber(position, `${at}.position`, { least: -L, most: L - 1, whole: true })
    if (!Number.isFinite(toNumber(weight, `${at}.weight`)))
      throw new RangeError(`${at}.weight: expected a finite number, got ${weight}`)
    return { row: (position + L) % L, one: Number(n), weight }
  })
  // transformers finds the last token by the id of padding, whatever the mask is.
  const isById = classHead.row === 'last' && !input.isEmbedded && Number.isInteger(padding)
  const real = realRows(isById ? { ...input, mask: undefined } : input, padding)
  const first =
    classHead.row === 'pooled' && pooler ? [{ layer: pooler, activation: /** @type {const} */ ('tanh') }] : []
  const layers = [...first, ...classHead.layers]
  /** The rows whose mean is classified; undefined for a token classifier, which classifies the row of each term. */
  const read =
    classHead.row === 'mean' ? real : classHead.row === 'last' ? [real.at(-1) ?? 0] : classHead.row ? [0] : undefined
  return rows => {
    const size = rows[0].length
    const groups = read ? [read] : [...new Set(terms.map(({ row }) => row))].map(row => [row])
    let value = 0
    const made = groups.map(group => {
      const mean = new Float64Array(size)
      for (const i of group) for (let c = 0; c < size; c++) mean[c] += rows[i][c] / group.length
      const { y, pull } = chained(weights, layers, mean)
      const own = new Float64Array(y.length)
      for (const { row, one, weight } of terms)
        if (read || row === group[0]) {
          value += weight * y[one]
          own[one] += weight
        }
      return { group, pull, own }
    })
    const pull = () => {
      const out = rows.map(() => new Float64Array(size))
      for (const { group, pull, own } of made) {
        const g = pull(own)
        for (const i of group) for (let c = 0; c < size; c++) out[i][c] += g[c] / group.length
      }
      return out
    }
    return { value, pull }
  }
}

/** Makes the readout of the cosine with another embedding. @param {OfCosine} of @param {ObjectiveInput} input @param {string} where @param {Parts} parts @returns {Readout} */
function ofCosine(of, input, where, { family, padding }) {
  const { cosine, poolings } = readOptions(of, ['cosine', 'poolings'], `${where}: of`)
  if (!Array.isArray(poolings) || !poolings.length)
    throw new TypeError(`${where}: of: poolings: expected a list of ${POOLINGS.join(', ')}, got ${describe(poolings)}`)
  for (const name of poolings) oneOf(name, POOLINGS, `${where}: of: poolings`)
  const { data, dims } = toFloats(cosine, `${where}: of: cosine`)
  const d = family.width
  if (data.length !== poolings.length * d)
    throw new RangeError(`${where}: of: cosine: expected dims ${shape([poolings.length * d])}, got ${shape(dims)}`)
  const other = Float64Array.from(data)
  const length = Math.max(Math.hypot(...other), 1e-12)
  const real = realRows(input, padding)
  return rows => {
    const h = new Tensor(Float32Array.from(real.flatMap(i => [...rows[i]])), [1, real.length, d])
    const own = Float64Array.from(poolings.flatMap(name => [...pool(name, h)]))
    const norm = Math.max(Math.hypot(...own), 1e-12)
    const value = dot(own, other) / norm / length
    const pull = () => {
      const out = rows.map(() => new Float64Array(d))
      const g = own.map((each, c) => (other[c] / length - (value * each) / norm) / norm)
      for (const [n, name] of poolings.entries())
        pullPool(name, h, (c, i, factor) => {
          out[real[i]][c] += factor * g[n * d + c]
        })
      return out
    }
    return { value, pull }
  }
}

/**
 * Applies a chain of layers, norm(activation(W x + b)). Returns the result y, and `pull`, which passes a gradient of y back to x.
 * @param {Parts['weights']} weights
 * @param {NonNullable<Parts['family']['classes']>['layers']} layers
 * @param {Float64Array} x
 * @returns {import('../../models/attribution/linear-attribution.js').Linearized}
 */
function chained(weights, layers, x) {
  /** @type {((g: Float64Array) => Float64Array)[]} */
  const pulls = []
  let y = x
  for (const { layer, activation, norm } of layers) {
    const sums = multiplied(weights, layer, y)
    y = activation ? sums.map(x => x * FACTORS[activation](x)) : sums
    pulls.push(g => {
      const dSums = activation ? g.map((value, i) => value * SLOPES[activation](sums[i])) : g
      return pulled(weights, layer, [dSums])[0]
    })
    if (!norm) continue
    const after = normed(norm, weights, y)
    const before = y
    y = after.y
    pulls.push(g => ofNorm(norm, before, after, g))
  }
  return { y, pull: g => pulls.reduceRight((own, pull) => pull(own), g) }
}

/**
 * Passes a gradient back through a norm and through its deviation, which `after.pull` treats as a constant.
 * @param {import('../../models/family-shapes/parts.js').NormSpec} spec
 * @param {Float64Array} x
 * @param {ReturnType<typeof normed>} after
 * @param {Float64Array} g
 */
function ofNorm({ kind, eps }, x, after, g) {
  const size = x.length
  const mean = kind === 'layer' ? x.reduce((sum, value) => sum + value, 0) / size : 0
  const centred = x.map(value => value - mean)
  const variance = centred.reduce((sum, value) => sum + value * value, 0) / size + eps
  const fixed = after.pull(g)
  const along = dot(fixed, centred) / size / variance
  return fixed.map((value, c) => value - along * centred[c])
}

/** The derivatives of activations. @type {typeof FACTORS} */
const SLOPES = {
  tanh: x => 1 - Math.tanh(x) ** 2,
  relu: x => Number(x > 0),
  silu: x => {
    const share = FACTORS.silu(x)
    return share * (1 + x * (1 - share))
  },
  gelu: x => FACTORS.gelu(x) + (x * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI),
  gelu_tanh: x => {
    const share = FACTORS.gelu_tanh(x)
    return share + 2 * x * share * (1 - share) * Math.sqrt(2 / Math.PI) * (1 + 3 * 0.044715 * x * x)
  },
}
