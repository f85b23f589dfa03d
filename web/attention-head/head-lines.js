// Draws the weights of all heads of a layer as lines between two columns of words, from each query to its keys. Light DOM; depends only on
// weights and words, not on rooms.

import { html, LitElement, nothing, svg } from 'lit'
import { moved } from '../elements/keys.js'
import { Theme } from '../elements/theme.js'
import { percent } from '../files/number-format.js'
import { held, left, released, rested } from '../ui/pointing.js'
import { linesOf, strongest } from './line-paths.js'

/** @import { Word } from './head.js' */
/** @typedef {import('../shell/room.js').Translate<keyof typeof import('../i18n/en/lines.js').texts>} LineTexts */

/** Number of head colours; further heads reuse them with dashes. */
const COLOURS = 8
/** Maximum number of heads drawn as squares beside a word. With more heads, only the strongest head has a square. */
const MOST_SQUARES = 16
/** Maximum number of heads in the label of a word for screen readers. */
const MOST_READ = 8

/** @param {number} head */
const isDashed = head => Math.floor(head / COLOURS) % 2 === 1
/** @param {number} head */
const classOf = head => `head-${head % COLOURS}${isDashed(head) ? ' is-dashed' : ''}`

/** @param {Word | undefined} a @param {Word | undefined} b */
const isSameWord = (a, b) => a?.side === b?.side && a?.position === b?.position

class HeadLines extends LitElement {
  static properties = {
    weights: { attribute: false },
    from: { attribute: false },
    names: { attribute: false },
    own: { attribute: false },
    queries: { attribute: false },
    keys: { attribute: false },
    word: { attribute: false },
    label: {},
    l: { attribute: false },
    off: { state: true },
    near: { state: true },
    isAll: { state: true },
    tab: { state: true },
  }

  constructor() {
    super()
    /** Weights of all heads, of one or several layers. @type {Float32Array} */
    this.weights = new Float32Array()
    /** Index in `weights` at which the weights of this layer begin, (heads, queries, keys). */
    this.from = 0
    /** @type {readonly string[]} */
    this.names = []
    /** Index of the open head. */
    this.own = 0
    /** @type {readonly string[]} */
    this.queries = []
    /** @type {readonly string[]} */
    this.keys = []
    /** The selected word. @type {Word | undefined} */
    this.word = undefined
    this.label = ''
    /** @type {LineTexts} */
    this.l = /** @type {never} */ (undefined)
    /** Heads that are not drawn. @type {ReadonlySet<number>} */
    this.off = new Set()
    /** The word under the pointer or with keyboard focus. @type {Word | undefined} */
    this.near = undefined
    /** True to draw the lines of all words even if one is selected. */
    this.isAll = false
    /** The word that the Tab key focuses. @type {Word} */
    this.tab = { side: 'queries', position: 0 }
    this.theme = new Theme(this)
  }

  createRenderRoot() {
    return this
  }

  /** @param {Map<string, any>} changed */
  willUpdate(changed) {
    if (changed.has('word') && !isSameWord(changed.get('word'), this.word)) this.isAll = false
    const fits = (/** @type {Word | undefined} */ word) => word && word.position < this[word.side].length
    if (!fits(this.near)) this.near = undefined
    if (!fits(this.tab)) this.tab = { side: 'queries', position: 0 }
    if (this.names.every((_, head) => this.off.has(head))) this.off = new Set()
  }

  /** The word to which the drawn lines are restricted; undefined to draw all. @returns {Word | undefined} */
  get spoken() {
    const { near, word, isAll } = this
    const chosen = isAll ? undefined : word
    return near ?? (chosen && chosen.position < this[chosen.side].length ? chosen : undefined)
  }

  get heads() {
    return this.names.flatMap((_, head) => (this.off.has(head) ? [] : [head]))
  }

  /** @param {number} head @param {number} query @param {number} key */
  weightOf = (head, query, key) =>
    this.weights[this.from + (head * this.queries.length + query) * this.keys.length + key]

  /**
   * Returns the weight between the current word and a word in the other column.
   * @param {Word} spoken
   * @param {number} other
   * @param {number} head
   */
  #between = (spoken, other, head) =>
    spoken.side === 'queries'
      ? this.weightOf(head, spoken.position, other)
      : this.weightOf(head, other, spoken.position)

  render() {
    const { l, queries, keys, spoken, label } = this
    if (!queries.length || !keys.length) return nothing
    const rows = Math.max(queries.length, keys.length)
    return html`${this.theme.probe}<div class="lines-tools">${this.#legend()}</div>
      <p class="note lines-say" role="status">${spoken ? this.#said(spoken) : l('linesHint')}</p>
      <div class="lines-body" role="group" aria-label=${label} .style=${`--rows: ${rows}`} @keydown=${this.#key}
        @pointerleave=${() => left(() => this.#point())} @focusout=${() => this.#point()}>
        <span class="lines-title note">${l('linesFrom')}</span><span></span><span class="lines-title note">${l('linesTo')}</span>
        ${this.#column('queries')}
        <svg aria-hidden="true" viewBox="0 0 100 ${rows * 10}" preserveAspectRatio="none">${this.#lines().map(
          ({ head, opacity, path }) =>
            svg`<path class=${classOf(head)} d=${path} stroke-opacity=${opacity} data-head=${head}></path>`,
        )}</svg>
        ${this.#column('keys')}
      </div>`
  }

  #lines() {
    const { weights, from, heads, queries, keys, spoken } = this
    return linesOf({ weights, from, heads, queries: queries.length, keys: keys.length }, spoken)
  }

  /** Returns the data of an exported picture, with the colours as displayed. */
  #picture() {
    const { queries, keys, heads, names } = this
    const colours = Array.from(this.querySelectorAll('.lines-head .lines-colour'), each => getComputedStyle(each).color)
    const named = names.map((name, head) => ({ name, colour: colours[head], dash: isDashed(head) ? [5, 3] : [] }))
    return { queries, keys, heads, names: named, lines: this.#lines() }
  }

  async toSVG() {
    const { toSVG } = await import('./lines-picture.js')
    return toSVG(this.#picture(), this.theme.style, this.label)
  }

  async toPNG() {
    const { toPNG } = await import('./lines-picture.js')
    return toPNG(this.#picture(), this.theme.style)
  }

  /** Draws the legend of heads; each can be hidden. */
  #legend() {
    const { l, names, own, off, spoken } = this
    const set = (/** @type {Iterable<number>} */ heads) => {
      this.off = new Set(heads)
    }
    const toggle = (/** @type {number} */ head) =>
      set(off.has(head) ? [...off].filter(each => each !== head) : [...off, head])
    const others = names.flatMap((_, head) => (head === own ? [] : [head]))
    return html`<span class="lines-legend" role="group" aria-label=${l('linesHeads')}>${names.map(
      (name, head) =>
        html`<button type="button" class="lines-head" data-head=${head} aria-pressed=${!off.has(head)}
          @click=${() => toggle(head)}><i class="lines-colour ${classOf(head)}"></i>${head === own ? html`<b>${name}</b>` : name}</button>`,
    )}</span>
      ${
        names.length > 1
          ? html`<button type="button" class="plain lines-only"
            @click=${() => set(off.size ? [] : others)}>${off.size ? l('linesAllHeads') : l('linesOnly', { name: names[own] })}</button>`
          : nothing
      }
      <button type="button" class="plain lines-all" ?disabled=${!this.word} aria-pressed=${!spoken} @click=${() => {
        this.isAll = !this.isAll
      }}>${l('linesAllWords')}</button>`
  }

  /** Describes the strongest weight of each head from or to a word. @param {Word} spoken */
  #said(spoken) {
    const { l, heads, names } = this
    const word = this[spoken.side][spoken.position]
    const list = heads.slice(0, MOST_READ).map(head => {
      const { at, weight } = strongest(this[spoken.side === 'queries' ? 'keys' : 'queries'].length, other =>
        this.#between(spoken, other, head),
      )
      const other = this[spoken.side === 'queries' ? 'keys' : 'queries'][at]
      return l('linesMost', { name: names[head], word: other, weight: percent(weight) })
    })
    return l(spoken.side === 'queries' ? 'linesLooks' : 'linesSeen', { word, list: list.join(l('linesComma')) })
  }

  /** @param {Word['side']} side */
  #column(side) {
    const { spoken, tab, word } = this
    return html`<ol class="lines-words is-${side}">${this[side].map((text, position) => {
      const own = { side, position }
      const isOn = isSameWord(own, word)
      const select = (/** @type {boolean} */ isSecond) => this.#select(own, isSecond)
      const name = html`<span class="lines-text">${text}</span>`
      return html`<li><button type="button"
        class="lines-word ${isOn ? 'is-selected' : ''} ${isSameWord(own, spoken) ? 'is-spoken' : ''}" data-side=${side}
        data-position=${position}
          aria-pressed=${isOn} aria-label=${this.#said(own)} tabindex=${isSameWord(own, tab) ? 0 : -1}
          @pointerenter=${() => rested(() => this.#point(own))} @focus=${() => this.#focus(own)}
        @pointerdown=${(/** @type {PointerEvent} */ event) => held(event, () => select(true))} @pointerup=${released}
        @pointercancel=${released}
        @click=${(/** @type {MouseEvent} */ { shiftKey }) => select(shiftKey)}>${
          side === 'queries' ? [this.#numbers(own), name] : [name, this.#numbers(own)]
        }</button></li>`
    })}</ol>`
  }

  /** Draws the weights between a word and the current word in the other column. @param {Word} own */
  #numbers(own) {
    const { spoken, heads, names } = this
    if (!spoken || spoken.side === own.side) return nothing
    const weights = heads.map(head => ({ head, weight: this.#between(spoken, own.position, head) }))
    const most = weights.reduce((a, b) => (b.weight > a.weight ? b : a), weights[0])
    if (!(most?.weight > 0)) return nothing
    const shown = heads.length > MOST_SQUARES ? [most] : weights
    return html`<span class="lines-numbers">${shown.map(
      ({ head, weight }) =>
        html`<i class="lines-colour ${classOf(head)} ${head === most.head ? 'is-most' : ''}"
          title="${names[head]}: ${weight.toFixed(4)}" .style=${`opacity: ${Math.max(0.06, weight).toFixed(2)}`}></i>`,
    )} <small>${percent(most.weight)}</small></span>`
  }

  /** @param {Word} [word] */
  #point(word) {
    if (isSameWord(word, this.near)) return
    this.near = word
    this.#send('lines-point', word)
  }

  /** @param {Word} word */
  #focus(word) {
    this.tab = word
    rested(() => this.#point(word))
  }

  /** @param {Word} word @param {boolean} isSecond */
  #select(word, isSecond) {
    this.isAll = false
    this.tab = word
    this.#send('lines-select', { word, isSecond })
  }

  /** @param {string} name @param {unknown} detail */
  #send(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }))
  }

  /** Moves the focus with arrow keys, within a column or to the other column. @param {KeyboardEvent} event */
  #key = event => {
    const { target } = event
    if (!(target instanceof HTMLElement) || !target.dataset.side) return
    const from = { row: this.tab.position, column: this.tab.side === 'queries' ? 0 : 1 }
    const rows = Math.max(this.queries.length, this.keys.length)
    const to = moved(event, from, rows, 2)
    if (!to) return
    event.preventDefault()
    event.stopPropagation()
    const side = to.column ? 'keys' : 'queries'
    const position = Math.min(to.row, this[side].length - 1)
    const next = this.querySelector(`[data-side="${side}"][data-position="${position}"]`)
    if (next instanceof HTMLElement) next.focus()
  }
}

customElements.define('head-lines', HeadLines)
