// Chooses the picture of the head. Pure.

import { MANY_ROWS } from '../../../attention-head/part-of-map.js'

/** @import { Result, Settings } from '../layer.js' */

/** True if the trace has all steps of the flow. @param {Result} result */
export function hasFlow({ tensors: { Q, K, V, scores, weights, output }, settings, visible, smalls }) {
  const { softmaxAxis, masking } = settings
  const isOther = softmaxAxis !== 'keys' || (masking === 'after' && visible !== undefined)
  return Boolean(Q && K && V && scores && weights && output) && !isOther && !smalls
}

/**
 * Returns the chosen view; by default the flow if the trace has all of its steps and the rows fit on the screen, else the map.
 * @param {Pick<Settings, 'view'>} settings
 * @param {Result | undefined} result
 */
export function pictureOf({ view }, result) {
  if (view) return view
  return result && hasFlow(result) && result.settings.keys.tokens.length <= MANY_ROWS ? 'flow' : 'map'
}
