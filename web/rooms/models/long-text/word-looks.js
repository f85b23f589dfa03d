// Shows where the selected word of a long text looks and which words look at it, in every head or in the open one.

import { html, nothing } from 'lit'
import { percent } from '../../../files/number-format.js'
import { nameOf } from '../shown.js'

/** @import { HeadLink, Room } from '../models.js' */

/** @param {Room} room @param {{ from: HeadLink[], to: HeadLink[] }} looks */
export function wordLooks(room, looks) {
  const {
    t,
    words,
    head,
    maps,
    view: { query },
  } = room
  if (query === undefined) return nothing
  const word = `${words.queries[query] ?? ''} (${query + 1})`
  const heads = (maps?.layers ?? 0) * (maps?.numHeads ?? 0)
  const some = !head && looks.from.length < heads ? t('modelsLooksSome', { count: looks.from.length, heads }) : nothing
  return html`<section class="models-looks" aria-label=${t('modelsLooks')}>
    ${list(room, t(head ? 'modelsLooksAt' : 'modelsLooksAtAll', { word }), some, looks.from, ({ key }) => `${words.keys[key] ?? ''} (${key + 1})`)}
    ${list(room, t(head ? 'modelsSeenBy' : 'modelsSeenByAll', { word }), t('modelsSeenSome', { count: looks.to.length }), looks.to, link => `${words.queries[link.query] ?? ''} (${link.query + 1})`)}
  </section>`
}

/** @param {Room} room @param {string} title @param {unknown} note @param {HeadLink[]} links @param {(link: HeadLink) => string} other */
function list({ t, act, stack, head }, title, note, links, other) {
  const open = (/** @type {HeadLink} */ { layer, head: n, query, key }) => {
    if (!head) return act.openHead({ stack, layer, head: n })
    const map = /** @type {import('../../../elements/deep-map.js').QkvDeepMap | null} */ (
      document.getElementById('models-deep')
    )
    map?.show({ row: query, column: key })
  }
  return html`<div><table><caption>${title} <small>${note}</small></caption>
    <thead><tr><th scope="col">${t('modelsHeadColumn')}</th><th scope="col">${t('modelsWordColumn')}</th><th scope="col">${t('modelsWeight')}</th></tr></thead>
    <tbody>${links.map(
      link =>
        html`<tr><td><button type="button" class="plain" data-head=${nameOf(link)} @click=${() => open(link)}>${nameOf(link)}</button></td><td>${other(link)}</td><td>${percent(link.weight)}</td></tr>`,
    )}</tbody></table></div>`
}
