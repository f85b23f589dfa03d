// Chooses which picture of the head is shown. Pure.

import { MANY_ROWS } from '../../../attention-head/part-of-map.js'

/** @import { Result, Settings } from '../layer.js' */
/** A view, chosen by a tab or in the menu. @typedef {'flow' | 'map' | 'lines' | 'plane' | 'difference' | 'numbers'} Picture */

/** True if the trace has all steps of the flow. @param {Result} result */
export function hasFlow({ tensors: { Q, K, V, scores, weights, output }, settings, visible, smalls }) {
  const { softmaxAxis, masking } = settings
  const isOther = softmaxAxis !== 'keys' || (masking === 'after' && visible !== undefined)
  return Boolean(Q && K && V && scores && weights && output) && !isOther && !smalls
}

/**
 * Returns the chosen view. By default this is the flow if the trace has all its steps and at most MANY_ROWS keys, else the map.
 * @param {Pick<Settings, 'view'>} settings
 * @param {Result | undefined} result
 * @returns {Picture}
 */
export function pictureOf({ view }, result) {
  if (view) return /** @type {Picture} */ (view)
  return result && hasFlow(result) && result.settings.keys.tokens.length <= MANY_ROWS ? 'flow' : 'map'
}
