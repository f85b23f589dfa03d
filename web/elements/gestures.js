// Recognises gestures of mouse, touch and wheel on a map: pointing, pinning, panning, pinching, painting, dragging a number, and dragging
// over labels.

import { cellAt, labelAt, panned, zoomed } from './geometry.js'
import { LongPress } from './long-press.js'

/** @import { Cell, Layout } from './geometry.js' */
/** @typedef {{ side: 'row' | 'column', index: number }} Token a label */

/**
 * @typedef {object} Actions
 * @property {() => Layout | undefined} layout
 * @property {() => 'read' | 'paint'} mode
 * @property {(cell: Cell, event: PointerEvent) => boolean} canDrag returns true if a drag from this cell changes its number
 * @property {(view: import('./geometry.js').View) => void} look
 * @property {(cell: Cell) => void} point
 * @property {(cell: Cell, isSecond: boolean) => void} pin isSecond: True with Shift, or after a long press
 * @property {(token: Token | undefined) => void} token the label under the pointer
 * @property {(token: Token, isSecond: boolean) => void} pinToken
 * @property {(from: Token, to: Token, isDone: boolean) => void} range the labels that a drag covers; isDone: True when the drag ends
 * @property {() => void} leave the pointer has left the map
 * @property {(cell: Cell, isFirst: boolean) => void} paint
 * @property {(cell: Cell, pixels: number, isFine: boolean, isFirst: boolean) => void} drag distance upwards in pixels
 * @property {(cell: Cell) => void} undrag restores the number from before the drag
 * @property {() => boolean} [wheels] returns true if the wheel zooms without Ctrl
 */

/** Pixels that the pointer may move for a press to count as a click. */
const STILL = 4

/** Returns the cells of a straight stroke between two cells, without the first. @param {Cell} from @param {Cell} to */
function stroke(from, to) {
  const count = Math.max(Math.abs(to.row - from.row), Math.abs(to.column - from.column))
  return Array.from({ length: count }, (_, i) => ({
    row: Math.round(from.row + ((to.row - from.row) * (i + 1)) / count),
    column: Math.round(from.column + ((to.column - from.column) * (i + 1)) / count),
  }))
}

/** Listens to pointer and wheel events of an element. */
export class Gestures {
  /** @type {Map<number, { x: number, y: number }>} */
  #pointers = new Map()
  /** @type {{ x: number, y: number, cell: Cell | undefined, label: Token | undefined, last: Cell | undefined, hasMoved: boolean, isDrag: boolean, clientY: number, room: number } | undefined} */
  #press = undefined
  #longPress = new LongPress()

  /** @param {import('./base.js').Reactive} host @param {Actions} actions */
  constructor(host, actions) {
    this.actions = actions
    host.addController(this)
  }

  /** Drops pressed pointers when the element is removed. */
  hostDisconnected() {
    this.#pointers.clear()
    this.#release()
  }

  #release() {
    this.#longPress.up()
    this.#press = undefined
  }

  /** @param {MouseEvent} event */
  #place(event) {
    const { left, top } = /** @type {Element} */ (event.currentTarget).getBoundingClientRect()
    const at = { x: event.clientX - left, y: event.clientY - top }
    const layout = this.actions.layout()
    const label = layout && labelAt(layout, at.x, at.y)
    return { ...at, layout, label, cell: layout && cellAt(layout, at.x, at.y) }
  }

  /** @param {PointerEvent} event */
  down = event => {
    if (event.button !== 0) return
    const { x, y, cell, label } = this.#place(event)
    this.#pointers.set(event.pointerId, { x, y })
    this.#release()
    if (this.#pointers.size > 1) return
    const isDrag = cell !== undefined && this.actions.canDrag(cell, event)
    this.#press = { x, y, cell, label, last: cell, hasMoved: false, isDrag, clientY: event.clientY, room: innerWidth }
    if (this.actions.mode() === 'read')
      this.#longPress.down(event, () => {
        this.#press = undefined
        this.#pin({ cell, label }, true)
      })
    if (cell) this.actions.point(cell)
    if (cell && this.actions.mode() === 'paint') {
      this.actions.paint(cell, true)
      capture(event)
    }
  }

  /** @param {PointerEvent} event */
  move = event => {
    const { x, y, cell, label, layout } = this.#place(event)
    if (!layout) return
    const before = this.#pointers.get(event.pointerId)
    if (!before) {
      this.actions.token(label)
      if (cell) this.actions.point(cell)
      else if (!label) this.actions.leave()
      return
    }
    if (this.#pointers.size === 2) {
      const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1]
      if (!other) return
      const [was, is] = [Math.hypot(before.x - other.x, before.y - other.y), Math.hypot(x - other.x, y - other.y)]
      this.#pointers.set(event.pointerId, { x, y })
      if (was > 0 && is > 0) this.actions.look(zoomed(layout, is / was, (x + other.x) / 2, (y + other.y) / 2))
      return
    }
    const press = this.#press
    if (!press) return
    if (press.room !== innerWidth) return this.#release() // the phone was rotated; keep the dragged value
    if (!press.hasMoved && Math.hypot(x - press.x, y - press.y) < STILL) return
    const isFirst = !press.hasMoved
    press.hasMoved = true
    this.#longPress.up()
    capture(event)
    const mode = this.actions.mode()
    if (mode === 'paint') {
      if (!cell || !press.last) return
      for (const next of stroke(press.last, cell)) this.actions.paint(next, false)
      press.last = cell
    } else if (press.isDrag && press.cell)
      this.actions.drag(press.cell, press.clientY - event.clientY, event.shiftKey, isFirst) // client coordinates, since the map may move
    else if (press.label) this.#range(press.label, layout, x, y, false)
    else if (layout.view.zoom > 1) this.actions.look(panned(layout, x - before.x, y - before.y))
    this.#pointers.set(event.pointerId, { x, y })
  }

  /** @param {PointerEvent} event */
  up = event => {
    this.#pointers.delete(event.pointerId)
    const press = this.#press
    this.#release()
    if (event.type !== 'pointerup' || !press) return
    const { x, y, layout } = this.#place(event)
    if (!press.hasMoved) this.#pin(press, event.shiftKey)
    else if (press.label && layout && this.actions.mode() === 'read') this.#range(press.label, layout, x, y, true)
  }

  /** Undoes the drag in progress, and ignores the rest of its stroke. @returns {boolean} true if a drag was in progress */
  undo() {
    const press = this.#press
    if (!press?.isDrag || !press.hasMoved || !press.cell) return false
    this.#release()
    this.actions.undrag(press.cell)
    return true
  }

  /** @param {{ cell?: Cell, label?: Token }} at @param {boolean} isSecond */
  #pin({ cell, label }, isSecond) {
    if (label) this.actions.pinToken(label, isSecond)
    else if (cell && this.actions.mode() !== 'paint') this.actions.pin(cell, isSecond)
  }

  /** @param {Token} from @param {Layout} layout @param {number} x @param {number} y @param {boolean} isDone */
  #range(from, layout, x, y, isDone) {
    const { left, top, width, height } = layout.plot
    const [across, down] = [clamp(x, left, left + width - 1), clamp(y, top, top + height - 1)]
    const cell = cellAt(layout, across, down)
    if (cell) this.actions.range(from, { side: from.side, index: cell[from.side] }, isDone)
  }

  out = () => {
    this.actions.token(undefined)
    this.actions.leave()
  }

  /** @param {WheelEvent} event */
  wheel = event => {
    const { x, y, layout } = this.#place(event)
    if (!layout || !(event.ctrlKey || event.metaKey || this.actions.wheels?.())) return
    event.preventDefault()
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1)
    this.actions.look(zoomed(layout, Math.exp(-pixels / 200), x, y))
  }
}

/** @param {number} x @param {number} least @param {number} most */
const clamp = (x, least, most) => Math.min(Math.max(x, least), most)

/** @param {PointerEvent} event */
function capture(event) {
  const target = /** @type {Element} */ (event.currentTarget)
  if (!target.hasPointerCapture(event.pointerId)) target.setPointerCapture(event.pointerId)
}
