// Computes a steering vector from two kinds of texts, and returns hooks that add it to the residual stream.

import { readOptions, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'
import { Tensor } from '../../base/tensor.js'
import { Model } from '../../models/model.js'
import { inputOf } from '../input-of.js'
import { stackOf } from '../stack-of.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { ModelInput } from '../../models/model.js' */

/**
 * @typedef {object} SteeringOptions
 * @property {readonly (string | ModelInput)[]} positive texts, or inputs of forward with one row
 * @property {readonly (string | ModelInput)[]} negative
 * @property {number} layer the layer whose output is compared
 * @property {'last' | 'mean'} [at] reads the last position of each text (default), or the mean of all
 * @property {'decoder' | 'encoder'} [place] of an encoder-decoder; default the decoder
 *
 * @typedef {object} Steering
 * @property {FloatTensor} vector (d) the mean residual stream of the positive texts minus that of the negative ones
 * @property {(strength?: number) => import('../../models/model.js').Hooks} hooks that add the vector at all positions; strength: default 1
 */

/**
 * Computes the mean difference between the residual streams of two kinds of texts, and returns it with hooks that add it.
 * @param {Model} model
 * @param {SteeringOptions} options
 * @returns {Steering}
 */
export function steering(model, options) {
  const where = 'steering'
  const parts = Model.parts(model)
  const known = ['positive', 'negative', 'layer', 'at', 'place']
  const { positive, negative, layer, at = 'last', place } = readOptions(options, known, where)
  const { stack, spec, isCross } = stackOf(parts, place, where)
  if (isCross) throw new RangeError(`${where}: place: expected a stack with a residual stream, got "cross"`)
  if (at !== 'last' && at !== 'mean')
    throw new RangeError(`${where}: at: expected "last" or "mean", got ${describe(at)}`)
  toNumber(layer, `${where}: layer`, { least: 0, most: spec.layers.length - 1, whole: true })
  const output = `${stack}layers.${layer}.output`
  /** @param {readonly unknown[]} list @param {string} name */
  const meanOf = (list, name) => {
    if (!Array.isArray(list) || !list.length)
      throw new TypeError(`${where}: ${name}: expected a list of texts, got ${describe(list)}`)
    const sum = new Float64Array(parts.family.width)
    for (const [n, one] of list.entries()) {
      /** @type {FloatTensor | undefined} */
      let found
      const read = (/** @type {FloatTensor} */ x) => {
        found = x
      }
      const until = stack === 'encoder.' ? 0 : layer
      model.forwardSync(inputOf(one, `${where}: ${name}[${n}]`), { hooks: { [output]: read }, until })
      const { data, dims } = present(found)
      const [B, L, d] = dims
      if (B !== 1) throw new RangeError(`${where}: ${name}[${n}]: expected one text, got ${B}`)
      const from = at === 'last' ? L - 1 : 0
      for (let i = from * d; i < L * d; i++) sum[i % d] += data[i] / (L - from) / list.length
    }
    return sum
  }
  const [a, b] = [meanOf(positive, 'positive'), meanOf(negative, 'negative')]
  const vector = new Tensor(
    Float32Array.from(a, (value, c) => value - b[c]),
    [a.length],
  )
  return {
    vector,
    hooks: (strength = 1) => {
      toNumber(strength, `${where}: strength`)
      const add = (/** @type {FloatTensor} */ { data }) => {
        for (let i = 0; i < data.length; i++) data[i] += strength * vector.data[i % vector.data.length]
      }
      return { [output]: add }
    },
  }
}
