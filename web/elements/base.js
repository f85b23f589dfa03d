// What all elements share: a label, texts, their theme, their width, pictures.

import { html, LitElement } from 'lit'
import { commonTexts, fill } from './element-texts.js'
import { asJSON, Problem } from './tensor-input.js'
import { Theme } from './theme.js'
import { Room } from './width-observer.js'

/** @typedef {import('./tensor-input.js').TensorLike} TensorLike */
/** @typedef {import('./colour-scale.js').Scale} Scale */
/** @typedef {{ hostConnected?(): void, hostDisconnected?(): void, hostUpdated?(): void }} Controller */

/**
 * What the elements use of Lit, declared here so that their types need no other package.
 * @typedef {HTMLElement & {
 *   readonly renderRoot: HTMLElement | DocumentFragment, readonly hasUpdated: boolean, readonly updateComplete: Promise<boolean>,
 *   requestUpdate(): void, scheduleUpdate(): unknown, updated(changed: Map<PropertyKey, unknown>): void,
 *   addController(controller: Controller): void,
 * }} Reactive
 */

/**
 * An element whose own events are typed.
 * @template Details
 * @typedef {{
 *   addEventListener<K extends keyof Details>(type: K, listener: (event: CustomEvent<Details[K]>) => unknown, options?: boolean | AddEventListenerOptions): void,
 *   removeEventListener<K extends keyof Details>(type: K, listener: (event: CustomEvent<Details[K]>) => unknown, options?: boolean | EventListenerOptions): void,
 * }} Emits
 */

export const Base = /** @type {new () => Reactive} */ (/** @type {unknown} */ (LitElement))

/**
 * What all elements have.
 * @csspart problem - the sentence that says what is wrong with the tensors
 * @csspart empty - what stands there while there is nothing to show
 * @cssprop --qkv-ink - text and lines; by default CanvasText
 * @cssprop --qkv-quiet - secondary text
 * @cssprop --qkv-paper - the ground; by default Canvas
 * @cssprop --qkv-rule - thin lines
 * @cssprop --qkv-mark - focus and selection; by default CanvasText
 * @cssprop --qkv-problem - what is wrong with the tensors
 * @cssprop --qkv-font - the font family; by default system-ui
 */
export class QkvElement extends Base {
  /** @internal @type {Record<string, object>} */
  static properties = { label: {}, texts: { converter: asJSON } }

  /** @internal */
  theme = new Theme(this)
  /** @internal */
  room = new Room(this)
  /** In English. @internal @type {import('./all-texts.js').Texts} */
  words = commonTexts

  constructor() {
    super()
    /** What this shows, for screen readers and pictures. @type {string} */
    this.label = ''
    /** Words in another language. @type {import('./all-texts.js').Texts} */
    this.texts = {}
  }

  /**
   * A text in the language of the page.
   * @internal
   * @param {keyof import('./all-texts.js').Texts} key
   * @param {Record<string, string | number>} [values]
   */
  say(key, values) {
    return fill(this.texts?.[key] ?? this.words[key] ?? key, values)
  }

  /** @internal @param {string} name @param {unknown} [detail] */
  fire(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }))
  }

  /** What stands there without numbers. @internal @returns {unknown} */
  nothing() {
    return [this.theme.probe, html`<p class="quiet" part="empty">${this.say('empty')}</p>`]
  }

  /** @internal @param {unknown} error what went wrong with the tensors; anything else is thrown on @returns {unknown} */
  problem(error) {
    if (!(error instanceof Problem)) throw error
    return [this.theme.probe, html`<p class="problem" part="problem">${this.say(error.key, error.values)}</p>`]
  }

  /** The picture as PNG, twice as fine as CSS pixels. @param {number} [ratio] @returns {Promise<Blob>} */
  async toPNG(ratio = 2) {
    const { pngOf } = await import('./pictures.js')
    return pngOf(this.picture(), this.theme.style, ratio)
  }

  /** The picture as SVG, with text as text. @returns {Promise<string>} */
  async toSVG() {
    const { svgOf } = await import('./pictures.js')
    return svgOf(this.picture(), this.theme.style, this.label || this.localName)
  }

  /** The whole picture, not only the part that is zoomed into. @internal @returns {import('./pictures.js').Picture} */
  picture() {
    throw new Error(`${this.localName} has no picture`)
  }
}
