// An element without a shadow root that an observer watches while it is in the page.

import { LitElement } from 'lit'

export class WatchedElement extends LitElement {
  /** Set by the constructor of the element. @type {ResizeObserver | IntersectionObserver | undefined} */
  watch = undefined

  createRenderRoot() {
    return this
  }

  connectedCallback() {
    super.connectedCallback()
    this.watch?.observe(this)
  }

  disconnectedCallback() {
    super.disconnectedCallback()
    this.watch?.disconnect()
  }
}
