// Which picture of the head is shown. Pure.

import { MANY_ROWS } from '../../../head/part-of-map.js'

/** @import { Result, Settings } from '../layer.js' */

/** Has the trace all steps of the flow? @param {Result} result */
export function hasFlow({ tensors: { Q, K, V, scores, weights, output }, settings, visible, smalls }) {
  const { softmaxAxis, masking } = settings
  const isOther = softmaxAxis !== 'keys' || (masking === 'after' && visible !== undefined)
  return Boolean(Q && K && V && scores && weights && output) && !isOther && !smalls
}

/**
 * The view that was chosen; without one the flow, where it has all steps and its rows fit on the screen, else the map.
 * @param {Pick<Settings, 'view'>} settings
 * @param {Result | undefined} result
 */
export function pictureOf({ view }, result) {
  if (view) return view
  return result && hasFlow(result) && result.settings.keys.tokens.length <= MANY_ROWS ? 'flow' : 'map'
}
