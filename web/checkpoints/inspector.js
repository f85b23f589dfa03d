// How a weight was computed, from the result down to the numbers of query and key.

import { html, nothing } from 'lit'

/** @typedef {import('./room.js').ModelsRoom} Room */
/** @typedef {import('./cell.js').CellTrace} CellTrace */

const MOST_TERMS = 10
/** Four decimals with a true minus. @param {number} x */
export const four = x => (x === Number.NEGATIVE_INFINITY ? '−∞' : x.toFixed(4).replace('-', '−'))

/** Three, in a table. @param {number} x */
const three = x => x.toFixed(3).replace('-', '−')

/** @param {Room} room */
export function inspector(room) {
  const { t, cell, traced, words, head } = room
  if (!cell || !head) return nothing
  const names = { query: words.queries[cell.query] ?? '', key: words.keys[cell.key] ?? '' }
  return html`<section class="models-inspector" id="models-inspector" aria-label=${t('modelsInspector')}>
    <header><h2>${t('modelsCellTitle', { name: room.nameOf(head), ...names })}</h2>
      <button type="button" class="tool icon" aria-label=${t('modelsClose')} @click=${() => room.selectCell(undefined)}>×</button></header>
    ${traced ? arithmetic(room, traced) : html`<p class="note">${t('loading')}</p>`}
  </section>`
}

/** @param {Room} room @param {CellTrace} trace */
function arithmetic({ t }, trace) {
  const { weight, score, largest, sum, dot, scale, scaled, cap, capped, bias, isSet } = trace
  const isHidden = score === Number.NEGATIVE_INFINITY
  return html`<p class="models-result">${four(weight)}</p>
    ${isSet ? html`<p class="note is-changed">${t('modelsRowSet')}</p>` : nothing}
    ${
      isHidden
        ? html`<p>${t('modelsCellHidden')}</p>`
        : html`<p class="models-equation">= exp(${four(score)} − ${largest < 0 ? `(${four(largest)})` : four(largest)}) / ${four(sum)}</p>
      <p class="note">${t('modelsSoftmax')}</p>`
    }
    <h3>${t('modelsScore')}</h3>
    <dl class="models-terms">
      <div><dt>${t('modelsDot')}</dt><dd>${four(dot)}</dd></div>
      <div><dt>${t('modelsScaled', { scale: Number(scale.toPrecision(5)) })}</dt><dd>${four(scaled)}</dd></div>
      ${cap === undefined || capped === undefined ? nothing : html`<div><dt>${t('modelsCapped', { cap })}</dt><dd>${four(capped)}</dd></div>`}
      ${bias === undefined ? nothing : html`<div><dt>${t('modelsBias')}</dt><dd>${four(bias)}</dd></div>`}
      <div><dt>${t(isHidden ? 'modelsMaskHides' : 'modelsMaskShows')}</dt><dd>${four(score)}</dd></div>
    </dl>
    ${products(t, trace)}`
}

/** q and k, number by number, the largest products first. @param {import('./texts.js').Translate} t @param {CellTrace} trace */
function products(t, { q, k, qBare, kBare, kvHead, head }) {
  const terms = Array.from(q, (value, i) => ({ i, product: value * k[i] })).sort(
    (a, b) => Math.abs(b.product) - Math.abs(a.product),
  )
  const rest = terms.slice(MOST_TERMS)
  const row = (/** @type {{ i: number, product: number }} */ { i, product }) => html`<tr><th scope="row">${i + 1}</th>
    ${qBare && kBare ? html`<td>${three(qBare[i])}</td><td>${three(kBare[i])}</td>` : nothing}
    <td>${three(q[i])}</td><td>${three(k[i])}</td><td>${three(product)}</td></tr>`
  const heading = html`<thead><tr><th scope="col">${t('modelsNumber')}</th>${
    qBare ? html`<th scope="col">${t('modelsQBare')}</th><th scope="col">${t('modelsKBare')}</th>` : nothing
  }<th scope="col">q</th><th scope="col">k</th><th scope="col">q × k</th></tr></thead>`
  const together = rest.reduce((sum, { product }) => sum + product, 0)
  return html`<h3>${t('modelsProducts')}</h3>
    ${kvHead === head ? nothing : html`<p class="note">${t('modelsShared', { head: kvHead + 1 })}</p>`}
    <div class="models-scroll" tabindex="0" role="group" aria-label=${t('modelsProducts')}><table class="models-products">${heading}<tbody>${terms.slice(0, MOST_TERMS).map(row)}</tbody></table>
    ${rest.length ? html`<details><summary>${t('modelsMoreTerms', { count: rest.length, sum: four(together) })}</summary><table class="models-products">${heading}<tbody>${rest.map(row)}</tbody></table></details>` : nothing}</div>`
}
