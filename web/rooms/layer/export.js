// Exports settings and matrices as text for a file.

import '../../elements/heatmap.js'
import { toLink } from '../../shell/settings-link.js'
import { FIELDS } from './fields.js'

/** @import { Result, Settings } from './layer.js' */

/** Formats with nine digits, enough to restore any float32 exactly; non-finite numbers become text. @param {number} x */
const written = x => (Number.isFinite(x) ? Number(x.toPrecision(9)) : String(x))

/** @param {{ dims: readonly number[], data: ArrayLike<number> }} tensor */
export const plainTensor = ({ dims, data }) => ({ dims, data: Array.from(data, written) })

/**
 * Exports settings and matrices as one JSON object that the page can open again.
 * @param {Result} result
 * @param {Settings} settings
 */
export function everything({ settings: { queries, keys }, tensors }, settings) {
  const matrices = Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, plainTensor(tensor)]))
  return JSON.stringify({
    link: toLink(FIELDS, settings),
    settings,
    tokens: queries.tokens,
    keyTokens: keys.tokens,
    matrices,
  })
}
