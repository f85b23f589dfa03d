// Saves a matrix as numbers, or its picture. Loaded when something is saved.

import { save } from '../../../files/clipboard.js'
import { writeCsv } from '../../../files/csv.js'
import { writeNpy } from '../../../files/npy.js'
import { plainTensor } from '../export.js'

/** @import { Translate } from '../../../i18n/index.js' */
/** @import { Matrix } from '../layer.js' */
/** @import { Saved } from './save-menu.js' */

/** @typedef {{ toSVG: () => Promise<string>, toPNG: () => Promise<Blob> }} Picture */
/** @typedef {[content: BlobPart, type: string]} File */

/** Writes a matrix as numbers, by file type. @type {Record<string, (matrix: Matrix) => File>} */
const NUMBERS = {
  csv: matrix => [writeCsv(matrix), 'text/csv'],
  json: ({ rows, columns, tensor }) => [JSON.stringify({ rows, columns, ...plainTensor(tensor) }), 'application/json'],
  npy: ({ tensor }) => [writeNpy(tensor), 'application/octet-stream'],
}

/** Writes a picture, by file type. @type {Record<string, (picture: Picture) => Promise<File>>} */
const PICTURES = {
  svg: async picture => [await picture.toSVG(), 'image/svg+xml'],
  png: async picture => [await picture.toPNG(), 'image/png'],
}

/** Draws a map of a matrix that the page shows as numbers, and writes the map. @param {Translate} t @param {Matrix} matrix @param {(picture: Picture) => Promise<File>} write */
async function writeMap(t, { id, tensor, domain, rows, columns, axes, scale, isHidden }, write) {
  const map = document.createElement('qkv-heatmap')
  const { dims } = tensor
  const visible = Uint8Array.from(tensor.data, (_, i) => (isHidden(Math.floor(i / dims[1]), i % dims[1]) ? 0 : 1))
  Object.assign(map, {
    className: 'offstage',
    label: t(`matrix.${id}`),
    matrix: tensor,
    domain,
    texts: t.elements,
    rowTokens: rows,
    columnTokens: columns,
    rowTitle: t(`axis.${axes[0]}`),
    columnTitle: t(`axis.${axes[1]}`),
    scale: scale === 'share' ? 'sequential' : 'diverging',
    ...(visible.includes(0) && { mask: { data: visible, dims } }),
  })
  document.documentElement.append(map)
  try {
    await map.updateComplete
    return await write(map)
  } finally {
    map.remove()
  }
}

/** @param {Saved} saved @param {string} kind */
export async function saveAs({ t, matrix, picture = '' }, kind) {
  const name = `${matrix?.id ?? picture.replace(/\W+/g, '')}${matrix?.isPerHead ? `-head-${matrix.head + 1}` : ''}.${kind}`
  if (matrix && kind in NUMBERS) return save(name, ...NUMBERS[kind](matrix))
  /** @type {(Element & Picture) | null} */
  const shown = picture ? document.querySelector(picture) : null
  if (shown) save(name, ...(await PICTURES[kind](shown)))
  else if (matrix) save(name, ...(await writeMap(t, matrix, PICTURES[kind])))
}
