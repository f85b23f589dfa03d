// <story-links>: draws lines from one word to others, with widths proportional to the weights. The element covers its parent, in which the
// words are elements with data-token.

import { css, html, LitElement, svg } from 'lit'

/** Line widths in pixels: for a weight of 1, and the minimum. */
const [WIDEST, THINNEST] = [14, 0.5]
/** Minimum weight for which a line is drawn. */
export const LEAST_LINK = 0.01
/** Pixels that a line between two words in the same row dips below that row. */
const DIP = 24

/** @typedef {{ x: number, top: number, bottom: number }} Spot horizontal centre, top and bottom of a word, in pixels relative to the parent */

export class StoryLinks extends LitElement {
  static properties = {
    weights: { attribute: false },
    from: { type: Number },
    isOff: { attribute: false },
    titles: { attribute: false },
    carried: { attribute: false },
    carries: { attribute: false },
    spots: { state: true },
  }

  static styles = css`
    :host {
      position: absolute;
      inset: 0;
      pointer-events: none;
    }
    svg {
      width: 100%;
      height: 100%;
      overflow: visible;
    }
    path {
      fill: none;
      stroke: var(--share);
      stroke-linecap: round;
      pointer-events: stroke;
    }
    .is-off {
      stroke: var(--hatch);
      stroke-dasharray: 2 6;
    }
    .carried {
      stroke-width: 2;
      stroke-dasharray: 6 4;
    }
    @media (prefers-reduced-motion: no-preference) {
      path:not(.is-off) {
        animation: appear 200ms 1000ms backwards;
      }
      path.is-strongest:not(.is-off) {
        animation: draw 600ms 400ms ease-out backwards;
        stroke-dasharray: 1;
      }
    }
    @keyframes appear {
      from {
        opacity: 0;
      }
    }
    @keyframes draw {
      from {
        stroke-dashoffset: 1;
      }
      to {
        stroke-dashoffset: 0;
      }
    }
  `

  constructor() {
    super()
    /** @type {readonly number[]} attention weight on each token */
    this.weights = []
    /** Index of the word whose attention is shown. */
    this.from = 0
    /** True if the head whose weights are drawn is off. */
    this.isOff = false
    /** @type {readonly string[]} tooltip of each line */
    this.titles = []
    /** @type {readonly [from: number, to: number] | undefined} indices of a word, and of the name that was copied into it */
    this.carried = undefined
    /** Tooltip of the dashed line. */
    this.carries = ''
    /** @type {Spot[]} */
    this.spots = []
    this.watch = new ResizeObserver(() => this.measure())
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback()
    if (this.parentElement) this.watch.observe(this.parentElement)
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback()
    this.watch.disconnect()
  }

  /** @override @param {Map<string, unknown>} changed */
  updated(changed) {
    if (!changed.has('spots')) this.measure()
  }

  /** Measures the positions of the words. */
  measure() {
    const own = this.getBoundingClientRect()
    const words = Array.from(this.parentElement?.querySelectorAll('[data-token]') ?? [])
    const spots = words.map(word => {
      const { left, right, top, bottom } = word.getBoundingClientRect()
      return { x: (left + right) / 2 - own.left, top: top - own.top, bottom: bottom - own.top }
    })
    if (JSON.stringify(spots) !== JSON.stringify(this.spots)) this.spots = spots
  }

  /** @param {Spot} from @param {Spot} to */
  path(from, to) {
    if (to.bottom > from.top) {
      const low = from.bottom + DIP
      return `M${from.x} ${from.bottom}C${from.x} ${low} ${to.x} ${low} ${to.x} ${to.bottom}`
    }
    const middle = (from.top + to.bottom) / 2
    return `M${from.x} ${from.top}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.bottom}`
  }

  /** Draws a line from a word to the name copied into it. The line is dashed, since it shows no weight of this head. */
  carriedLine() {
    const [from, to] = this.carried?.map(at => this.spots[at]) ?? []
    if (!from || !to || this.isOff) return svg``
    return svg`<path class="carried" d=${this.path(from, to)}><title>${this.carries}</title></path>`
  }

  /** @override */
  render() {
    const { weights, spots, isOff, titles } = this
    const from = spots[this.from]
    const most = Math.max(...weights)
    return html`<svg aria-hidden="true">${weights.map((weight, i) => {
      if (!from || !spots[i] || i === this.from || weight < LEAST_LINK) return svg``
      const name = `${weight === most ? 'is-strongest' : ''} ${isOff ? 'is-off' : ''}`
      const width = isOff ? 1 : Math.max(THINNEST, weight * WIDEST)
      return svg`<path class=${name} data-to=${i} pathLength=${isOff ? 200 : 1} stroke-width=${width}
        d=${this.path(from, spots[i])}><title>${titles[i]}</title></path>`
    })}${this.carriedLine()}</svg>`
  }
}

globalThis.customElements?.define('story-links', StoryLinks)
