// On a phone the inspector is a sheet over the page: the page scrolls, so that the sheet covers no cell that it speaks of.

/** Pixels between the map and the sheet. */
const GAP = 8
/** The share of the window above a sheet that the reader has not dragged. */
const ABOVE = 0.55

/** The cell that was uncovered last: while its sheet is open, the reader may scroll it away. */
let last = ''

/**
 * Scrolls, once for each cell, until the map stands above the sheet; of a map that is higher than the place above it, the cell.
 * @param {string} sheetId
 * @param {string} mapId
 * @param {{ row: number, column: number }} cell
 */
export function uncover(sheetId, mapId, cell) {
  const key = [sheetId, mapId, cell.row, cell.column].join(' ')
  if (key === last && document.getElementById(sheetId)) return
  last = key
  requestAnimationFrame(() => {
    const sheet = document.getElementById(sheetId)
    const map = /** @type {import('../elements/heatmap.js').QkvHeatmap | null} */ (document.getElementById(mapId))
    if (!sheet || !map || getComputedStyle(sheet).position !== 'fixed') return
    const end = Math.min(sheet.getBoundingClientRect().top, ABOVE * innerHeight) - GAP
    const { top, bottom } = map.getBoundingClientRect()
    const lowest = bottom - top <= end ? bottom : (map.where?.(cell)?.bottom ?? bottom)
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'
    if (lowest > end) scrollBy({ top: lowest - end, behavior })
  })
}
