import { css, html, nothing } from 'lit'
import { QkvElement } from './base.js'
import { arrange, DeepDrawing, levelIn } from './deep-drawing.js'
import { linkAt, strongestIn, Tiles } from './deep-levels.js'
import { deepMapTexts } from './deep-map-texts.js'
import { define } from './define.js'
import { backendOf, visible } from './drawing-backends.js'
import { commonTexts } from './element-texts.js'
import { panned, seenCells, WHOLE, zoomed } from './geometry.js'
import { Gestures } from './gestures.js'
import { short, write } from './number-text.js'
import { ALL } from './signs.js'
import { sharedStyle } from './style.js'
import { asJSON, optionProblem } from './tensor-input.js'

/** @import { Cell, Layout } from './geometry.js' */
/** @import { Token } from './gestures.js' */
/** @import { DeepSource } from './deep-levels.js' */
/** @typedef {import('./deep-levels.js').Link} DeepLink */
/**
 * @typedef {{ row: number, column: number, value: number | undefined }} DeepCell value: undefined while a cell
 * on the screen represents several cells of the matrix
 */
/** @typedef {{ rows: readonly [number, number], columns: readonly [number, number] }} DeepView */
/** @typedef {{ 'cell-focus': DeepCell, 'cell-leave': null, 'cell-pin': DeepCell, 'token-pin': Token, 'view-change': DeepView }} DeepMapEvents */

/** Debounce after a gesture in milliseconds, before tiles are requested and before the view is announced. */
const [REST, SAY] = [10, 200]
/** Maximum number of cells in the table of the strongest. */
const STRONGEST = 10
/** Cell size in pixels beyond which show() does not zoom in. */
const SHOWN = 46
/** Longer side of the minimap in pixels. */
const MINIMAP = 72

/**
 * Shows a matrix of any size as a map that zooms from the whole to single numbers. Visible parts are computed on demand.
 * @tagname qkv-deep-map
 * @fires {CustomEvent<DeepCell>} cell-focus - another cell is pointed at
 * @fires {CustomEvent<null>} cell-leave - the pointer leaves the cells
 * @fires {CustomEvent<DeepCell>} cell-pin - a cell is clicked, or Enter is pressed, which pins the cell in the middle of the map
 * @fires {CustomEvent<Token>} token-pin - a label is clicked
 * @fires {CustomEvent<DeepView>} view-change - a gesture has ended, and another part is in view
 * @csspart map - the map with its labels and its legend
 * @csspart tools - the buttons and the minimap
 * @csspart strongest - the table of the strongest cells in view
 */
export class QkvDeepMap extends /** @type {new () => import('./base.js').Emits<DeepMapEvents> & QkvElement} */ (
  QkvElement
) {
  /** @internal @type {unknown[]} */
  static styles = [
    sharedStyle,
    css`
      .map {
        overflow: hidden;
        cursor: crosshair;
        touch-action: pan-x pan-y;
        user-select: none;
        -webkit-user-select: none;
      }
      .map[data-zoomed] {
        touch-action: none;
        cursor: grab;
      }
      .tools {
        align-items: center;
      }
      .minimap {
        position: relative;
        cursor: pointer;
      }
      .minimap i {
        position: absolute;
        box-sizing: border-box;
        min-inline-size: 4px;
        min-block-size: 4px;
        border: 1.5px solid var(--qkv-mark, CanvasText);
        pointer-events: none;
      }
      .read {
        min-block-size: 1.4em;
        margin: 0.25rem 0 0;
        overflow-wrap: anywhere;
      }
      table {
        border-collapse: collapse;
      }
      summary {
        cursor: pointer;
      }
      td,
      th {
        padding: 0 0.5rem 0 0;
        text-align: start;
        font-weight: 400;
      }
      td:last-child {
        text-align: end;
      }
      table button {
        min-block-size: 1.75rem;
        padding: 0;
        border: 0;
        background: none;
        text-align: start;
        text-decoration: underline;
        overflow-wrap: anywhere;
        cursor: pointer;
      }
    `,
  ]

  /** @internal */
  static properties = {
    source: { attribute: false },
    rowTokens: { attribute: 'row-tokens', converter: asJSON },
    columnTokens: { attribute: 'column-tokens', converter: asJSON },
    rowTitle: { attribute: 'row-title' },
    columnTitle: { attribute: 'column-title' },
    scale: {},
    domain: { converter: asJSON },
    decimals: { type: Number },
    cell: { converter: asJSON },
    pinned: { converter: asJSON },
    highlight: { converter: asJSON },
    view: { state: true },
    spoken: { state: true },
  }

  /** @internal */
  words = Object.assign({}, commonTexts, deepMapTexts)

  constructor() {
    super()
    /** @type {DeepSource | undefined} */
    this.source = undefined
    /** @type {readonly string[]} */
    this.rowTokens = []
    /** @type {readonly string[]} */
    this.columnTokens = []
    /** @type {string | undefined} */
    this.rowTitle = undefined
    /** @type {string | undefined} */
    this.columnTitle = undefined
    /** @type {import('./colour-scale.js').Scale} */
    this.scale = 'sequential'
    /** Ends of the colour scale; by default they adapt to the visible part. @type {readonly [number, number] | undefined} */
    this.domain = undefined
    this.decimals = 4
    /** The cell under the pointer. @type {Cell | undefined} */
    this.cell = undefined
    /** The selected cell. @type {Cell | undefined} */
    this.pinned = undefined
    /** @type {import('./draw.js').Highlight | undefined} */
    this.highlight = undefined
    /** @internal @type {import('./geometry.js').View} */
    this.view = WHOLE
    /** Description of the visible part, updated when gestures end. @internal @type {{ view: string, links: DeepLink[] }} */
    this.spoken = { view: '', links: [] }
  }

  /** @type {Tiles | undefined} */
  #tiles = undefined
  /** @type {string | undefined} */
  #wrong = undefined
  /** @type {Error | undefined} */
  #option = undefined
  /** @type {Layout | undefined} */
  #layout = undefined
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #resting = undefined
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #saying = undefined
  #frame = 0
  /** True if tiles have arrived since the last frame. */
  #hasNew = false
  /** Tiles and appearance that the minimap was last drawn for. @type {{ tiles?: Tiles, key: string }} */
  #mapped = { key: '' }
  #isFocused = false
  /** Key of the view whose tiles were last requested. */
  #asked = ''
  /** @internal */
  drawing = new DeepDrawing()
  #gestures = new Gestures(this, {
    layout: () => this.#layout,
    mode: () => 'read',
    look: view => {
      this.view = view
    },
    point: cell => this.#point(cell),
    pin: cell => this.#pin(cell),
    token: () => {},
    pinToken: token => this.fire('token-pin', token),
    range: () => {},
    leave: () => {
      if (!this.cell) return
      this.cell = undefined
      this.fire('cell-leave', null)
    },
    paint: () => {},
    canDrag: () => false,
    drag: () => {},
    undrag: () => {},
    wheels: () => this.#isFocused,
  })

  /** @internal */
  disconnectedCallback() {
    // @ts-expect-error Lit's method, which the types of the base leave out
    super.disconnectedCallback()
    this.#tiles?.stop()
    this.#asked = ''
    clearTimeout(this.#resting)
    clearTimeout(this.#saying)
    cancelAnimationFrame(this.#frame)
  }

  /** @internal @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    this.scale ??= 'sequential'
    this.decimals ??= 4
    this.#option = optionProblem(this)
    if (!changed.has('source')) return
    const old = /** @type {DeepSource | undefined} */ (changed.get('source'))
    this.#tiles?.stop()
    this.#tiles = this.#wrong = undefined
    this.#asked = ''
    const { source } = this
    if (old?.rows !== source?.rows || old?.columns !== source?.columns) {
      this.view = WHOLE
      this.cell = undefined
    }
    if (source === undefined) return
    try {
      this.#tiles = new Tiles(source, () => this.#arrived())
    } catch (error) {
      this.#wrong = /** @type {Error} */ (error).message
    }
  }

  /** Schedules a frame after a tile has arrived or failed. Tiles that arrive before that frame share it. */
  #arrived() {
    this.#hasNew = true
    cancelAnimationFrame(this.#frame)
    this.#frame = requestAnimationFrame(() => this.#draw())
    this.#sayLater()
    if (this.#tiles?.failure || !this.#tiles?.isWaiting) this.requestUpdate()
  }

  /** @returns {import('./deep-drawing.js').DeepMap} */
  get #map() {
    const { source, decimals, scale, domain } = this
    const [rowTokens, columnTokens] = [this.rowTokens ?? [], this.columnTokens ?? []]
    const { rows, columns } = /** @type {DeepSource} */ (source)
    const [rowTitle, columnTitle] = [this.rowTitle ?? this.say('queries'), this.columnTitle ?? this.say('keys')]
    const own = { rows, columns, rowTokens, columnTokens, rowTitle, columnTitle, decimals, scale, domain }
    return { ...own, hiddenWord: this.say('hidden') }
  }

  /** @param {import('./geometry.js').View} [view] @param {number} [width] */
  #arrange(view, width = this.room.width) {
    const height = Number.parseFloat(getComputedStyle(this).getPropertyValue('--qkv-height')) || 560
    return arrange(this.#map, this.theme.style, width, height, view)
  }

  /** @internal */
  updated() {
    this.#layout = undefined
    if (!this.#tiles || this.#option) return
    if (!this.room.width) this.room.measure()
    this.#layout = this.#arrange(this.view)
    if (!this.#asked) this.drawing.adapt(this.#map, this.#tiles, this.#layout)
    const { zoom, row, column } = this.#layout.view
    const { view } = this
    // Clamp the view to the matrix.
    if (view.zoom !== zoom || view.row !== row || view.column !== column) this.view = { zoom, row, column }
    this.#draw()
    const now = [zoom, row, column, this.room.width].join()
    if (now === this.#asked) return
    this.#asked = now
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => this.#rest(), REST)
  }

  /** Requests tiles and adapts the colours after a gesture. */
  #rest() {
    const layout = this.#layout
    if (!layout || !this.#tiles) return
    const seen = seenCells(layout)
    this.#tiles.look(seen, levelIn(layout))
    this.drawing.adapt(this.#map, this.#tiles, layout)
    this.#draw()
    const rows = [seen.row, seen.row + seen.rows]
    this.fire('view-change', { rows, columns: [seen.column, seen.column + seen.columns] })
    this.#sayLater()
  }

  #sayLater() {
    clearTimeout(this.#saying)
    this.#saying = setTimeout(() => this.#sayView(), SAY)
  }

  #sayView() {
    const [layout, tiles] = [this.#layout, this.#tiles]
    if (!layout || !tiles || !this.source) return
    const { row, column, rows, columns } = seenCells(layout)
    const view = this.say('zoomed', {
      firstRow: row + 1,
      lastRow: row + rows,
      rows: this.source.rows,
      firstColumn: column + 1,
      lastColumn: column + columns,
      columns: this.source.columns,
    })
    const links = strongestIn(tiles.covering(seenCells(layout), levelIn(layout)), seenCells(layout), STRONGEST)
    this.spoken = { view, links }
  }

  #draw() {
    const [layout, tiles] = [this.#layout, this.#tiles]
    /** @type {HTMLCanvasElement | null} */
    const canvas = this.renderRoot.querySelector('.map canvas')
    if (!layout || !tiles || !canvas || !this.source) return
    if (this.#hasNew) this.drawing.adapt(this.#map, tiles, layout)
    this.#hasNew = false
    const { style } = this.theme
    const backend = backendOf(canvas, Math.max(layout.width, 96), layout.height, devicePixelRatio || 1, style.family)
    if (!backend) return
    const { pinned, highlight, cell } = this
    const marks = { focus: cell, pinned, highlight }
    const isStill = Boolean(globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches)
    const isUnfinished = this.drawing.draw(backend, this.#map, tiles, layout, style, marks, { isStill })
    this.#sayScale(layout)
    this.#drawMinimap(layout, style)
    cancelAnimationFrame(this.#frame)
    if (isUnfinished) this.#frame = requestAnimationFrame(() => this.#draw())
  }

  /** Describes the ends of the colour scale, and how many cells of the matrix a cell on the screen represents. @param {Layout} layout */
  #sayScale(layout) {
    const said = this.renderRoot.querySelector('.labels')
    const tile = this.#tiles?.covering(seenCells(layout), levelIn(layout))[0]
    if (!said) return
    const size = (/** @type {readonly [number, number]} */ [from, to], /** @type {number} */ cells) =>
      Math.max(1, Math.round((to - from) / cells))
    const rows = tile ? size(tile.rows, tile.resolution[0]) : 1
    const columns = tile ? size(tile.columns, tile.resolution[1]) : 1
    const isOne = rows === 1 && columns === 1
    const end = short(this.drawing.domain[1])
    if (this.domain) said.textContent = isOne ? '' : this.say('deepScaleFixed', { rows, columns })
    else said.textContent = this.say(isOne ? 'deepScaleOne' : 'deepScale', { end, rows, columns })
  }

  /** Draws the overview with a frame around the visible part. @param {Layout} layout @param {import('./draw.js').Style} style */
  #drawMinimap(layout, style) {
    /** @type {HTMLCanvasElement | null} */
    const canvas = this.renderRoot.querySelector('.minimap canvas')
    /** @type {HTMLElement | null} */
    const frame = this.renderRoot.querySelector('.minimap i')
    const [tiles, source] = [this.#tiles, this.source]
    if (!canvas || !frame || !tiles || !source) return
    const unit = MINIMAP / Math.max(source.rows, source.columns)
    const [width, height] = [Math.max(8, source.columns * unit), Math.max(8, source.rows * unit)]
    const key = `${style.isDark}`
    if (this.#mapped.tiles !== tiles || this.#mapped.key !== key) {
      const backend = backendOf(canvas, width, height, 2, style.family)
      this.#mapped = { tiles, key }
      const view = { left: 0, top: 0, width, height }
      if (backend) this.drawing.minimap(backend, this.#map, tiles, view, style)
    }
    const shares = [
      layout.view.row / source.rows,
      layout.view.column / source.columns,
      layout.plot.width / layout.cellWidth / source.columns,
      layout.plot.height / layout.cellHeight / source.rows,
    ].map(share => `${(100 * Math.min(1, share)).toFixed(2)}%`)
    frame.style.cssText = `top: ${shares[0]}; left: ${shares[1]}; width: ${shares[2]}; height: ${shares[3]}`
  }

  /** Moves the view to a point of the minimap. @param {PointerEvent & { currentTarget: Element }} event on the minimap */
  #go = ({ currentTarget, clientX, clientY, buttons }) => {
    const [layout, source] = [this.#layout, this.source]
    if (!layout || !source || buttons === 0) return
    const box = currentTarget.getBoundingClientRect()
    const half = { rows: layout.plot.height / layout.cellHeight / 2, columns: layout.plot.width / layout.cellWidth / 2 }
    const row = ((clientY - box.top) / box.height) * source.rows - half.rows
    this.view = {
      zoom: this.view.zoom,
      row,
      column: ((clientX - box.left) / box.width) * source.columns - half.columns,
    }
  }

  /** Returns the cell of the displayed level that contains a cell of the matrix; undefined if no tile has loaded there. @param {Cell} cell */
  #linkAt({ row, column }) {
    const layout = this.#layout
    const tiles = layout && this.#tiles?.covering(seenCells(layout), levelIn(layout))
    const tile = tiles?.find(
      ({ rows, columns }) => row >= rows[0] && row < rows[1] && column >= columns[0] && column < columns[1],
    )
    return tile && linkAt(tile, row, column)
  }

  /** @param {Cell} cell @returns {DeepCell} */
  #detail(cell) {
    const link = this.#linkAt(cell)
    const isOne = link && link.rows[1] - link.rows[0] === 1 && link.columns[1] - link.columns[0] === 1
    return { row: cell.row, column: cell.column, value: isOne ? link.value : undefined }
  }

  /** @param {Cell} cell */
  #point(cell) {
    if (this.cell?.row === cell.row && this.cell.column === cell.column) return
    this.cell = cell
    this.fire('cell-focus', this.#detail(cell))
  }

  /** @param {Cell} cell */
  #pin(cell) {
    this.fire('cell-pin', this.#detail(cell))
  }

  /** Names a row or column by its token and number; a range of them by the first and the last. @param {'row' | 'column'} axis @param {readonly [number, number]} range */
  #name(axis, [from, to]) {
    const tokens = axis === 'row' ? this.rowTokens : this.columnTokens
    const one = (/** @type {number} */ index) =>
      tokens?.[index] === undefined ? this.say(axis, { index: index + 1 }) : `${visible(tokens[index])} (${index + 1})`
    return to - from === 1 ? one(from) : this.say('deepSpan', { from: one(from), to: one(to - 1) })
  }

  /** Describes a cell of the matrix. If the map is zoomed out, describes the cell of the displayed level that contains it. @param {Cell} cell */
  describe(cell) {
    const link = this.#linkAt(cell)
    if (!link) return ''
    const names = { row: this.#name('row', link.rows), column: this.#name('column', link.columns) }
    return this.say('cell', { ...names, value: this.#number(link.value) })
  }

  /** @param {number} value */
  #number(value) {
    if (Number.isNaN(value)) return this.say('nan')
    if (value === -Infinity) return this.say('hidden')
    return value !== 0 && Math.abs(value) < 10 ** -this.decimals ? short(value) : write(value, this.decimals)
  }

  /**
   * Zooms to a part, until it fills half the map's width or height, or until its cells are large enough for their numbers.
   * @param {{ row: number, column: number, rows?: number, columns?: number }} part
   */
  show({ row, column, rows = 1, columns = 1 }) {
    const layout = this.#layout
    if (!layout || !this.source) return
    const whole = this.#arrange(WHOLE)
    const fits = Math.min(whole.plot.width / (columns * whole.cellWidth), whole.plot.height / (rows * whole.cellHeight))
    const zoom = Math.min(fits * 0.5, Math.max(1, SHOWN / Math.min(whole.cellWidth, whole.cellHeight)))
    const near = this.#arrange({ zoom, row: 0, column: 0 })
    const middle = (/** @type {number} */ at, /** @type {number} */ count, /** @type {number} */ seen) =>
      at + count / 2 - seen / 2
    this.view = {
      zoom: near.view.zoom,
      row: middle(row, rows, near.plot.height / near.cellHeight),
      column: middle(column, columns, near.plot.width / near.cellWidth),
    }
  }

  /** @param {number} factor 0 shows everything @param {{ x: number, y: number }} [at] */
  #zoom(factor, at) {
    const layout = this.#layout
    if (!layout) return
    const { left, top, width, height } = layout.plot
    const { x, y } = at ?? { x: left + width / 2, y: top + height / 2 }
    this.view = factor === 0 ? WHOLE : zoomed(layout, factor, x, y)
  }

  /** @param {KeyboardEvent} event */
  #key = event => {
    const layout = this.#layout
    if (!layout || event.altKey || event.ctrlKey || event.metaKey) return
    const { width, height } = layout.plot
    const [dx, dy] = [width / 8, height / 8]
    /** @type {Record<string, () => void>} */
    const keys = {
      '+': () => this.#zoom(1.5),
      '=': () => this.#zoom(1.5),
      '-': () => this.#zoom(1 / 1.5),
      0: () => this.#zoom(0),
      Home: () => this.#zoom(0),
      ArrowUp: () => this.#pan(0, dy),
      ArrowDown: () => this.#pan(0, -dy),
      ArrowLeft: () => this.#pan(dx, 0),
      ArrowRight: () => this.#pan(-dx, 0),
      Enter: () => this.#pin(this.#middle(layout)),
    }
    if (!Object.hasOwn(keys, event.key)) return
    event.preventDefault()
    keys[event.key]()
  }

  /** @param {number} dx @param {number} dy */
  #pan(dx, dy) {
    if (this.#layout) this.view = panned(this.#layout, dx, dy)
  }

  /** @param {Layout} layout @returns {Cell} */
  #middle(layout) {
    const { row, column, rows, columns } = seenCells(layout)
    return { row: row + Math.floor(rows / 2), column: column + Math.floor(columns / 2) }
  }

  /** @param {MouseEvent & { currentTarget: Element }} event */
  #twice = event => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    this.#zoom(2.5, { x: event.clientX - left, y: event.clientY - top })
  }

  /** @internal */
  picture() {
    const [layout, tiles] = [this.#layout, this.#tiles]
    if (!layout || !tiles) return { width: 96, height: 24, draw: () => {} }
    const marks = { pinned: this.pinned, highlight: this.highlight }
    const drawing = new DeepDrawing()
    drawing.domain = this.drawing.domain
    drawing.budget = Infinity
    const draw = (/** @type {import('./drawing-backends.js').Backend} */ backend) => {
      drawing.draw(backend, this.#map, tiles, layout, this.theme.style, marks, { isStill: true })
    }
    return { width: layout.width, height: layout.height, draw }
  }

  /** @internal @returns {unknown} */
  render() {
    const { source } = this
    if (this.#wrong)
      return [
        this.theme.probe,
        html`<p class="problem" part="problem">${this.say('deepSource', { reason: this.#wrong })}</p>`,
      ]
    if (this.#option) return this.problem(this.#option)
    if (!source || !this.#tiles) return this.nothing()
    const size = { rows: source.rows, columns: source.columns }
    const label = this.label ? this.say('ofMap', { label: this.label, ...size }) : this.say('map', size)
    const { down, move, out, up, wheel } = this.#gestures
    const failure = this.#tiles.failure
    const focus = (/** @type {boolean} */ isFocused) => () => {
      this.#isFocused = isFocused
    }
    return html`${this.theme.probe}<div class="size" part="map">
      <div class="map" role="application" tabindex="0" aria-label=${label} aria-describedby="help" ?data-zoomed=${this.view.zoom > 1}
        @keydown=${this.#key} @focus=${focus(true)} @blur=${focus(false)} @pointerdown=${down} @pointermove=${move} @pointerup=${up}
        @pointercancel=${up} @pointerleave=${out} @wheel=${wheel} @dblclick=${this.#twice}><canvas aria-hidden="true"></canvas></div></div>
      <div class="unseen" id="help">${this.say('deepHelp')}</div>
      <p class="read quiet" aria-hidden="true">${this.cell ? this.describe(this.cell) : nothing}</p>
      ${
        failure
          ? html`<p class="problem" part="problem">${this.say(failure.key, failure.values)} <button type="button"
            @click=${this.#retry}>${this.say('deepRetry')}</button></p>`
          : nothing
      }
      ${this.#tools()}
      <div class="unseen" role="status">${this.spoken.view}</div>
      ${this.#strongest()}`
  }

  #retry = () => {
    this.#tiles?.retry()
    this.#rest()
    this.requestUpdate()
  }

  #tools() {
    const isWhole = this.view.zoom <= 1
    const button = (
      /** @type {unknown} */ sign,
      /** @type {'zoomIn' | 'zoomOut' | 'zoomAll'} */ key,
      /** @type {number} */ factor,
      isOff = false,
    ) =>
      html`<button type="button" aria-label=${this.say(key)} title=${this.say(key)} ?disabled=${isOff}
        @click=${() => this.#zoom(factor)}>${sign}</button>`
    return html`<div class="tools" part="tools">
      <div class="minimap" title=${this.say('deepMinimap')} aria-hidden="true" ?hidden=${!this.#tiles?.overview}
        @pointerdown=${this.#go} @pointermove=${this.#go}><canvas></canvas><i></i></div>
      ${button('−', 'zoomOut', 1 / 1.5, isWhole)}${button('+', 'zoomIn', 1.5)}${button(ALL, 'zoomAll', 0, isWhole)}<span
        class="labels quiet"></span>
    </div>`
  }

  #strongest() {
    const { links } = this.spoken
    if (!links.length) return nothing
    const titles = [this.rowTitle || this.say('queries'), this.columnTitle || this.say('keys'), this.say('deepValue')]
    return html`<details part="strongest"><summary>${this.say('deepStrongest')}</summary><table>
      <thead><tr>${titles.map(title => html`<th scope="col" class="quiet">${title}</th>`)}</tr></thead>
      <tbody>${links.map(link => {
        const [row, column] = [this.#name('row', link.rows), this.#name('column', link.columns)]
        return html`<tr><td><button type="button"
          @click=${() => this.#follow(link)}>${row}</button></td><td>${column}</td><td>${this.#number(link.value)}</td></tr>`
      })}</tbody></table></details>`
  }

  /** @param {DeepLink} link */
  #follow({ rows: [top, bottom], columns: [left, right] }) {
    this.show({ row: top, column: left, rows: bottom - top, columns: right - left })
    if (bottom - top === 1 && right - left === 1) this.#pin({ row: top, column: left })
  }
}

define('qkv-deep-map', QkvDeepMap)
