import { html } from 'lit'

/**
 * `Q K^T / √d_k` as it is written by hand: letters slanted, `_` lowers, `^` raises what follows.
 * @param {string} formula
 */
export const math = formula =>
  html`<span class="math">${formula.split(/([_^][\w]+|\p{L}+)/u).map(part => {
    if (part.startsWith('_')) return html`<sub>${part.slice(1)}</sub>`
    if (part.startsWith('^')) return html`<sup>${part.slice(1)}</sup>`
    return /^\p{L}$/u.test(part) ? html`<i>${part}</i>` : part
  })}</span>`
