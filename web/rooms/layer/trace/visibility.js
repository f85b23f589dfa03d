// Determines which query sees which key. Shapes: H heads, L queries, S keys. Pure.

import { hasScores } from '../fields.js'

/** @import { Checked, Result } from '../layer.js' */

/** Predicates of the masks: true if query i sees key j. @type {Record<Checked['mask'], (settings: Checked) => (i: number, j: number) => boolean>} */
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
 * Returns the mask of the settings with painted cells applied, (L, S): 1 if visible.
 * @param {Checked} settings
 * @returns {Uint8Array | undefined} undefined if everything is visible
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
 * Returns why a key is hidden or visible: 'painted' if the cell was painted, else the mask.
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
 * Returns which weights are drawn: visible ones, and hidden ones that still have an effect because they were set by hand or are NaN.
 * @param {Result} result
 * @returns {{ data: Uint8Array, dims: number[] } | undefined} (L, S), or (H, L, S) if heads differ; 1 if drawn
 */
export function drawnWeights(result) {
  const { visible, heads, settings, tensors } = result
  if (!visible) return undefined
  const known = seen.get(result)
  if (known) return known
  const [L, S] = [settings.queries.tokens.length, settings.keys.tokens.length]
  const set = settings.edits.filter(
    ({ matrix, head, row, column }) =>
      matrix === 'weights' && head < heads && row < L && column < S && !visible[row * S + column],
  )
  const made = { data: visible, dims: [L, S] }
  const { data, dims } = tensors.weights ?? {}
  let hasNaN = false
  for (let i = 0; data && i < data.length && !hasNaN; i++) hasNaN = Number.isNaN(data[i]) // `some` takes 6 times as long
  if (set.length || hasNaN) {
    made.dims = [heads, L, S]
    made.data = new Uint8Array(heads * L * S)
    for (let h = 0; h < heads; h++) made.data.set(visible, h * L * S)
    for (const { head, row, column } of set) made.data[(head * L + row) * S + column] = 1
    if (data && hasNaN)
      for (let i = 0; i < made.data.length; i++)
        if (Number.isNaN(data[dims?.length === 3 ? i : i % (L * S)])) made.data[i] = 1
  }
  seen.set(result, made)
  return made
}

/** Returns which weights of one head are drawn. @param {Result} result @param {number} head */
export function drawnOfHead(result, head) {
  const all = drawnWeights(result)
  if (!all || all.dims.length === 2) return all
  const [, L, S] = all.dims
  return { data: all.data.subarray(head * L * S, (head + 1) * L * S), dims: [L, S] }
}
