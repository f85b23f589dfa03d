import { css, html, nothing } from 'lit'
import { QkvElement } from './base.js'
import { define } from './define.js'
import { backendOf, visible } from './drawing-backends.js'
import { commonTexts } from './element-texts.js'
import { drawFlow, MOST_CELLS, partAt, reachOf, SMALLEST_WORD, stageOf } from './flow-drawing.js'
import { framesOf, isFrom, rowsOf } from './flow-frames.js'
import { flowTexts } from './flow-texts.js'
import { LARGE_TYPE } from './geometry.js'
import { percent, write } from './number-text.js'
import { PAUSE, PLAY } from './signs.js'
import { sharedStyle } from './style.js'
import { asJSON, optionProblem } from './tensor-input.js'

/** @import { TensorLike } from './tensor-input.js' */
/** @import { FlowStep, FlowTrace } from './flow-frames.js' */
/** @import { Grabbed } from './flow-drawing.js' */

/** @typedef {Grabbed & { value: number, isFirst: boolean, isUndone?: true }} FlowEdit */
/** @typedef {{ 'flow-frame': { at: number, step: FlowStep, key?: number }, 'flow-query': { query: number, isPassing?: true }, 'flow-all': undefined, 'flow-edit': FlowEdit, 'flow-pick': Grabbed }} FlowEvents */

/** Keys of the texts shown for steps without a frame. @type {{ mask: 'flowNoMask', scale: 'flowNoScale' }} */
const NONE = { mask: 'flowNoMask', scale: 'flowNoScale' }
const PACES = [0.25, 0.5, 1, 2, 4]
/** Milliseconds per word while "All words" plays, and the maximum in total. */
const [PASS, PASSES] = [150, 6000]
/** Keys of texts that have a variant for pooled vectors. */
const IS_POOLED = ['flowWord', 'flowQuery', 'flowKeys']
/** Pixels that the pointer may move for a press to count as a click. */
const STILL = 4

/**
 * Shows the computation for one word in one head frame by frame: query, scores, softmax, values, output.
 * @tagname qkv-flow
 * @fires {CustomEvent<{ at: number, step: FlowStep, key?: number }>} flow-frame - another frame is shown
 * @fires {CustomEvent<{ query: number, isPassing?: true }>} flow-query - another query is chosen, by "Next word" or the up and down
 * arrows; `isPassing`: "All words" chose it
 * @fires {CustomEvent<undefined>} flow-all - "All words" has shown the outputs of all queries
 * @fires {CustomEvent<FlowEdit>} flow-edit - with `editable`: a weight is dragged sideways, or a number of x up and down. Without x, the
 * number is one of q, or of the k or v of `key`. `isFirst`: the drag begins; `isUndone`: the drag is reverted
 * @fires {CustomEvent<Grabbed>} flow-pick - a weight, a score or a number of a vector is clicked
 * @csspart flow - the picture
 * @csspart caption - the text of the frame
 * @csspart controls - the buttons and the time line
 */
export class QkvFlow extends /** @type {new () => import('./base.js').Emits<FlowEvents> & QkvElement} */ (QkvElement) {
  /** @internal @type {unknown[]} */
  static styles = [
    sharedStyle,
    css`
      .caption {
        min-block-size: 2.8em;
        margin: 0 0 0.5rem;
        font-size: 1.125rem;
        overflow-wrap: anywhere;
      }
      .caption b {
        font-weight: inherit;
      }
      .caption b::before {
        content: open-quote;
      }
      .caption b::after {
        content: close-quote;
      }
      @media (width < 40rem) {
        .caption {
          min-block-size: 4.5em;
          font-size: 1rem;
        }
      }
      .controls {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
        align-items: center;
      }
      .more {
        position: relative;
      }
      .more > div {
        position: absolute;
        z-index: 3;
        inset: auto 0 calc(100% + 4px) auto;
        display: flex;
        gap: 0.5rem;
        padding: 0.5rem;
        border: 1px solid var(--qkv-rule, light-dark(#d4d4ce, #393c41));
        border-radius: 4px;
        background: var(--qkv-paper, Canvas);
        white-space: nowrap;
      }
      .controls .more summary {
        min-inline-size: auto;
        line-height: 1.875rem;
        list-style: none;
        text-align: center;
      }
      .more summary::-webkit-details-marker {
        display: none;
      }
      .controls :is(button, summary),
      select {
        min-block-size: 2rem;
        min-inline-size: 2rem;
        padding: 0 0.625rem;
        border: 1px solid var(--qkv-rule, light-dark(#d4d4ce, #393c41));
        border-radius: 4px;
        background: none;
        color: inherit;
        font: inherit;
        cursor: pointer;
      }
      button:disabled {
        opacity: 0.45;
        cursor: default;
      }
      canvas {
        touch-action: pan-y;
      }
      input {
        flex: 1 1 7rem;
        min-inline-size: 0;
        accent-color: var(--qkv-mark, CanvasText);
      }
      @media print {
        .controls {
          display: none;
        }
      }
    `,
  ]

  /** @internal */
  static properties = {
    trace: { converter: asJSON },
    queryTokens: { attribute: 'query-tokens', converter: asJSON },
    keyTokens: { attribute: 'key-tokens', converter: asJSON },
    partials: { converter: asJSON },
    head: { type: Number },
    query: { type: Number },
    at: { type: Number },
    step: {},
    editable: { type: Boolean },
    pace: { type: Number },
    isPlaying: { state: true },
  }

  /** @internal */
  words = { ...commonTexts, ...flowTexts }

  constructor() {
    super()
    /** @type {FlowTrace | undefined} */
    this.trace = undefined
    /** @type {readonly string[]} */
    this.queryTokens = []
    /** Labels of the keys; default those of the queries. @type {readonly string[] | undefined} */
    this.keyTokens = undefined
    /**
     * Partial sums of the weighted values, (n, size of a value). Row i is the sum of the i + 1 values with the largest weights. Without
     * partial sums, the output appears only with the last value.
     * @type {TensorLike | undefined}
     */
    this.partials = undefined
    this.head = 0
    this.query = 0
    /** Index of the displayed frame; negative for the last. */
    this.at = 0
    /** The step to show; setting it opens its first frame, unless one of its frames is displayed already. @type {FlowStep | undefined} */
    this.step = undefined
    /** True if weights can be dragged, and numbers of x; if x is missing, numbers of q, k and v. */
    this.editable = false
    /** Speed factor. */
    this.pace = 1
    /** @internal */
    this.isPlaying = false
    this.addController({ hostDisconnected: () => this.pause() })
  }

  /** @type {{ rows: import('./flow-frames.js').FlowRows, frames: import('./flow-frames.js').Frame[], count: number } | undefined} */
  #made = undefined
  /** @type {unknown} */
  #problem = undefined
  /** A requested step that has no frame. @type {keyof typeof NONE | undefined} */
  #absent = undefined
  /** The step to show again after another word is selected. @type {FlowStep | undefined} */
  #sought = undefined
  /** True after an attempt to drag a score, which is not editable since it depends on q and k. */
  #isFixed = false
  /** True while "All words" is running. */
  #isPassing = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined

  /** @internal @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('at')) this.#absent = undefined
    if (['trace', 'head', 'query'].some(name => changed.has(name))) {
      const isAtEnd = !changed.has('at') && this.frames.length > 0 && this.#index === this.frames.length - 1
      this.#make()
      // Words differ in their number of frames. If the last frame was shown, show the new word's last frame.
      if (isAtEnd) this.at = Math.max(0, this.frames.length - 1)
    }
    if (['at', 'query'].some(name => changed.has(name))) this.#isFixed = false
    const step = this.#sought ?? (changed.has('step') ? this.step : this.#absent)
    this.#sought = undefined
    if (step && this.frames.length) this.#open(step)
  }

  /**
   * Shows the first frame of a step. A step without frames shows the preceding frame and a text that explains why.
   * @param {FlowStep} step
   */
  #open(step) {
    this.#absent = undefined
    if (this.frames[this.#index].step === step) return
    const first = this.indexOf(step)
    if (first >= 0) this.at = first
    else if (step === 'mask' || step === 'scale') {
      this.at = this.frames.filter(frame => !isFrom(frame, step)).length - 1
      this.#absent = step
    }
  }

  #make() {
    this.#made = this.#problem = undefined
    if (!this.trace) return
    try {
      const rows = rowsOf(this.trace, this.head, this.query)
      const { dims, shape } = this.trace.queries
      this.#made = { rows, frames: framesOf(rows, this.query), count: Array.from(dims ?? shape ?? []).at(-2) ?? 1 }
    } catch (error) {
      this.#problem = error
    }
  }

  /** All frames of this query. @returns {readonly import('./flow-frames.js').Frame[]} */
  get frames() {
    return this.#made?.frames ?? []
  }

  /** @returns {number} */
  get #index() {
    const last = this.frames.length - 1
    return this.at < 0 ? last : Math.min(Math.floor(this.at) || 0, last)
  }

  /** Returns the index of the first frame of a step, or -1. @param {FlowStep} step */
  indexOf(step) {
    return this.frames.findIndex(frame => frame.step === step)
  }

  /** Shows a frame. @param {number} at */
  show(at) {
    const next = Math.max(0, Math.min(at, this.frames.length - 1))
    if (next === this.#index) return
    this.at = next
    const { step, key } = this.frames[next]
    this.fire('flow-frame', { at: next, step, key })
  }

  /** Plays from this frame; at the end, from the beginning. */
  play() {
    if (!this.frames.length) return
    if (this.#index === this.frames.length - 1) this.show(0)
    this.isPlaying = true
    this.#wait()
  }

  pause() {
    this.isPlaying = false
    clearTimeout(this.#timer)
    if (this.#isPassing) this.fire('flow-query', { query: this.query })
    this.#isPassing = false
  }

  #wait() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.show(this.#index + 1)
      if (this.#index === this.frames.length - 1) this.pause()
      else this.#wait()
    }, this.frames[this.#index].lasts / this.pace)
  }

  /** True if the reader prefers reduced motion, so nothing may play automatically. */
  get #isStill() {
    return Boolean(globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches)
  }

  /** Shows another frame on the reader's request. @param {number} at */
  #go(at) {
    this.pause()
    this.show(at)
  }

  /** Goes to the first frame of the next step. Backwards, goes to the first frame of this step, or, from there, of the previous step. @param {1 | -1} by */
  #goStep(by) {
    const { frames } = this
    const firsts = frames.flatMap((frame, i) => (frame.step === frames[i - 1]?.step ? [] : [i]))
    const to = by > 0 ? firsts.find(i => i > this.#index) : firsts.filter(i => i < this.#index).at(-1)
    this.#go(to ?? (by > 0 ? frames.length - 1 : 0))
  }

  /** @param {KeyboardEvent} event */
  #key = event => {
    const isSlider = event.target instanceof HTMLInputElement
    /** @type {Record<string, () => void>} */
    const keys = {
      ' ': () => (this.isPlaying ? this.pause() : this.play()),
      ArrowRight: () => (event.shiftKey ? this.#goStep(1) : this.#go(this.#index + 1)),
      ArrowLeft: () => (event.shiftKey ? this.#goStep(-1) : this.#go(this.#index - 1)),
      ArrowUp: () => this.#otherWord(-1),
      ArrowDown: () => this.#otherWord(1),
      Home: () => this.#go(0),
      End: () => this.#go(this.frames.length - 1),
    }
    if (event.target instanceof HTMLButtonElement || event.target instanceof HTMLSelectElement) return
    if (isSlider && [' ', 'ArrowUp', 'ArrowDown'].includes(event.key)) return
    const act = keys[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }

  /** Switches to the next or previous word and keeps the step. @param {1 | -1} by */
  #otherWord(by) {
    const query = this.query + by
    if (query < 0 || query >= (this.#made?.count ?? 0)) return
    this.pause()
    this.#sought = this.frames[this.#index].step
    this.query = query
    this.fire('flow-query', { query })
  }

  #nextWord = () => {
    const query = (this.query + 1) % (this.#made?.count ?? 1)
    this.query = query
    this.at = 0
    this.fire('flow-query', { query })
    if (this.isPlaying) this.#wait()
  }

  /** Plays the output of each word in turn, then fires `flow-all`. */
  #allWords = () => {
    this.pause()
    if (this.#isStill) return this.fire('flow-all')
    this.isPlaying = this.#isPassing = true
    this.#pass(0)
  }

  /** @param {number} query */
  #pass(query) {
    const count = this.#made?.count ?? 0
    if (query < count) {
      this.query = query
      this.at = -1
      this.fire('flow-query', { query, isPassing: true })
      this.#timer = setTimeout(() => this.#pass(query + 1), Math.min(PASS, PASSES / count) / this.pace)
      return
    }
    this.#isPassing = false
    this.pause()
    this.fire('flow-all')
  }

  /** @param {number} key */
  #keyWord(key) {
    const token = (this.keyTokens ?? this.queryTokens)?.[key]
    return token === undefined ? String(key + 1) : visible(token)
  }

  get #queryWord() {
    const token = this.queryTokens?.[this.query]
    return token === undefined ? String(this.query + 1) : visible(token)
  }

  /**
   * The current press of the pointer: where it began, on which number, and whether the pointer has moved since. `from`: the number's value
   * when the press began; `reach`: largest magnitude in the number's vector or row; `room`: width of the window when the press began.
   * @type {Grabbed & { x: number, y: number, from: number, reach: number, room: number, hasMoved: boolean } | undefined}
   */
  #press = undefined

  /** Returns the vector or row that contains the dragged number, and its index there. @param {Grabbed} grabbed */
  #numbersOf({ part, index, key = 0 }) {
    const { weights, scores, embedding = [], query, keys, values } = this.#rows
    const matrix = { k: keys, v: values }[String(part)]
    const numbers = matrix?.data ?? { weight: weights, score: scores, x: embedding, q: query }[String(part)] ?? []
    return { numbers, at: key * (matrix?.dims[1] ?? 0) + index }
  }

  /** @param {PointerEvent} event */
  #down = event => {
    this.#press = undefined
    if (event.button !== 0 || !this.#made) return
    const scale = this.#scale
    const stage = this.#stage(this.room.width / scale)
    const [x, y] = [event.offsetX / scale, event.offsetY / scale]
    const found = partAt(stage, this.#rows, this.frames[this.#index], x, y)
    if (!found) return
    this.pause()
    const { numbers, at } = this.#numbersOf(found)
    this.#press = {
      ...found,
      x: event.clientX,
      y: event.clientY,
      from: numbers[at],
      reach: reachOf(numbers),
      room: innerWidth,
      hasMoved: false,
    }
    const target = /** @type {Element} */ (event.currentTarget)
    target.setPointerCapture(event.pointerId)
  }

  /** @param {PointerEvent} event */
  #move = event => {
    // If the button was released elsewhere or the phone was rotated, end the drag and keep the value reached so far.
    if (!event.buttons || this.#press?.room !== innerWidth) this.#press = undefined
    const press = this.#press
    if (!press || !this.#made || !this.editable) return
    const [across, up] = [event.clientX - press.x, press.y - event.clientY]
    const isFirst = !press.hasMoved
    if (isFirst && Math.hypot(across, up) < STILL) return
    press.hasMoved = true
    this.requestUpdate()
    if (press.part === 'score') {
      this.#isFixed = true
      return
    }
    const scale = this.#scale
    const { columns } = this.#stage(this.room.width / scale)
    const by = press.part === 'weight' ? across / scale / columns.weight.width : (up * press.reach) / 100
    this.#edit(press, press.from + by * (event.shiftKey ? 0.1 : 1), isFirst)
  }

  /** @param {Grabbed} grabbed @param {number} value @param {boolean} isFirst @param {{ isUndone?: true }} [more] */
  #edit({ part, index, key }, value, isFirst, more) {
    const bounded = part === 'weight' ? Math.min(Math.max(value, 0), 1) : value
    this.fire('flow-edit', { part, index, key, value: Number(bounded.toFixed(4)), isFirst, ...more })
  }

  #up = () => {
    const press = this.#press
    this.#press = undefined
    if (press?.hasMoved) this.requestUpdate()
    else if (press) this.fire('flow-pick', { part: press.part, index: press.index, key: press.key })
  }

  /** Undoes a drag in progress. */
  #undo = () => {
    const press = this.#press
    this.#press = undefined
    if (press?.hasMoved && press.part !== 'score') this.#edit(press, press.from, false, { isUndone: true })
  }

  /** @param {KeyboardEvent} event */
  #escape = event => {
    if (event.key !== 'Escape' || !this.#press?.hasMoved) return
    event.stopPropagation()
    this.#undo()
  }

  /** Returns the text of a frame. @param {number} [at] default: the displayed frame */
  describe(at = this.#index) {
    return this.#sentence(at, word => word)
  }

  /** Returns the text of the frame with tokens in bold. Otherwise a token such as "is" would read as a word of the text. */
  get #caption() {
    const parts = this.#sentence(this.#index, word => `\0${word}\0`).split('\0')
    return parts.map((text, i) => (i % 2 ? html`<b><bdi>${text}</bdi></b>` : text))
  }

  /** @param {number} at @param {(word: string) => string} marked */
  #sentence(at, marked) {
    const frame = this.frames[at]
    if (!frame) return ''
    const { count, size, score, sum, weight, output, first, second } = frame.numbers ?? {}
    const [key = 0, other = 0] = frame.words ?? []
    const said = this.#absent ? NONE[this.#absent] : this.#isFixed ? 'flowFixed' : undefined
    const text = (at === this.#index && said) || frame.text
    const { embedding = [], keys, values } = this.#rows
    const width = Math.max(embedding.length, keys.dims[1], values.dims[1])
    const isPooled = IS_POOLED.includes(text) && width > MOST_CELLS
    const pooled = isPooled ? ` ${this.say('flowPooled', { count: Math.ceil(width / MOST_CELLS) })}` : ''
    return `${this.say(text, {
      query: marked(this.#queryWord),
      key: marked(this.#keyWord(key)),
      other: marked(this.#keyWord(other)),
      count: count ?? 0,
      size: size ?? 0,
      score: write(score ?? 0, 2),
      sum: write(sum ?? 0, 2),
      weight: percent(weight ?? 0),
      output: write(output ?? 0, 4),
      first: percent(first ?? 0),
      second: percent(second ?? 0),
    })}${pooled}`
  }

  /** @param {number} count number of summed values */
  #partial = count => {
    const { data, dims, shape } = this.partials ?? {}
    const [rows = 0, size = 0] = Array.from(dims ?? shape ?? [])
    if (!data || !size || count < 1 || count > rows) return undefined
    return Array.from({ length: size }, (_, i) => Number(data[(count - 1) * size + i]))
  }

  get #dragged() {
    return this.#press?.hasMoved && this.#press.part === 'weight' ? this.#press : undefined
  }

  get #rows() {
    return /** @type {{ rows: import('./flow-frames.js').FlowRows }} */ (this.#made).rows
  }

  /** Scale of the picture. With large type, as on a projector, it gives the smallest words the element's font size. */
  get #scale() {
    const { fontSize } = this.theme.style
    return fontSize < LARGE_TYPE ? 1 : fontSize / SMALLEST_WORD
  }

  /** @param {number} room */
  #stage(room) {
    return stageOf(this.#rows, this.query, room, this.keyTokens !== undefined)
  }

  /** @param {number} room @returns {import('./pictures.js').Picture & { height: number }} */
  #picture(room) {
    const rows = this.#rows
    const frame = this.frames[this.#index]
    const stage = this.#stage(room)
    const names = /** @type {const} */ ([
      'x',
      'q',
      'k',
      'score',
      'score.root',
      'score.factor',
      'exponential',
      'weight',
      'v',
      'output',
      'partial',
    ])
    const titles = Object.fromEntries(names.map(name => [name, this.say(`flow.${name}`)]))
    const words = Array.from(rows.weights, (_, key) => this.#keyWord(key))
    const given = {
      words,
      query: this.#queryWord,
      style: this.theme.style,
      titles,
      partial: this.#partial,
      rest: (/** @type {number} */ count, /** @type {number | undefined} */ weight) =>
        weight === undefined
          ? this.say('flow.more', { count })
          : this.say('flow.rest', { count, weight: write(weight, 3) }),
      dragged: this.#dragged,
    }
    const draw = (/** @type {import('./drawing-backends.js').Backend} */ backend) =>
      drawFlow(backend, stage, rows, frame, given)
    return { width: stage.width, height: stage.height, description: this.describe(), draw }
  }

  /** @internal */
  picture() {
    return this.#made ? this.#picture(this.room.width || 784) : { width: 96, height: 24, draw: () => {} }
  }

  /** @internal */
  updated() {
    const canvas = this.renderRoot.querySelector('canvas')
    if (!canvas || !this.#made) return
    if (!this.room.width) this.room.measure()
    const scale = this.#scale
    const { width, height, draw } = this.#picture(this.room.width / scale)
    const backend = backendOf(canvas, width, height, (devicePixelRatio || 1) * scale, this.theme.style.family)
    canvas.style.width = `${width * scale}px`
    canvas.style.height = `${height * scale}px`
    if (backend) draw(backend)
  }

  /** @internal @returns {unknown} */
  render() {
    const problem = optionProblem(this) ?? this.#problem
    if (problem) return this.problem(problem)
    if (!this.#made) return this.nothing()
    const at = this.#index
    const last = this.frames.length - 1
    const button = (
      /** @type {'back' | 'play' | 'pause' | 'on'} */ name,
      /** @type {unknown} */ sign,
      /** @type {() => void} */ act,
      isOff = false,
    ) =>
      html`<button type="button" data-act=${name} aria-label=${this.say(`flow.${name}`)}
        title=${this.say(`flow.${name}`)} ?disabled=${isOff} @click=${act}>${sign}</button>`
    const leave = (
      /** @type {FocusEvent & { currentTarget: HTMLDetailsElement, relatedTarget: Element | null }} */ {
        currentTarget,
        relatedTarget,
      },
    ) => {
      if (relatedTarget && !currentTarget.contains(relatedTarget)) currentTarget.open = false
    }
    return html`${this.theme.probe}
      <div @keydown=${this.#key}>
        <div class="size"><canvas part="flow" role="img" aria-label=${this.label || this.say('flow')} tabindex="0"
          @pointerdown=${this.#down} @pointermove=${this.#move} @pointerup=${this.#up} @pointercancel=${this.#undo}
          @keydown=${this.#escape}></canvas></div>
        <p class="caption" part="caption" aria-live=${this.isPlaying ? 'off' : 'polite'}>${this.#caption}</p>
        <div class="controls" part="controls">
          ${this.#isStill ? nothing : this.isPlaying ? button('pause', PAUSE, () => this.pause()) : button('play', PLAY, () => this.play())}
          ${button('back', '←', () => this.#go(at - 1), at === 0)}
          <input type="range" min="0" max=${last} .value=${String(at)} aria-label=${this.say('flow.line')}
            aria-valuetext=${this.describe()}
            @input=${(/** @type {Event & { target: HTMLInputElement }} */ { target }) => this.#go(Number(target.value))} />
          ${button('on', '→', () => this.#go(at + 1), at === last)}
          <details class="more" @focusout=${leave}><summary aria-label=${this.say('flow.tools')}
            title=${this.say('flow.tools')}>${this.say('flow.menu')}</summary><div>
          <select aria-label=${this.say('flow.pace')} @change=${(
            /** @type {Event & { target: HTMLSelectElement }} */ { target },
          ) => {
            this.pace = Number(target.value)
          }}>${PACES.map(pace => html`<option value=${pace} ?selected=${pace === this.pace}>${pace}×</option>`)}</select>
          <button type="button" data-act="next" @click=${this.#nextWord}>${this.say('flow.next')}</button>
          <button type="button" data-act="all" @click=${this.#allWords}>${this.say('flow.all')}</button></div></details>
        </div>
      </div>`
  }
}

define('qkv-flow', QkvFlow)
