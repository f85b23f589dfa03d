import { html } from 'lit'
import { luminance } from './colour-scale.js'

/** @import { Reactive } from './base.js' */
/** @import { Style } from './draw.js' */

/**
 * Reads the colours and fonts of an element from the computed style of a hidden span. Reads them again when dark mode, the pixel ratio, or
 * classes or styles of the page change, and when fonts have loaded.
 */
export class Theme {
  #host
  // jsdom has no matchMedia.
  #media = globalThis.matchMedia?.('(prefers-color-scheme: dark)')
  /** Media query that matches until the pixel ratio changes, as the page is zoomed or moved to another screen. @type {MediaQueryList | undefined} */
  #ratio
  #page = new MutationObserver(() => this.#refresh())
  /** @type {Style | undefined} */
  #style = undefined
  #refresh = () => {
    this.#style = undefined
    this.#host.requestUpdate()
  }

  #watchRatio = () => {
    this.#ratio?.removeEventListener('change', this.#watchRatio)
    if (this.#ratio) this.#refresh()
    this.#ratio = globalThis.matchMedia?.(`(resolution: ${devicePixelRatio}dppx)`)
    this.#ratio?.addEventListener('change', this.#watchRatio)
  }

  /** @param {HTMLElement & Pick<Reactive, 'renderRoot' | 'requestUpdate' | 'addController'>} host */
  constructor(host) {
    this.#host = host
    host.addController(this)
  }

  hostConnected() {
    this.#media?.addEventListener('change', this.#refresh)
    this.#watchRatio()
    this.#page.observe(document.documentElement, {
      attributes: true,
      attributeFilter: ['class', 'style', 'data-theme'],
    })
    document.fonts?.ready.then(this.#refresh)
    this.#refresh()
  }

  hostDisconnected() {
    this.#media?.removeEventListener('change', this.#refresh)
    this.#ratio?.removeEventListener('change', this.#watchRatio)
    this.#ratio = undefined
    this.#page.disconnect()
  }

  /** The hidden span whose style is read; every template contains it. @returns {unknown} */
  get probe() {
    return html`<span class="probe" @transitionend=${this.#refresh}></span>`
  }

  get style() {
    if (this.#style) return this.#style
    const probe = this.#host.renderRoot.querySelector('.probe')
    const own = getComputedStyle(this.#host)
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
}
