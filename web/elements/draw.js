// Draws a map on canvas or as SVG.

import { exceptions, paletteOf, stepOf } from './colour-scale.js'
import { visible, widthOf } from './drawing-backends.js'
import { boxOf, labelSize, noteSize, seenCells } from './geometry.js'
import { decimalsThatFit, short, write } from './number-text.js'

/** @import { Backend } from './drawing-backends.js' */
/** @import { Cell, Layout } from './geometry.js' */

/**
 * @typedef {object} HeatMap
 * @property {ArrayLike<number>} data
 * @property {readonly number[]} dims rows, columns
 * @property {(i: number) => boolean} isHidden
 * @property {{ least: number, most: number }} range
 * @property {import('./colour-scale.js').Scale} scale
 * @property {readonly number[]} domain
 * @property {readonly unknown[]} rowTokens empty if rows have no labels
 * @property {readonly unknown[]} columnTokens
 * @property {string} rowTitle
 * @property {string} columnTitle
 * @property {number} decimals
 * @property {boolean} legend
 * @property {ArrayLike<number>} [previous] the numbers before a change, shown small where they differ
 * @property {string} hiddenWord
 * @property {boolean} [hasNumbers] false to write no numbers, even if they fit
 */

/** @typedef {{ ink: string, quiet: string, rule: string, paper: string, mark: string, isDark: boolean, family: string, fontSize: number }} Style */

/** @typedef {{ rows?: readonly number[], columns?: readonly number[], cells?: readonly Cell[] }} Highlight */

/** @typedef {{ focus?: Cell, isFocused?: boolean, pinned?: Cell, highlight?: Highlight, range?: { side: 'row' | 'column', from: number, to: number } }} Marks */

/** Minimum size in pixels of cells that are drawn with gaps. */
export const SMALLEST_APART = 7
/** Maximum number of cells that an exported picture contains as shapes; more cells are one image. */
export const MOST_SHAPES = 4096

/**
 * @param {Backend} backend
 * @param {HeatMap} map
 * @param {Layout} layout
 * @param {Style} style
 * @param {Marks} marks
 * @param {HTMLCanvasElement | (() => void) | undefined} image for large maps: an image of the visible cells, or a function that draws them
 */
export function drawMap(backend, map, layout, style, marks, image) {
  const { plot } = layout
  const seen = seenCells(layout)
  backend.clip(plot.left, plot.top, plot.width, plot.height, () => {
    if (typeof image === 'function') image()
    else if (image) drawImage(backend, layout, style, image, seen)
    else {
      drawCells(backend, map, layout, style, seen)
      if (map.hasNumbers !== false) drawNumbers(backend, map, layout, style, seen)
    }
    drawMarks(backend, layout, style, marks)
  })
  backend.frame(plot.left - 0.5, plot.top - 0.5, plot.width + 1, plot.height + 1, { stroke: style.rule })
  drawLabels(backend, map, layout, style, marks, seen)
  if (map.legend) drawLegend(backend, map, layout, style)
}

/** @typedef {ReturnType<typeof seenCells>} Seen */

/** @param {Backend} backend @param {Layout} layout @param {Style} style @param {HTMLCanvasElement} image @param {Seen} seen */
function drawImage(backend, layout, { isDark }, image, seen) {
  const { plot, cellWidth, cellHeight } = layout
  const { hidden, hatch } = exceptions(isDark)
  backend.hatch(plot.left, plot.top, plot.width, plot.height, { ground: hidden, line: hatch })
  const { left, top } = boxOf(layout, seen)
  backend.image(image, left, top, seen.columns * cellWidth, seen.rows * cellHeight)
}

/** @param {Backend} backend @param {HeatMap} map @param {Layout} layout @param {Style} style @param {Seen} seen */
function drawCells(backend, { data, dims, isHidden, scale, domain }, layout, { isDark, paper }, seen) {
  const { colours } = paletteOf(scale, isDark)
  const { hidden, hatch, nan, nanInk } = exceptions(isDark)
  const { plot, cellWidth, cellHeight } = layout
  const gap = Math.min(cellWidth, cellHeight) >= SMALLEST_APART ? 1 : 0
  backend.fill(plot.left, plot.top, plot.width, plot.height, paper)
  const end = seen.column + seen.columns
  for (let row = seen.row; row < seen.row + seen.rows; row++) {
    const box = boxOf(layout, { row, column: seen.column })
    const left = (/** @type {number} */ column) => Math.round(box.left + (column - seen.column) * cellWidth)
    const [top, bottom] = [Math.round(box.top), Math.round(box.top + cellHeight)]
    for (let column = seen.column; column < end; column++) {
      const from = column
      if (isHidden(row * dims[1] + column)) {
        while (column + 1 < end && isHidden(row * dims[1] + column + 1)) column++
        backend.hatch(left(from), top, left(column + 1) - left(from), bottom - top, { ground: hidden, line: hatch })
        continue
      }
      const value = data[row * dims[1] + column]
      const isNumber = !Number.isNaN(value)
      const [x, width, height] = [left(from), left(from + 1) - left(from) - gap, bottom - top - gap]
      backend.fill(x, top, width, height, isNumber ? colours[stepOf(value, domain)] : nan)
      if (!isNumber && gap) backend.line([x, bottom - gap, x + 5, bottom - gap - 5], { stroke: nanInk })
    }
  }
}

/**
 * Draws the numbers, if they fit, with as many decimals as fit.
 * @param {Backend} backend
 * @param {HeatMap} map
 * @param {Layout} layout
 * @param {Style} style
 * @param {Seen} seen
 */
function drawNumbers(backend, map, layout, style, seen) {
  const { data, dims, isHidden, scale, domain, range, previous } = map
  const { inks } = paletteOf(scale, style.isDark)
  const { nanInk } = exceptions(style.isDark)
  const { cellWidth, cellHeight } = layout
  const size = Math.min(style.fontSize, Math.floor(cellHeight * 0.62))
  if (size < 9) return
  const font = `400 ${size}px ${style.family}`
  const decimals = decimalsThatFit(range, map.decimals, text => widthOf(text, font) <= cellWidth - 4)
  if (decimals === undefined) return
  for (let row = seen.row; row < seen.row + seen.rows; row++)
    for (let column = seen.column; column < seen.column + seen.columns; column++) {
      const i = row * dims[1] + column
      const { left, top } = boxOf(layout, { row, column })
      const [x, y] = [left + cellWidth / 2, top + cellHeight / 2]
      if (isHidden(i)) continue
      const text = write(data[i], decimals)
      const fill = Number.isNaN(data[i]) ? nanInk : inks[stepOf(data[i], domain)]
      const old = previous && write(previous[i], decimals)
      if (old === undefined || old === text) {
        backend.text(text, x, y, { size, fill, align: 'center' })
        continue
      }
      backend.text(text, x, y + size * 0.32, { size, fill, align: 'center', weight: 600 })
      const small = Math.max(size * 0.72, 7)
      const width = widthOf(old, `400 ${small}px ${style.family}`)
      const above = top + small * 0.75
      backend.text(old, x, above, { size: small, fill, align: 'center' })
      backend.line([x - width / 2, above, x + width / 2, above], { stroke: fill, width: 0.75 })
    }
}

/** @param {Backend} backend @param {Layout} layout @param {Style} style @param {Marks} marks */
function drawMarks(backend, layout, style, { focus, isFocused, pinned, highlight, range }) {
  const { plot, cellWidth, cellHeight } = layout
  const line = { stroke: style.ink, width: 1.5 }
  /** Draws a frame around rows or columns. @param {'row' | 'column'} side @param {number} from @param {number} [count] */
  const band = (side, from, count = 1) => {
    const { left, top } = boxOf(layout, { row: from, column: from })
    if (side === 'row') backend.frame(plot.left + 0.5, top + 0.5, plot.width - 1, count * cellHeight - 1, line)
    else backend.frame(left + 0.5, plot.top + 0.5, count * cellWidth - 1, plot.height - 1, line)
  }
  if (range) band(range.side, range.from, range.to - range.from + 1)
  for (const row of highlight?.rows ?? []) band('row', row)
  for (const column of highlight?.columns ?? []) band('column', column)
  /** @param {Cell} cell @param {number} width @param {number[]} dash */
  const outline = (cell, width, dash) => {
    const box = boxOf(layout, cell)
    // Enlarge the mark of a tiny cell, so that it is noticeable.
    const more = Math.max(0, 9 - Math.min(box.width, box.height)) / 2
    const [left, top] = [box.left - more + width / 2, box.top - more + width / 2]
    const [across, down] = [box.width + 2 * more - width, box.height + 2 * more - width]
    backend.frame(left, top, across, down, { stroke: style.paper, width: width + 2 })
    backend.frame(left, top, across, down, { stroke: style.mark, width, dash })
  }
  for (const cell of highlight?.cells ?? []) outline(cell, 1, [3, 2])
  if (pinned) outline(pinned, 2, [])
  if (focus) outline(focus, isFocused ? 3 : 1.5, [])
}

/**
 * Returns the number of rows, and of columns, from one label to the next, such that labels do not overlap.
 * @param {Layout} layout
 * @param {number} fontSize
 */
export function labelsEvery({ cellWidth, cellHeight, isUpright }, fontSize) {
  const room = labelSize(fontSize) + 1
  return {
    rows: Math.max(1, Math.ceil(room / cellHeight)),
    columns: Math.max(1, Math.ceil((isUpright ? room : 4) / cellWidth)),
  }
}

/** @param {Backend} backend @param {HeatMap} map @param {Layout} layout @param {Style} style @param {Marks} marks @param {Seen} seen */
function drawLabels(backend, map, layout, style, marks, seen) {
  const { plot, cellWidth, cellHeight, rowLabels, columnLabels, isUpright } = layout
  const { fontSize, quiet, ink } = style
  const size = labelSize(fontSize)
  const every = labelsEvery(layout, fontSize)
  const strong = (/** @type {'row' | 'column'} */ axis) =>
    new Set([
      ...(marks.focus ? [marks.focus[axis]] : []),
      ...(marks.pinned ? [marks.pinned[axis]] : []),
      ...((axis === 'row' ? marks.highlight?.rows : marks.highlight?.columns) ?? []).slice(0, 40),
    ])
  /**
   * @param {number} from @param {number} count @param {number} every @param {Set<number>} always
   * @param {(at: number, isStrong: boolean) => void} draw
   */
  const thin = (from, count, every, always, draw) => {
    const near = (/** @type {number} */ at) => [...always].some(other => other !== at && Math.abs(other - at) < every)
    for (let at = Math.ceil(from / every) * every; at < from + count; at += every)
      if (!always.has(at) && !near(at)) draw(at, false)
    for (const at of always) if (at >= from && at < from + count) draw(at, true)
  }
  if (rowLabels)
    backend.clip(0, plot.top - 6, plot.left, plot.height + 12, () =>
      thin(seen.row, seen.rows, every.rows, strong('row'), (row, isStrong) => {
        const { top } = boxOf(layout, { row, column: 0 })
        const label = visible(map.rowTokens[row])
        const fill = isStrong ? ink : quiet
        backend.text(label, plot.left - 5, top + cellHeight / 2, { size, fill, align: 'right', most: rowLabels - 5 })
      }),
    )
  if (columnLabels)
    backend.clip(plot.left - 6, 0, plot.width + 12, plot.top, () =>
      thin(seen.column, seen.columns, every.columns, strong('column'), (column, isStrong) => {
        const { left } = boxOf(layout, { row: 0, column })
        const label = visible(map.columnTokens[column])
        const fill = isStrong ? ink : quiet
        const x = left + cellWidth / 2
        if (isUpright) backend.text(label, x, plot.top - 5, { size, fill, upright: true, most: columnLabels - 6 })
        else
          backend.text(label, x, plot.top - 5 - size / 2, {
            size,
            fill,
            align: 'center',
            most: Math.max(cellWidth - 2, 12),
          })
      }),
    )
  const titleSize = noteSize(fontSize)
  /** @type {import('./drawing-backends.js').TextStyle} */
  const title = { size: titleSize, fill: quiet, align: 'center' }
  const [x, y] = [plot.left + plot.width / 2, plot.top + plot.height / 2]
  if (map.columnTitle) backend.text(`${map.columnTitle} →`, Math.max(x, plot.left + 20), titleSize / 2 + 2.5, title)
  if (map.rowTitle) backend.text(`← ${map.rowTitle}`, titleSize / 2 + 2.5, y, { ...title, upright: true })
}

/** @param {Backend} backend @param {HeatMap} map @param {Layout} layout @param {Style} style */
function drawLegend(
  backend,
  { scale, domain, data, isHidden, hiddenWord },
  { plot },
  { isDark, rule, quiet, family, fontSize },
) {
  const { colours } = paletteOf(scale, isDark)
  const size = noteSize(fontSize)
  const font = `400 ${size}px ${family}`
  const top = plot.top + plot.height + 6.5 + size / 2
  const [from, to] = domain.map(short)
  const small = { size, fill: quiet }
  const before = widthOf(from, font)
  backend.text(from, plot.left, top + 4, small)
  const left = plot.left + before + 5
  const width = Math.max(Math.min(88, plot.width - before - 60), 40)
  const slices = 64
  for (let i = 0; i < slices; i++)
    backend.fill(
      left + (i * width) / slices,
      top,
      width / slices + 0.5,
      8,
      colours[Math.round((i * 255) / (slices - 1))],
    )
  backend.frame(left - 0.5, top - 0.5, width + 1.5, 9, { stroke: rule })
  backend.text(to, left + width + 5, top + 4, small)
  const next = left + width + 5 + widthOf(to, font) + 14
  const word = widthOf(hiddenWord, font)
  if (next + 22 + word > plot.left + plot.width || !hasHidden(data.length, isHidden)) return
  const { hidden, hatch } = exceptions(isDark)
  backend.hatch(next, top, 16, 8, { ground: hidden, line: hatch })
  backend.frame(next - 0.5, top - 0.5, 17, 9, { stroke: rule })
  backend.text(hiddenWord, next + 21, top + 4, small)
}

/** @param {number} count @param {(i: number) => boolean} isHidden */
function hasHidden(count, isHidden) {
  for (let i = 0; i < count; i++) if (isHidden(i)) return true
  return false
}
