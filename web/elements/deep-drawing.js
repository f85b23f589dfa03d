// Draws the visible part of a deep map: the overview, loaded tiles over it, and, when zoomed in, numbers with labels or positions.

import { exceptions } from './colour-scale.js'
import { domainFor, levelOf, rangeIn, TILE } from './deep-levels.js'
import { drawMap } from './draw.js'
import { visible, widthOf } from './drawing-backends.js'
import { boxOf, layout, seenCells } from './geometry.js'
import { canvasOf, raster } from './raster.js'

/** @import { Backend } from './drawing-backends.js' */
/** @import { Layout, View } from './geometry.js' */
/** @import { Marks, Style } from './draw.js' */
/** @import { Loaded, Tiles } from './deep-levels.js' */

/** Minimum cell sizes in pixels for words and for numbers. */
const [NAMED, NUMBERED] = [12, 44]
/** Minimum distance in pixels between position labels, which replace words that do not fit. */
const APART = 72
/** Milliseconds in which a tile fades in. */
const FADE = 20
/** Maximum cells to convert to pixels per frame; the rest follow in later frames. */
const BUDGET = 6 * TILE * TILE
/** Maximum width of a label in pixels. */
const LABEL = 88

/**
 * The map to draw.
 * @typedef {object} DeepMap
 * @property {number} rows
 * @property {number} columns
 * @property {readonly string[]} rowTokens
 * @property {readonly string[]} columnTokens
 * @property {string} rowTitle
 * @property {string} columnTitle
 * @property {string} hiddenWord
 * @property {number} decimals
 * @property {import('./colour-scale.js').Scale} scale
 * @property {readonly number[]} [domain] ends of the colour scale; by default they adapt to the visible part
 */

/** @param {DeepMap} map @param {Style} style @param {number} width @param {number} mostHeight @param {View} [view] */
export function arrange(
  { rows, columns, rowTokens, columnTokens, rowTitle, columnTitle },
  style,
  width,
  mostHeight,
  view,
) {
  const font = `400 ${Math.min(style.fontSize, 12)}px ${style.family}`
  // Labels get at most LABEL, so that long words leave space for the cells. They get at least the width of a position, which replaces words
  // that do not fit.
  const label = (/** @type {readonly string[]} */ tokens, /** @type {number} */ count) => {
    const longest = tokens.reduce(
      (most, token) => (String(token).length > most.length ? String(token) : most),
      String(count),
    )
    return Math.min(LABEL, Math.max(widthOf(visible(longest).slice(0, 60), font), widthOf(String(count), font)))
  }
  return layout({
    rows,
    columns,
    width,
    view,
    most: 60,
    mostHeight,
    rowLabel: label(rowTokens, rows),
    columnLabel: label(columnTokens, columns),
    titles: Boolean(rowTitle || columnTitle),
    legend: 120,
    fontSize: style.fontSize,
  })
}

/** Returns the level of the tiles to draw in a layout. @param {Layout} arranged */
export const levelIn = ({ cellWidth, cellHeight }) => levelOf(Math.min(cellWidth, cellHeight))

/**
 * Returns the indices to label with their position, index + 1. The positions are round numbers at least APART pixels apart.
 * @param {number} from
 * @param {number} count
 * @param {number} size pixels per position
 */
export function positions(from, count, size) {
  const wanted = APART / size
  const power = 10 ** Math.floor(Math.log10(wanted))
  const step = Math.max(1, ([1, 2, 5, 10].find(n => n * power >= wanted) ?? 10) * power)
  /** @type {number[]} */
  const found = []
  for (let at = Math.ceil((from + 1) / step) * step; at <= from + count; at += step) found.push(at - 1)
  return found
}

/** Draws frames, and caches the pictures of tiles. */
export class DeepDrawing {
  /**
   * Pictures of tiles; `drawn` is the number of rows that already have the colours of `key`.
   * @type {WeakMap<Loaded, { key: string, canvas: HTMLCanvasElement, drawn: number }>}
   */
  #pictures = new WeakMap()
  /** Work done by the last frame: pictures drawn, cells converted to pixels, shapes drawn. */
  work = { pictures: 0, cells: 0, shapes: 0 }
  /** @type {readonly number[]} */
  domain = [0, 1]
  /** Remaining cells that may be converted in this frame. */
  budget = BUDGET

  /**
   * Draws a frame.
   * @param {Backend} backend
   * @param {DeepMap} map
   * @param {Tiles} tiles
   * @param {Layout} arranged
   * @param {Style} style
   * @param {Marks} marks
   * @param {{ isStill?: boolean }} [options] isStill: True to skip fading
   * @returns {boolean} true if another frame is needed
   */
  draw(backend, map, tiles, arranged, style, marks, { isStill = false } = {}) {
    const seen = seenCells(arranged)
    const level = levelIn(arranged)
    const covering = tiles.covering(seen, level)
    this.work = { pictures: 0, cells: 0, shapes: 0 }
    const now = performance.now()
    const isNear = Math.min(arranged.cellWidth, arranged.cellHeight) >= NAMED
    const near =
      isNear && covering.every(tile => tile.level === 0 && tile.resolution[0] === tile.rows[1] - tile.rows[0])
    let isUnfinished = false
    const paintTiles = () => {
      const { plot } = arranged
      const { hidden } = exceptions(style.isDark)
      backend.fill(plot.left, plot.top, plot.width, plot.height, hidden)
      const layers = [...(tiles.overview ? [tiles.overview] : []), ...tiles.shown(seen, level)]
      for (const tile of layers) {
        const picture = this.#pictureOf(tile, map, style.isDark)
        if (!picture.isCurrent) isUnfinished = true
        if (!picture.canvas) continue
        const share = isStill || !tile.since ? 1 : Math.min(1, (now - tile.since) / FADE)
        if (share < 1) isUnfinished = true
        const box = boxOf(arranged, { row: tile.rows[0], column: tile.columns[0] })
        const [down, across] = [tile.rows[1] - tile.rows[0], tile.columns[1] - tile.columns[0]]
        if ('context' in backend) backend.context.globalAlpha = share
        backend.image(picture.canvas, box.left, box.top, across * arranged.cellWidth, down * arranged.cellHeight)
        if ('context' in backend) backend.context.globalAlpha = 1
        this.work.pictures++
      }
    }
    // Treat the visible part as a separate map, so that `drawMap` can draw it.
    const { view } = arranged
    const part = {
      ...arranged,
      view: { ...view, row: view.row - seen.row, column: view.column - seen.column },
      rows: seen.rows,
      columns: seen.columns,
      rowLabels: isNear && map.rowTokens.length ? arranged.rowLabels : 0,
      columnLabels: isNear && map.columnTokens.length ? arranged.columnLabels : 0,
    }
    // If even the largest visible number would be written as 0, write no numbers.
    const isNumbered =
      near &&
      Math.min(arranged.cellWidth, arranged.cellHeight * 2) >= NUMBERED &&
      Math.max(...this.domain.map(Math.abs)) > 10 ** -map.decimals
    const data = near ? cut(covering, seen) : []
    this.work.shapes = (near ? data.length * (isNumbered ? 2 : 1) : 0) + (isNear ? seen.rows + seen.columns : 0)
    const shift = (
      /** @type {readonly number[] | undefined} */ list,
      /** @type {number} */ from,
      /** @type {number} */ count,
    ) => list?.flatMap(at => (at >= from && at < from + count ? [at - from] : []))
    const cell = (/** @type {{ row: number, column: number }} */ at) => ({
      row: at.row - seen.row,
      column: at.column - seen.column,
    })
    const own = {
      ...marks,
      focus: marks.focus && cell(marks.focus),
      pinned: marks.pinned && cell(marks.pinned),
      highlight: {
        rows: shift(marks.highlight?.rows, seen.row, seen.rows),
        columns: shift(marks.highlight?.columns, seen.column, seen.columns),
        cells: marks.highlight?.cells?.map(cell),
      },
    }
    const names = (/** @type {readonly string[]} */ tokens, /** @type {number} */ from, /** @type {number} */ count) =>
      isNear && tokens.length ? tokens.slice(from, from + count) : []
    const all = {
      ...map,
      data,
      dims: [seen.rows, seen.columns],
      isHidden: (/** @type {number} */ i) => data[i] === -Infinity,
      range: { least: this.domain[0], most: this.domain[1] },
      domain: this.domain,
      hasNumbers: isNumbered,
      rowTokens: names(map.rowTokens, seen.row, seen.rows),
      columnTokens: names(map.columnTokens, seen.column, seen.columns),
      legend: true,
    }
    drawMap(backend, all, part, style, own, near ? undefined : paintTiles)
    if (!all.rowTokens.length) drawPositions(backend, arranged, style, 'row', seen.row, seen.rows)
    if (!all.columnTokens.length) drawPositions(backend, arranged, style, 'column', seen.column, seen.columns)
    return isUnfinished
  }

  /**
   * Adapts the colours to the visible part; called when a gesture ends, so that colours do not change during it.
   * @param {DeepMap} map
   * @param {Tiles} tiles
   * @param {Layout} arranged
   */
  adapt(map, tiles, arranged) {
    const seen = seenCells(arranged)
    this.domain = map.domain ?? domainFor(map.scale, rangeIn(tiles.covering(seen, levelIn(arranged)), seen))
  }

  /** Draws the overview only. @param {Backend} backend @param {DeepMap} map @param {Tiles} tiles @param {import('./geometry.js').Box} box @param {Style} style */
  minimap(backend, { scale }, { overview }, { left, top, width, height }, { isDark }) {
    if (!overview) return
    const { data, dims, resolution } = overview
    const [rows, columns] = resolution
    const isHidden = (/** @type {number} */ i) => data[i] === -Infinity
    const whole = { row: 0, column: 0, rows, columns }
    const matrix = {
      data,
      dims,
      isHidden,
      scale,
      domain: domainFor(
        scale,
        rangeIn([overview], { row: 0, column: 0, rows: overview.rows[1], columns: overview.columns[1] }),
      ),
    }
    const [across, down] = [Math.min(columns, Math.ceil(2 * width)), Math.min(rows, Math.ceil(2 * height))]
    backend.image(canvasOf(raster(matrix, isDark, whole, across, down)), left, top, width, height)
  }

  /** Returns the picture of a tile, after converting rows to the current colours within the frame's budget. `isCurrent`: true if all rows are converted. @param {Loaded} tile @param {DeepMap} map @param {boolean} isDark */
  #pictureOf(tile, { scale }, isDark) {
    const key = `${this.domain.join()} ${scale} ${isDark}`
    const [rows, columns] = tile.resolution
    const picture = this.#pictures.get(tile) ?? { key, canvas: document.createElement('canvas'), drawn: 0 }
    const { canvas } = picture
    if (picture.key !== key) Object.assign(picture, { key, drawn: 0 })
    const room = Math.floor((this.budget - this.work.cells) / columns)
    const band = Math.min(rows - picture.drawn, Math.max(room, this.work.cells ? 0 : 1))
    if (band > 0) {
      const { data, dims } = tile
      const isHidden = (/** @type {number} */ i) => data[i] === -Infinity
      const part = { row: picture.drawn, column: 0, rows: band, columns }
      const image = raster({ data, dims, isHidden, scale, domain: this.domain }, isDark, part, columns, band)
      if (canvas.width !== columns || canvas.height !== rows) Object.assign(canvas, { width: columns, height: rows })
      canvas.getContext('2d')?.putImageData(image, 0, picture.drawn)
      picture.drawn += band
      this.work.cells += band * columns
      this.#pictures.set(tile, picture)
    }
    return { canvas: this.#pictures.has(tile) ? canvas : undefined, isCurrent: picture.drawn === rows }
  }
}

/**
 * Copies a part of the matrix from tiles at full resolution.
 * @param {readonly Loaded[]} tiles
 * @param {ReturnType<typeof seenCells>} part
 */
function cut(tiles, { row, column, rows, columns }) {
  const data = new Float32Array(rows * columns)
  for (const {
    rows: [top, bottom],
    columns: [left, right],
    data: from,
  } of tiles) {
    const width = right - left
    const [first, last] = [Math.max(left, column), Math.min(right, column + columns)]
    for (let r = Math.max(top, row); r < Math.min(bottom, row + rows); r++)
      for (let c = first; c < last; c++) data[(r - row) * columns + c - column] = from[(r - top) * width + c - left]
  }
  return data
}

/**
 * Draws positions beside a map whose rows or columns have no space for words.
 * @param {Backend} backend
 * @param {Layout} arranged
 * @param {Style} style
 * @param {'row' | 'column'} side
 * @param {number} from
 * @param {number} count
 */
function drawPositions(backend, arranged, { quiet, family }, side, from, count) {
  const { plot, cellWidth, cellHeight } = arranged
  const size = side === 'row' ? cellHeight : cellWidth
  for (const at of positions(from, count, size)) {
    const { left, top } = boxOf(arranged, { row: at, column: at })
    const text = { size: 11, fill: quiet }
    if (side === 'row') {
      const y = top + cellHeight / 2
      if (y < plot.top || y > plot.top + plot.height) continue
      backend.text(String(at + 1), plot.left - 7, y, { ...text, align: 'right' })
      backend.line([plot.left - 5, y, plot.left - 1, y], { stroke: quiet })
    } else {
      const x = left + cellWidth / 2
      if (x < plot.left || x > plot.left + plot.width) continue
      // Shift the last label so that it is not cut off by the canvas.
      const half = widthOf(String(at + 1), `400 11px ${family}`) / 2
      backend.text(String(at + 1), Math.min(x, plot.left + plot.width - half), plot.top - 12, {
        ...text,
        align: 'center',
      })
      backend.line([x, plot.top - 5, x, plot.top - 1], { stroke: quiet })
    }
  }
}
