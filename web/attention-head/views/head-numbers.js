// Draws numbers instead of a picture: a table of all heads' statistics, or one head's statistics with its weights as a table.

import '../../elements/heatmap.js'
import { html, nothing } from 'lit'
import { listenersOf } from './head-map.js'

/** @import { HeadActions } from '../head.js' */

/** @param {import('../head.js').HeadTable} table @param {HeadActions} act @param {string} prefix */
function tableOfHeads({ caption, head, columns, rows }, act, prefix) {
  const hasNotes = rows.some(({ note }) => note !== undefined)
  return html`<table class="head-numbers" id="${prefix}head-numbers">
    <caption class="note">${caption}</caption>
    <thead><tr><th scope="col">${head}</th>${columns.map(
      name => html`<th scope="col">${name}</th>`,
    )}${hasNotes ? html`<td></td>` : nothing}</tr></thead>
    <tbody>${rows.map(
      row =>
        html`<tr class=${row.isOwn ? 'is-own' : ''}>
        <th scope="row"><button type="button" class="plain" aria-pressed=${row.isOwn}
          @click=${() => act.open?.(row.head)}>${row.name}</button></th>
        ${row.values.map(value => html`<td data-number>${value}</td>`)}
        ${hasNotes ? html`<td class="head-sentence">${row.note ?? nothing}</td>` : nothing}
      </tr>`,
    )}</tbody></table>`
}

/** @type {import('../head.js').HeadPicture} */
export const headNumbers = {
  name: 'numbers',
  id: '',
  draw(view, act, t) {
    const { prefix, scores, heads } = view
    if (heads) return tableOfHeads(heads, act, prefix)
    const on = listenersOf(act)
    return html`${
      scores
        ? html`<dl class="models-scores">${scores.map(
            ({ name, value }) => html`<div><dt>${name}</dt><dd data-value=${value}>${value.toFixed(4)}</dd></div>`,
          )}</dl>`
        : nothing
    }<qkv-heatmap
      id="${prefix}map"
      .label=${view.label}
      .matrix=${view.weights}
      .mask=${view.visible}
      .asTable=${true}
      .rowTokens=${view.queries}
      .columnTokens=${view.keys}
      .rowTitle=${t('axis.queries')}
      .columnTitle=${t('axis.keys')}
      .domain=${view.domain}
      .editable=${act.edit !== undefined}
      .texts=${t.elements}
      .pinned=${view.selected}
      @cell-pin=${on.cellPin}
      @cell-edit=${on.cellEdit}
      @token-pin=${on.tokenPin}
    ></qkv-heatmap>`
  },
}
