import { html, LitElement, nothing } from 'lit'
import { moved } from '../../../elements/keys.js'
import { format } from '../../../files/number-format.js'
import { toNumber } from '../../../shell/kinds.js'
import { colourOf } from '../../../ui/number-colours.js'
import { held, left, released, rested } from '../../../ui/pointing.js'
import { selectCell } from './select.js'

/** @import { Actions, Matrix, Region } from '../layer.js' */
/** @import { Translate } from '../../../i18n/index.js' */
/** Maximum width of a cell in characters. */
const MOST_LETTERS = 12

/** @typedef {{ row: number, column: number }} Place */

/** Pixels that a pointer may move before a press becomes a drag. */
const SLACK = 4

/**
 * Draws a matrix of numbers as a grid with keyboard navigation, whose editable cells can be dragged or typed into. Numbers are redrawn only
 * if they change; highlights are separate elements above them.
 */
export class MatrixGrid extends LitElement {
  static properties = {
    matrix: { attribute: false },
    isTurned: { attribute: false },
    isDark: { attribute: false },
    marks: { attribute: false },
    shown: { attribute: false },
    isKept: { attribute: false },
    t: { attribute: false },
    typed: { state: true },
  }

  constructor() {
    super()
    /** @type {Matrix} */
    this.matrix = /** @type {never} */ (undefined)
    /** True to draw the matrix transposed. */
    this.isTurned = false
    this.isDark = false
    /** @type {Region[]} */
    this.marks = []
    /** The cell whose arithmetic is shown. @type {Place | undefined} */
    this.shown = undefined
    /** True if `shown` is selected, rather than under the pointer. */
    this.isKept = false
    /** @type {Translate} */
    this.t = /** @type {never} */ (undefined)
    /** @type {Actions} */
    this.actions = /** @type {never} */ (undefined)
    /** The cell being edited, with its text. @type {Place & { text: string } | undefined} */
    this.typed = undefined
    /** @type {Place} */
    this.focused = { row: 0, column: 0 }
    this.longest = 0
    /** @type {{ at: Place, x: number, from: number, isDrag: boolean, mark: string, room: number } | undefined} */
    this.press = undefined
    /** Inputs from which the cells were last rendered, to detect changes. @type {unknown[]} */
    this.made = []
    /** @type {unknown} */
    this.cells = undefined
    this.addEventListener('pointerover', event => this.point(event))
    this.addEventListener(
      'pointerleave',
      () => this.matches(':focus-within') || left(() => this.actions.point(undefined)),
    )
    this.addEventListener('focusin', event => this.focus1(event))
    this.addEventListener('pointerdown', event => this.down(event))
    this.addEventListener('pointermove', event => this.drag(event))
    this.addEventListener('pointerup', event => this.up(event))
    this.addEventListener('pointercancel', () => {
      released()
      this.undrag()
    })
    this.addEventListener('dblclick', event => this.type(this.placeOf(event)))
    this.addEventListener('keydown', event => this.key(event))
  }

  createRenderRoot() {
    return this // no shadow root, so that the page's styles and its tests reach the cells
  }

  /** @param {Event} event @returns {Place | undefined} */
  placeOf({ target }) {
    const cell = target instanceof Element ? target.closest('[data-row]') : null
    if (!(cell instanceof HTMLElement)) return undefined
    return { row: Number(cell.dataset.row), column: Number(cell.dataset.column) }
  }

  /** @param {Place} place */
  cellOf(place) {
    return { matrix: this.matrix.id, head: this.matrix.head, ...place }
  }

  /** @param {Place} place */
  value({ row, column }) {
    return this.matrix.tensor.data[row * this.matrix.tensor.dims[1] + column]
  }

  /** @param {Event} event */
  point(event) {
    const place = this.placeOf(event)
    if (place && !this.press?.isDrag) rested(() => this.actions.point(this.cellOf(place)))
  }

  /** Moves the single tab stop of the grid to the focused cell. @param {FocusEvent} event */
  focus1(event) {
    const place = this.placeOf(event)
    if (!place || !(event.target instanceof HTMLElement)) return
    this.querySelector('[data-row][tabindex="0"]')?.setAttribute('tabindex', '-1')
    event.target.closest('[data-row]')?.setAttribute('tabindex', '0')
    this.focused = place
    rested(() => this.actions.point(this.cellOf(place)))
  }

  /** @param {PointerEvent} event */
  down(event) {
    const at = this.placeOf(event)
    if (!at || event.button !== 0 || event.target instanceof HTMLInputElement) return
    // A finger that starts on the selected cell drags its number; elsewhere it scrolls the page.
    const canDrag = this.matrix.isEditable && (event.pointerType === 'mouse' || (this.isKept && this.isShown(at)))
    const mark = `drag ${event.timeStamp}`
    held(event, () => {
      this.press = undefined
      this.actions.subtract(this.cellOf(at))
    })
    this.press = {
      at,
      x: canDrag ? event.clientX : Number.NaN,
      from: this.value(at),
      isDrag: false,
      mark,
      room: innerWidth,
    }
  }

  /** @param {Place} place */
  isShown({ row, column }) {
    return this.shown?.row === row && this.shown.column === column
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const { press } = this
    if (press && press.room !== innerWidth) this.press = undefined // the phone was rotated: keep the dragged value
    if (!press || press !== this.press || Number.isNaN(press.x)) return
    if (event.clientX !== press.x) released()
    const by = event.clientX - press.x
    if (!press.isDrag && Math.abs(by) < SLACK) return
    if (!press.isDrag) {
      this.setPointerCapture(event.pointerId)
      this.actions.select({ cell: this.cellOf(press.at) }) // the inspector then shows a map that follows the drag
    }
    press.isDrag = true
    event.preventDefault()
    const speed = (this.matrix.scale === 'share' ? 1 : Math.max(1, this.matrix.reach)) / 200
    this.set(press.at, press.from + by * speed * (event.shiftKey ? 0.1 : 1), press.mark)
  }

  /** Undoes a drag in progress. */
  undrag() {
    if (this.press?.isDrag) this.actions.undo()
    this.press = undefined
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { press } = this
    this.press = undefined
    const at = this.placeOf(event)
    released()
    if (!press || press.isDrag || !at || at.row !== press.at.row || at.column !== press.at.column) return
    selectCell(this.actions, this.cellOf(at), event.shiftKey)
  }

  /** @param {Place} place @param {number} value @param {string} [mark] */
  set(place, value, mark) {
    const bounded = this.matrix.scale === 'share' ? Math.min(Math.max(value, 0), 1) : value
    this.actions.edit(this.cellOf(place), Number(bounded.toFixed(4)), mark)
  }

  /** Opens an input over a cell. @param {Place | undefined} place @param {string} [text] */
  type(place, text) {
    if (!place || !this.matrix.isEditable) return
    this.typed = { ...place, text: text ?? format(this.value(place)) }
    this.updateComplete.then(() => {
      const box = this.querySelector('input')
      box?.focus()
      if (text === undefined) box?.select()
    })
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.target instanceof HTMLInputElement) return this.keyInBox(event)
    if (event.key === 'Escape' && this.press?.isDrag) {
      event.stopPropagation() // so that Escape closes nothing else
      return this.undrag()
    }
    const at = this.placeOf(event)
    if (!at || event.metaKey) return
    const { matrix } = this
    const [rows, columns] = matrix.tensor.dims
    const isFree = matrix.isEditable && !event.ctrlKey
    const nudge = event.altKey && isFree ? { ArrowUp: 1, ArrowDown: -1 }[event.key] : undefined
    const next =
      nudge || event.altKey || event.shiftKey
        ? undefined
        : moved(this.isTurned ? turnedKey(event) : event, at, rows, columns)
    if (nudge) this.set(at, this.value(at) + nudge * (matrix.scale === 'share' ? 0.05 : 0.1), 'nudge')
    else if (next) this.moveTo(next)
    else if (event.key === 'Enter') selectCell(this.actions, this.cellOf(at), event.shiftKey)
    else if (isFree && event.key === 'F2') this.type(at)
    else if (isFree && /^[\d.,-]$/.test(event.key)) this.type(at, event.key)
    else if (isFree && event.key === 'Delete') this.actions.edit(this.cellOf(at), undefined)
    else return
    event.preventDefault()
  }

  /** @param {KeyboardEvent} event */
  keyInBox(event) {
    event.stopPropagation()
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    const place = this.typed
    if (event.key === 'Enter') this.commit(event)
    this.typed = undefined
    if (place) this.updateComplete.then(() => this.focusOn(place))
  }

  /** @param {Event} event */
  commit(event) {
    const place = this.typed
    const value = toNumber(/** @type {HTMLInputElement} */ (event.target).value)
    if (place && Number.isFinite(value) && format(value) !== format(this.value(place)))
      this.set(place, value, `typed ${event.timeStamp}`)
    this.typed = undefined
  }

  /** Moves the focus, and the selection with it. @param {Place} place */
  moveTo(place) {
    this.focusOn(place)
    if (this.isKept) this.actions.select({ cell: this.cellOf(place) }, { replace: true })
  }

  /** @param {Place} place */
  focusOn({ row, column }) {
    const cell = this.querySelector(`[data-row="${row}"][data-column="${column}"]`)
    if (cell instanceof HTMLElement) cell.focus()
  }

  render() {
    const { matrix, isTurned, isDark, t } = this
    const made = [matrix, isTurned, isDark, t]
    if (made.some((part, i) => part !== this.made[i])) {
      this.cells = this.allCells()
      this.longest = longestOf(matrix.tensor.data)
    }
    this.made = made
    const [rows, columns] = isTurned ? [...matrix.tensor.dims].reverse() : matrix.tensor.dims
    return html`<div
      class="grid ${matrix.isEditable ? 'is-free' : ''} ${matrix.sums ? 'has-sums' : ''}"
      role="grid"
      aria-label=${`${t(`matrix.${matrix.id}`)}${isTurned ? ` ${t('turned')}` : ''}`}
      aria-rowcount=${rows + 1}
      aria-colcount=${columns + 1}
      .style=${`--columns: ${columns}; --rows: ${rows}; --longest: ${this.longest}`}
    >${this.cells}${this.marks.map(mark => this.mark(mark))}${this.own()}${this.box()}</div>`
  }

  /** @param {Partial<Place>} place */
  area({ row, column }) {
    const [down, across] = this.isTurned ? [column, row] : [row, column]
    const [rows, columns] = this.isTurned ? [...this.matrix.tensor.dims].reverse() : this.matrix.tensor.dims
    const span = (/** @type {number | undefined} */ at, /** @type {number} */ size) =>
      at === undefined ? `2 / ${size + 2}` : `${at + 2} / ${at + 3}`
    return `grid-row: ${span(down, rows)}; grid-column: ${span(across, columns)}`
  }

  /** @param {Region & { kind?: string }} mark */
  mark(mark) {
    return html`<span aria-hidden="true" class="mark mark-${mark.kind}" .style=${this.area(mark)}></span>`
  }

  own() {
    if (!this.shown) return nothing
    return html`<span aria-hidden="true" class="mark mark-own ${this.isKept ? 'is-kept' : ''}" .style=${this.area(this.shown)}></span>`
  }

  box() {
    const { typed, t } = this
    if (!typed) return nothing
    return html`<input
      class="cell-box"
      inputmode="decimal"
      aria-label=${t('newValue')}
      .style=${this.area(typed)}
      .value=${typed.text}
      @blur=${(/** @type {Event} */ event) => this.commit(event)}
    />`
  }

  /** @param {number} row @param {number} column */
  cell(row, column) {
    const { matrix, t, isDark } = this
    const at = row * matrix.tensor.dims[1] + column
    const value = matrix.tensor.data[at]
    const isHidden = matrix.isHidden(row, column)
    const { ground, ink } = colourOf(matrix.scale, matrix.reach, value, isDark)
    const written = format(value)
    const old = matrix.before && format(matrix.before.data[at])
    const hasChanged = old !== undefined && old !== written
    const label = `${written}${isHidden ? `, ${t('hidden')}` : ''}${hasChanged ? `, ${t('wasBefore', { value: old })}` : ''}`
    const isFocus = row === this.focused.row && column === this.focused.column
    return html`<div
      role="gridcell"
      class="number ${isHidden ? 'is-hidden' : ''} ${hasChanged ? 'has-changed' : ''}"
      .style=${isHidden ? '' : `background-color: ${ground}; color: ${ink}`}
      data-row=${row}
      data-column=${column}
      data-old=${hasChanged ? old : nothing}
      tabindex=${isFocus ? 0 : -1}
      aria-label=${isHidden || hasChanged ? label : nothing}
    >${written}</div>`
  }

  /** Draws the cells; a transposed matrix has its columns drawn as rows. */
  allCells() {
    const { isTurned, matrix, t } = this
    const { rows, columns } = matrix
    const sums = isTurned ? undefined : matrix.sums
    const [down, across] = isTurned ? [columns, rows] : [rows, columns]
    return [
      html`<div role="row" class="grid-row"><span role="gridcell"
        class="corner"></span>${across.map(name => header('columnheader', name))}${
          sums ? html`<span role="columnheader" class="name column-name">${t('sum')}</span>` : nothing
        }</div>`,
      down.map(
        (name, i) =>
          html`<div role="row"
            class="grid-row">${header('rowheader', name)}${across.map((_, j) => (isTurned ? this.cell(j, i) : this.cell(i, j)))}${
              sums ? html`<span role="gridcell" class="row-sum">${format(sums.data[i])}</span>` : nothing
            }</div>`,
      ),
    ]
  }
}

/** Returns the length of the longest number in characters, up to the maximum. @param {Float32Array} data */
const longestOf = data => data.reduce((most, x) => Math.max(most, Math.min(format(x).length, MOST_LETTERS)), 0)

/** @param {'rowheader' | 'columnheader'} role @param {string} name */
const header = (role, name) =>
  html`<span role=${name ? role : 'gridcell'} class="name ${role === 'rowheader' ? 'row-name' : 'column-name'}"
    title=${name}><bdi>${name}</bdi></span>`

/** Maps arrow keys to the transposed layout. @param {KeyboardEvent} event */
function turnedKey({ key, ctrlKey }) {
  const other = { ArrowUp: 'ArrowLeft', ArrowLeft: 'ArrowUp', ArrowDown: 'ArrowRight', ArrowRight: 'ArrowDown' }[key]
  return { key: other ?? key, ctrlKey }
}

customElements.define('matrix-grid', MatrixGrid)
