// A menu that saves a matrix as numbers, or its picture.

import { html, nothing } from 'lit'
import { menu, menuChoices } from '../../../shell/menu.js'

/** @import { Translate } from '../../../i18n/index.js' */
/** @import { Matrix } from '../layer.js' */

/**
 * @typedef {object} Saved
 * @property {Translate} t
 * @property {string} [className]
 * @property {string} [text] text beside the icon, if there are several menus in a row
 * @property {Matrix} [matrix] if missing, only the picture can be saved
 * @property {string} [picture] selector of the picture's element; if missing, a map is drawn from the matrix
 */

/** File types for numbers and for pictures. */
const [NUMBERS, PICTURES] = [
  ['csv', 'json', 'npy'],
  ['svg', 'png'],
]

/** @param {Saved} saved @param {string} kind */
const saveAs = async (saved, kind) => (await import('./save-matrix.js')).saveAs(saved, kind)

/** @param {Saved} saved */
export function saveMenu(saved) {
  const { t, className = '', text, matrix } = saved
  const kinds = [...(matrix ? NUMBERS : []), ...PICTURES]
  const sign = html`<svg viewBox="0 0 16 16" width="14" height="14"
    aria-hidden="true"><path d="M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10" /></svg>`
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
