// Exports and imports of settings and matrices as files.

import { toLink } from '../../shell/store.js'
import { FIELDS } from './fields.js'
import { checkSize, fromFiles } from './import.js'

/** @import { Result, Settings } from './layer.js' */
/** @typedef {{ width: number, toSVG: () => Promise<string>, toPNG: () => Promise<Blob> }} Picture */

/** Nine digits tell every float32 from its neighbours; what is no number is a text. @param {number} x */
const written = x => (Number.isFinite(x) ? Number(x.toPrecision(9)) : String(x))

/** @param {{ dims: readonly number[], data: ArrayLike<number> }} tensor */
export const plainTensor = ({ dims, data }) => ({ dims, data: Array.from(data, written) })

/**
 * Settings and matrices as one object, which the page opens again.
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

/**
 * Settings from files that were dropped or chosen.
 * @param {Iterable<File>} files
 * @throws {import('../../files/trouble.js').Trouble}
 */
export async function readFiles(files) {
  const all = Array.from(files)
  checkSize(all.reduce((sum, { size }) => sum + size, 0))
  return fromFiles(
    await Promise.all(all.map(async file => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }))),
  )
}

/**
 * A map of a matrix that the page shows as numbers.
 * @param {Record<string, unknown>} properties of <qkv-heatmap>
 * @param {(picture: Picture) => Promise<void> | void} use
 */
export async function withMap(properties, use) {
  const map = /** @type {any} */ (document.createElement('qkv-heatmap'))
  map.className = 'offstage'
  Object.assign(map, properties)
  document.documentElement.append(map)
  try {
    await map.updateComplete
    await use(map)
  } finally {
    map.remove()
  }
}
