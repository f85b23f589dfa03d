// Draws the queries and keys of a head as arrows in a plane. The dot product of two arrows is the part of the score minus its row mean
// that the plane can show. Light DOM; depends only on points and words, not on rooms.

import { html, LitElement, nothing, svg } from 'lit'
import { Theme } from '../elements/theme.js'
import { format, percent } from '../files/number-format.js'
import { left, rested } from '../ui/pointing.js'
import { HEIGHT, pairOf, shapesOf, WIDTH } from './plane-shapes.js'

/** @import { Plane } from './head.js' */
/** @typedef {import('../shell/room.js').Translate<keyof typeof import('../i18n/en/plane.js').texts>} PlaneTexts */

/** Stroke widths of an arrow with weight 0 and with weight 1. */
const [THIN, THICK] = [1, 5]

/** @param {number} x @param {number} decimals */
const rounded = (x, decimals) => x.toFixed(decimals).replace('-', '−')

class HeadPlane extends LitElement {
  static properties = {
    plane: { attribute: false },
    queries: { attribute: false },
    keys: { attribute: false },
    query: { attribute: false },
    visible: { attribute: false },
    label: {},
    p: { attribute: false },
    key: { state: true },
  }

  constructor() {
    super()
    /** @type {Plane} */
    this.plane = /** @type {never} */ (undefined)
    /** @type {readonly string[]} */
    this.queries = []
    /** @type {readonly string[]} */
    this.keys = []
    /** Index of the current query. */
    this.query = 0
    /** 1 where a query may attend to a key; undefined if all are visible. @type {import('./head.js').Matrix | undefined} */
    this.visible = undefined
    this.label = ''
    /** @type {PlaneTexts} */
    this.p = /** @type {never} */ (undefined)
    /** Index of the key under the pointer or with keyboard focus. @type {number | undefined} */
    this.key = undefined
    this.theme = new Theme(this)
  }

  createRenderRoot() {
    return this
  }

  /** The key under the pointer or with focus, else the one with the largest weight. */
  get spoken() {
    const { key, keys, plane, query } = this
    if (key !== undefined && key < keys.length) return key
    const row = Array.from(keys, (_, j) => plane.weights.data[query * keys.length + j])
    return row.indexOf(Math.max(...row))
  }

  #shapes() {
    const { plane, queries, keys, query } = this
    return shapesOf(plane.q, plane.k, queries, keys, query)
  }

  /** @param {number} key */
  #weight = key => this.plane.weights.data[this.query * this.keys.length + key]

  /** @param {number} key */
  #isHidden = key => this.visible?.data[this.query * this.keys.length + key] === 0 && this.#weight(key) === 0

  /** Describes the dot product of the query's and the key's arrow, the score above the row mean, and the share of all scores that the plane shows. */
  #said() {
    const { p, plane, queries, keys, query, spoken } = this
    const { product, sizeA, sizeB, degrees } = pairOf(plane.q, plane.k, query, spoken)
    return p('planeSaid', {
      query: queries[query],
      key: keys[spoken],
      a: rounded(sizeA, 2),
      b: rounded(sizeB, 2),
      degrees: rounded(degrees, 0),
      product: rounded(product, 2),
      own: format(plane.above.data[query * keys.length + spoken]),
      kept: percent(plane.kept),
    })
  }

  render() {
    const { p, queries, keys, query, label, spoken } = this
    if (!this.plane || query >= queries.length) return nothing
    const { origin, arrows, names } = this.#shapes()
    const arrow = (/** @type {import('./plane-shapes.js').Arrow} */ { side, position, x, y, isOwn }) => {
      const isKey = side === 'keys'
      if (!isKey && !isOwn) return svg`<circle class="plane-dot" cx=${x} cy=${y} r="3" data-query=${position}></circle>`
      const width = isKey ? THIN + (THICK - THIN) * this.#weight(position) : 3
      return svg`<line
        class="plane-arrow ${isKey ? 'is-key' : 'is-query'} ${isKey && position === spoken ? 'is-spoken' : ''}
          ${isKey && this.#isHidden(position) ? 'is-hidden' : ''}"
        x1=${origin.x} y1=${origin.y} x2=${x} y2=${y} stroke-width=${width}></line>
        <circle class="plane-end ${isKey ? 'is-key' : 'is-query'}" cx=${x} cy=${y} r="4"></circle>`
    }
    return html`${this.theme.probe}<p class="note">${p('planeHint')}</p>
      <svg class="plane" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}. ${this.#said()}">
        <circle class="plane-dot" cx=${origin.x} cy=${origin.y} r="2"></circle>
        ${arrows.map(arrow)}
        ${names.map(
          ({ arrow: { side, name, align }, x, y }) =>
            svg`<text class="plane-name ${side === 'keys' ? 'is-key' : 'is-query'}" x=${x} y=${y} dy="0.35em"
              text-anchor=${align === 'left' ? 'start' : 'end'}>${side === 'keys' ? name : `q: ${name}`}</text>`,
        )}
      </svg>
      <p class="plane-said" role="status">${this.#said()}</p>
      <div class="plane-words" role="group" aria-label=${p('planeQueries')}><span class="note">${p('planeQueries')}</span>${queries.map(
        (name, position) =>
          html`<button type="button" class="plain" data-plane-query=${position} aria-pressed=${position === query}
            @pointerenter=${() => rested(() => this.#send('plane-point', position))}
            @pointerleave=${() => left(() => this.#send('plane-point'))}
            @click=${() => this.#send('plane-select', position)}>${name}</button>`,
      )}</div>
      <div class="plane-words" role="group" aria-label=${p('planeKeys')}><span class="note">${p('planeKeys')}</span>${keys.map(
        (name, position) =>
          html`<button type="button" class="plain" data-plane-key=${position} aria-pressed=${position === spoken}
            @pointerenter=${() => this.#point(position)} @focus=${() => this.#point(position)}
            @click=${() => this.#point(position)}>${name}
            <small>${this.#isHidden(position) ? p('planeHidden') : percent(this.#weight(position))}</small></button>`,
      )}</div>`
  }

  /** @param {number} key */
  #point(key) {
    this.key = key
  }

  /** @param {string} name @param {number} [position] */
  #send(name, position) {
    const detail = position === undefined ? undefined : { side: 'queries', position }
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }))
  }

  /** @param {import('../elements/draw.js').Style} style @returns {import('../elements/pictures.js').Picture} */
  #picture({ ink, paper }) {
    const { origin, arrows, names } = this.#shapes()
    return {
      width: WIDTH,
      height: HEIGHT,
      description: this.#said(),
      draw: backend => {
        backend.fill(0, 0, WIDTH, HEIGHT, paper)
        for (const { side, position, x, y, isOwn } of arrows) {
          const width = side === 'keys' ? THIN + (THICK - THIN) * this.#weight(position) : 3
          if (side === 'keys' || isOwn)
            backend.line([origin.x, origin.y, x, y], {
              stroke: ink,
              width,
              dash: isOwn ? [6, 3] : this.#isHidden(position) ? [1, 4] : [],
            })
          else backend.fill(x - 2, y - 2, 4, 4, ink)
        }
        for (const { arrow, x, y } of names)
          backend.text(arrow.side === 'keys' ? arrow.name : `q: ${arrow.name}`, x, y, { fill: ink, align: arrow.align })
      },
    }
  }

  async toSVG() {
    const { svgOf } = await import('../elements/pictures.js')
    return svgOf(this.#picture(this.theme.style), this.theme.style, this.label)
  }

  async toPNG() {
    const { pngOf } = await import('../elements/pictures.js')
    return pngOf(this.#picture(this.theme.style), this.theme.style, 2)
  }
}

customElements.define('head-plane', HeadPlane)
