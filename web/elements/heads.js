import { css, html, nothing } from 'lit'
import { QkvElement } from './base.js'
import { exceptions, paletteOf } from './colour-scale.js'
import { define } from './define.js'
import { backendOf } from './drawing-backends.js'
import { commonTexts, headsTexts } from './element-texts.js'
import { movedInRing } from './keys.js'
import { write } from './number-text.js'
import { canvasOf, raster } from './raster.js'
import { headStatistics } from './statistics.js'
import { sharedStyle } from './style.js'
import { asJSON, check, domainOf, extremes, hiddenIn, optionProblem, part } from './tensor-input.js'

/** @import { Checked, TensorLike } from './tensor-input.js' */
/** @import { HeadStatistics } from './statistics.js' */

const GAP = 12

/**
 * True if the numbers are equal. A loop, since every() would call a function for each number, in each frame of a drag.
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b same length as a
 */
function areSame(a, b) {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** @typedef {{ 'head-focus': { head: number } | null, 'head-select': { head: number } }} HeadsEvents */

/**
 * Shows all heads as small maps with statistics; one head is selected.
 * @tagname qkv-heads
 * @fires {CustomEvent<{ head: number } | null>} head-focus - a head is pointed at or gets the focus; null when it is left
 * @fires {CustomEvent<{ head: number }>} head-select - another head is selected, by click or arrow keys
 * @csspart head - each head
 * @csspart note - the sentence from `notes`
 * @cssprop --qkv-head - minimum width of a head; default 7.25rem, with `notes` 11.5rem
 * @cssprop --qkv-columns - with `notes`: grid-template-columns of the heads
 * @cssprop --qkv-flow - with `notes`: grid-auto-flow of the heads; default row; column puts them side by side
 */
export class QkvHeads extends /** @type {new () => import('./base.js').Emits<HeadsEvents> & QkvElement} */ (
  QkvElement
) {
  /** @internal @type {unknown[]} */
  static styles = [
    sharedStyle,
    css`
      .heads {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(var(--qkv-head, 7.25rem), 1fr));
        gap: 0.5rem;
      }
      [role='radio'] {
        display: flex;
        flex-direction: column;
        align-items: center;
        gap: 0.125rem;
        min-inline-size: 0;
        padding: 0.375rem 0.25rem;
        border: 2px solid transparent;
        border-radius: 6px;
        text-align: center;
        cursor: pointer;
      }
      [role='radio']:hover {
        border-color: var(--qkv-rule, light-dark(#d4d4ce, #393c41));
      }
      [role='radio'][aria-checked='true'] {
        border-color: var(--qkv-mark, CanvasText);
      }
      .map {
        position: relative;
        display: block;
        line-height: 0;
      }
      .row {
        position: absolute;
        inset-inline: 0;
        box-sizing: border-box;
        min-block-size: 3px;
        border: 1px solid var(--qkv-mark, CanvasText);
        pointer-events: none;
      }
      canvas {
        border: 1px solid var(--qkv-rule, light-dark(#d4d4ce, #393c41));
        image-rendering: pixelated;
      }
      dl {
        display: grid;
        grid-template-columns: auto auto;
        gap: 0 0.375rem;
        margin: 0;
        font-size: 0.6875rem;
        line-height: 1.35;
      }
      :host([has-notes]) .heads {
        grid-template-columns: var(--qkv-columns, repeat(auto-fill, minmax(var(--qkv-head, 11.5rem), 1fr)));
        grid-auto-flow: var(--qkv-flow, row);
        grid-auto-columns: max-content;
      }
      :host([has-notes]) [role='radio'] {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        grid-template-rows: auto 1fr;
        column-gap: 0.5rem;
        align-items: start;
        text-align: start;
      }
      :host([has-notes]) .map {
        grid-row: 1 / 3;
      }
      .name {
        white-space: nowrap;
      }
      .note {
        color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
        font-size: 0.75rem;
        line-height: 1.25;
      }
      dt {
        color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
        text-align: start;
      }
      dd {
        margin: 0;
        text-align: end;
        white-space: nowrap;
      }
    `,
  ]

  /** @internal */
  static properties = {
    weights: { converter: asJSON },
    mask: { converter: asJSON },
    selected: { type: Number },
    row: { type: Number },
    names: { converter: asJSON },
    scale: {},
    offset: { type: Number },
    numbers: { type: Boolean },
    notes: { converter: asJSON },
    side: { type: Number },
    domain: { converter: asJSON },
    statistics: { state: true },
  }

  /** @internal */
  words = { ...commonTexts, ...headsTexts }

  constructor() {
    super()
    /** @type {TensorLike | undefined} (H, L, S) */
    this.weights = undefined
    /** (L, S) or (H, L, S). Boolean: true is visible; numbers: -Infinity hides. @type {TensorLike | undefined} */
    this.mask = undefined
    this.selected = 0
    /** Index of the row framed in every map; -1 for none. */
    this.row = -1
    /** Names of the heads; default "Head 1", "Head 2", ... @type {readonly string[]} */
    this.names = []
    /** @type {import('./colour-scale.js').Scale} */
    this.scale = 'sequential'
    /** Position of the first query among the keys. */
    this.offset = 0
    /** True to show statistics of the heads. */
    this.numbers = true
    /** A sentence for each head, beside its map. @type {readonly string[]} */
    this.notes = []
    /** Longer side of a map, in pixels. */
    this.side = 72
    /** Ends of the colour scale; default 0 to 1, or symmetric around 0 for signed values. @type {readonly [number, number] | undefined} */
    this.domain = undefined
    /** @internal @type {HeadStatistics[]} */
    this.statistics = []
  }

  /** @type {Checked | undefined} */
  #tensor = undefined
  /** @type {Checked | undefined} */
  #mask = undefined
  /** @type {unknown} */
  #problem = undefined
  /** @type {Error | undefined} */
  #wrong = undefined
  /** Cache key of what the canvases show. */
  #painted = ''
  /** @type {WeakMap<HTMLCanvasElement, { numbers: Float64Array, mask: Checked | undefined, looks: string }>} */
  #shown = new WeakMap()
  /** The head under the pointer or with the focus. @type {number | undefined} */
  #pointed = undefined
  #version = 0

  /** @internal @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    this.toggleAttribute('has-notes', Boolean(this.notes?.length))
    this.scale ??= 'sequential'
    this.side ??= 72
    this.#wrong = optionProblem(this)
    if (this.#wrong) this.#painted = '' // canvases created after this error are blank
    if (!['weights', 'mask', 'scale', 'offset', 'numbers', 'side', 'domain'].some(name => changed.has(name))) return
    this.#version++
    this.#tensor = this.#mask = this.#problem = undefined
    if (this.weights === undefined) return
    try {
      const tensor = check(this.weights, 3)
      this.#mask = this.mask === undefined ? undefined : this.#maskOf(tensor)
      this.#tensor = tensor
      this.statistics = this.numbers ? headStatistics(this.weights, { offset: this.offset }) : []
    } catch (error) {
      this.#problem = error
    }
  }

  /** @param {Checked} tensor */
  #maskOf(tensor) {
    const dims = Array.from(this.mask?.dims ?? this.mask?.shape ?? [])
    const mask = check(this.mask, dims.length > 2 && dims.at(-3) !== 1 ? 3 : 2)
    hiddenIn({ data: tensor.data, dims: mask.dims.length === 3 ? tensor.dims : tensor.dims.slice(1) }, mask)
    return mask
  }

  /** Returns the matrix of one head as a map to draw. @param {Checked} tensor @param {number} head */
  #headOf({ data, dims: [, rows, columns] }, head) {
    const size = rows * columns
    const own = { data: part(data, head, size), dims: [rows, columns] }
    const mask =
      this.#mask &&
      (this.#mask.dims.length === 3 ? { data: part(this.#mask.data, head, size), dims: own.dims } : this.#mask)
    const isHidden = hiddenIn(own, mask)
    const range = this.scale === 'sequential' ? { least: 0, most: 1 } : extremes(own, isHidden)
    return { ...own, isHidden, scale: this.scale, domain: this.domain ?? domainOf(this.scale, range) }
  }

  /** Returns the size of a small map. @param {Checked} tensor */
  #sizeOf({ dims: [, rows, columns] }) {
    const cell = this.side / Math.max(rows, columns, 1)
    return { width: Math.max(4, cell * columns), height: Math.max(4, cell * rows) }
  }

  /** @param {Checked} tensor @param {number} head @param {number} ratio */
  #imageOf(tensor, head, ratio) {
    const { width, height } = this.#sizeOf(tensor)
    const map = this.#headOf(tensor, head)
    const [rows, columns] = map.dims
    const [across, down] = [Math.min(columns, Math.round(width * ratio)), Math.min(rows, Math.round(height * ratio))]
    return raster(map, this.theme.style.isDark, { row: 0, column: 0, rows, columns }, across, down)
  }

  /** @param {import('./drawing-backends.js').Backend} backend @param {Checked} tensor @param {number} head @param {number} x @param {number} y @param {number} ratio */
  #drawHead(backend, tensor, head, x, y, ratio) {
    const { width, height } = this.#sizeOf(tensor)
    const { hidden, hatch, nan } = exceptions(this.theme.style.isDark)
    backend.hatch(x, y, width, height, { ground: hidden, line: hatch })
    const [rows, columns] = tensor.dims.slice(1)
    if ('context' in backend || rows * columns > 1024)
      return backend.image(canvasOf(this.#imageOf(tensor, head, ratio)), x, y, width, height)
    const map = this.#headOf(tensor, head)
    const { colours } = paletteOf(map.scale, this.theme.style.isDark)
    for (let i = 0; i < rows * columns; i++) {
      if (map.isHidden(i)) continue
      const [left, top] = [((i % columns) * width) / columns, (Math.floor(i / columns) * height) / rows]
      const value = map.data[i]
      const step = Math.round(((value - map.domain[0]) / (map.domain[1] - map.domain[0])) * 255)
      const fill = Number.isNaN(value) ? nan : colours[Math.min(Math.max(step || 0, 0), 255)]
      backend.fill(x + left, y + top, width / columns, height / rows, fill)
    }
  }

  /** Scrolls the selected head into view if the row of heads is wider than its container. */
  #reveal() {
    const box = this.parentElement
    const head = this.renderRoot.querySelector('[aria-checked=true]')
    if (!box || !head || box.scrollWidth <= box.clientWidth) return
    const [own, around] = [head.getBoundingClientRect(), box.getBoundingClientRect()]
    box.scrollLeft += Math.min(0, own.left - around.left) + Math.max(0, own.right - around.right)
  }

  /** @internal @param {Map<string, unknown>} changed */
  updated(changed) {
    this.#paintAll()
    if (changed.has('selected') || changed.has('weights')) this.#reveal()
  }

  /** Paints the maps of all heads, and sets the canvas sizes. */
  #paintAll() {
    const tensor = this.#tensor
    const ratio = devicePixelRatio || 1
    const { isDark } = this.theme.style
    const key = `${this.#version} ${ratio} ${isDark}`
    if (!tensor || tensor.data.length === 0 || key === this.#painted) return
    this.#painted = key
    this.renderRoot.querySelectorAll('canvas').forEach((canvas, head) => {
      const { domain, dims } = this.#headOf(tensor, head)
      this.#paint(canvas, tensor, head, ratio, [ratio, isDark, this.scale, this.side, domain, dims].join())
    })
  }

  /**
   * Paints the map of a head, unless it already shows these numbers. A map without hidden cells has one pixel per cell, which the browser
   * enlarges. Hidden cells are hatched, so a backend draws a map that has them.
   * @param {HTMLCanvasElement} canvas
   * @param {Checked} tensor
   * @param {number} head
   * @param {number} ratio
   * @param {string} looks
   */
  #paint(canvas, tensor, head, ratio, looks) {
    const { width, height } = this.#sizeOf(tensor)
    const { data } = this.#headOf(tensor, head)
    const shown = this.#shown.get(canvas)
    const isAsLarge = shown?.numbers.length === data.length
    if (isAsLarge && looks === shown.looks && this.#mask === shown.mask && areSame(shown.numbers, data)) return
    const numbers = isAsLarge ? shown.numbers : new Float64Array(data.length) // reused, since writing to new memory is ten times slower
    numbers.set(data)
    this.#shown.set(canvas, { numbers, mask: this.#mask, looks })
    const image = this.#mask ? undefined : this.#imageOf(tensor, head, ratio)
    if (!image || new Uint32Array(image.data.buffer).includes(0)) {
      const backend = backendOf(canvas, width, height, ratio, this.theme.style.family)
      if (backend) this.#drawHead(backend, tensor, head, 0, 0, ratio)
      return
    }
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
    Object.assign(canvas, { width: image.width, height: image.height })
    canvas.getContext('2d')?.putImageData(image, 0, 0)
  }

  /** @param {number} head */
  #select(head) {
    if (head === this.selected) return
    this.selected = head
    this.fire('head-select', { head })
  }

  /** @param {number} [head] undefined for none */
  #point(head) {
    if (head === this.#pointed) return
    this.#pointed = head
    this.fire('head-focus', head === undefined ? null : { head })
  }

  /** @param {KeyboardEvent} event */
  #key = event => {
    const count = this.#tensor?.dims[0] ?? 0
    const to = movedInRing(event, this.selected, count, true)
    if (to === undefined) return
    event.preventDefault()
    this.#select(to)
    this.updateComplete.then(() => {
      const next = this.renderRoot.querySelectorAll('[role=radio]')[to]
      if (next instanceof HTMLElement) next.focus()
    })
  }

  /** @param {number} head */
  #name(head) {
    return String(this.names?.[head] ?? this.say('head', { index: head + 1 }))
  }

  /** True if the maps contain the row `this.row`, which is framed. @param {number} rows */
  #hasRow(rows) {
    return this.row >= 0 && this.row < rows
  }

  /** Formats the statistics of a head. @param {HeadStatistics} statistics */
  #written({ entropy, first, previous, self }) {
    const share = (/** @type {number} */ x) => (Number.isNaN(x) ? '–' : write(x, 2))
    return [
      {
        name: this.say('entropy'),
        value: Number.isNaN(entropy) ? '–' : this.say('bits', { value: write(entropy, 2) }),
      },
      { name: this.say('first'), value: share(first) },
      { name: this.say('previous'), value: share(previous) },
      { name: this.say('self'), value: share(self) },
    ]
  }

  /** @internal */
  picture() {
    const tensor = this.#tensor
    if (!tensor || this.#wrong) return { width: 96, height: 24, draw: () => {} }
    const { width, height } = this.#sizeOf(tensor)
    const count = tensor.dims[0]
    const lines = this.statistics.length ? 5 : 1
    const [across, down] = [Math.max(width, 136) + GAP, height + lines * 14 + GAP]
    const columns = Math.max(1, Math.min(count, Math.floor(Math.max(this.room.width, across) / across)))
    const { ink, quiet, rule, mark } = this.theme.style
    return {
      width: columns * across + GAP,
      height: Math.ceil(count / columns) * down + GAP,
      draw: (/** @type {import('./drawing-backends.js').Backend} */ backend) => {
        for (let head = 0; head < count; head++) {
          const [x, y] = [GAP + (head % columns) * across, GAP + Math.floor(head / columns) * down]
          this.#drawHead(backend, tensor, head, x, y, 2)
          backend.frame(x - 0.5, y - 0.5, width + 1, height + 1, { stroke: head === this.selected ? ink : rule })
          const high = height / tensor.dims[1]
          if (this.#hasRow(tensor.dims[1]))
            backend.frame(x, y + this.row * high, width, Math.max(high, 3), { stroke: mark })
          backend.text(this.#name(head), x, y + height + 9, { size: 11, fill: ink, most: across - 8 })
          const written = this.statistics[head] ? this.#written(this.statistics[head]) : []
          written.forEach(({ name, value }, i) => {
            backend.text(`${name} ${value}`, x, y + height + 23 + i * 14, { size: 10, fill: quiet, most: across - 8 })
          })
        }
      },
    }
  }

  /** @internal @returns {unknown} */
  render() {
    const tensor = this.#tensor
    if (this.#wrong ?? this.#problem) return this.problem(this.#wrong ?? this.#problem)
    if (!tensor || tensor.data.length === 0) return this.nothing()
    const rows = tensor.dims[1]
    const frame = this.#hasRow(rows)
      ? html`<span class="row" .style=${`inset-block-start: ${(100 * this.row) / rows}%; block-size: ${100 / rows}%`}></span>`
      : nothing
    const selected = Math.min(Math.max(this.selected, -1), tensor.dims[0] - 1)
    return html`${this.theme.probe}
      <div class="heads size" role="radiogroup" aria-label=${this.label || this.say('heads')} @keydown=${this.#key}>
        ${Array.from(
          { length: tensor.dims[0] },
          (_, head) => html`<div
            role="radio"
            part="head"
            aria-checked=${head === selected}
            tabindex=${head === Math.max(selected, 0) ? 0 : -1}
            aria-labelledby="name-${head}"
            aria-describedby=${this.statistics[head] ? `numbers-${head}` : this.notes?.[head] ? `note-${head}` : nothing}
            @click=${() => this.#select(head)}
            @pointerenter=${() => this.#point(head)}
            @pointerleave=${() => this.#point()}
            @focus=${() => this.#point(head)}
            @blur=${() => this.#point()}
          >
            <span class="map" aria-hidden="true"><canvas></canvas>${frame}</span>
            <span class="name" id="name-${head}">${this.#name(head)}</span>
            ${this.notes?.[head] ? html`<span class="note" part="note" id="note-${head}">${this.notes[head]}</span>` : nothing}
            ${
              this.statistics[head]
                ? html`<dl id="numbers-${head}">
                    ${this.#written(this.statistics[head]).map(({ name, value }) => html`<dt>${name}</dt><dd>${value}</dd>`)}
                  </dl>`
                : nothing
            }
          </div>`,
        )}
      </div>`
  }
}

define('qkv-heads', QkvHeads)
