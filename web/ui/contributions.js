// Draws two parts of an inspector page: the most likely tokens, and what each part of a model adds to a logit.

import { html, nothing } from 'lit'
import { percent } from '../files/number-format.js'

/** Formats a number with its sign, or without a sign if it rounds to zero. @param {number} x @param {number} [digits] */
export function signed(x, digits = 4) {
  const size = Math.abs(x).toFixed(digits)
  return `${Number(size) === 0 ? '' : x < 0 ? '−' : '+'}${size}`
}

/** Draws the most likely tokens as bars. @param {import('./pages.js').Guesses} part */
export function guesses({ id, label, columns, rows }) {
  const most = Math.max(...rows.map(({ share, before = 0 }) => Math.max(share, before)), 1e-9)
  const width = (/** @type {number} */ share) => `${((100 * share) / most).toFixed(2)}%`
  return html`<table class="guesses" id=${id}><caption class="visually-hidden">${label}</caption>
    <thead><tr>${columns.map(
      (name, i) => html`<th scope="col"><span class=${i < 2 ? 'visually-hidden' : ''}>${name}</span></th>`,
    )}</tr></thead>
    <tbody>${rows.map(
      ({ token, share, before, last = nothing, isCurrent }) => html`<tr aria-current=${isCurrent ? 'true' : nothing}>
        <th scope="row">${token}</th>
        <td class="bar-cell"><i class="is-share"
          .style=${`width: ${width(share)}`}></i>${before === undefined ? nothing : html`<b .style=${`left: ${width(before)}`}></b>`}</td>
        <td class="number">${percent(share)}</td>${columns.length > 3 ? html`<td class="number">${last}</td>` : nothing}</tr>`,
    )}</tbody></table>`
}

/** Draws the terms of a logit as signed bars around zero. @param {import('./pages.js').Addends} part @param {(place: import('./pages.js').Place) => void} open */
export function addends({ id, label, rows, sum, digits = 4 }, open) {
  const most = Math.max(...rows.map(({ value, isBare }) => (isBare ? 0 : Math.abs(value))), 1e-9)
  return html`<table class="addends" id=${id}><caption class="visually-hidden">${label}</caption><tbody>
    ${rows.map(
      ({ name, label, value, isBare, opens, isOpen, below }) => html`<tr class="addend" data-part=${name}>
        <th scope="row">${
          opens
            ? html`<button type="button" class="addend-open" aria-expanded=${isOpen ?? nothing}
              @click=${() => open(opens)}>${label}</button>`
            : label
        }</th>
        <td class="bar-cell ${isBare ? '' : 'is-signed'}">${
          isBare
            ? nothing
            : html`<i class=${value < 0 ? 'is-negative' : 'is-positive'}
              .style=${`width: ${((50 * Math.abs(value)) / most).toFixed(2)}%`}></i>`
        }</td>
        <td class="number" data-value=${value}>${signed(value, digits)}</td></tr>
        ${below ? html`<tr class="addend-parts"><td colspan="3">${below}</td></tr>` : nothing}`,
    )}
    <tr class="sum"><th scope="row">${sum.label}</th><td></td><td class="number"
      data-value=${sum.value}>${sum.value.toFixed(digits).replace('-', '−')}</td></tr>
  </tbody></table>`
}
