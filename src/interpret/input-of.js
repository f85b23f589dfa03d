// A text, or an input of forward.

import { describe } from '../base/errors.js'
import { Model } from '../models/model.js'

/** @typedef {import('../models/model.js').ModelInput} ModelInput */

/**
 * A text as the input of a model.
 * @param {Model} model
 * @param {unknown} given
 * @param {string} where
 * @returns {ModelInput}
 */
export function inputOf(model, given, where) {
  Model.parts(model)
  if (typeof given === 'string') return { ids: model.tokenize(given).ids }
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given
  throw new TypeError(`${where}: ${describe(given)} given, a text or an input of forward such as { ids } expected`)
}
