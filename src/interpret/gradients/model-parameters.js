// Turns the weights of a loaded model into parameters, which the optimisers of qkv/train update. The model uses the new values after each
// step.

import { describe, didYouMean } from '../../base/errors.js'
import { Model } from '../../models/model.js'
import { storedTensors, weight } from '../../models/weights/stored-tensors.js'
import { Parameters, parameters } from '../../train/parameters.js'

/** @import { ModelWeights } from '../../models/weights/weights.js' */
/** @typedef {Pick<ReturnType<typeof Model.parts>, 'family' | 'weights'>} Weighted */

/** For each result of modelParameters, the weights of its model. @type {WeakMap<Parameters, ModelWeights>} */
const owners = new WeakMap()

/**
 * Finds the stored tensors whose gradients are requested, or throws.
 * @param {Weighted} model
 * @param {unknown} names a list, or the result of modelParameters
 * @param {string} where
 */
export function findStored({ family, weights }, names, where) {
  if (names instanceof Parameters) {
    names.checked()
    if (owners.get(names) !== weights)
      throw new TypeError(
        `${where}: parameters: expected the result of modelParameters(model), got that of another model`,
      )
    names = Object.keys(names.values)
  }
  if (!Array.isArray(names))
    throw new TypeError(`${where}: parameters: expected a list of names, got ${describe(names)}`)
  const narrow = [...weights.dtypes].find(dtype => dtype !== 'float32')
  if (names.length && narrow)
    throw new TypeError(
      `${where}: parameters: the weights are in memory as ${narrow}: load the model with dtype: 'float32' for gradients of its weights`,
    )
  const stored = names.length ? storedTensors(family, weights) : new Map()
  return names.map(name => {
    const found = stored.get(name)
    if (found) return { name: String(name), need: found.need }
    throw new RangeError(
      `${where}: parameters: ${describe(name)} is no tensor of this model${didYouMean(String(name), [...stored.keys()])}`,
    )
  })
}

/**
 * Returns the stored weights of a model as parameters. `backward(model, input, { parameters })` computes their gradients, and after each
 * step of an optimiser the model uses the new values.
 * @param {Model} model loaded with dtype: 'float32'
 * @param {readonly string[]} [names] default: all weights that the model uses
 * @returns {Parameters} with the dims of the stored tensors
 */
export function modelParameters(model, names) {
  const parts = Model.parts(model)
  const { qkv, family, weights } = parts
  const chosen = names ?? model.describe().tensors.map(({ name }) => name)
  const found = findStored(parts, chosen, 'modelParameters')
  const p = parameters(qkv, Object.fromEntries(found.map(({ name }) => [name, weight({ family, weights }, name)])))
  p.onChange = () => {
    Model.parts(model) // throws after dispose
    for (const { name, need } of found) for (const piece of need.pieces) weights.write(piece, p.values[name])
  }
  owners.set(p, weights)
  return p
}
