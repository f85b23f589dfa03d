// Reads numbers from the grid of the layer readout. No DOM.

/** @typedef {Extract<import('../models.js').LensGrid, { isTooLarge: false }>} Grid */

/** Returns the most likely words of a state with their shares. @param {Grid} grid @param {number} row @param {number} column */
export function guesses({ ids, shares, names, words, top }, row, column) {
  const from = (row * words.length + column) * top
  return Array.from({ length: top }, (_, k) => {
    const id = ids[from + k]
    return { id, token: names.get(id) ?? String(id), share: shares[from + k] }
  })
}

/** True if the grid contains the state. A state that was selected in an older text may be outside. @param {Grid} grid @param {{ layer: number, position: number } | undefined} cell */
export const hasCell = ({ layers, first, words }, cell) =>
  cell !== undefined && layers.includes(cell.layer) && cell.position >= first && cell.position < first + words.length

/** Returns the number of words that are more likely than a pinned word. @param {Grid} grid @param {number} n index of the pin @param {number} row @param {number} column */
export const rankAt = ({ ranks, words, layers }, n, row, column) =>
  ranks[(n * layers.length + row) * words.length + column]

/** Maps the rank of a word to a strength, on a log scale from 1 for the first word to 0 for the last. @param {number} rank @param {number} vocab */
export const alive = (rank, vocab) => Math.max(0, 1 - Math.log(rank + 1) / Math.log(Math.max(2, vocab)))

/** True if both grids show the same words, pins and lens. @param {Grid | undefined} a @param {Grid} b @returns {a is Grid} */
export const areAlike = (a, b) =>
  a !== undefined &&
  a.lens === b.lens &&
  a.first === b.first &&
  String(a.pins) === String(b.pins) &&
  String(a.words) === String(b.words)

/** Returns the row indices of the grid, the last layer first. @param {Grid} grid */
export const rowsOf = ({ layers }) => layers.map((_, row) => row).reverse()
