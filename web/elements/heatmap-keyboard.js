import { html, nothing } from 'lit'
import { boxOf, showing } from './geometry.js'
import { moved } from './keys.js'
import { write } from './number-text.js'

/** @import { Cell } from './geometry.js' */

/** Zoom factor of each key; factor 0 shows the whole map. @type {Record<string, number>} */
const ZOOMS = { '+': 1.5, '=': 1.5, '-': 1 / 1.5, 0: 0 }

/** A reactive controller for the keys on a map: move, select, paint, zoom, type a number. */
export class Keyboard {
  #host

  /** @param {import('./heatmap.js').QkvHeatmap} host */
  constructor(host) {
    this.#host = host
    host.addController(this)
  }

  /** Moves the input over its cell, within the map. */
  hostUpdated() {
    const { renderRoot, cell, drawing } = this.#host
    const input = renderRoot.querySelector('input')
    if (!input || !cell || !drawing.layout) return
    const { left, top } = boxOf(drawing.layout, cell)
    input.style.left = `${Math.max(0, Math.min(left, drawing.layout.width - input.offsetWidth))}px`
    input.style.top = `${top}px`
    if (renderRoot instanceof ShadowRoot && renderRoot.activeElement !== input) input.focus()
  }

  /** @param {string} key */
  #canType(key) {
    const { mode, editable, map } = this.#host
    const isSigned = (map?.domain[0] ?? 0) < 0
    return editable && mode === 'read' && (key === 'F2' || /^[\d.]$/.test(key) || (isSigned && key === '-'))
  }

  /** @param {Cell} cell @param {string} [text] initial text of the input, default the number */
  #open(cell, text) {
    const host = this.#host
    host.editing = text ?? write(host.value(cell), host.decimals).replace('\u2212', '-')
  }

  /** Opens the input on a double click, as F2 does. */
  twice = () => {
    if (this.#canType('F2') && this.#host.cell) this.#open(this.#host.cell)
  }

  /** @param {KeyboardEvent} event */
  down = event => {
    const host = this.#host
    const { map, mode, drawing, pointer } = host
    if (!map || map.data.length === 0 || event.altKey) return
    const { key, shiftKey } = event
    const from = host.cell ?? { row: 0, column: 0 }
    if (key === 'Escape' && pointer.gestures.undo()) return event.stopPropagation()
    const next = moved(event, from, map.dims[0], map.dims[1])
    const isPlain = !event.ctrlKey && !event.metaKey
    if (next) {
      if (drawing.layout) host.view = showing(drawing.layout, next)
      if (mode === 'paint' && shiftKey) pointer.paint(next, false)
      else host.point(next)
    } else if (key === ' ' && mode === 'paint') pointer.paint(from, true)
    else if (isPlain && this.#canType(key)) this.#open(from, key === 'F2' ? undefined : key)
    else if (key === 'Enter' || key === ' ') host.pin(from, shiftKey)
    else if (isPlain && key in ZOOMS) host.zoom(ZOOMS[key])
    else return
    event.preventDefault()
  }

  /** @param {KeyboardEvent & { currentTarget: HTMLInputElement }} event */
  #type = event => {
    event.stopPropagation()
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    const host = this.#host
    const value = Number(event.currentTarget.value.trim().replace(',', '.').replace('\u2212', '-') || Number.NaN)
    host.editing = undefined
    /** @type {HTMLElement | null} */
    const map = host.renderRoot.querySelector('.map')
    map?.focus()
    if (event.key === 'Enter' && !Number.isNaN(value) && host.cell) host.edit(host.cell, value, true)
  }

  /** Draws the input while a number is being typed. @param {string} label */
  field(label) {
    const host = this.#host
    if (host.editing === undefined) return nothing
    return html`<input
      type="text"
      inputmode="decimal"
      aria-label=${label}
      .value=${host.editing}
      @keydown=${this.#type}
      @blur=${() => {
        host.editing = undefined
      }}
    />`
  }
}
