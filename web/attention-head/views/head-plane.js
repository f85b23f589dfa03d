// Draws the queries and keys of a head as arrows in two dimensions.

import { html, nothing } from 'lit'
import { textsLater } from '../../shell/texts-later.js'

/** @type {import('../../shell/texts-later.js').Later<{ p: import('../head-plane.js').PlaneTexts }>} */
const plane = textsLater(['plane'], async texts => {
  const [p] = await Promise.all([texts, import('../head-plane.js')])
  return { p }
})

/** @type {import('../head.js').HeadPicture} */
export const headPlane = {
  name: 'plane',
  id: 'plane',
  draw: ({ prefix, label, queries, keys, visible, plane: own }, act, t) =>
    html`${plane(t('htmlLang')).draw(({ p }) =>
      own
        ? html`<head-plane id="${prefix}plane" .plane=${own} .query=${own.query} .queries=${queries} .keys=${keys}
          .visible=${visible} .label=${label} .p=${p}
        @plane-point=${(/** @type {CustomEvent} */ { detail }) => act.point(detail && { word: detail })}
        @plane-select=${(/** @type {CustomEvent} */ { detail }) => act.select({ word: detail })}></head-plane>`
        : own === null
          ? nothing
          : html`<p class="note">${p('planeNone')}</p>`,
    )}`,
}
