// What all elements share: their colours and fonts from CSS, their size, dark and light, pictures.

import { css, html, LitElement } from 'lit'
import { luminance } from './colour.js'
import { CanvasPen, SvgPen } from './pens.js'
import { Problem } from './tensor.js'
import { fill, texts } from './texts.js'

/** @typedef {import('./draw.js').Style} Style */

/** @type {unknown} */
export const sharedStyle = css`
  :host {
    display: block;
    box-sizing: border-box;
    min-inline-size: 0;
    max-inline-size: 100%;
    color: var(--qkv-ink, CanvasText);
    font: 400 0.8125rem/1.4 var(--qkv-font, system-ui, sans-serif);
    font-variant-numeric: tabular-nums;
  }
  :host([hidden]) {
    display: none;
  }
  .size {
    position: relative;
    max-inline-size: 100%;
  }
  canvas {
    display: block;
  }
  .probe {
    position: absolute;
    visibility: hidden;
    inline-size: 0;
    block-size: 0;
    color: CanvasText;
    border-color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
    outline-color: var(--qkv-rule, light-dark(#d4d4ce, #393c41));
    background-color: var(--qkv-paper, Canvas);
    text-decoration-color: var(--qkv-mark, CanvasText);
    column-rule-color: var(--qkv-ink, CanvasText);
    transition: color 1ms, background-color 1ms, border-color 1ms, column-rule-color 1ms;
  }
  .quiet,
  .problem {
    margin: 0;
    color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
  }
  .problem {
    padding: 0.5rem 0.75rem;
    border-inline-start: 3px solid var(--qkv-problem, light-dark(#a3260d, #ff9a80));
    color: var(--qkv-problem, light-dark(#a3260d, #ff9a80));
    overflow-wrap: anywhere;
  }
  .unseen {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem;
    margin-block-start: 0.25rem;
  }
  button {
    font: inherit;
    color: inherit;
  }
  .tools button,
  [role='tab'] {
    min-block-size: 1.75rem;
    padding: 0 0.5rem;
    border: 1px solid transparent;
    border-radius: 4px;
    background: none;
    color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
    cursor: pointer;
  }
  .tools button {
    min-inline-size: 1.75rem;
    font-size: 0.75rem;
  }
  .tools button:hover:not(:disabled) {
    border-color: currentColor;
  }
  .tools button:disabled {
    opacity: 0.45;
    cursor: default;
  }
  :focus-visible {
    outline: 2px solid var(--qkv-mark, CanvasText);
    outline-offset: 1px;
  }
  @media print {
    .tools {
      display: none;
    }
  }
`

/**
 * What the elements use of Lit; said here, so that their types need no other package.
 * @typedef {HTMLElement & {
 *   readonly renderRoot: HTMLElement | DocumentFragment, readonly hasUpdated: boolean, readonly updateComplete: Promise<boolean>,
 *   requestUpdate(): void, connectedCallback(): void, disconnectedCallback(): void, updated(changed: Map<PropertyKey, unknown>): void,
 * }} Reactive
 */
export const Base = /** @type {new () => Reactive} */ (/** @type {unknown} */ (LitElement))

export class QkvElement extends Base {
  /** @type {Record<string, object>} */
  static properties = { label: {}, texts: { attribute: false } }

  #watch = new ResizeObserver(([{ contentRect }]) => {
    if (Math.abs(contentRect.width - this.room) < 0.5) return
    this.room = contentRect.width
    this.requestUpdate()
  })
  #media = matchMedia('(prefers-color-scheme: dark)')
  #page = new MutationObserver(() => this.refresh())
  refresh = () => {
    this.#style = undefined
    this.requestUpdate()
  }
  /** @type {Style | undefined} */
  #style = undefined
  /** @type {Element | null} */
  #watched = null
  /** The width there is. @type {number} */
  room = 0

  constructor() {
    super()
    /** What this shows, for screen readers and pictures. @type {string} */
    this.label = ''
    /** Words in another language. @type {import('./texts.js').Texts} */
    this.texts = {}
  }

  connectedCallback() {
    super.connectedCallback()
    this.#style = undefined
    this.#media.addEventListener('change', this.refresh)
    this.#page.observe(document.documentElement, {
      attributes: true,
      attributeFilter: ['class', 'style', 'data-theme'],
    })
    document.fonts?.ready.then(this.refresh)
    this.requestUpdate()
  }

  disconnectedCallback() {
    super.disconnectedCallback()
    this.#media.removeEventListener('change', this.refresh)
    this.#page.disconnect()
    this.#watch.disconnect()
    this.#watched = null
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  updated(changed) {
    super.updated(changed)
    const size = this.renderRoot.querySelector('.size')
    if (size === this.#watched) return
    this.#watch.disconnect()
    if (size) this.#watch.observe(size)
    this.#watched = size
  }

  /** @param {Element} size */
  measure(size) {
    this.room = size.clientWidth
  }

  /**
   * A text in the language of the page.
   * @param {keyof typeof texts} key
   * @param {Record<string, string | number>} [values]
   */
  say(key, values) {
    return fill(this.texts?.[key] ?? texts[key], values)
  }

  /** The colours and fonts that CSS gives, read once until they may have changed. */
  get look() {
    if (this.#style) return this.#style
    const probe = this.renderRoot.querySelector('.probe')
    const own = getComputedStyle(this)
    const seen = probe ? getComputedStyle(probe) : own
    const style = {
      ink: seen.columnRuleColor,
      quiet: seen.borderTopColor,
      rule: seen.outlineColor,
      paper: seen.backgroundColor,
      mark: seen.textDecorationColor,
      isDark: luminance(seen.color) > 0.4,
      family: own.fontFamily,
      fontSize: Number.parseFloat(own.fontSize) || 13,
    }
    if (probe) this.#style = style
    return style
  }

  /** What is in every template: from here colours are read. */
  /** @returns {unknown} */
  get probe() {
    return html`<span class="probe" @transitionend=${this.refresh}></span>`
  }

  /** @param {unknown} error what went wrong with the tensors; anything else is thrown on @returns {unknown} */
  problem(error) {
    if (!(error instanceof Problem)) throw error
    return html`<p class="problem" part="problem">${this.say(error.key, error.values)}</p>`
  }

  /**
   * A canvas as sharp as the screen.
   * @param {HTMLCanvasElement} canvas
   * @param {number} width
   * @param {number} height
   * @param {number} [ratio]
   * @returns {CanvasPen | undefined}
   */
  pen(canvas, width, height, ratio = devicePixelRatio || 1) {
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)]
    if (canvas.width !== across || canvas.height !== down) {
      canvas.width = across
      canvas.height = down
    }
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
    const context = canvas.getContext('2d')
    if (!context) return undefined
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    return new CanvasPen(context, this.look.family)
  }

  /**
   * The picture as PNG, twice as fine as CSS pixels.
   * @param {number} [ratio]
   * @returns {Promise<Blob>}
   */
  async toPNG(ratio = 2) {
    const canvas = document.createElement('canvas')
    const { width, height, draw } = this.picture()
    const pen = this.pen(canvas, width, height, ratio)
    if (!pen) throw new Error('No canvas: this browser is out of memory for pictures.')
    pen.fill(0, 0, width, height, this.look.paper)
    draw(pen)
    return new Promise((resolve, reject) =>
      canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('The picture is too large.'))), 'image/png'),
    )
  }

  /**
   * The picture as SVG, with text as text.
   * @returns {string}
   */
  toSVG() {
    const pen = new SvgPen(this.look.family)
    const { width, height, draw, description } = this.picture()
    pen.fill(0, 0, width, height, this.look.paper)
    draw(pen)
    return pen.picture(width, height, this.label || this.localName, description)
  }

  /**
   * The whole picture, not only the part that is zoomed into.
   * @returns {{ width: number, height: number, description?: string, draw: (pen: import('./pens.js').Pen) => void }}
   */
  picture() {
    throw new Error(`${this.localName} has no picture`)
  }
}
