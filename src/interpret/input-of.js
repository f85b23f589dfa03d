// Checks one of several inputs of a call.

import { describe } from '../base/errors.js'

/** @import { ModelInput } from '../models/model.js' */

/**
 * Checks a text or an input of forward before the run. Errors of the run itself would not name the option.
 * @param {unknown} given
 * @param {string} where
 * @returns {string | ModelInput}
 */
export function inputOf(given, where) {
  if (typeof given === 'string') return given
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
    if ('lastHiddenState' in given)
      throw new TypeError(`${where}: expected a text or an input of forward, got a result of forward; give its input`)
    if (given instanceof Promise) throw new TypeError(`${where}: expected a text or an input, got a Promise; await it`)
    return given
  }
  const ids = Array.isArray(given) && typeof given[0] === 'number' ? '; ids are { ids }' : ''
  throw new TypeError(
    `${where}: expected one text or an input of forward such as { ids }, got ${describe(given)}${ids}`,
  )
}
