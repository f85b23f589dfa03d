// Draws all heads of the layer as lines between two columns of words.

import { html } from 'lit'
import { textsLater } from '../../shell/texts-later.js'

/** Maximum number of words. With more, the lines would be unreadable. */
const MOST_WORDS = 128

/** @type {import('../../shell/texts-later.js').Later<{ l: import('../head-lines.js').LineTexts }>} */
const lines = textsLater(['lines'], async texts => {
  const [l] = await Promise.all([texts, import('../head-lines.js')])
  return { l }
})

/** @type {import('../head.js').HeadPicture} */
export const headLines = {
  name: 'lines',
  id: 'lines',
  draw({ prefix, label, queries, keys, word, layer }, act, t) {
    const isDrawn = layer && Math.max(queries.length, keys.length) <= MOST_WORDS
    return html`${lines(t('htmlLang')).draw(({ l }) =>
      isDrawn
        ? html`<head-lines id="${prefix}lines" .weights=${layer.data} .from=${layer.from} .names=${layer.names} .own=${layer.own}
        .queries=${queries} .keys=${keys} .word=${word} .label=${label} .l=${l}
        @lines-point=${(/** @type {CustomEvent} */ { detail }) => act.point(detail && { word: detail })}
        @lines-select=${(/** @type {CustomEvent} */ { detail: { word, isSecond } }) => act.select({ word }, isSecond)}></head-lines>`
        : html`<p class="note">${l('linesNone', { most: MOST_WORDS })}</p>`,
    )}`
  },
}
