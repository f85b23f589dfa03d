// Computes the layout of a map in CSS pixels: label margins, plot, cells and zoom.

/** @typedef {{ zoom: number, row: number, column: number }} View the visible part: zoom factor, and its first cell (may be fractional) */
/** @typedef {{ row: number, column: number }} Cell */
/** @typedef {{ left: number, top: number, width: number, height: number }} Box */

/**
 * @typedef {object} Layout
 * @property {number} width of the whole picture
 * @property {number} height
 * @property {Box} plot area of the cells
 * @property {number} cellWidth
 * @property {number} cellHeight
 * @property {View} view
 * @property {number} rows
 * @property {number} columns
 * @property {boolean} isUpright True if column labels are vertical
 * @property {number} rowLabels width of row labels
 * @property {number} columnLabels
 */

export const WHOLE = Object.freeze({ zoom: 1, row: 0, column: 0 })
/** Font size, as on a projector, from which labels are as large as the numbers in cells. */
export const LARGE_TYPE = 18
/** Returns the font size of labels. @param {number} fontSize of the element */
export const labelSize = fontSize => (fontSize < LARGE_TYPE ? Math.min(fontSize, 12) : fontSize)
/** Returns the font size of titles and of the numbers beside the colour scale. @param {number} fontSize of the element */
export const noteSize = fontSize => (fontSize < LARGE_TYPE ? 11 : fontSize)
const titleRoom = (/** @type {number} */ fontSize) => noteSize(fontSize) + 7
const legendRoom = (/** @type {number} */ fontSize) => noteSize(fontSize) + 15
const GAP = 6
/** Maximum size in pixels to which zooming enlarges a cell. */
const LARGEST_CELL = 96

/**
 * Lays out a map.
 * @param {object} wanted
 * @param {number} wanted.rows
 * @param {number} wanted.columns
 * @param {number} wanted.width maximum width of the picture
 * @param {number} wanted.most maximum width of a cell
 * @param {number} [wanted.tallest] maximum height of a cell, if there is space
 * @param {number} wanted.mostHeight maximum height of all cells
 * @param {number} wanted.rowLabel width of the widest row label; 0 for no labels
 * @param {number} wanted.columnLabel
 * @param {boolean} wanted.titles True if axes have titles
 * @param {number} wanted.legend width of the colour scale with the numbers at its ends; 0 for no colour scale
 * @param {number} wanted.fontSize
 * @param {View} [wanted.view]
 * @returns {Layout}
 */
export function layout(wanted) {
  const { rows, columns, width, most, tallest, mostHeight, rowLabel, columnLabel, titles, legend, fontSize } = wanted
  const { view = WHOLE } = wanted
  const title = titles ? titleRoom(fontSize) : 0
  const rowLabels = rowLabel ? Math.min(Math.ceil(rowLabel), Math.max(24, Math.floor(width * 0.28))) + GAP : 0
  const left = title + rowLabels
  const room = Math.max(width - left - 2, 8)
  let cellWidth = Math.min(most, room / Math.max(columns, 1))
  let cellHeight = Math.min(cellWidth, tallest ?? Math.round(fontSize * 2.4), mostHeight / Math.max(rows, 1))
  // Make cells square if they are too small for numbers, unless a matrix with few columns would become too narrow.
  if (cellWidth < fontSize * 2.4 || cellHeight < fontSize)
    cellWidth = Math.min(cellWidth, Math.max(cellHeight, Math.min(24, 144 / columns)))
  if (cellWidth >= 6) cellWidth = Math.floor(cellWidth)
  if (cellHeight >= 6) cellHeight = Math.floor(cellHeight)
  const isUpright = columnLabel > cellWidth - 4
  const columnLabels = columnLabel ? (isUpright ? Math.min(Math.ceil(columnLabel), 112) : fontSize) + GAP : 0
  const plot = { left, top: title + columnLabels, width: cellWidth * columns, height: cellHeight * rows }
  const seen = within(view, { rows, columns, cellWidth, cellHeight })
  return {
    width: Math.ceil(left + Math.max(plot.width, Math.min(legend, room)) + 2),
    height: Math.ceil(plot.top + plot.height + 2 + (legend ? legendRoom(fontSize) : 0)),
    plot,
    cellWidth: cellWidth * seen.zoom,
    cellHeight: cellHeight * seen.zoom,
    view: seen,
    rows,
    columns,
    isUpright,
    rowLabels,
    columnLabels,
  }
}

/** Returns the width that the picture has if its cells are `most` wide. @param {{ columns: number, most: number, rowLabel: number, titles: boolean, legend: number, fontSize: number }} wanted */
export const naturalWidth = ({ columns, most, rowLabel, titles, legend, fontSize }) =>
  Math.ceil(
    Math.max(columns * most, legend) +
      (titles ? titleRoom(fontSize) : 0) +
      (rowLabel ? Math.ceil(rowLabel) + GAP : 0) +
      2,
  )

/**
 * Clamps a view to the matrix.
 * @param {View} view
 * @param {{ rows: number, columns: number, cellWidth: number, cellHeight: number }} unzoomed
 * @returns {View}
 */
function within({ zoom, row, column }, { rows, columns, cellWidth, cellHeight }) {
  const largest = Math.max(1, LARGEST_CELL / Math.min(cellWidth, cellHeight))
  const scale = Math.min(Math.max(zoom, 1), largest)
  const limit = (/** @type {number} */ at, /** @type {number} */ count) =>
    Math.min(Math.max(at, 0), count - count / scale)
  return { zoom: scale, row: limit(row, rows), column: limit(column, columns) }
}

/** Returns the cell at a point of the picture. @param {Layout} layout @param {number} x @param {number} y @returns {Cell | undefined} */
export function cellAt({ plot, cellWidth, cellHeight, view, rows, columns }, x, y) {
  if (x < plot.left || y < plot.top || x >= plot.left + plot.width || y >= plot.top + plot.height) return undefined
  const row = Math.floor((y - plot.top) / cellHeight + view.row)
  const column = Math.floor((x - plot.left) / cellWidth + view.column)
  return row < rows && column < columns ? { row, column } : undefined
}

/**
 * Returns the row or column whose label is at a point of the picture.
 * @param {Layout} layout
 * @param {number} x
 * @param {number} y
 * @returns {{ side: 'row' | 'column', index: number } | undefined}
 */
export function labelAt(layout, x, y) {
  const { plot, rowLabels, columnLabels } = layout
  const isRow = x < plot.left && x >= plot.left - rowLabels
  const isColumn = y < plot.top && y >= plot.top - columnLabels
  if (isRow === isColumn) return undefined
  const cell = cellAt(layout, isRow ? plot.left + 1 : x, isRow ? y : plot.top + 1)
  return cell && (isRow ? { side: 'row', index: cell.row } : { side: 'column', index: cell.column })
}

/** Returns the box of a cell, which may be outside of the plot. @param {Layout} layout @param {Cell} cell @returns {Box} */
export const boxOf = ({ plot, cellWidth, cellHeight, view }, { row, column }) => ({
  left: plot.left + (column - view.column) * cellWidth,
  top: plot.top + (row - view.row) * cellHeight,
  width: cellWidth,
  height: cellHeight,
})

/** Returns the cells that are at least partly visible. @param {Layout} layout */
export function seenCells({ plot, cellWidth, cellHeight, view, rows, columns }) {
  const span = (
    /** @type {number} */ at,
    /** @type {number} */ length,
    /** @type {number} */ size,
    /** @type {number} */ count,
  ) => {
    const from = Math.max(Math.floor(at + 1e-6), 0)
    return { from, count: Math.max(Math.min(Math.ceil(at + length / size - 1e-6), count) - from, 0) }
  }
  const down = span(view.row, plot.height, cellHeight, rows)
  const across = span(view.column, plot.width, cellWidth, columns)
  return { row: down.from, rows: down.count, column: across.from, columns: across.count }
}

/** Zooms by a factor around the point (x, y) of the picture. @param {Layout} layout @param {number} factor @param {number} x @param {number} y @returns {View} */
export function zoomed({ plot, cellWidth, cellHeight, view }, factor, x, y) {
  const [across, down] = [(x - plot.left) / cellWidth, (y - plot.top) / cellHeight]
  return {
    zoom: view.zoom * factor,
    row: view.row + down - down / factor,
    column: view.column + across - across / factor,
  }
}

/** Moves a view by pixels. @param {Layout} layout @param {number} dx @param {number} dy @returns {View} */
export const panned = ({ cellWidth, cellHeight, view }, dx, dy) => ({
  zoom: view.zoom,
  row: view.row - dy / cellHeight,
  column: view.column - dx / cellWidth,
})

/** Moves a view just enough to show a cell. @param {Layout} layout @param {Cell} cell @returns {View} */
export function showing({ plot, cellWidth, cellHeight, view }, { row, column }) {
  const near = (/** @type {number} */ from, /** @type {number} */ at, /** @type {number} */ seen) =>
    at < from ? at : at + 1 > from + seen ? at + 1 - seen : from
  return {
    zoom: view.zoom,
    row: near(view.row, row, plot.height / cellHeight),
    column: near(view.column, column, plot.width / cellWidth),
  }
}
