// Draws the terms of a sum, one per line, for the inspectors of the rooms.

import { html, nothing } from 'lit'
import { format } from '../files/number-format.js'

/** @typedef {(key: any, params?: Record<string, string | number>) => string} Translate */

/** Maximum number of terms shown; longer sums show the largest and can be expanded. */
const MOST_TERMS = 10

/** Expanded sums. @type {Set<string>} */
const opened = new Set()

/**
 * Draws the terms of a sum, one per line. Long sums show the largest terms, in the order of the sum, and the total of the others.
 * @param {{ t: Translate, id: string, key: string, sum: (numbers: number[]) => number, refresh: () => void }} context id: of the button
 *   that expands the sum; key: identifies the sum, so that it stays expanded when it is drawn again
 * @param {unknown[]} heads
 * @param {(i: number) => string} name
 * @param {(i: number) => unknown[]} cells
 * @param {ArrayLike<number>} sizes value of each term
 * @param {{ own?: number, foot?: unknown, isDifference?: boolean }} [options] own: index of the highlighted term; isDifference: True for
 *   a difference of two numbers
 */
export function termLines(
  { t, id, key, sum, refresh },
  heads,
  name,
  cells,
  sizes,
  { own = -1, foot = nothing, isDifference = false } = {},
) {
  const order = Array.from(sizes, (_, i) => i)
  const isOpen = opened.has(key) || sizes.length <= MOST_TERMS + 1
  const largest = new Set(
    isOpen ? order : [...order].sort((a, b) => Math.abs(sizes[b]) - Math.abs(sizes[a])).slice(0, MOST_TERMS),
  )
  const shown = order.filter(i => largest.has(i) || i === own)
  const rest = order.filter(i => !largest.has(i) && i !== own)
  const open = () => {
    opened.add(key)
    refresh()
  }
  return html`<table class=${isDifference ? 'terms subtracted' : 'terms'}>
    <thead><tr><td></td>${heads.map(head => html`<td>${head}</td>`)}</tr></thead>
    <tbody>
      ${shown.map(
        i =>
          html`<tr class=${i === own ? 'is-own' : ''}>
            <th scope="row" class="term-name" title=${name(i)}><bdi>${name(i)}</bdi></th>
            ${cells(i).map(content => html`<td>${content}</td>`)}
          </tr>`,
      )}
      ${
        rest.length
          ? html`<tr><td colspan="6" class="more"><button type="button" class="plain" id=${id}
            @click=${open}>${t('moreTerms', { count: rest.length, sum: format(sum(rest.map(i => sizes[i]))) })}</button></td></tr>`
          : nothing
      }
    </tbody>
    ${foot}
  </table>`
}
