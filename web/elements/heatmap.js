import { html, nothing } from 'lit'
import { QkvElement } from './base.js'
import { define } from './define.js'
import { visible } from './drawing-backends.js'
import { boxOf, showing, WHOLE, zoomed } from './geometry.js'
import { Drawing } from './heatmap-drawing.js'
import { Keyboard } from './heatmap-keyboard.js'
import { Pointer } from './heatmap-pointer.js'
import { heatmapStyle } from './heatmap-style.js'
import { mapOf } from './model-view.js'
import { write } from './number-text.js'
import { sharedStyle } from './style.js'
import { asJSON } from './tensor-input.js'
import { tools } from './tools.js'

/** @import { Cell } from './geometry.js' */
/** @import { TensorLike } from './tensor-input.js' */
/** @import { HeatMap } from './draw.js' */
/** @import { Token } from './gestures.js' */

/** Properties whose change rebuilds the map; others only affect marks. */
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
 * @typedef {Cell & { value: number }} CellDetail
 * @typedef {{ isSecond?: true }} Second `isSecond`: true with Shift or after a long press, which select a second item
 * @typedef {{ side: 'row' | 'column', from: number, to: number }} Range indices of the first and the last selected label, from <= to
 * @typedef {CellDetail & { hide: boolean, isFirst: boolean }} PaintDetail `hide`: true if the first cell of the stroke was visible, so the
 *   stroke hides
 * @typedef {CellDetail & { old: number, isFirst: boolean, isUndone?: true }} EditDetail `isFirst`: true if the edit starts a drag; `isUndone`:
 *   true if Escape undid the drag
 * @typedef {{ 'cell-focus': CellDetail, 'cell-leave': null, 'cell-pin': CellDetail & Second, 'token-focus': Token | null, 'token-pin': Token & Second, 'token-range': Range, 'cell-paint': PaintDetail, 'cell-edit': EditDetail }} HeatmapEvents
 */

/**
 * Options of `heatmapSVG`: properties of the element, and the maximum width.
 * @typedef {object} HeatmapPicture
 * @property {TensorLike} matrix (rows, columns)
 * @property {TensorLike} [minus]
 * @property {TensorLike} [mask]
 * @property {TensorLike} [previous]
 * @property {readonly string[]} [rowTokens]
 * @property {readonly string[]} [columnTokens]
 * @property {string} [rowTitle]
 * @property {string} [columnTitle]
 * @property {import('./colour-scale.js').Scale} [scale]
 * @property {readonly [number, number]} [domain]
 * @property {number} [decimals]
 * @property {boolean} [legend]
 * @property {Cell} [pinned]
 * @property {import('./draw.js').Highlight} [highlight]
 * @property {string} [label]
 * @property {import('./all-texts.js').Texts} [texts]
 * @property {boolean} [isDark]
 * @property {number} [width] in CSS pixels; default 640
 */

/**
 * Draws a heat map as SVG from data alone. Works without a DOM, where text widths are estimates.
 * @param {HeatmapPicture} picture
 * @returns {Promise<string>}
 */
export async function heatmapSVG(picture) {
  const { heatmapPicture } = await import('./heatmap-svg.js')
  return heatmapPicture(picture)
}

/**
 * Shows a matrix as a heat map, with numbers where they fit. Cells can be zoomed, pointed at, pinned, painted or edited.
 * @tagname qkv-heatmap
 * @fires {CustomEvent<CellDetail>} cell-focus - another cell is pointed at or moved to
 * @fires {CustomEvent<null>} cell-leave - the pointer leaves the cells
 * @fires {CustomEvent<CellDetail & Second>} cell-pin - a cell is clicked, or Enter is pressed; `isSecond` with Shift, or by a long press
 * @fires {CustomEvent<Token | null>} token-focus - a label is pointed at; null when it is left
 * @fires {CustomEvent<Token & Second>} token-pin - a label is clicked; `isSecond` with Shift, or by a long press
 * @fires {CustomEvent<Range>} token-range - a stroke over labels ended
 * @fires {CustomEvent<PaintDetail>} cell-paint - in mode "paint"; `hide`: true if the first cell of the stroke was visible, so the stroke hides
 * @fires {CustomEvent<EditDetail>} cell-edit - with `editable`: a number is changed by dragging up and down or by typing; `isFirst`: a drag
 * begins; `isUndone`: the drag is reverted
 * @csspart map - the map with its labels and its legend
 * @csspart tools - the buttons below
 * @cssprop --qkv-height - maximum height of all cells; default 560px
 * @cssprop --qkv-cell-width - maximum width of a cell, if there is space; default that of its number
 * @cssprop --qkv-cell-height - maximum height of a cell; default 2.4 lines
 */
export class QkvHeatmap extends /** @type {new () => import('./base.js').Emits<HeatmapEvents> & QkvElement} */ (
  QkvElement
) {
  /** @internal @type {unknown[]} */
  static styles = [sharedStyle, heatmapStyle]

  /** @internal */
  static properties = {
    matrix: { converter: asJSON },
    minus: { converter: asJSON },
    mask: { converter: asJSON },
    previous: { converter: asJSON },
    rowTokens: { attribute: 'row-tokens', converter: asJSON },
    columnTokens: { attribute: 'column-tokens', converter: asJSON },
    scale: {},
    domain: { converter: asJSON },
    rowTitle: { attribute: 'row-title' },
    columnTitle: { attribute: 'column-title' },
    decimals: { type: Number },
    mode: {},
    editable: { type: Boolean },
    cell: { converter: asJSON },
    pinned: { converter: asJSON },
    highlight: { converter: asJSON },
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
    /** If set, the map shows `matrix` minus this, on a diverging scale. @type {TensorLike | undefined} */
    this.minus = undefined
    /** Boolean: true is visible; numbers: -Infinity hides. @type {TensorLike | undefined} */
    this.mask = undefined
    /** The numbers before a change, shown small and struck out where they differ. @type {TensorLike | undefined} */
    this.previous = undefined
    /** Labels of the rows; if empty, no labels are drawn and screen readers get indices. @type {readonly string[]} */
    this.rowTokens = []
    /** @type {readonly string[]} */
    this.columnTokens = []
    /** @type {import('./colour-scale.js').Scale | undefined} default 'sequential'; with `minus`, 'diverging' */
    this.scale = undefined
    /** Ends of the colour scale; default 0 to 1, or symmetric around 0 for signed values. @type {readonly [number, number] | undefined} */
    this.domain = undefined
    /** Title of the vertical axis; '' for none. @type {string | undefined} */
    this.rowTitle = undefined
    /** Title of the horizontal axis. @type {string | undefined} */
    this.columnTitle = undefined
    this.decimals = 4
    /** @type {'read' | 'paint'} */
    this.mode = 'read'
    /** True to allow changing numbers: by dragging up and down, or by typing after a digit, F2 or a double click. */
    this.editable = false
    /** The cell under the pointer. @type {Cell | undefined} */
    this.cell = undefined
    /** The selected cell. @type {Cell | undefined} */
    this.pinned = undefined
    /** @type {import('./draw.js').Highlight | undefined} */
    this.highlight = undefined
    this.legend = true
    this.tools = true
    this.asTable = false
    /** @internal @type {import('./geometry.js').View} */
    this.view = WHOLE
    /** First cell of the current page of the table. @internal @type {Cell} */
    this.page = { row: 0, column: 0 }
    /** Text being typed into the focused cell. @internal @type {string | undefined} */
    this.editing = undefined
  }

  /** The map to draw; undefined without a matrix, or with an invalid one. @internal @type {HeatMap | undefined} */
  map = undefined
  /** @type {unknown} */
  #problem = undefined
  /** Announcement of the last click for screen readers. */
  #said = ''
  /** @type {typeof import('./number-table.js').table | undefined} */
  #tableOf = undefined
  /** True if the map has the focus. @internal */
  isFocused = false
  /** @internal */
  pointer = new Pointer(this)
  /** @internal */
  drawing = new Drawing(this)
  /** @internal Created after `drawing`, since the keyboard needs its layout. */
  keyboard = new Keyboard(this)

  /** @internal @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    this.decimals ??= 4
    if (MADE_OF.some(name => changed.has(name))) this.#make()
    const map = this.map
    if (!map) return
    const [rows, columns] = map.dims
    if (this.cell !== undefined && !(this.cell?.row < rows && this.cell.column < columns)) this.cell = undefined
    if (this.page.row >= rows || this.page.column >= columns) this.page = { row: 0, column: 0 }
    const old = /** @type {TensorLike | undefined} */ (changed.get('matrix'))
    if (old && String(old.dims ?? old.shape) !== String(this.matrix?.dims ?? this.matrix?.shape)) this.view = WHOLE
  }

  /** @internal Loads the table on first use. @returns {unknown} */
  scheduleUpdate() {
    if (!this.asTable || this.#tableOf) return super.scheduleUpdate()
    return import('./number-table.js').then(({ table }) => {
      this.#tableOf = table
      return super.scheduleUpdate()
    })
  }

  /** Validates the tensors and prepares the map. */
  #make() {
    this.map = this.#problem = undefined
    if (this.matrix === undefined) return
    try {
      this.map = mapOf(this, {
        rowTitle: this.rowTitle ?? this.say('queries'),
        columnTitle: this.columnTitle ?? this.say('keys'),
        hiddenWord: this.say('hidden'),
      })
    } catch (error) {
      this.#problem = error
    }
  }

  /** @internal @param {Cell} cell */
  value({ row, column }) {
    return this.map ? this.map.data[row * this.map.dims[1] + column] : Number.NaN
  }

  /** @internal @param {Cell} cell */
  isHidden({ row, column }) {
    return this.map?.isHidden(row * this.map.dims[1] + column) ?? false
  }

  /** Names a row or column by its token, or by its number. @param {'row' | 'column'} axis @param {number} index */
  #name(axis, index) {
    const token = (axis === 'row' ? this.rowTokens : this.columnTokens)?.[index]
    return token === undefined ? this.say(axis, { index: index + 1 }) : visible(token)
  }

  /** Describes a cell, as it is announced to screen readers. @param {Cell} cell */
  describe(cell) {
    const [rows, columns] = this.map?.dims ?? [0, 0]
    if (!(cell.row < rows && cell.column < columns)) return ''
    return this.say('cell', {
      row: this.#name('row', cell.row),
      column: this.#name('column', cell.column),
      value: this.#words(cell),
    })
  }

  /** Describes the number in a cell. @param {Cell} cell */
  #words(cell) {
    const value = this.value(cell)
    const written = Number.isNaN(value)
      ? this.say('nan')
      : value === Infinity
        ? this.say('infinity')
        : write(value, this.decimals)
    if (!this.isHidden(cell)) return written
    return value === -Infinity ? this.say('hidden') : this.say('hiddenValue', { value: written })
  }

  /**
   * Returns the position of a cell in the window, for a page that shows something beside the cell; undefined if the map is not drawn.
   * @param {Cell} cell
   * @returns {DOMRect | undefined}
   */
  where(cell) {
    const origin = this.renderRoot.querySelector('canvas')?.getBoundingClientRect()
    if (!origin || !this.drawing.layout) return undefined
    const { left, top, width, height } = boxOf(this.drawing.layout, cell)
    return new DOMRect(origin.left + left, origin.top + top, width, height)
  }

  /** @internal @param {string} name @param {Cell} cell @param {object | false} [more] */
  emit(name, cell, more) {
    this.fire(name, { row: cell.row, column: cell.column, value: this.value(cell), ...more })
  }

  /** @internal @param {Cell} cell */
  point(cell) {
    if (this.cell?.row === cell.row && this.cell.column === cell.column) return
    this.cell = cell
    this.emit('cell-focus', cell)
  }

  /** @internal @param {Cell} cell @param {boolean} [isSecond] */
  pin(cell, isSecond = false) {
    this.#said = this.say('selected', { cell: this.describe(cell) })
    this.requestUpdate()
    this.emit('cell-pin', cell, isSecond && { isSecond })
  }

  /** @internal @param {Cell} cell @param {number} value @param {boolean} isFirst */
  edit(cell, value, isFirst) {
    this.emit('cell-edit', cell, { value, old: this.value(cell), isFirst })
  }

  /** @internal @param {number} factor 0 shows everything */
  zoom(factor) {
    const { map, cell, drawing } = this
    if (!map || !drawing.layout) return
    const { left, top, width, height } = drawing.layout.plot
    this.view = factor === 0 ? WHOLE : zoomed(drawing.layout, factor, left + width / 2, top + height / 2)
    if (cell && factor > 1) this.view = showing(drawing.arrange(map, this.view), cell)
  }

  /** @param {boolean} isFocused */
  #focus(isFocused) {
    this.isFocused = isFocused
    // Focus by the keyboard starts at the first cell; a press has set the cell already.
    if (isFocused && !this.cell && this.renderRoot.querySelector(':focus-visible')) this.point({ row: 0, column: 0 })
    this.requestUpdate()
  }

  /** @internal Labels the current cell for screen readers. Each cell gets a new element, since screen readers announce only new ones. */
  updated() {
    const at = this.cell ?? { row: 0, column: 0 }
    const row = this.renderRoot.querySelector('[role=row]')
    const id = `cell-${at.row}-${at.column}`
    if (!row) return
    const old = row.firstElementChild
    const cell = old?.id === id ? old : document.createElement('div')
    const isPinned = this.pinned?.row === at.row && this.pinned.column === at.column
    const attributes = { id, role: 'gridcell', 'aria-colindex': at.column + 1, 'aria-selected': isPinned }
    for (const [name, value] of Object.entries(attributes)) cell.setAttribute(name, String(value))
    cell.textContent = this.describe(at)
    if (cell !== old) row.replaceChildren(cell)
  }

  /** @internal */
  picture() {
    return this.drawing.picture()
  }

  /** @internal @returns {unknown} */
  render() {
    const map = this.map
    if (this.#problem) return this.problem(this.#problem)
    if (!map || map.data.length === 0) return this.nothing()
    const [rows, columns] = map.dims
    const label = this.label
      ? this.say('ofMap', { label: this.label, rows, columns })
      : this.say('map', { rows, columns })
    return html`${this.theme.probe}
      ${
        this.asTable && this.#tableOf
          ? html`<div class="table size" role="region" tabindex="0" aria-label=${label}>${this.#table(this.#tableOf, map, label)}</div>`
          : this.#grid(map, label)
      }
      <div class="unseen" role="status">${this.#said}</div>
      ${this.tools ? this.#tools(map) : nothing}`
  }

  /** @param {HeatMap} map @param {string} label */
  #grid({ dims: [rows, columns] }, label) {
    const at = this.cell ?? { row: 0, column: 0 }
    const id = `cell-${at.row}-${at.column}`
    const help = this.say(this.mode === 'paint' ? 'helpPaint' : this.editable ? 'helpEdit' : 'help')
    const { down, move, out, up, wheel } = this.pointer.gestures
    return html`<div class="size" part="map">
      <div
        class="map"
        role="grid"
        tabindex="0"
        data-mode=${this.mode}
        ?data-editable=${this.editable && this.mode === 'read'}
        ?data-zoomed=${this.view.zoom > 1}
        aria-label=${label}
        aria-describedby="help"
        aria-rowcount=${rows}
        aria-colcount=${columns}
        aria-readonly=${this.mode === 'read' && !this.editable}
        aria-activedescendant=${id}
        @keydown=${this.keyboard.down}
        @focus=${() => this.#focus(true)}
        @blur=${() => this.#focus(false)}
        @pointerdown=${down}
        @pointermove=${move}
        @pointerup=${up}
        @pointercancel=${up}
        @pointerleave=${out}
        @wheel=${wheel}
        @dblclick=${this.keyboard.twice}
      >
        <canvas aria-hidden="true"></canvas>
        <div class="unseen" role="row" aria-rowindex=${at.row + 1}></div>
        ${this.editable && this.pinned && this.mode === 'read' ? html`<div class="handle" aria-hidden="true"></div>` : nothing}
      </div>
      ${this.keyboard.field(this.say('edit', { row: this.#name('row', at.row), column: this.#name('column', at.column) }))}
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
      scale: factor => this.zoom(factor),
      turn: () => {
        this.asTable = !this.asTable
      },
    })
  }

  /** @param {typeof import('./number-table.js').table} table @param {HeatMap} map @param {string} label */
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
