import { Gestures } from './gestures.js'

/** @import { Cell } from './geometry.js' */
/** @import { Token } from './gestures.js' */

/** Handles mouse and touch on a map: pointing, clicking, painting, dragging a number, dragging over labels. */
export class Pointer {
  #host
  /** True if the current stroke hides cells. */
  #hides = false
  /** Value that the dragged cell had when the drag began. */
  #dragged = 0
  /** @type {Token | undefined} */
  #token = undefined
  /** Labels covered by a drag. @type {import('./heatmap.js').Range | undefined} */
  range = undefined

  /** @param {import('./heatmap.js').QkvHeatmap} host */
  constructor(host) {
    this.#host = host
    this.gestures = new Gestures(host, {
      layout: () => host.drawing.layout,
      mode: () => host.mode,
      look: view => {
        host.view = view
      },
      point: cell => host.point(cell),
      pin: (cell, isSecond) => host.pin(cell, isSecond),
      token: token => this.#pointToken(token),
      pinToken: (token, isSecond) => host.fire('token-pin', { ...token, ...(isSecond && { isSecond }) }),
      range: (from, to, isDone) => this.#drawRange(from, to.index, isDone),
      leave: () => this.#leave(),
      paint: (cell, isFirst) => this.paint(cell, isFirst),
      canDrag: (cell, event) => this.#canDrag(cell, event),
      drag: (cell, pixels, isFine, isFirst) => this.#drag(cell, pixels * (isFine ? 0.1 : 1), isFirst),
      undrag: cell =>
        host.emit('cell-edit', cell, { value: this.#dragged, old: host.value(cell), isFirst: false, isUndone: true }),
    })
  }

  /** @param {Token | undefined} token */
  #pointToken(token) {
    if (this.#token?.side === token?.side && this.#token?.index === token?.index) return
    this.#token = token
    this.#host.fire('token-focus', token)
  }

  /** @param {Token} from @param {number} to @param {boolean} isDone */
  #drawRange({ side, index }, to, isDone) {
    const range = { side, from: Math.min(index, to), to: Math.max(index, to) }
    this.range = isDone ? undefined : range
    this.#host.requestUpdate()
    if (isDone) this.#host.fire('token-range', range)
  }

  #leave() {
    const host = this.#host
    if (!host.cell || host.isFocused) return
    host.cell = undefined
    host.fire('cell-leave')
  }

  /** @param {Cell} cell @param {boolean} isFirst True for the first cell of a stroke, which decides whether the stroke hides or shows */
  paint(cell, isFirst) {
    const host = this.#host
    if (isFirst) this.#hides = !host.isHidden(cell)
    host.point(cell)
    host.emit('cell-paint', cell, { hide: this.#hides, isFirst })
  }

  /**
   * True if dragging from a cell changes its number. A mouse can drag any cell, a finger only the selected one. In a zoomed map both can
   * drag only the selected cell; other drags pan.
   * @param {Cell} cell
   * @param {PointerEvent} event
   */
  #canDrag({ row, column }, { pointerType }) {
    const { editable, pinned, view } = this.#host
    const isPinned = pinned?.row === row && pinned.column === column
    return editable && (isPinned || (pointerType !== 'touch' && view.zoom === 1))
  }

  /** @param {Cell} cell @param {number} pixels 200 pixels span the whole colour scale @param {boolean} isFirst */
  #drag(cell, pixels, isFirst) {
    const host = this.#host
    if (isFirst) this.#dragged = host.value(cell)
    const [from, to] = host.map?.domain ?? [0, 1]
    host.edit(cell, Number((this.#dragged + (pixels * (to - from)) / 200).toFixed(host.decimals)), isFirst)
  }
}
