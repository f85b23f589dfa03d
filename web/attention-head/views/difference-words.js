// Describes the displayed difference of weights, and where it is largest.

import { html, nothing } from 'lit'

/** @import { HeadView, HeadViewTranslate } from '../head.js' */

/**
 * Returns the `count` cells whose difference is largest by absolute value, the largest first.
 * @param {{ data: ArrayLike<number>, dims: readonly number[] }} difference (L queries, S keys)
 * @param {number} count
 * @returns {{ row: number, column: number, difference: number }[]}
 */
export function largestDifferences({ data, dims: [, S] }, count) {
  /** @type {{ row: number, column: number, difference: number }[]} */
  const found = []
  for (let i = 0; i < data.length; i++) {
    const difference = data[i]
    if (found.length === count && !(Math.abs(difference) > Math.abs(found[count - 1].difference))) continue
    found.push({ row: Math.floor(i / S), column: i % S, difference })
    found.sort((x, y) => Math.abs(y.difference) - Math.abs(x.difference)).splice(count)
  }
  return found
}

/** Quotes a word, isolating its text direction. @param {string} word */
const quoted = word => `“\u2068${word}\u2069”`

/** Number of largest differences that are listed. */
const NAMED = 3

/**
 * Explains what the map subtracts, and lists the largest differences with their query and key, such as “eat” to “is” (+0.3120).
 * @param {HeadView} view
 * @param {import('../head.js').Less} less
 * @param {HeadViewTranslate} t
 */
export function differenceWords({ prefix, weights, queries, keys }, less, t) {
  const { difference, weights: from } = less
  const all = difference ?? {
    dims: weights.dims,
    data: Float32Array.from({ length: weights.data.length }, (_, i) => weights.data[i] - Number(from?.data[i])),
  }
  const list = largestDifferences(all, NAMED).flatMap(({ row, column, difference }) => {
    const most = Math.abs(difference).toFixed(4)
    const amount = `${difference < 0 ? '−' : '+'}${most}`
    return Number(most) ? t('differenceAt', { query: quoted(queries[row]), key: quoted(keys[column]), amount }) : []
  })
  return html`<p class="note" id="${prefix}difference-says">${less.of}${t('stop')}${t('differenceSays')}</p>
    ${
      list.length
        ? html`<p class="note" id="${prefix}largest-differences">${t('largestDifferences', { list: list.join(t('comma')) })}</p>`
        : nothing
    }`
}
