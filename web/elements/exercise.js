import { define } from './define.js'

/**
 * The state of an attempt: plain data that the embedding page stores and passes to `setState` unchanged.
 * @typedef {Record<string, unknown>} ExerciseState
 */

/** @typedef {{ 'qkv-check': { passed: boolean, score: number, hint: string, tries: number }, 'qkv-score': { score: number }, 'qkv-state': { state: ExerciseState }, 'qkv-error': { message: string } }} ExerciseEvents */

/** Timeout in milliseconds for the first message of the page. */
const PATIENCE = 20_000
/** Attributes that are passed to the page in the iframe as parameters, unchanged. */
const PARAMETERS = ['lang', 'theme', 'attempts', 'hints', 'solution']

/**
 * Embeds an exercise of the page in an iframe. The exercise checks answers and reports results. It stores nothing in the browser.
 * @tagname qkv-exercise
 * @attr exercise - id such as "e10", or a sequence such as "e5,e6"
 * @attr src - address of the built page; default "./"
 * @attr lang - "en" or "zh"
 * @attr theme - "light" or "dark"
 * @attr attempts - maximum number of attempts
 * @attr hints - "off": no hints for wrong answers
 * @attr solution - "off": no solution is shown
 * @fires {CustomEvent<{ passed: boolean, score: number, hint: string, tries: number }>} qkv-check - an answer was checked
 * @fires {CustomEvent<{ score: number }>} qkv-score - the score has grown
 * @fires {CustomEvent<{ state: ExerciseState }>} qkv-state - the attempt has changed
 * @fires {CustomEvent<{ message: string }>} qkv-error - a state was refused, or the page does not answer
 */
export class QkvExercise extends /** @type {new () => import('./base.js').Emits<ExerciseEvents> & HTMLElement} */ (
  HTMLElement
) {
  static observedAttributes = ['exercise', 'src', ...PARAMETERS]

  /** @type {HTMLIFrameElement | undefined} */
  #frame = undefined
  /** Activity id of the exercise that the page shows, such as "qkv.e10". */
  #open = ''
  /** Activity id of the exercise whose attempt was last reported or set. */
  #last = ''
  /** Attempts by exercise. @type {Map<string, ExerciseState>} */
  #states = new Map()
  /** Best scores by exercise. @type {Map<string, number>} */
  #scores = new Map()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined

  connectedCallback() {
    addEventListener('message', this.#hear)
    this.#load()
  }

  disconnectedCallback() {
    removeEventListener('message', this.#hear)
    clearTimeout(this.#timer)
    this.#frame?.remove()
    this.#frame = undefined
  }

  attributeChangedCallback() {
    if (this.#frame) this.#load()
  }

  /** The best score so far, from 0 to 1; for several exercises, their mean. @returns {number} */
  get score() {
    const ids = this.#ids()
    return ids.reduce((sum, id) => sum + (this.#scores.get(id) ?? 0), 0) / Math.max(1, ids.length)
  }

  /** Checks the answer, like the button "Check"; `qkv-check` reports the verdict. */
  check() {
    this.#post({ subject: 'qkv.check' })
  }

  /** Returns the last reported attempt; undefined before the first change. @returns {ExerciseState | undefined} */
  getState() {
    return this.#states.get(this.#last)
  }

  /** Continues from an attempt; a state of another exercise is refused with `qkv-error`. @param {ExerciseState} state */
  setState(state) {
    const id = `qkv.${state.exercise}`
    this.#states.set(id, state)
    this.#last = id
    // Send the state of the open exercise. Also send that of an unlisted exercise, which the page refuses with an error. Any other listed
    // exercise requests its state when the page opens it.
    if (id === this.#open || !this.#ids().includes(id)) this.#post({ subject: 'qkv.setState', state })
  }

  /** Returns the activity ids of the listed exercises. */
  #ids() {
    const ids = (this.getAttribute('exercise') ?? '').split(',').filter(Boolean)
    return Array.from(new Set(ids), id => `qkv.${id}`)
  }

  #load() {
    const page = new URLSearchParams({ exercise: this.getAttribute('exercise') ?? '', embed: '1' })
    for (const name of PARAMETERS) {
      const value = this.getAttribute(name)
      if (value !== null) page.set(name, value)
    }
    const frame = document.createElement('iframe')
    frame.src = `${this.getAttribute('src') ?? './'}#2&${page}`
    frame.title = this.title || `qkv ${this.getAttribute('exercise') ?? ''}`
    frame.style.cssText = 'display: block; inline-size: 100%; block-size: 40rem; border: 0'
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    root.replaceChildren(frame)
    this.#frame = frame
    clearTimeout(this.#timer)
    const message = `The page at ${frame.src.split('#')[0]} does not answer.`
    this.#timer = setTimeout(() => this.#fire('qkv-error', { message }), PATIENCE)
  }

  /** @param {object} message */
  #post(message) {
    this.#frame?.contentWindow?.postMessage(message, '*')
  }

  /** @template {keyof ExerciseEvents} N @param {N} name @param {ExerciseEvents[N]} detail */
  #fire(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }))
  }

  /** Handles messages from the page in the iframe. @param {MessageEvent} event */
  #hear = ({ source, data }) => {
    if (!this.#frame || source !== this.#frame.contentWindow || typeof data?.subject !== 'string') return
    clearTimeout(this.#timer)
    const { subject, message_id, activity_id, height, name } = data
    if (subject === 'SPLICE.getState') {
      this.#open = activity_id
      this.#post({ subject: 'SPLICE.getState.response', message_id, state: this.#states.get(activity_id) ?? null })
    } else if (subject === 'SPLICE.reportScoreAndState') {
      this.#states.set(activity_id, data.state)
      this.#last = activity_id
      this.#fire('qkv-state', { state: data.state })
      if (data.score > (this.#scores.get(activity_id) ?? 0)) {
        this.#scores.set(activity_id, data.score)
        this.#fire('qkv-score', { score: this.score })
      }
    } else if (subject === 'lti.frameResize' && height > 0) this.#frame.style.blockSize = `${Math.ceil(height)}px`
    else if (subject === 'SPLICE.sendEvent' && name === 'check') this.#fire('qkv-check', data.data)
    else if (subject === 'SPLICE.sendEvent' && name === 'error') this.#fire('qkv-error', data.data)
  }
}

define('qkv-exercise', QkvExercise)
