import { html, LitElement, svg } from 'lit'

/**
 * @typedef {{ from: string, to: string, weight: number, isFrom?: boolean }} Arc from: `data-word` of the attending word; to: of the word it
 * attends to; isFrom: true if the current word is `to`, not `from`
 */

/** In pixels: stroke width for weight 1, and space above the words. */
const [WIDTH, SPACE] = [12, 28]

/**
 * Draws arcs over the words of the sentence: solid from the current word to the words that it attends to, dotted from words that attend to
 * it. The larger the weight, the wider the arc. The arcs overlay their parent and take no space.
 */
class WordArcs extends LitElement {
  static properties = { arcs: { attribute: false }, lines: { state: true } }

  constructor() {
    super()
    /** @type {readonly Arc[]} */
    this.arcs = []
    /** @type {{ path: string, arc: Arc }[]} */
    this.lines = []
    this.measure = () => this.place()
    this.sizes = new ResizeObserver(this.measure)
  }

  createRenderRoot() {
    return this
  }

  connectedCallback() {
    super.connectedCallback()
    const { parentElement } = this
    parentElement?.addEventListener('scroll', this.measure, true)
    if (parentElement) this.sizes.observe(parentElement)
  }

  disconnectedCallback() {
    super.disconnectedCallback()
    this.parentElement?.removeEventListener('scroll', this.measure, true)
    this.sizes.disconnect()
  }

  /** Measures the words in the next frame: measuring now would force a layout. @param {Map<PropertyKey, unknown>} changed */
  updated(changed) {
    if (changed.has('arcs')) requestAnimationFrame(this.measure)
  }

  /** Places the arcs at the current positions of the words. */
  place() {
    const origin = this.getBoundingClientRect()
    const words = new Map(
      Array.from(this.parentElement?.querySelectorAll('[data-word]') ?? [], each => [
        each.getAttribute('data-word'),
        each,
      ]),
    )
    /** Returns the box of a word, unless it is scrolled out of view. @param {string} word */
    const boxOf = word => {
      const box = words.get(word)?.querySelector('.token')?.getBoundingClientRect()
      return box && box.bottom > origin.top && box.top < origin.bottom ? box : undefined
    }
    this.lines = this.arcs.flatMap(arc => {
      const [from, to] = [boxOf(arc.from), boxOf(arc.to)]
      return from && to ? [{ arc, path: pathOf(from, to, origin) }] : []
    })
  }

  render() {
    return html`<svg aria-hidden="true">${this.lines.map(
      ({ path, arc }) =>
        svg`<path class=${arc.isFrom ? 'is-from' : ''} d=${path} data-from=${arc.from} data-to=${arc.to}
          data-weight=${arc.weight} stroke-width=${widthOf(arc)}></path>`,
    )}</svg>`
  }
}

/**
 * Returns the stroke width in pixels. An arc from another word is at most 1.5 wide. A loop, from a word to itself, is at most 4 wide, so
 * that its middle stays open.
 * @param {Arc} arc
 */
function widthOf({ from, to, weight, isFrom }) {
  const width = Math.max(WIDTH * weight, 0.75)
  return isFrom ? Math.min(width, 1.5) : from === to ? Math.min(width, 4) : width
}

/** @param {DOMRect} from @param {DOMRect} to @param {DOMRect} origin */
function pathOf(from, to, { left, top }) {
  const [x0, x1] = [from, to].map(box => box.left + box.width / 2 - left)
  const isBelow = to.top > from.bottom
  if (isBelow || from.top > to.bottom) {
    // If the other word is on another line or in another sentence, connect the edges that face each other.
    const [y0, y1] = (isBelow ? [from.bottom, to.top] : [from.top, to.bottom]).map(y => y - top)
    const middle = (y0 + y1) / 2
    return `M${x0} ${y0} C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`
  }
  const [y0, y1] = [from.top - top, to.top - top]
  const height = Math.min(SPACE, 8 + Math.abs(x1 - x0) / 12)
  if (from === to || x0 === x1)
    return `M${x0 - 6} ${y0} C${x0 - 10} ${y0 - height} ${x0 + 10} ${y0 - height} ${x0 + 6} ${y0}`
  return `M${x0} ${y0} C${x0} ${Math.min(y0, y1) - height} ${x1} ${Math.min(y0, y1) - height} ${x1} ${y1}`
}

customElements.define('word-arcs', WordArcs)
