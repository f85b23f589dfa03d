// The likeliest tokens, and what each part of a model adds to a logit, in the rooms Learn and Models.

import { html, nothing } from 'lit'

/** With a true minus. @param {number} x @param {number} [digits] */
export const signed = (x, digits = 4) => `${x < 0 ? '−' : '+'}${Math.abs(x).toFixed(digits)}`

/**
 * @typedef {object} Guess
 * @property {unknown} token a name, or a button
 * @property {number} share its probability
 * @property {string} written the probability as text
 * @property {number} [before] the probability without changes: an ink tick
 * @property {unknown} [last] the last column
 * @property {boolean} [isCurrent]
 */

/**
 * The likeliest tokens as bars.
 * @param {string} id
 * @param {string} caption
 * @param {readonly string[]} columns names of: token, bar, probability, and a last column if there is one
 * @param {readonly Guess[]} guesses
 */
export function likeliest(id, caption, columns, guesses) {
  const most = Math.max(...guesses.map(({ share, before = 0 }) => Math.max(share, before)), 1e-9)
  const width = (/** @type {number} */ share) => `${((100 * share) / most).toFixed(2)}%`
  return html`<table class="guesses" id=${id}><caption class="visually-hidden">${caption}</caption>
    <thead><tr>${columns.map((name, i) => html`<th scope="col"><span class=${i < 2 ? 'visually-hidden' : ''}>${name}</span></th>`)}</tr></thead>
    <tbody>${guesses.map(
      ({
        token,
        share,
        written,
        before,
        last = nothing,
        isCurrent,
      }) => html`<tr aria-current=${isCurrent ? 'true' : nothing}>
        <th scope="row">${token}</th>
        <td class="bar-cell"><i class="is-share" .style=${`width: ${width(share)}`}></i>${before === undefined ? nothing : html`<b .style=${`left: ${width(before)}`}></b>`}</td>
        <td class="number">${written}</td>${columns.length > 3 ? html`<td class="number">${last}</td>` : nothing}</tr>`,
    )}</tbody></table>`
}

/**
 * @typedef {object} Addend
 * @property {string} name such as "2.1" or "mlp1"
 * @property {unknown} label
 * @property {number} value
 * @property {boolean} [isBare] without a bar
 * @property {() => void} [open]
 * @property {boolean} [isOpen] of what opens below the row
 * @property {unknown} [below]
 */

/**
 * The addends of a logit as signed bars around zero.
 * @param {string} id
 * @param {string} caption
 * @param {readonly Addend[]} addends
 * @param {{ label: string, value: number }} sum
 * @param {number} [digits]
 */
export function contributions(id, caption, addends, sum, digits = 4) {
  const most = Math.max(...addends.map(({ value, isBare }) => (isBare ? 0 : Math.abs(value))), 1e-9)
  return html`<table class="addends" id=${id}><caption class="visually-hidden">${caption}</caption><tbody>
    ${addends.map(
      ({ name, label, value, isBare, open, isOpen, below }) => html`<tr class="addend" data-part=${name}>
        <th scope="row">${open ? html`<button type="button" class="addend-open" aria-expanded=${isOpen ?? nothing} @click=${open}>${label}</button>` : label}</th>
        <td class="bar-cell ${isBare ? '' : 'is-signed'}">${isBare ? nothing : html`<i class=${value < 0 ? 'is-negative' : 'is-positive'} .style=${`width: ${((50 * Math.abs(value)) / most).toFixed(2)}%`}></i>`}</td>
        <td class="number" data-value=${value}>${signed(value, digits)}</td></tr>
        ${below ? html`<tr class="addend-parts"><td colspan="3">${below}</td></tr>` : nothing}`,
    )}
    <tr class="sum"><th scope="row">${sum.label}</th><td></td><td class="number" data-value=${sum.value}>${sum.value.toFixed(digits).replace('-', '−')}</td></tr>
  </tbody></table>`
}
