// Which query sees which key. Pure.

import { hasScores } from '../fields.js'

/** @import { Checked, Result } from '../layer.js' */

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
  if ((mask === 'none' && painted.length === 0) || !hasScores(settings)) return undefined
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

/** @type {WeakMap<Result, { data: Uint8Array, dims: number[] }>} */
const seen = new WeakMap()

/**
 * What is drawn of the weights: all that the mask shows, and hidden cells that were set by hand, which count all the same.
 * @param {Result} result
 * @returns {{ data: Uint8Array, dims: number[] } | undefined} (L, S), or (H, L, S) where heads differ; 1 is drawn
 */
export function drawnWeights(result) {
  const { visible, heads, settings } = result
  if (!visible) return undefined
  const known = seen.get(result)
  if (known) return known
  const [L, S] = [settings.queries.tokens.length, settings.keys.tokens.length]
  const set = settings.edits.filter(
    ({ matrix, head, row, column }) =>
      matrix === 'weights' && head < heads && row < L && column < S && !visible[row * S + column],
  )
  const made = { data: visible, dims: [L, S] }
  if (set.length) {
    made.dims = [heads, L, S]
    made.data = new Uint8Array(heads * L * S)
    for (let h = 0; h < heads; h++) made.data.set(visible, h * L * S)
    for (const { head, row, column } of set) made.data[(head * L + row) * S + column] = 1
  }
  seen.set(result, made)
  return made
}

/** The same of one head. @param {Result} result @param {number} head */
export function drawnOfHead(result, head) {
  const all = drawnWeights(result)
  if (!all || all.dims.length === 2) return all
  const [, L, S] = all.dims
  return { data: all.data.subarray(head * L * S, (head + 1) * L * S), dims: [L, S] }
}
