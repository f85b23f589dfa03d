// Draws on a canvas with the same methods as the SVG backend, so that each drawing is written once. Also measures text.

/** @typedef {{ size?: number, fill?: string, align?: 'left' | 'center' | 'right', upright?: boolean, weight?: number, most?: number }} TextStyle */
/** @typedef {{ stroke: string, width?: number, opacity?: number, dash?: number[] }} LineStyle */

/** @type {CanvasRenderingContext2D | undefined} */
let ruler
/** @type {Map<string, number>} */
const widths = new Map()

/** Measures the width of a text. @param {string} text @param {string} font */
export function widthOf(text, font) {
  const name = `${font} ${text}`
  const known = widths.get(name)
  if (known !== undefined) return known
  ruler ??= globalThis.document?.createElement('canvas').getContext('2d') ?? undefined
  if (!ruler) return text.length * 8 // estimate, without a DOM or canvas
  ruler.font = font
  const { width } = ruler.measureText(text)
  if (widths.size > 20_000) widths.clear()
  widths.set(name, width)
  return width
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * Truncates a text that does not fit, between graphemes.
 * @param {string} text
 * @param {number} most
 * @param {string} font
 */
export function cut(text, most, font) {
  if (text.length <= 400 && widthOf(text, font) <= most) return text
  const letters = Array.from(graphemes.segment(text.slice(0, 400)), ({ segment }) => segment)
  let [fits, fails] = [0, letters.length + 1]
  while (fails - fits > 1) {
    const middle = (fits + fails) >> 1
    if (widthOf(`${letters.slice(0, middle).join('')}…`, font) <= most) fits = middle
    else fails = middle
  }
  return `${letters.slice(0, fits).join('')}…`
}

/** Makes white space in a token visible. @param {unknown} token */
export function visible(token) {
  const text = String(token ?? '')
  if (text && !/\s/u.test(text)) return text // fast path for most labels, which are drawn in every frame of a drag
  if (/^\s*$/u.test(text) || text.trim() === '')
    return text.replace(/\n/g, '↵').replace(/\t/g, '⇥').replace(/\s/g, '␣') || '␣'
  return text.replace(/\r?\n/g, '↵').replace(/\t/g, '⇥')
}

/** Draws on a canvas. */
class CanvasBackend {
  /** @param {CanvasRenderingContext2D} context @param {string} family font family */
  constructor(context, family) {
    this.context = context
    this.family = family
    /** The context's font. Cached, since setting a font parses it, even if it is the same. */
    this.font = ''
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} fill */
  fill(x, y, width, height, fill) {
    this.context.fillStyle = fill
    this.context.fillRect(x, y, width, height)
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {LineStyle} style */
  frame(x, y, width, height, style) {
    this.#stroke(style)
    this.context.strokeRect(x, y, width, height)
  }

  /** @param {number[]} points x, y, x, y ... @param {LineStyle} style */
  line(points, style) {
    this.#stroke(style)
    this.context.beginPath()
    for (let i = 0; i < points.length; i += 2) this.context[i ? 'lineTo' : 'moveTo'](points[i], points[i + 1])
    this.context.stroke()
    this.context.globalAlpha = 1
  }

  /** Draws a curve between two points, horizontal at both ends. @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {LineStyle} style */
  link(x0, y0, x1, y1, style) {
    this.#stroke(style)
    const middle = (x0 + x1) / 2
    this.context.beginPath()
    this.context.moveTo(x0, y0)
    this.context.bezierCurveTo(middle, y0, middle, y1, x1, y1)
    this.context.stroke()
    this.context.globalAlpha = 1
  }

  /** @param {LineStyle} style */
  #stroke({ stroke, width = 1, opacity = 1, dash = [] }) {
    this.context.strokeStyle = stroke
    this.context.lineWidth = width
    this.context.globalAlpha = opacity
    this.context.setLineDash(dash)
  }

  /** @param {string} text @param {number} x @param {number} y middle of the line @param {TextStyle} style */
  text(text, x, y, { size = 12, fill = '#000', align = 'left', upright = false, weight = 400, most } = {}) {
    const { context } = this
    const font = `${weight} ${size}px ${this.family}`
    if (font !== this.font) context.font = font
    this.font = font
    context.fillStyle = fill
    context.textAlign = align
    context.textBaseline = 'middle'
    const shown = most === undefined ? text : cut(text, most, font)
    if (!upright) return context.fillText(shown, x, y)
    context.save()
    context.translate(x, y)
    context.rotate(-Math.PI / 2)
    context.fillText(shown, 0, 0)
    context.restore()
  }

  /** @param {HTMLCanvasElement} image @param {number} x @param {number} y @param {number} width @param {number} height */
  image(image, x, y, width, height) {
    this.context.imageSmoothingEnabled = false
    this.context.drawImage(image, x, y, width, height)
  }

  /**
   * Draws slanted lines on a background.
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   * @param {{ ground: string, line: string }} colours
   */
  hatch(x, y, width, height, { ground, line }) {
    this.fill(x, y, width, height, ground)
    const { context } = this
    context.save()
    context.beginPath()
    context.rect(x, y, width, height)
    context.clip()
    this.#stroke({ stroke: line })
    context.beginPath()
    const first = Math.floor((x + y) / 5) * 5
    for (let at = first; at < x + y + width + height; at += 5) {
      context.moveTo(at - y, y)
      context.lineTo(at - y - height, y + height)
    }
    context.stroke()
    context.restore()
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {() => void} draw */
  clip(x, y, width, height, draw) {
    const { font } = this
    this.context.save()
    this.context.beginPath()
    this.context.rect(x, y, width, height)
    this.context.clip()
    draw()
    this.context.restore()
    this.font = font
  }
}

/**
 * Clears a canvas and returns a backend for it. `width` and `height` are in CSS pixels, each of which is `ratio` device pixels wide.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 * @param {number} ratio
 * @param {string} family font family
 */
export function backendOf(canvas, width, height, ratio, family) {
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across
    canvas.height = down
  }
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
  const context = canvas.getContext('2d')
  if (!context) return undefined
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  return new CanvasBackend(context, family)
}

/** @typedef {CanvasBackend | import('./svg-backend.js').SvgBackend} Backend */
