// The words of a long text as virtual lines: only those in view are in the DOM, so that 16,384 words scroll as fast as 100.

import { html, LitElement, nothing } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { visible, widthOf } from '../../../elements/drawing-backends.js'
import { breakLines, hitsOf } from '../sentence/text-lines.js'

/** Line height and padding of a word in pixels; number of extra lines rendered above and below the view. */
const [LINE, SPACE, MORE] = [40, 18, 4]
/** Maximum width of a word in pixels. */
const WIDEST = 240

export class LongWords extends LitElement {
  static properties = {
    words: { attribute: false },
    draw: { attribute: false },
    target: { type: Number },
    label: {},
    width: { state: true },
    top: { state: true },
  }

  constructor() {
    super()
    /** @type {readonly string[]} */
    this.words = []
    /** Returns the template of a word. @type {(word: string, index: number) => unknown} */
    this.draw = word => word
    /** Index of the word to scroll into view when this changes; -1 for none. */
    this.target = -1
    this.label = ''
    this.width = 0
    this.top = 0
    /** @type {number[]} */
    this.starts = [0]
    this.watch = new ResizeObserver(([{ contentRect }]) => {
      this.width = contentRect.width
    })
  }

  createRenderRoot() {
    return this
  }

  connectedCallback() {
    super.connectedCallback()
    this.watch.observe(this)
  }

  disconnectedCallback() {
    super.disconnectedCallback()
    this.watch.disconnect()
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('words') && !changed.has('width')) return
    const font = `400 16px ${getComputedStyle(this).fontFamily}`
    // at least five characters, since a weight may take the place of the position
    const number = (/** @type {number} */ index) => 7 * Math.max(5, String(index + 1).length)
    this.starts = breakLines(
      this.words,
      Math.max(this.width - 20, 120),
      (word, i) => Math.min(WIDEST, widthOf(visible(word), font)) + number(i) + SPACE,
    )
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    const scroller = this.firstElementChild
    if (!changed.has('target') || this.target < 0 || !scroller) return
    const line = this.starts.filter(start => start <= this.target).length - 1
    const { scrollTop, clientHeight } = scroller
    if (line * LINE < scrollTop || (line + 1) * LINE > scrollTop + clientHeight)
      scroller.scrollTop = (line - Math.floor(clientHeight / LINE / 2)) * LINE // scrolls by whole lines and centres the line of the word
  }

  render() {
    const { starts, words } = this
    const seen = Math.ceil((this.firstElementChild?.clientHeight || 200) / LINE)
    const first = Math.max(0, Math.floor(this.top / LINE) - MORE)
    const last = Math.min(starts.length, first + seen + 2 * MORE)
    const lines = starts.slice(first, last)
    return html`<div class="long-words" role="group" tabindex="0" aria-label=${this.label} @scroll=${this.#scroll}>
      <div .style=${`block-size: ${starts.length * LINE}px; padding-block-start: ${first * LINE}px; box-sizing: border-box`}>${repeat(
        lines,
        start => start,
        (start, n) =>
          html`<div class="long-line">${words
            .slice(start, starts[first + n + 1] ?? words.length)
            .map((word, i) => this.draw(word, start + i))}</div>`,
      )}</div></div>`
  }

  /** @param {Event & { currentTarget: Element }} event */
  #scroll = ({ currentTarget }) => {
    this.top = currentTarget.scrollTop
  }
}

customElements.define('long-words', LongWords)

/** Draws the search field with buttons to the next and previous match. @param {import('../models.js').Room} room @param {readonly string[]} tokens */
export function finder({ t, act, view }, tokens) {
  const hits = hitsOf(tokens, view.finding)
  const at = hits.indexOf(view.found ?? -1)
  const go = (/** @type {number} */ by) => {
    if (hits.length) act.show({ found: hits[(at + by + hits.length) % hits.length] })
  }
  const typed = (/** @type {Event & { currentTarget: HTMLInputElement }} */ { currentTarget: { value } }) =>
    act.show({ finding: value, found: hitsOf(tokens, value)[0] })
  const down = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    go(event.shiftKey ? -1 : 1)
  }
  return html`<span class="models-find"><input type="search" id="models-find" aria-label=${t('modelsFind')}
    placeholder=${t('modelsFind')} .value=${view.finding} @input=${typed} @keydown=${down} />
    <button type="button" class="tool" aria-label=${t('modelsFindNext')} ?disabled=${!hits.length} @click=${() => go(1)}>↓</button>
    <span class="note" role="status">${view.finding ? t('modelsHits', { at: at + 1, count: hits.length }) : nothing}</span></span>`
}
