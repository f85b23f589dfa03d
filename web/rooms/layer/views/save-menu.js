// A small menu that saves a matrix as numbers, and what shows it as a picture.

import { html, nothing } from 'lit'
import { save } from '../../../files/clipboard.js'
import { writeCsv } from '../../../files/csv.js'
import { writeNpy } from '../../../files/npy.js'
import { menu, menuChoices } from '../../../shell/menu.js'
import { plainTensor } from '../export.js'

/** @import { Translate } from '../../../i18n/index.js' */
/** @import { Matrix } from '../layer.js' */

/** @typedef {{ toSVG: () => Promise<string>, toPNG: () => Promise<Blob> }} Picture */
/** @typedef {[content: BlobPart, type: string]} File */

/**
 * @typedef {object} Saved
 * @property {Translate} t
 * @property {string} [className]
 * @property {string} [text] beside the sign, where several stand in a row
 * @property {Matrix} [matrix] without one there is a picture alone
 * @property {string} [picture] a selector of the element that is the picture; without one a map is made of the matrix
 */

/** How a matrix is written. @type {Record<string, (matrix: Matrix) => File>} */
const NUMBERS = {
  csv: matrix => [writeCsv(matrix), 'text/csv'],
  json: ({ rows, columns, tensor }) => [JSON.stringify({ rows, columns, ...plainTensor(tensor) }), 'application/json'],
  npy: ({ tensor }) => [writeNpy(tensor), 'application/octet-stream'],
}

/** How a picture is written. @type {Record<string, (picture: Picture) => Promise<File>>} */
const PICTURES = {
  svg: async picture => [await picture.toSVG(), 'image/svg+xml'],
  png: async picture => [await picture.toPNG(), 'image/png'],
}

/** Where a matrix is shown as numbers, a map of it is made for the file. @param {Translate} t @param {Matrix} matrix @param {(picture: Picture) => Promise<File>} write */
async function writeMap(t, { id, tensor, domain, rows, columns, axes, scale, isHidden }, write) {
  const map = /** @type {any} */ (document.createElement('qkv-heatmap'))
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
async function saveAs({ t, matrix, picture = '' }, kind) {
  const name = `${matrix?.id ?? picture.replace(/\W+/g, '')}${matrix?.isPerHead ? `-head-${matrix.head + 1}` : ''}.${kind}`
  if (matrix && kind in NUMBERS) return save(name, ...NUMBERS[kind](matrix))
  const shown = picture && document.querySelector(picture)
  if (shown) save(name, ...(await PICTURES[kind](/** @type {any} */ (shown))))
  else if (matrix) save(name, ...(await writeMap(t, matrix, PICTURES[kind])))
}

/** @param {Saved} saved */
export function saveMenu(saved) {
  const { t, className = '', text, matrix } = saved
  const kinds = [...(matrix ? Object.keys(NUMBERS) : []), ...Object.keys(PICTURES)]
  const sign = html`<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d="M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10" /></svg>`
  return menu(
    {
      className: `save ${className}`,
      buttonClass: 'save-open',
      title: t('saveMatrix', { name: text ?? t(`matrix.${/** @type {Matrix} */ (matrix).id}`) }),
      label: html`${sign}${text ?? nothing}`,
    },
    menuChoices(
      kinds.map(kind => ({
        name: kind,
        label: kind === 'npy' ? '.npy' : kind.toUpperCase(),
        act: () => saveAs(saved, kind),
      })),
    ),
  )
}
