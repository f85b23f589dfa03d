// Lists the words that the selected word of a long text attends to, and the words that attend to it, in every head or in the open one.

import { html, nothing } from 'lit'
import { percent } from '../../../files/number-format.js'
import { nameOf } from '../shown.js'

/** @import { HeadLink, Room } from '../models.js' */
/** @typedef {import('../../../shell/room.js').Translate<keyof typeof import('../../../i18n/en/long-text.js').texts>} LongTexts */

/** @param {Room} room @param {{ from: HeadLink[], to: HeadLink[] }} looks @param {LongTexts} l */
export function wordLooks(room, looks, l) {
  const {
    words,
    head,
    maps,
    view: { query },
  } = room
  if (query === undefined) return nothing
  const word = `${words.queries[query] ?? ''} (${query + 1})`
  const heads = (maps?.layers ?? 0) * (maps?.numHeads ?? 0)
  const some = !head && looks.from.length < heads ? l('longLooksSome', { count: looks.from.length, heads }) : nothing
  return html`<section class="models-looks" aria-label=${l('longLooks')}>
    ${list(
      room,
      l,
      l(head ? 'longLooksAt' : 'longLooksAtAll', { word }),
      some,
      looks.from,
      ({ key }) => `${words.keys[key] ?? ''} (${key + 1})`,
    )}
    ${list(
      room,
      l,
      l(head ? 'longSeenBy' : 'longSeenByAll', { word }),
      l('longSeenSome', { count: looks.to.length }),
      looks.to,
      link => `${words.queries[link.query] ?? ''} (${link.query + 1})`,
    )}
  </section>`
}

/** @param {Room} room @param {LongTexts} l @param {string} title @param {unknown} note @param {HeadLink[]} links @param {(link: HeadLink) => string} other */
function list({ t, act, stack, head }, l, title, note, links, other) {
  const open = (/** @type {HeadLink} */ { layer, head: n, query, key }) => {
    if (!head) return act.openHead({ stack, layer, head: n })
    /** @type {import('../../../elements/deep-map.js').QkvDeepMap | null} */
    const map = document.querySelector('#models-deep')
    map?.show({ row: query, column: key })
  }
  return html`<div><table><caption>${title} <small>${note}</small></caption>
    <thead><tr><th scope="col">${l('longHeadColumn')}</th><th scope="col">${l('longWordColumn')}</th><th
      scope="col">${t('modelsWeight')}</th></tr></thead>
    <tbody>${links.map(
      link =>
        html`<tr><td><button type="button" class="plain" data-head=${nameOf(link)}
          @click=${() => open(link)}>${nameOf(link)}</button></td><td>${other(link)}</td><td>${percent(link.weight)}</td></tr>`,
    )}</tbody></table></div>`
}
