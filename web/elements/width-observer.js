/** @import { Reactive } from './base.js' */

/** Observes the width of an element: that of its descendant with class "size". */
export class Room {
  #host
  // jsdom has no ResizeObserver.
  #observer =
    globalThis.ResizeObserver &&
    new ResizeObserver(([{ contentRect }]) => {
      if (Math.abs(contentRect.width - this.width) < 0.5) return
      this.width = contentRect.width
      this.#host.requestUpdate()
    })
  /** @type {Element | null} */
  #observed = null
  /** 0 until known. */
  width = 0

  /** @param {Reactive} host */
  constructor(host) {
    this.#host = host
    host.addController(this)
  }

  /** The descendant whose width is read. @returns {HTMLElement | null} */
  get part() {
    return this.#host.renderRoot.querySelector('.size')
  }

  /** Reads the width now. */
  measure() {
    this.width = this.part?.clientWidth ?? 0
  }

  hostUpdated() {
    const { part } = this
    if (part === this.#observed) return
    this.#observer?.disconnect()
    if (part) this.#observer?.observe(part)
    this.#observed = part
  }

  hostDisconnected() {
    this.#observer?.disconnect()
    this.#observed = null
  }
}
