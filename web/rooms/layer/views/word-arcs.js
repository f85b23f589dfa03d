import { html, LitElement, svg } from 'lit'

/** @typedef {{ from: string, to: string, weight: number, isFrom?: boolean }} Arc words as `data-word` names them; isFrom: another word looks at this one */

/** @typedef {{ middle: number, top: number, bottom: number }} Box of a word, from the corner of the arcs */

/** Pixels of a weight of 1, and of the room above the words. */
const [WIDTH, ROOM] = [8, 20]

/**
 * Arcs over the words of the sentence: from the word that is meant to what it looks at, as wide as the weights, and dotted from the
 * words that look at it. They lie over the words beside it and take no room.
 */
class WordArcs extends LitElement {
  static properties = { arcs: { attribute: false }, lines: { state: true } }

  constructor() {
    super()
    /** @type {readonly Arc[]} */
    this.arcs = []
    /** @type {{ path: string, arc: Arc }[]} */
    this.lines = []
    /** The words' boxes as they were measured last, which takes a layout, and the texts that they had. @type {{ text?: string, boxes: Map<string | null, Box> }} */
    this.measured = { boxes: new Map() }
    this.measure = () => {
      this.measured = { text: this.text, boxes: this.boxesOf() }
      this.place()
    }
    this.sizes = new ResizeObserver(this.measure)
  }

  createRenderRoot() {
    return this
  }

  connectedCallback() {
    super.connectedCallback()
    this.parentElement?.addEventListener('scroll', this.measure, true)
    this.sizes.observe(/** @type {Element} */ (this.parentElement))
  }

  disconnectedCallback() {
    super.disconnectedCallback()
    this.parentElement?.removeEventListener('scroll', this.measure, true)
    this.sizes.disconnect()
  }

  get words() {
    return Array.from(this.parentElement?.querySelectorAll('[data-word]') ?? [])
  }

  get text() {
    return this.words.map(word => word.querySelector('.token')?.textContent).join('\n')
  }

  /** Other words are measured in the next frame, when they have their layout. @param {Map<PropertyKey, unknown>} changed */
  updated(changed) {
    if (!changed.has('arcs')) return
    if (this.text === this.measured.text) this.place()
    else requestAnimationFrame(this.measure)
  }

  /** The arcs between the words that are in sight. */
  place() {
    const { boxes } = this.measured
    this.lines = this.arcs.flatMap(arc => {
      const [from, to] = [boxes.get(arc.from), boxes.get(arc.to)]
      return from && to ? [{ arc, path: pathOf(from, to) }] : []
    })
  }

  /** Where the words stand that are not scrolled out of sight. @returns {Map<string | null, Box>} */
  boxesOf() {
    const origin = this.getBoundingClientRect()
    return new Map(
      this.words.flatMap(word => {
        const box = word.querySelector('.token')?.getBoundingClientRect()
        if (!box || box.bottom <= origin.top || box.top >= origin.bottom) return []
        const [top, bottom] = [box.top - origin.top, box.bottom - origin.top]
        return [[word.getAttribute('data-word'), { middle: box.left + box.width / 2 - origin.left, top, bottom }]]
      }),
    )
  }

  render() {
    return html`<svg aria-hidden="true">${this.lines.map(
      ({ path, arc }) =>
        svg`<path class=${arc.isFrom ? 'is-from' : ''} d=${path} data-from=${arc.from} data-to=${arc.to} data-weight=${arc.weight} stroke-width=${Math.max(WIDTH * arc.weight, 0.75)}></path>`,
    )}</svg>`
  }
}

/** @param {Box} from @param {Box} to */
function pathOf({ middle: x0, top: y0, bottom }, { middle: x1, top: y1 }) {
  if (y1 > bottom) {
    // Two sentences: from the lower edge of the one to the upper edge of the other.
    const middle = (bottom + y1) / 2
    return `M${x0} ${bottom} C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`
  }
  const height = Math.min(ROOM, 8 + Math.abs(x1 - x0) / 12)
  if (x0 === x1) return `M${x0 - 6} ${y0} C${x0 - 10} ${y0 - height} ${x0 + 10} ${y0 - height} ${x0 + 6} ${y0}`
  return `M${x0} ${y0} C${x0} ${Math.min(y0, y1) - height} ${x1} ${Math.min(y0, y1) - height} ${x1} ${y1}`
}

customElements.define('word-arcs', WordArcs)
