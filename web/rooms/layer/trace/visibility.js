// Which query sees which key. Pure.

/** @import { Checked } from '../layer.js' */

/** What each mask lets query i see. @type {Record<Checked['mask'], (settings: Checked) => (i: number, j: number) => boolean>} */
const MASKS = {
  none: () => () => true,
  causal: () => (i, j) => j <= i,
  window:
    ({ left, right }) =>
    (i, j) =>
      j >= i - left && j <= i + right,
  padding:
    ({ padding }) =>
    (_, j) =>
      j < padding,
  prefix:
    ({ prefix }) =>
    (i, j) =>
      j < prefix || j <= i,
}

/**
 * The mask of the settings with the painted cells on top: 1 may be seen. (L, S)
 * @param {Checked} settings
 * @returns {Uint8Array | undefined} undefined where everything may be seen
 */
export function maskOf(settings) {
  const { mask, painted, queries, keys } = settings
  if (mask === 'none' && painted.length === 0) return undefined
  const [L, S] = [queries.tokens.length, keys.tokens.length]
  const sees = MASKS[mask](settings)
  const cells = Uint8Array.from({ length: L * S }, (_, n) => (sees(Math.floor(n / S), n % S) ? 1 : 0))
  for (const [row, column, isVisible] of painted) if (row < L && column < S) cells[row * S + column] = isVisible
  return cells
}

/**
 * Why a key is hidden or seen: the reader painted it, or the mask says so.
 * @param {Checked} settings
 * @param {number} row
 * @param {number} column
 * @returns {Checked['mask'] | 'painted'}
 */
export const reasonOf = ({ mask, painted }, row, column) =>
  painted.some(([r, c]) => r === row && c === column) ? 'painted' : mask
