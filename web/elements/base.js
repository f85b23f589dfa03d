// Defines the base class of all elements, with their label, texts, theme, width and exported pictures.

import { html, LitElement } from 'lit'
import { commonTexts, fill } from './element-texts.js'
import { asJSON, Problem } from './tensor-input.js'
import { Theme } from './theme.js'
import { Room } from './width-observer.js'

/** @typedef {import('./tensor-input.js').TensorLike} TensorLike */
/** @typedef {import('./colour-scale.js').Scale} Scale */
/** @typedef {{ hostConnected?(): void, hostDisconnected?(): void, hostUpdated?(): void }} Controller */

/**
 * The members of Lit's element that the elements use. Declared here, so that the published types depend on no other package.
 * @typedef {HTMLElement & {
 *   readonly renderRoot: HTMLElement | DocumentFragment, readonly hasUpdated: boolean, readonly updateComplete: Promise<boolean>,
 *   requestUpdate(): void, scheduleUpdate(): unknown, updated(changed: Map<PropertyKey, unknown>): void,
 *   addController(controller: Controller): void,
 * }} Reactive
 */

/**
 * An element with typed events.
 * @template Details
 * @typedef {{
 *   addEventListener<K extends keyof Details>(type: K, listener: (event: CustomEvent<Details[K]>) => unknown, options?: boolean | AddEventListenerOptions): void,
 *   removeEventListener<K extends keyof Details>(type: K, listener: (event: CustomEvent<Details[K]>) => unknown, options?: boolean | EventListenerOptions): void,
 * }} Emits
 */

export const Base = /** @type {new () => Reactive} */ (/** @type {unknown} */ (LitElement))

/**
 * The base class of all elements.
 * @csspart problem - the error message about the tensors
 * @csspart empty - the placeholder while there is no data
 * @cssprop --qkv-ink - text and lines; default CanvasText
 * @cssprop --qkv-quiet - secondary text
 * @cssprop --qkv-paper - the background; default Canvas
 * @cssprop --qkv-rule - thin lines
 * @cssprop --qkv-mark - focus and selection; default CanvasText
 * @cssprop --qkv-problem - error messages
 * @cssprop --qkv-font - the font family; default system-ui
 */
export class QkvElement extends Base {
  /** @internal @type {Record<string, object>} */
  static properties = { label: {}, texts: { converter: asJSON } }

  /** @internal */
  theme = new Theme(this)
  /** @internal */
  room = new Room(this)
  /** English texts. @internal @type {import('./all-texts.js').Texts} */
  words = commonTexts

  constructor() {
    super()
    /** Description for screen readers and pictures. @type {string} */
    this.label = ''
    /** Texts that replace the English ones. @type {import('./all-texts.js').Texts} */
    this.texts = {}
  }

  /**
   * Returns the text of a key, from `texts` or in English, with its {names} replaced by values.
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

  /** Draws the placeholder of an element without data. @internal @returns {unknown} */
  nothing() {
    return [this.theme.probe, html`<p class="quiet" part="empty">${this.say('empty')}</p>`]
  }

  /** @internal Draws a `Problem` with the tensors as a message; rethrows any other error. @param {unknown} error @returns {unknown} */
  problem(error) {
    if (!(error instanceof Problem)) throw error
    return [this.theme.probe, html`<p class="problem" part="problem">${this.say(error.key, error.values)}</p>`]
  }

  /** Exports the picture as PNG. @param {number} [ratio] image pixels per CSS pixel @returns {Promise<Blob>} */
  async toPNG(ratio = 2) {
    const { pngOf } = await import('./pictures.js')
    return pngOf(this.picture(), this.theme.style, ratio)
  }

  /** Exports the picture as SVG, in which text stays text instead of outlines. @returns {Promise<string>} */
  async toSVG() {
    const { svgOf } = await import('./pictures.js')
    return svgOf(this.picture(), this.theme.style, this.label || this.localName)
  }

  /** Returns the picture to export: all the data, even if the element is zoomed in. Overridden by the elements. @internal @returns {import('./pictures.js').Picture} */
  picture() {
    throw new Error(`${this.localName} has no picture`)
  }
}
