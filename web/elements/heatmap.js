import { html, nothing } from 'lit'
import { QkvElement } from './base.js'
import { define } from './define.js'
import { drawMap, labelsEvery, MOST_SHAPES } from './draw.js'
import { boxOf, layout, naturalWidth, seenCells, showing, WHOLE, zoomed } from './geometry.js'
import { Gestures } from './gestures.js'
import { heatmapStyle } from './heatmap-style.js'
import { moved } from './keys.js'
import { mapOf, wantedOf } from './model.js'
import { write } from './numbers.js'
import { penOf, visible } from './pens.js'
import { canvasOf, raster } from './raster.js'
import { sharedStyle } from './style.js'
import { tools } from './tools.js'

/** @typedef {import('./geometry.js').Cell} Cell */
/** @typedef {import('./geometry.js').Layout} Layout */
/** @typedef {import('./tensor.js').TensorLike} TensorLike */
/** @typedef {import('./draw.js').HeatMap} HeatMap */

/** What the map is made of; the rest only marks it. */
const MADE_OF = [
  'matrix',
  'minus',
  'mask',
  'previous',
  'scale',
  'domain',
  'rowTokens',
  'columnTokens',
  'rowTitle',
  'columnTitle',
  'texts',
  'decimals',
  'legend',
]

/**
 * @typedef {import('./gestures.js').Token} Token
 * @typedef {Cell & { value: number }} CellDetail
 * @typedef {{ isSecond?: true }} Second with Shift, or by a long press: a second one is meant
 * @typedef {{ side: 'row' | 'column', from: number, to: number }} Range of labels, the smaller index first
 * @typedef {CellDetail & { hide: boolean, isFirst: boolean }} PaintDetail `hide` is what the first cell of the stroke was not
 * @typedef {CellDetail & { old: number, isFirst: boolean }} EditDetail `isFirst` begins a drag
 * @typedef {{ 'cell-focus': CellDetail, 'cell-leave': null, 'cell-pin': CellDetail & Second, 'token-focus': Token | null, 'token-pin': Token & Second, 'token-range': Range, 'cell-paint': PaintDetail, 'cell-edit': EditDetail }} HeatmapEvents
 */

/**
 * A matrix as a map of colours, with its numbers where they fit; zoomed, pointed at, pinned, painted or edited.
 * @tagname qkv-heatmap
 * @fires {CustomEvent<CellDetail>} cell-focus - another cell is pointed at or moved to
 * @fires {CustomEvent<null>} cell-leave - the pointer leaves the cells
 * @fires {CustomEvent<CellDetail & Second>} cell-pin - a cell is clicked, or Enter is pressed; `isSecond` with Shift, or by a long press
 * @fires {CustomEvent<Token | null>} token-focus - a label is pointed at; null when it is left
 * @fires {CustomEvent<Token & Second>} token-pin - a label is clicked; `isSecond` with Shift, or by a long press
 * @fires {CustomEvent<Range>} token-range - a stroke over labels ended
 * @fires {CustomEvent<PaintDetail>} cell-paint - in mode "paint"; `hide` is what the first cell of the stroke was not
 * @fires {CustomEvent<EditDetail>} cell-edit - in mode "edit", by dragging or typing; `isFirst` begins a drag
 * @csspart map - the map with its labels and its legend
 * @csspart tools - the buttons below
 * @csspart problem - the sentence that says what is wrong with the tensors
 * @csspart empty - what stands there while there is nothing to show
 * @cssprop --qkv-ink - text and lines; by default CanvasText
 * @cssprop --qkv-quiet - secondary text
 * @cssprop --qkv-paper - the ground; by default Canvas
 * @cssprop --qkv-rule - thin lines
 * @cssprop --qkv-mark - focus and selection; by default CanvasText
 * @cssprop --qkv-problem - what is wrong with the tensors
 * @cssprop --qkv-font - the font family; by default system-ui
 * @cssprop --qkv-height - the most that all cells are high; by default 560px
 * @cssprop --qkv-cell-width - how wide a cell grows where there is room; by default as its number
 * @cssprop --qkv-cell-height - how high; by default 2.4 lines
 */
export class QkvHeatmap extends /** @type {new () => import('./base.js').Emits<HeatmapEvents> & QkvElement} */ (
  QkvElement
) {
  /** @internal @type {unknown[]} */
  static styles = [sharedStyle, heatmapStyle]

  /** @internal */
  static properties = {
    matrix: { attribute: false },
    minus: { attribute: false },
    mask: { attribute: false },
    previous: { attribute: false },
    rowTokens: { attribute: false },
    columnTokens: { attribute: false },
    scale: {},
    domain: { attribute: false },
    rowTitle: { attribute: 'row-title' },
    columnTitle: { attribute: 'column-title' },
    decimals: { type: Number },
    mode: {},
    editable: { type: Boolean },
    cell: { attribute: false },
    pinned: { attribute: false },
    highlight: { attribute: false },
    legend: { type: Boolean },
    tools: { type: Boolean },
    asTable: { type: Boolean, attribute: 'as-table' },
    view: { state: true },
    page: { state: true },
    editing: { state: true },
  }

  constructor() {
    super()
    /** @type {TensorLike | undefined} (rows, columns) */
    this.matrix = undefined
    /** Shown is `matrix` less this, on a diverging scale. @type {TensorLike | undefined} */
    this.minus = undefined
    /** Boolean: true may be seen; numbers: -Infinity hides. @type {TensorLike | undefined} */
    this.mask = undefined
    /** The numbers of before; where they differ they stay to be seen, small. @type {TensorLike | undefined} */
    this.previous = undefined
    /** Names of the rows; none: numbers are announced, nothing is written. @type {readonly string[]} */
    this.rowTokens = []
    /** @type {readonly string[]} */
    this.columnTokens = []
    /** @type {import('./colour.js').Scale | undefined} 'sequential', unless there is `minus` */
    this.scale = undefined
    /** Where the colours begin and end: 0 to 1, or as far to both sides as the numbers go. @type {readonly [number, number] | undefined} */
    this.domain = undefined
    /** Of the axis down; '' for none. @type {string | undefined} */
    this.rowTitle = undefined
    /** Of the axis across. @type {string | undefined} */
    this.columnTitle = undefined
    this.decimals = 4
    /** @type {'read' | 'paint' | 'edit'} */
    this.mode = 'read'
    /** F2 and a double click type a number in any mode. */
    this.editable = false
    /** The cell that is pointed at. @type {Cell | undefined} */
    this.cell = undefined
    /** The cell that is kept. @type {Cell | undefined} */
    this.pinned = undefined
    /** @type {import('./draw.js').Highlight | undefined} */
    this.highlight = undefined
    this.legend = true
    this.tools = true
    this.asTable = false
    /** @internal @type {import('./geometry.js').View} */
    this.view = WHOLE
    /** Where the table begins. @internal @type {Cell} */
    this.page = { row: 0, column: 0 }
    /** What is being typed into the focused cell. @internal @type {string | undefined} */
    this.editing = undefined
  }

  /** @type {HeatMap | undefined} */
  #map = undefined
  /** @type {unknown} */
  #problem = undefined
  /** @type {Layout | undefined} */
  #layout = undefined
  /** @type {{ key: string, canvas: HTMLCanvasElement } | undefined} */
  #image = undefined
  #hide = false
  #scrubbed = 0
  #isFocused = false
  #said = ''
  /** @type {typeof import('./table.js').table | undefined} */
  #tableOf = undefined
  /** @type {import('./gestures.js').Token | undefined} */
  #token = undefined
  /** What a stroke over labels has reached. @type {Range | undefined} */
  #range = undefined

  #gestures = new Gestures(this, {
    layout: () => this.#layout,
    mode: () => this.mode,
    look: view => {
      this.view = view
    },
    point: cell => this.#point(cell),
    pin: (cell, isSecond) => this.#pin(cell, isSecond),
    token: token => this.#pointToken(token),
    pinToken: (token, isSecond) => {
      this.#fire('token-pin', { ...token, ...(isSecond && { isSecond }) })
    },
    range: ({ side, index }, { index: other }, isDone) => {
      const range = { side, from: Math.min(index, other), to: Math.max(index, other) }
      this.#range = isDone ? undefined : range
      this.requestUpdate()
      if (isDone) this.#fire('token-range', range)
    },
    leave: () => this.#leave(),
    paint: (cell, isFirst) => this.#paintCell(cell, isFirst),
    scrub: (cell, pixels, isFine, isFirst) => {
      if (isFirst) this.#scrubbed = this.#value(cell)
      const [from, to] = this.#map?.domain ?? [0, 1]
      const value = this.#scrubbed + ((pixels * (to - from)) / 200) * (isFine ? 0.1 : 1)
      this.#edit(cell, Number(value.toFixed(this.decimals)), isFirst)
    },
  })

  /** @internal @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    if (MADE_OF.some(name => changed.has(name))) this.#make()
    const map = this.#map
    if (!map) return
    const [rows, columns] = map.dims
    if (this.cell && (this.cell.row >= rows || this.cell.column >= columns)) this.cell = undefined
    if (this.page.row >= rows || this.page.column >= columns) this.page = { row: 0, column: 0 }
    if (!this.hasUpdated || changed.has('matrix') === false) return
    const old = /** @type {TensorLike | undefined} */ (changed.get('matrix'))
    if (old && String(old.dims ?? old.shape) !== String(this.matrix?.dims ?? this.matrix?.shape)) this.view = WHOLE
  }

  /** @internal The table is loaded when it is asked for first. @returns {unknown} */
  scheduleUpdate() {
    if (!this.asTable || this.#tableOf) return super.scheduleUpdate()
    return import('./table.js').then(({ table }) => {
      this.#tableOf = table
      return super.scheduleUpdate()
    })
  }

  /** Checks the tensors and puts together what is drawn. */
  #make() {
    this.#map = this.#problem = this.#image = undefined
    if (this.matrix === undefined) return
    try {
      this.#map = mapOf(this, {
        rowTitle: this.rowTitle ?? this.say('queries'),
        columnTitle: this.columnTitle ?? this.say('keys'),
        hiddenWord: this.say('hidden'),
      })
    } catch (error) {
      this.#problem = error
    }
  }

  /** @param {Cell} cell */
  #value({ row, column }) {
    return this.#map ? this.#map.data[row * this.#map.dims[1] + column] : Number.NaN
  }

  /** @param {Cell} cell */
  #isHidden({ row, column }) {
    return this.#map?.isHidden(row * this.#map.dims[1] + column) ?? false
  }

  /** A row or column by its token, or by its number. @param {'row' | 'column'} axis @param {number} index */
  #name(axis, index) {
    const token = (axis === 'row' ? this.rowTokens : this.columnTokens)?.[index]
    return token === undefined ? this.say(axis, { index: index + 1 }) : visible(token)
  }

  /** A cell in words, as it is announced. @param {Cell} cell */
  describe(cell) {
    return this.say('cell', {
      row: this.#name('row', cell.row),
      column: this.#name('column', cell.column),
      value: this.#words(cell),
    })
  }

  /** Its number in words. @param {Cell} cell */
  #words(cell) {
    const value = this.#value(cell)
    const written = Number.isNaN(value)
      ? this.say('nan')
      : value === Infinity
        ? this.say('infinity')
        : write(value, this.decimals)
    if (!this.#isHidden(cell)) return written
    return value === -Infinity ? this.say('hidden') : this.say('hiddenValue', { value: written })
  }

  /** Where a cell stands in the window, for what a page puts beside it. @param {Cell} cell @returns {DOMRect | undefined} */
  where(cell) {
    const origin = this.renderRoot.querySelector('canvas')?.getBoundingClientRect()
    if (!origin || !this.#layout) return undefined
    const { left, top, width, height } = boxOf(this.#layout, cell)
    return new DOMRect(origin.left + left, origin.top + top, width, height)
  }

  /** @param {string} name @param {unknown} [detail] */
  #fire(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }))
  }

  /** @param {string} name @param {Cell} cell @param {object} [more] */
  #emit(name, cell, more) {
    this.#fire(name, { row: cell.row, column: cell.column, value: this.#value(cell), ...more })
  }

  /** @param {Cell} cell */
  #point(cell) {
    if (this.cell?.row === cell.row && this.cell.column === cell.column) return
    this.cell = cell
    this.#emit('cell-focus', cell)
  }

  /** @param {import('./gestures.js').Token | undefined} token */
  #pointToken(token) {
    if (this.#token?.side === token?.side && this.#token?.index === token?.index) return
    this.#token = token
    this.#fire('token-focus', token)
  }

  #leave() {
    if (!this.cell || this.#isFocused) return
    this.cell = undefined
    this.#fire('cell-leave')
  }

  /** @param {Cell} cell @param {boolean} [isSecond] */
  #pin(cell, isSecond = false) {
    this.#said = this.say('kept', { cell: this.describe(cell) })
    this.requestUpdate()
    this.#emit('cell-pin', cell, isSecond ? { isSecond } : {})
  }

  /** @param {Cell} cell @param {boolean} isFirst */
  #paintCell(cell, isFirst) {
    if (isFirst) this.#hide = !this.#isHidden(cell)
    this.#point(cell)
    this.#emit('cell-paint', cell, { hide: this.#hide, isFirst })
  }

  /** @param {Cell} cell @param {number} value @param {boolean} isFirst */
  #edit(cell, value, isFirst) {
    this.#emit('cell-edit', cell, { value, old: this.#value(cell), isFirst })
  }

  /** @param {number} factor */
  #zoom(factor) {
    const now = this.#layout
    if (!now) return
    const { plot } = now
    this.view = factor === 0 ? WHOLE : zoomed(now, factor, plot.left + plot.width / 2, plot.top + plot.height / 2)
    if (!this.cell || factor <= 1) return
    const next = this.#place(this.view)
    if (next) this.view = showing(next, this.cell)
  }

  /** A number as it is typed. @param {Cell} cell */
  #typed(cell) {
    return write(this.#value(cell), this.decimals).replace('\u2212', '-')
  }

  /** @param {string} key */
  #canType(key) {
    if (key === 'F2') return this.editable || this.mode === 'edit'
    return this.mode === 'edit' && /^[\d.-]$/.test(key)
  }

  /** @param {KeyboardEvent} event */
  #key = event => {
    const map = this.#map
    if (!map || map.data.length === 0 || event.altKey) return
    const from = this.cell ?? { row: 0, column: 0 }
    const next = moved(event, from, map.dims[0], map.dims[1])
    const isPlain = !event.ctrlKey && !event.metaKey
    if (next) {
      this.#point(next)
      if (this.#layout) this.view = showing(this.#layout, next)
      if (this.mode === 'paint' && event.shiftKey) this.#emit('cell-paint', next, { hide: this.#hide, isFirst: false })
    } else if (event.key === ' ' && this.mode === 'paint') this.#paintCell(from, true)
    else if (isPlain && this.#canType(event.key)) this.editing = event.key === 'F2' ? this.#typed(from) : event.key
    else if (event.key === 'Enter' || event.key === ' ') this.#pin(from, event.shiftKey)
    else if (isPlain && (event.key === '+' || event.key === '=')) this.#zoom(1.5)
    else if (isPlain && event.key === '-') this.#zoom(1 / 1.5)
    else if (isPlain && event.key === '0') this.#zoom(0)
    else return
    event.preventDefault()
  }

  /** @param {KeyboardEvent & { currentTarget: HTMLInputElement }} event */
  #type = event => {
    event.stopPropagation()
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    const value = Number(event.currentTarget.value.trim().replace(',', '.').replace('\u2212', '-') || Number.NaN)
    this.editing = undefined
    this.#mapElement?.focus()
    if (event.key === 'Enter' && !Number.isNaN(value) && this.cell) this.#edit(this.cell, value, true)
  }

  get #mapElement() {
    return /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('.map'))
  }

  /** @param {boolean} isFocused */
  #focus(isFocused) {
    this.#isFocused = isFocused
    if (isFocused && !this.cell && this.#map?.data.length) this.#point({ row: 0, column: 0 })
    this.requestUpdate()
  }

  /** @param {HeatMap} map @param {number} width @param {import('./geometry.js').View} [view] */
  #arrange(map, width, view) {
    const largest = { width: this.#length('--qkv-cell-width'), height: this.#length('--qkv-cell-height') }
    const wanted = wantedOf(map, this.theme.style, this.#length('--qkv-height', 560), width, view, largest)
    return { wanted, layout: layout(wanted) }
  }

  /** @template {number | undefined} T @param {string} name of a CSS property in px @param {T} [otherwise] @returns {number | T} */
  #length(name, otherwise) {
    return Number.parseFloat(getComputedStyle(this).getPropertyValue(name)) || /** @type {T} */ (otherwise)
  }

  /** @param {import('./geometry.js').View} view */
  #place(view) {
    return this.#map && this.#arrange(this.#map, this.room.width, view).layout
  }

  /** @internal */
  updated() {
    const map = this.#map
    const canvas = this.renderRoot.querySelector('canvas')
    const size = this.room.part
    const input = this.renderRoot.querySelector('input')
    if (!map || !canvas || !size) return
    this.#sayCell()
    const natural = Math.max(naturalWidth(this.#arrange(map, this.room.width).wanted), 96)
    if (size.style.inlineSize !== `${natural}px` || !this.room.width) {
      size.style.inlineSize = `${natural}px`
      this.room.measure()
    }
    const arranged = this.#arrange(map, this.room.width, this.view).layout
    this.#layout = arranged
    this.#sayLabels(arranged)
    const ratio = devicePixelRatio || 1
    const width = Math.max(arranged.width, Math.min(this.room.width, 96))
    const pen = penOf(canvas, width, arranged.height, ratio, this.theme.style.family)
    if (pen) this.#draw(pen, map, arranged, ratio)
    if (!input || !this.cell) return
    const { left, top } = boxOf(arranged, this.cell)
    input.style.left = `${left}px`
    input.style.top = `${top}px`
    if (this.renderRoot instanceof ShadowRoot && this.renderRoot.activeElement !== input) input.focus()
  }

  /** The cell that is pointed at: another one is another element, which screen readers announce. */
  #sayCell() {
    const at = this.cell ?? { row: 0, column: 0 }
    const row = this.renderRoot.querySelector('[role=row]')
    const id = `cell-${at.row}-${at.column}`
    const old = row?.firstElementChild
    const cell = old?.id === id ? old : document.createElement('div')
    const isPinned = this.pinned?.row === at.row && this.pinned.column === at.column
    const attributes = { id, role: 'gridcell', 'aria-colindex': at.column + 1, 'aria-selected': isPinned }
    for (const [name, value] of Object.entries(attributes)) cell.setAttribute(name, String(value))
    cell.textContent = this.describe(at)
    if (cell !== old) row?.replaceChildren(cell)
  }

  /** Which labels are left out, in words. @param {Layout} arranged */
  #sayLabels(arranged) {
    const said = this.renderRoot.querySelector('.labels')
    if (!said) return
    const { rows, columns } = labelsEvery(arranged, this.theme.style.fontSize)
    const most = Math.max(this.rowTokens?.length ? rows : 1, this.columnTokens?.length ? columns : 1)
    said.textContent = most > 1 ? this.say('labelsEvery', { count: most }) : ''
  }

  /** @param {import('./pens.js').Pen} pen @param {HeatMap} map @param {Layout} arranged @param {number} ratio @param {boolean} [isWhole] */
  #draw(pen, map, arranged, ratio, isWhole = false) {
    const seen = seenCells(arranged)
    const isMany = seen.rows * seen.columns > MOST_SHAPES
    const { pinned, highlight } = this
    const marks = isWhole
      ? { pinned, highlight }
      : { focus: this.cell, isFocused: this.#isFocused, pinned, highlight, range: this.#range }
    drawMap(pen, map, arranged, this.theme.style, marks, isMany ? this.#cells(map, arranged, ratio) : undefined)
  }

  /** The seen cells as an image, kept until something changes. @param {HeatMap} map @param {Layout} arranged @param {number} ratio */
  #cells(map, arranged, ratio) {
    const seen = seenCells(arranged)
    const width = Math.max(1, Math.min(seen.columns, Math.round(seen.columns * arranged.cellWidth * ratio)))
    const height = Math.max(1, Math.min(seen.rows, Math.round(seen.rows * arranged.cellHeight * ratio)))
    const key = [...Object.values(seen), width, height, this.theme.style.isDark].join()
    if (this.#image?.key !== key)
      this.#image = { key, canvas: canvasOf(raster(map, this.theme.style.isDark, seen, width, height)) }
    return this.#image.canvas
  }

  /**
   * The whole matrix, as wide as it stands on the page. Above 4096 cells they are one embedded image, at full resolution
   * in SVG.
   * @internal
   */
  picture() {
    const map = this.#map
    if (!map) return { width: 96, height: 24, draw: () => {} }
    const arranged = this.#arrange(map, this.room.width || 640).layout
    const isMany = map.data.length > MOST_SHAPES
    return {
      width: arranged.width,
      height: arranged.height,
      description: isMany ? this.say('asImage', { rows: map.dims[0], columns: map.dims[1] }) : undefined,
      draw: (/** @type {import('./pens.js').Pen} */ pen) => {
        this.#draw(pen, map, arranged, 'context' in pen ? 2 : Infinity, true)
        this.#image = undefined
      },
    }
  }

  /** @internal @returns {unknown} */
  render() {
    const map = this.#map
    if (this.#problem) return [this.theme.probe, this.problem(this.#problem)]
    if (!map || map.data.length === 0)
      return [this.theme.probe, html`<p class="quiet" part="empty">${this.say('empty')}</p>`]
    const [rows, columns] = map.dims
    const label = this.label
      ? this.say('ofMap', { label: this.label, rows, columns })
      : this.say('map', { rows, columns })
    return html`${this.theme.probe}
      ${this.asTable && this.#tableOf ? html`<div class="table size" role="region" tabindex="0" aria-label=${label}>${this.#table(this.#tableOf, map, label)}</div>` : this.#grid(map, label)}
      <div class="unseen" role="status">${this.#said}</div>
      ${this.tools ? this.#tools(map) : nothing}`
  }

  /** @param {HeatMap} map @param {string} label */
  #grid({ dims: [rows, columns] }, label) {
    const at = this.cell ?? { row: 0, column: 0 }
    const id = `cell-${at.row}-${at.column}`
    const help = this.say(this.mode === 'paint' ? 'helpPaint' : this.mode === 'edit' ? 'helpEdit' : 'help')
    const { down, move, out, up, wheel } = this.#gestures
    return html`<div class="size" part="map">
      <div
        class="map"
        role="grid"
        tabindex="0"
        data-mode=${this.mode}
        ?data-zoomed=${this.view.zoom > 1}
        aria-label=${label}
        aria-describedby="help"
        aria-rowcount=${rows}
        aria-colcount=${columns}
        aria-readonly=${this.mode === 'read'}
        aria-activedescendant=${id}
        @keydown=${this.#key}
        @focus=${() => this.#focus(true)}
        @blur=${() => this.#focus(false)}
        @pointerdown=${down}
        @pointermove=${move}
        @pointerup=${up}
        @pointercancel=${up}
        @pointerleave=${out}
        @wheel=${wheel}
        @dblclick=${() => {
          if (this.#canType('F2') && this.cell) this.editing = this.#typed(this.cell)
        }}
      >
        <canvas aria-hidden="true"></canvas>
        <div class="unseen" role="row" aria-rowindex=${at.row + 1}></div>
      </div>
      ${
        this.editing === undefined
          ? nothing
          : html`<input
              type="text"
              inputmode="decimal"
              aria-label=${this.say('edit', { row: this.#name('row', at.row), column: this.#name('column', at.column) })}
              .value=${this.editing}
              @keydown=${this.#type}
              @blur=${() => {
                this.editing = undefined
              }}
            />`
      }
      <div class="unseen" id="help">${help}</div>
    </div>`
  }

  /** @param {HeatMap} map */
  #tools({ data }) {
    const isSmall = this.view.zoom === 1 && data.length <= 144
    return tools({
      asTable: this.asTable,
      zoom: this.asTable || isSmall ? undefined : this.view.zoom,
      say: (key, values) => this.say(key, values),
      scale: factor => this.#zoom(factor),
      turn: () => {
        this.asTable = !this.asTable
      },
    })
  }

  /** @param {typeof import('./table.js').table} table @param {HeatMap} map @param {string} label */
  #table(table, map, label) {
    return table({
      rows: map.dims[0],
      columns: map.dims[1],
      page: this.page,
      label,
      say: (key, values) => this.say(key, values),
      name: (axis, index) => this.#name(axis, index),
      value: cell => this.#words(cell),
      turn: page => {
        this.page = page
      },
    })
  }
}

define('qkv-heatmap', QkvHeatmap)
