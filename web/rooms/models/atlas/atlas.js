// Draws all layers and heads on one canvas: as coloured squares if tiny, as small maps if they fit, with names if those fit too. The
// element depends only on maps and scores, not on models.

import { html, LitElement, nothing } from 'lit'
import { gradient, paletteOf, stepOf } from '../../../elements/colour-scale.js'
import { moved } from '../../../elements/keys.js'
import { raster } from '../../../elements/raster.js'
import { Theme } from '../../../elements/theme.js'
import { cellAt, mapAt } from './maps.js'
import { cropOf, minimap, paintMinimap } from './minimap.js'
import { Touches } from './touch-gestures.js'

/** @import { HeadAt, Maps } from './maps.js' */

/** Minimum map sizes in pixels: to draw the weights instead of one coloured square, to add the head's name, to add its score. */
const [MAP, NAMED, SCORED] = [32, 66, 84]
const [LEAST, MOST] = [14, 260]
const FADED = 0.25
/** Properties that are not drawn on the canvas, so changing them does not repaint it. */
const FRAMES = new Set(['selected', 'changed', 'label', 'lens', 'lensTitle', 'own', 'crop', 'marquee'])
/** Maximum number of maps that may each fill 220 pixels; more maps fill at most 132 pixels each. */
const FEW = 4
/** Pixels reserved below the maps for the dock and the column numbers. */
const DOCK = 88
/** Height of a line of the lens in pixels, and the maximum number of lines per layer. */
const [LINE, LINES] = [18, 3]
/** Window width in pixels below which the lens is hidden. */
const NARROW = 900

/** @param {number} size of a map, in pixels @returns {number} the gap between two maps */
const gapOf = size => (size < MAP ? 2 : 6)

export class ModelsAtlas extends LitElement {
  static properties = {
    maps: { attribute: false },
    minus: { attribute: false },
    scores: { attribute: false },
    least: { type: Number },
    end: { type: Number },
    old: { type: Number },
    withoutFirst: { type: Boolean },
    selected: { attribute: false },
    changed: { attribute: false },
    size: { type: Number },
    label: {},
    lens: { attribute: false },
    lensTitle: {},
    isSmall: { type: Boolean },
    fit: { state: true },
    own: { state: true },
    crop: { state: true },
    marquee: { state: true },
  }

  constructor() {
    super()
    /** @type {Maps | undefined} */
    this.maps = undefined
    /** If set, these maps are subtracted from `maps` before drawing. @type {Maps | undefined} */
    this.minus = undefined
    /** Scores by which the heads are ranked. They colour the small squares and are written beside the names. @type {Float32Array | undefined} */
    this.scores = undefined
    /** Heads with a lower score are faded. */
    this.least = 0
    /** Upper end of the colour scale. */
    this.end = 1
    /** The first layer that still shows an older run; it and all later layers are faded. @type {number | undefined} */
    this.old = undefined
    this.withoutFirst = false
    /** @type {HeadAt | undefined} */
    this.selected = undefined
    /** Names of the heads that the reader changed, as "layer.head". @type {ReadonlySet<string>} */
    this.changed = new Set()
    /** Size of a map in pixels; 0 fits all maps into the view. */
    this.size = 0
    this.label = ''
    /** For each layer, the templates of its guesses, the most probable first. @type {readonly (readonly unknown[])[] | undefined} */
    this.lens = undefined
    this.lensTitle = ''
    /** True if the atlas is beside another picture and must fit into a narrow column. */
    this.isSmall = false
    /** @type {HeadAt} the head that Enter opens; arrow keys and clicks move it */
    this.own = { layer: 0, head: 0 }
    /** @type {{ from: HeadAt, to: HeadAt } | undefined} */
    this.marquee = undefined
    this.theme = new Theme(this)
    /** The visible part of the atlas; undefined if all of it is visible. @type {import('./minimap.js').Crop | undefined} */
    this.crop = undefined
    this.touches = new Touches({
      pinch: factor => this.#send('atlas-size', Math.round(this.side * factor)),
      press: event => {
        const at = this.#at(event)
        if (at) this.#send('atlas-select', { layer: at.layer, head: at.head, isSecond: true })
      },
    })
    /** Map size in pixels at which all maps fit. Measuring it forces a layout, so it is updated only after something moved. */
    this.fit = LEAST
    this.watch = new ResizeObserver(() => this.#measure())
  }

  createRenderRoot() {
    return this
  }

  connectedCallback() {
    super.connectedCallback()
    this.watch.observe(this)
    this.watch.observe(document.body) // content above may change its height and move the atlas
    addEventListener('resize', this.#measure)
    this.addEventListener('wheel', this.#zoom, { passive: false })
  }

  disconnectedCallback() {
    super.disconnectedCallback()
    this.watch.disconnect()
    removeEventListener('resize', this.#measure)
    this.removeEventListener('wheel', this.#zoom)
  }

  #measure = () => {
    const { layers, numHeads: heads } = this.maps ?? { layers: 1, numHeads: 1 }
    const width = this.clientWidth - 28 - (this.lens && !this.isSmall && innerWidth > NARROW ? 168 : 0)
    const height = Math.max(220, innerHeight - (this.isSmall ? 320 : 390))
    // Leave space for the dock unless that would shrink the maps below MAP, as it would under a long text.
    const top = this.getBoundingClientRect().top + scrollY
    const left = this.isSmall || innerWidth <= NARROW || top <= 0 ? height : innerHeight - top - DOCK
    const fits = (/** @type {number} */ room, /** @type {number} */ count) =>
      Math.floor(room / count) - (room / count < MAP + 6 ? 2 : 6)
    const tall = Math.min(fits(height, layers), Math.max(MAP, fits(left, layers)))
    this.fit = Math.max(LEAST, Math.min(fits(width, heads), tall, this.isSmall ? 64 : heads * layers > FEW ? 132 : 220))
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('maps') || changed.has('isSmall')) this.#measure()
  }

  get side() {
    return this.size > 0 ? Math.min(MOST, Math.max(LEAST, this.size)) : this.fit
  }

  /** @param {WheelEvent} event */
  #zoom = event => {
    if (!event.ctrlKey) return
    event.preventDefault()
    this.#send('atlas-size', Math.round(this.side * (event.deltaY < 0 ? 1.15 : 1 / 1.15)))
  }

  /** @param {string} name @param {unknown} detail */
  #send(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }))
  }

  render() {
    const { maps, side } = this
    if (!maps) return nothing
    const pitch = side + gapOf(side)
    const { layers, numHeads: heads } = maps
    const every = pitch < 16 ? Math.ceil(16 / pitch) : 1
    const lens = this.lens
    return html`${this.theme.probe}
      <div class="atlas-scroll" @scroll=${this.#updateCrop}>
        <div class="atlas-columns" .style=${`grid-template-columns: repeat(${heads}, ${pitch}px) 1fr`}>
          ${Array.from(
            { length: heads },
            (_, h) => html`<span aria-hidden="true">${h % every === 0 ? h + 1 : ''}</span>`,
          )}${lens && !this.isSmall ? html`<span class="atlas-lens-title">${this.lensTitle}</span>` : nothing}
        </div>
        <div class="atlas-body">
          <div class="atlas-rows" aria-hidden="true" .style=${`grid-auto-rows: ${pitch}px; line-height: min(${pitch}px, 1.5em)`}>
            ${Array.from({ length: layers }, (_, l) => html`<span>${l % every === 0 ? l + 1 : ''}</span>`)}
          </div>
          <div
            class="atlas-maps"
            tabindex="0"
            role="application"
            aria-label=${this.label}
            .style=${`inline-size: ${heads * pitch}px; block-size: ${layers * pitch}px`}
            @keydown=${this.#key}
            @pointermove=${this.#move}
            @pointerleave=${() => this.#send('atlas-point', null)}
            @pointerdown=${this.#down}
            @pointerup=${this.#up}
            @pointercancel=${(/** @type {PointerEvent} */ event) => this.touches.up(event)}
            @focus=${() => this.#send('atlas-focus', this.own)}
          ><canvas></canvas>${this.#frame(this.selected, 'is-selected', pitch)}${this.#frame(this.own, 'is-own', pitch)}${[
            ...this.changed,
          ].map(name => {
            const [layer, head] = name.split('.').map(Number)
            return this.#frame({ layer, head }, 'is-changed', pitch)
          })}${this.#drag(pitch)}</div>
          ${
            lens && !this.isSmall
              ? html`<ol class="atlas-lens"
                .style=${`grid-auto-rows: ${pitch}px`}>${lens.map(
                  lines => html`<li>${lines.slice(0, Math.min(LINES, Math.max(1, Math.floor(pitch / LINE))))}</li>`,
                )}</ol>`
              : nothing
          }
        </div>
      </div>
      ${this.crop ? minimap(this.crop, this.querySelector('.atlas-scroll')) : nothing}`
  }

  /** Sets `crop` to the visible part of the atlas, if that has changed. */
  #updateCrop = () => {
    const crop = cropOf(this.querySelector('.atlas-scroll'))
    if (JSON.stringify(crop) !== JSON.stringify(this.crop)) this.crop = crop
  }

  /** @param {HeadAt | undefined} at @param {string} name @param {number} pitch */
  #frame(at, name, pitch) {
    if (!at) return nothing
    return html`<i class="atlas-frame ${name}"
      .style=${`inset: ${at.layer * pitch - 2}px auto auto ${at.head * pitch - 2}px;
        inline-size: ${this.side + 4}px; block-size: ${this.side + 4}px`}></i>`
  }

  /** @param {number} pitch */
  #drag(pitch) {
    if (!this.marquee) return nothing
    const { top, left, bottom, right } = boxOf(this.marquee)
    return html`<i class="atlas-frame is-marquee"
      .style=${`inset: ${top * pitch - 3}px auto auto ${left * pitch - 3}px;
        inline-size: ${(right - left + 1) * pitch}px; block-size: ${(bottom - top + 1) * pitch}px`}></i>`
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    const isSame = changed.size > 0 && Array.from(changed.keys()).every(name => FRAMES.has(name))
    if (!isSame) {
      this.#paint()
      if (!this.isSmall) this.#updateCrop()
    }
    if (this.crop && this.maps)
      paintMinimap(this.querySelector('.atlas-minimap canvas'), this.maps, this.scores, this.theme.style.isDark)
  }

  #paint() {
    const { maps, minus, side, scores, least, old = Infinity, withoutFirst } = this
    const canvas = this.querySelector('canvas')
    if (!maps || !canvas) return
    const { layers, numHeads: heads, height, width } = maps
    const ratio = Math.min(devicePixelRatio || 1, 2)
    const pitch = side + gapOf(side)
    const [wide, high] = [heads * pitch, layers * pitch]
    canvas.width = Math.round(wide * ratio)
    canvas.height = Math.round(high * ratio)
    canvas.style.inlineSize = `${wide}px`
    canvas.style.blockSize = `${high}px`
    const context = canvas.getContext('2d')
    if (!context) return
    context.scale(ratio, ratio)
    context.imageSmoothingEnabled = false
    const { isDark, rule, ink, paper, family } = this.theme.style
    const scale = minus ? 'diverging' : 'sequential'
    const domain = minus ? [-this.end, this.end] : [0, this.end]
    const { colours } = paletteOf('sequential', isDark)
    const scratch = document.createElement('canvas')
    scratch.width = Math.min(width, Math.round(side * ratio))
    scratch.height = Math.min(height, Math.round(side * ratio))
    const brush = scratch.getContext('2d')
    const isHidden = withoutFirst ? (/** @type {number} */ i) => i % width === 0 : () => false
    const part = { row: 0, column: 0, rows: height, columns: width }
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < heads; head++) {
        const score = scores?.[layer * heads + head] ?? 0
        const [x, y] = [head * pitch, layer * pitch]
        context.globalAlpha = layer >= old || score < least ? FADED : 1
        if (side < MAP) {
          context.fillStyle = colours[stepOf(score, [0, 1])]
          context.fillRect(x, y, side, side)
        } else {
          const own = mapAt(maps, { layer, head })
          const other = minus && mapAt(minus, { layer, head })
          const data = other ? own.map((value, i) => value - other[i]) : own
          const image = raster(
            { data, dims: [height, width], isHidden, scale, domain },
            isDark,
            part,
            scratch.width,
            scratch.height,
          )
          brush?.putImageData(image, 0, 0)
          context.drawImage(scratch, x, y, side, side)
        }
        context.strokeStyle = rule
        context.lineWidth = 1
        context.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1)
        if (side >= NAMED) {
          const name = `${layer + 1}.${head + 1}${scores && side >= SCORED ? `  ${score.toFixed(2)}` : ''}`
          context.font = `600 12px ${family}`
          const long = context.measureText(name).width
          context.globalAlpha *= 0.85
          context.fillStyle = paper
          context.fillRect(x + side - long - 9, y + 1, long + 8, 17)
          context.fillStyle = ink
          context.fillText(name, x + side - long - 5, y + 14)
        }
      }
  }

  /** @param {PointerEvent} event @returns {(HeadAt & { x: number, y: number }) | undefined} */
  #at({ clientX, clientY }) {
    const { maps, side } = this
    const box = this.querySelector('.atlas-maps')?.getBoundingClientRect()
    if (!maps || !box) return undefined
    const pitch = side + gapOf(side)
    const [left, top] = [clientX - box.left, clientY - box.top]
    const [head, layer] = [Math.floor(left / pitch), Math.floor(top / pitch)]
    if (head < 0 || layer < 0 || head >= maps.numHeads || layer >= maps.layers) return undefined
    const cell = (/** @type {number} */ at, /** @type {number} */ count) =>
      Math.min(count - 1, Math.floor((Math.min(at, side - 1) * count) / side))
    return { layer, head, x: cell(left - head * pitch, maps.width), y: cell(top - layer * pitch, maps.height) }
  }

  /** @param {PointerEvent} event */
  #move = event => {
    if (this.touches.move(event)) return
    const at = this.#at(event)
    if (this.marquee && at) {
      this.marquee = { from: this.marquee.from, to: at }
      return
    }
    if (!at || !this.maps) return this.#send('atlas-point', null)
    // If a pixel covers several cells, the event names the strongest, which is the one painted.
    const { layer, head } = at
    const found = strongest(this.maps, at, this.side, this.withoutFirst)
    this.#send('atlas-point', { layer, head, ...cellAt(this.maps, { layer, head }, found.y, found.x) })
  }

  /** @param {PointerEvent} event */
  #down = event => {
    this.touches.down(event)
    const at = this.#at(event)
    if (!at || event.button !== 0 || event.pointerType === 'touch') return
    this.marquee = { from: at, to: at }
    this.querySelector('.atlas-maps')?.setPointerCapture(event.pointerId)
  }

  /** @param {PointerEvent} event */
  #up = event => {
    if (this.touches.up(event)) return
    const at = this.#at(event)
    const { marquee } = this
    this.marquee = undefined
    const isDragged = marquee && (marquee.from.layer !== marquee.to.layer || marquee.from.head !== marquee.to.head)
    if (isDragged) {
      const { top, left, bottom, right } = boxOf(marquee)
      /** @type {HeadAt[]} */
      const heads = []
      for (let layer = top; layer <= bottom; layer++)
        for (let head = left; head <= right; head++) heads.push({ layer, head })
      this.#send('atlas-marquee', heads)
    } else if (at) {
      this.own = { layer: at.layer, head: at.head }
      this.#send('atlas-select', { layer: at.layer, head: at.head, isSecond: event.shiftKey })
    }
  }

  /** @param {KeyboardEvent} event */
  #key = event => {
    const { layers, numHeads: heads } = this.maps ?? { layers: 1, numHeads: 1 }
    const { layer, head } = this.own
    const to = moved(event, { row: layer, column: head }, layers, heads)
    if (to) {
      this.own = { layer: to.row, head: to.column }
      this.#send('atlas-focus', this.own)
      this.updateComplete.then(() =>
        this.querySelector('.is-own')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
      )
    } else if (event.key === 'Enter' || event.key === ' ')
      this.#send('atlas-select', { ...this.own, isSecond: event.shiftKey })
    else if (event.key === '+' || event.key === '=') this.#send('atlas-size', Math.round(this.side * 1.25))
    else if (event.key === '-') this.#send('atlas-size', Math.round(this.side / 1.25))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
}

/**
 * Returns the cell with the largest weight among those that a pixel covers.
 * @param {Maps} maps
 * @param {HeadAt & { x: number, y: number }} at x, y: column and row of the cell under the pointer
 * @param {number} side of a map, in pixels
 * @param {boolean} withoutFirst
 */
function strongest(maps, { layer, head, x, y }, side, withoutFirst) {
  const { width, height } = maps
  const map = mapAt(maps, { layer, head })
  const reach = (/** @type {number} */ count) => Math.max(0, Math.floor(count / side / 2))
  let most = { x, y, weight: -1 }
  for (let r = Math.max(0, y - reach(height)); r <= Math.min(height - 1, y + reach(height)); r++)
    for (let c = Math.max(withoutFirst ? 1 : 0, x - reach(width)); c <= Math.min(width - 1, x + reach(width)); c++)
      if (map[r * width + c] > most.weight) most = { x: c, y: r, weight: map[r * width + c] }
  return most
}

/** @param {{ from: HeadAt, to: HeadAt }} marquee */
const boxOf = ({ from, to }) => ({
  top: Math.min(from.layer, to.layer),
  bottom: Math.max(from.layer, to.layer),
  left: Math.min(from.head, to.head),
  right: Math.max(from.head, to.head),
})

/** Draws the colour legend. @param {number} end @param {boolean} isSigned @param {boolean} isDark */
export const legend = (end, isSigned, isDark) =>
  html`<span class="atlas-legend" aria-hidden="true">${isSigned ? `−${end}` : 0}
    <i .style=${`background: ${gradient(isSigned ? 'diverging' : 'sequential', isDark)}`}></i> ${end}</span>`

customElements.define('models-atlas', ModelsAtlas)
