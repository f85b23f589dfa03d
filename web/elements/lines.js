import { css, html, nothing } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import { QkvElement } from './base.js'
import { paletteOf } from './colour-scale.js'
import { define } from './define.js'
import { commonTexts, linesTexts } from './element-texts.js'
import { LongPress } from './gestures.js'
import { moved } from './keys.js'
import { linksOf, strongest } from './links.js'
import { short, write } from './number-text.js'
import { penOf, visible, widthOf } from './pens.js'
import { sharedStyle } from './style.js'
import { check, hiddenIn } from './tensor-input.js'

/** @typedef {import('./tensor-input.js').TensorLike} TensorLike */
/** @typedef {{ side: 'row' | 'column', index: number }} Token a query is a row, a key a column */

/** The most links that can be told apart. */
const MOST_LINKS = 1500
const TITLE = 22
const FIRST = /** @type {const} */ ({ side: 'row', index: 0 })
/** The most links of a token that are announced. */
const MOST_SAID = 5

/** @typedef {{ 'token-focus': Token | null, 'token-pin': Token & import('./heatmap.js').Second }} LinesEvents */

/**
 * Two columns of tokens and the links between them, as wide and as dark as their weights.
 * @tagname qkv-lines
 * @fires {CustomEvent<Token | null>} token-focus - another token is pointed at or moved to; null when the pointer leaves
 * @fires {CustomEvent<Token & Second>} token-pin - a token is clicked, or Enter is pressed on it; `isSecond` with Shift, or by a long press
 * @csspart lines - the tokens and their links
 * @cssprop --qkv-height - the most that the element is high; by default 35rem
 */
export class QkvLines extends /** @type {new () => import('./base.js').Emits<LinesEvents> & QkvElement} */ (
  QkvElement
) {
  /** @internal @type {unknown[]} */
  static styles = [
    sharedStyle,
    css`
      .scroll {
        position: relative;
        overflow-y: auto;
        overflow-x: hidden;
        max-block-size: var(--qkv-height, 35rem);
        cursor: default;
      }
      canvas {
        position: sticky;
        inset-block-start: 0;
      }
    `,
  ]

  /** @internal */
  static properties = {
    weights: { attribute: false },
    mask: { attribute: false },
    queryTokens: { attribute: false },
    keyTokens: { attribute: false },
    threshold: { type: Number },
    decimals: { type: Number },
    token: { attribute: false },
  }

  /** @internal */
  words = { ...commonTexts, ...linesTexts }

  constructor() {
    super()
    /** (L, S) @type {TensorLike | undefined} */
    this.weights = undefined
    /** Boolean: true may be seen; numbers: -Infinity hides. @type {TensorLike | undefined} */
    this.mask = undefined
    /** @type {readonly string[]} */
    this.queryTokens = []
    /** @type {readonly string[]} */
    this.keyTokens = []
    /** Weaker links are left out. */
    this.threshold = 0.01
    this.decimals = 2
    /** The token whose links stand out. @type {Token | undefined} */
    this.token = undefined
  }

  /** @type {{ data: ArrayLike<number>, dims: number[], isHidden: (i: number) => boolean, links: import('./links.js').Link[], least: number } | undefined} */
  #made = undefined
  /** @type {unknown} */
  #problem = undefined
  #isFocused = false

  /** @internal @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    if (!['weights', 'mask', 'threshold'].some(name => changed.has(name))) return
    this.#made = this.#problem = undefined
    if (this.weights === undefined) return
    try {
      const tensor = check(this.weights, 2)
      const isHidden = hiddenIn(tensor, this.mask === undefined ? undefined : check(this.mask, 2))
      const { data, dims } = tensor
      this.#made = { data, dims, isHidden, ...strongest(data, dims, isHidden, this.threshold, MOST_LINKS) }
    } catch (error) {
      this.#problem = error
    }
    const [rows, columns] = this.#made?.dims ?? [0, 0]
    if (this.token && this.token.index >= (this.token.side === 'row' ? rows : columns)) this.token = undefined
  }

  /** @param {Token} token */
  #name({ side, index }) {
    const token = (side === 'row' ? this.queryTokens : this.keyTokens)?.[index]
    return token === undefined ? this.say(side, { index: index + 1 }) : visible(token)
  }

  /** Where everything stands. @internal @param {number} room */
  arrange(room) {
    const [rows, columns] = this.#made?.dims ?? [0, 0]
    const { fontSize, family } = this.theme.style
    const font = `400 ${fontSize}px ${family}`
    const most = Math.max(40, Math.min(160, room * 0.3))
    const widest = (/** @type {'row' | 'column'} */ side, /** @type {number} */ count) => {
      let width = widthOf(this.say(side === 'row' ? 'queries' : 'keys'), `400 11px ${family}`)
      for (let index = 0; index < count && width < most; index++)
        width = Math.max(width, widthOf(this.#name({ side, index }).slice(0, 60), font))
      return Math.min(Math.ceil(width), most)
    }
    const line = Math.ceil(fontSize * 1.7)
    const [left, right] = [widest('row', rows) + 8, widest('column', columns) + 8]
    const width = Math.min(room, left + right + 320)
    return { rows, columns, line, left, right, width, height: TITLE + Math.max(rows, columns) * line + 4, fontSize }
  }

  /** The middle of a token's line. @param {{ line: number }} arranged @param {number} index */
  #y = ({ line }, index) => TITLE + (index + 0.5) * line

  /**
   * @param {import('./pens.js').Pen} pen
   * @param {ReturnType<QkvLines['arrange']>} arranged
   * @param {number} from the part that is seen
   * @param {number} height
   */
  #draw(pen, arranged, from, height) {
    const made = this.#made
    if (!made) return
    const { left, right, width, line, rows, columns, fontSize } = arranged
    const { ink, quiet, mark, isDark } = this.theme.style
    const stroke = paletteOf('sequential', isDark).colours[isDark ? 190 : 205]
    const [start, end] = [left + 2, width - right - 2]
    const y = (/** @type {number} */ index) => this.#y(arranged, index) - from
    const isSeen = (/** @type {number} */ row, /** @type {number} */ column) =>
      Math.max(y(row), y(column)) > -line && Math.min(y(row), y(column)) < height + line
    const token = this.token
    const own = token && linksOf(made.data, made.dims, made.isHidden, token.side, token.index)
    for (const { row, column, weight } of made.links)
      if (isSeen(row, column)) {
        const strong = Math.min(weight, 1)
        const opacity = own ? 0.04 + 0.06 * strong : 0.12 + 0.88 * strong
        pen.link(start, y(row), end, y(column), { stroke, opacity, width: 0.5 + 5 * strong })
      }
    for (const { row, column, weight } of own ?? [])
      if (isSeen(row, column)) {
        const strong = Math.min(weight, 1)
        pen.link(start, y(row), end, y(column), { stroke, opacity: 0.25 + 0.75 * strong, width: 1 + 6 * strong })
      }
    const linked = new Map(own?.map(link => [token?.side === 'row' ? link.column : link.row, link.weight]))
    const write1 = (/** @type {'row' | 'column'} */ side, /** @type {number} */ index) => {
      const isOwn = token?.side === side && token.index === index
      const weight = token && token.side !== side ? linked.get(index) : undefined
      const fill = isOwn || weight !== undefined || !token ? ink : quiet
      const style = { size: fontSize, fill, weight: isOwn ? 650 : 400 }
      const at = y(index)
      if (side === 'row')
        pen.text(this.#name({ side, index }), left - 4, at, { ...style, align: 'right', most: left - 8 })
      else pen.text(this.#name({ side, index }), width - right + 4, at, { ...style, most: right - 8 })
      if (isOwn && this.#isFocused) {
        const x = side === 'row' ? 1 : width - right + 1
        pen.frame(x, at - line / 2 + 1, (side === 'row' ? left : right) - 2, line - 2, { stroke: mark, width: 2 })
      }
    }
    const first = Math.max(Math.floor((from - TITLE) / line), 0)
    const last = Math.ceil((from + height - TITLE) / line)
    for (let row = first; row < Math.min(last, rows); row++) write1('row', row)
    for (let column = first; column < Math.min(last, columns); column++) write1('column', column)
    if (from > TITLE) return
    const title = { size: 11, fill: quiet }
    pen.text(this.say('queries'), left - 4, 8 - from, { ...title, align: 'right' })
    pen.text(this.say('keys'), width - right + 4, 8 - from, title)
  }

  /** The scrolled part, drawn again. */
  #paint = () => {
    const scroll = this.renderRoot.querySelector('.scroll')
    const canvas = this.renderRoot.querySelector('canvas')
    if (!scroll || !canvas) return
    const arranged = this.arrange(this.room.width)
    const height = Math.min(scroll.clientHeight || arranged.height, arranged.height)
    const pen = penOf(canvas, arranged.width, height, devicePixelRatio || 1, this.theme.style.family)
    if (pen) this.#draw(pen, arranged, scroll.scrollTop, height)
  }

  /** @internal */
  updated() {
    const spacer = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('.spacer'))
    if (!spacer || !this.room.part) return
    if (!this.room.width) this.room.measure()
    spacer.style.height = `${this.arrange(this.room.width).height}px`
    this.#paint()
  }

  /** @param {MouseEvent} event @returns {Token | undefined} */
  #at(event) {
    const canvas = this.renderRoot.querySelector('canvas')
    const scroll = this.renderRoot.querySelector('.scroll')
    if (!canvas || !scroll) return undefined
    const { left, top } = canvas.getBoundingClientRect()
    const arranged = this.arrange(this.room.width)
    const index = Math.floor((event.clientY - top + scroll.scrollTop - TITLE) / arranged.line)
    const side = event.clientX - left < arranged.width / 2 ? 'row' : 'column'
    return index >= 0 && index < arranged[side === 'row' ? 'rows' : 'columns'] ? { side, index } : undefined
  }

  /** @param {Token | undefined} token */
  #point = token => {
    if (token?.side === this.token?.side && token?.index === this.token?.index) return
    this.token = token
    this.fire('token-focus', token)
  }

  /** @param {boolean} isSecond */
  #pin(isSecond) {
    if (!this.token) return
    const detail = { ...this.token, ...(isSecond && { isSecond }) }
    this.fire('token-pin', detail)
  }

  #longPress = new LongPress()

  /** @param {PointerEvent} event */
  #down = event => {
    this.#point(this.#at(event))
    this.#longPress.down(event, () => this.#pin(true))
  }

  /** @param {MouseEvent} event */
  #click = event => {
    if (!this.#longPress.wasLong()) this.#pin(event.shiftKey)
  }

  /** Where a key leads: down its column, or to the other one. @param {string} key @param {{ row: number, column: number }} from @param {number[]} counts @returns {Token | undefined} */
  #moved(key, from, counts) {
    const last = counts[from.column] - 1
    const ends = { Home: 0, End: last }[key]
    const to = ends === undefined ? moved({ key, ctrlKey: false }, from, last + 1, 2) : { ...from, row: ends }
    return to && { side: to.column ? 'column' : 'row', index: Math.min(to.row, counts[to.column] - 1) }
  }

  /** @param {KeyboardEvent} event */
  #key = event => {
    const counts = this.#made?.dims ?? [0, 0]
    const { side, index } = this.token ?? FIRST
    const column = side === 'row' ? 0 : 1
    const to = this.#moved(event.key, { row: index, column }, counts)
    if (event.key === 'Escape') this.#point(undefined)
    if (event.key === 'Enter') this.#pin(event.shiftKey)
    if (!to) return
    event.preventDefault()
    this.#point(to)
    const scroll = this.renderRoot.querySelector('.scroll')
    if (!scroll) return
    const [y, { line }] = [this.#y(this.arrange(this.room.width), to.index), this.arrange(this.room.width)]
    if (y - line < scroll.scrollTop) scroll.scrollTop = y - line - TITLE
    else if (y + line > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = y + line - scroll.clientHeight
  }

  /** A token and its links in words. @param {Token} token */
  describe(token) {
    if (!this.#made) return ''
    const { data, dims, isHidden } = this.#made
    const other = token.side === 'row' ? 'column' : 'row'
    const links = linksOf(data, dims, isHidden, token.side, token.index)
      .slice(0, MOST_SAID)
      .map(link => `${this.#name({ side: other, index: link[other] })} ${write(link.weight, this.decimals)}`)
    return this.say(token.side === 'row' ? 'linksOf' : 'linksTo', {
      token: this.#name(token),
      links: links.join(', ') || this.say('noLinks'),
    })
  }

  /** @internal */
  picture() {
    const arranged = this.arrange(this.room.width || 480)
    return {
      width: arranged.width,
      height: arranged.height,
      draw: (/** @type {import('./pens.js').Pen} */ pen) => this.#draw(pen, arranged, 0, arranged.height),
    }
  }

  /** @internal @returns {unknown} */
  render() {
    const made = this.#made
    if (this.#problem) return this.problem(this.#problem)
    if (!made || made.data.length === 0) return this.nothing()
    const token = this.token ?? FIRST
    const id = `token-${token.side}-${token.index}`
    return html`${this.theme.probe}
      <div class="size" part="lines">
        <div
          class="scroll"
          role="listbox"
          tabindex="0"
          aria-label=${this.label || this.say('links')}
          aria-activedescendant=${id}
          @keydown=${this.#key}
          @scroll=${this.#paint}
          @focus=${() => {
            this.#isFocused = true
            if (!this.token) this.#point(token)
            this.requestUpdate()
          }}
          @blur=${() => {
            this.#isFocused = false
            this.requestUpdate()
          }}
          @pointermove=${(/** @type {PointerEvent} */ event) => this.#point(this.#at(event))}
          @pointerdown=${this.#down}
          @pointerup=${this.#longPress.up}
          @pointercancel=${this.#longPress.up}
          @click=${this.#click}
          @pointerleave=${() => this.#isFocused || this.#point(undefined)}
        >
          <div class="spacer"><canvas aria-hidden="true"></canvas></div>
          ${keyed(
            id,
            html`<div
              class="unseen"
              role="option"
              id=${id}
              aria-selected="true"
              aria-posinset=${token.index + 1}
              aria-setsize=${made.dims[token.side === 'row' ? 0 : 1]}
            >${this.describe(token)}</div>`,
          )}
        </div>
      </div>
      ${made.least > this.threshold || made.links.length === 0 ? html`<p class="quiet">${this.say('threshold', { value: short(made.least) })}</p>` : nothing}`
  }
}

define('qkv-lines', QkvLines)
