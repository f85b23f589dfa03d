import { drawMap, labelsEvery, MOST_SHAPES, SMALLEST_APART } from './draw.js'
import { backendOf } from './drawing-backends.js'
import { boxOf, layout, naturalWidth, seenCells } from './geometry.js'
import { wantedOf } from './model-view.js'
import { canvasOf, raster } from './raster.js'

/** @import { HeatMap } from './draw.js' */
/** @import { Layout, View } from './geometry.js' */

/** A reactive controller that lays out a map, and draws it on its canvas after each update or as an exported picture. */
export class Drawing {
  #host
  /** Cells drawn as one image, reused until the map, the view or the theme changes. @type {{ map: HeatMap, key: string, canvas: HTMLCanvasElement } | undefined} */
  #image = undefined
  /** Layout of the last draw. @type {Layout | undefined} */
  layout = undefined

  /** @param {import('./heatmap.js').QkvHeatmap} host */
  constructor(host) {
    this.#host = host
    host.addController(this)
  }

  hostUpdated() {
    const { map, room, theme, renderRoot, view } = this.#host
    const canvas = renderRoot.querySelector('canvas')
    const size = room.part
    if (!map || !canvas || !size) return
    const natural = Math.max(naturalWidth(this.#wanted(map, room.width)), 96)
    if (size.style.inlineSize !== `${natural}px` || !room.width) {
      size.style.inlineSize = `${natural}px`
      room.measure()
    }
    const arranged = this.arrange(map, view)
    this.layout = arranged
    this.#placeHandle(arranged)
    this.#sayLabels(arranged)
    const ratio = devicePixelRatio || 1
    const width = Math.max(arranged.width, Math.min(room.width, 96))
    const backend = backendOf(canvas, width, arranged.height, ratio, theme.style.family)
    if (backend) this.#draw(backend, map, arranged, ratio)
  }

  /** @param {Layout} arranged */
  #placeHandle(arranged) {
    const { renderRoot, pinned } = this.#host
    /** @type {HTMLElement | null} */
    const handle = renderRoot.querySelector('.handle')
    if (!handle || !pinned) return
    const { left, top, width, height } = boxOf(arranged, pinned)
    Object.assign(handle.style, { left: `${left + width / 2}px`, top: `${top + height / 2}px` })
  }

  /** @param {HeatMap} map @param {View} [view] @param {number} [width] */
  arrange(map, view, width = this.#host.room.width) {
    return layout(this.#wanted(map, width, view))
  }

  /** @param {HeatMap} map @param {number} width @param {View} [view] */
  #wanted(map, width, view) {
    const style = getComputedStyle(this.#host)
    const length = (/** @type {string} */ name) =>
      Number.parseFloat(style.getPropertyValue(`--qkv-${name}`)) || undefined
    const largest = { width: length('cell-width'), height: length('cell-height') }
    return wantedOf(map, this.#host.theme.style, length('height') ?? 560, width, view, largest)
  }

  /** Updates the note about omitted labels. @param {Layout} arranged */
  #sayLabels(arranged) {
    const { renderRoot, theme, rowTokens, columnTokens } = this.#host
    const said = renderRoot.querySelector('.labels')
    if (!said) return
    const { rows, columns } = labelsEvery(arranged, theme.style.fontSize)
    const most = Math.max(rowTokens?.length ? rows : 1, columnTokens?.length ? columns : 1)
    said.textContent = most > 1 ? this.#host.say('labelsEvery', { count: most }) : ''
  }

  /** @param {import('./drawing-backends.js').Backend} backend @param {HeatMap} map @param {Layout} arranged @param {number} ratio @param {boolean} [isWhole] */
  #draw(backend, map, arranged, ratio, isWhole = false) {
    const seen = seenCells(arranged)
    const { cellWidth, cellHeight } = arranged
    // On a canvas, draw cells without gaps as one image.
    const isFine = 'context' in backend && Math.min(cellWidth, cellHeight) < SMALLEST_APART
    const isMany = isFine || seen.rows * seen.columns > MOST_SHAPES
    const { pinned, highlight, cell, isFocused, pointer, theme } = this.#host
    const marks = isWhole ? { pinned, highlight } : { focus: cell, isFocused, pinned, highlight, range: pointer.range }
    drawMap(backend, map, arranged, theme.style, marks, isMany ? this.#cells(map, arranged, ratio) : undefined)
  }

  /** @param {HeatMap} map @param {Layout} arranged @param {number} ratio */
  #cells(map, arranged, ratio) {
    const { isDark } = this.#host.theme.style
    const seen = seenCells(arranged)
    const width = Math.max(1, Math.min(seen.columns, Math.round(seen.columns * arranged.cellWidth * ratio)))
    const height = Math.max(1, Math.min(seen.rows, Math.round(seen.rows * arranged.cellHeight * ratio)))
    const key = [...Object.values(seen), width, height, isDark].join()
    if (this.#image?.map !== map || this.#image.key !== key)
      this.#image = { map, key, canvas: canvasOf(raster(map, isDark, seen, width, height), this.#image?.canvas) }
    return this.#image.canvas
  }

  /**
   * Returns the picture of the whole matrix, as wide as on the page. More than 4096 cells are embedded as one image; in SVG this image has
   * one pixel per cell.
   * @returns {import('./pictures.js').Picture}
   */
  picture() {
    const { map, room } = this.#host
    if (!map) return { width: 96, height: 24, draw: () => {} }
    const arranged = this.arrange(map, undefined, room.width || 640)
    const isMany = map.data.length > MOST_SHAPES
    return {
      width: arranged.width,
      height: arranged.height,
      description: isMany ? this.#host.say('asImage', { rows: map.dims[0], columns: map.dims[1] }) : undefined,
      draw: (/** @type {import('./drawing-backends.js').Backend} */ backend) => {
        this.#draw(backend, map, arranged, 'context' in backend ? 2 : Infinity, true)
        this.#image = undefined
      },
    }
  }
}
