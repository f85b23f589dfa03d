// Draws as SVG with the same methods as the canvas backend.

import { cut } from './drawing-backends.js'

/** @import { LineStyle, TextStyle } from './drawing-backends.js' */

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes a text for XML, which allows no control characters and no lone surrogates. @param {string} text */
const escapeXml = text =>
  text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot hold
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, letter => ENTITIES[letter])

const n = (/** @type {number} */ x) => String(Math.round(x * 100) / 100)

/** Writes the attributes of a rectangle. @param {number} x @param {number} y @param {number} width @param {number} height */
const box = (x, y, width, height) => `x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"`

/** Writes SVG. */
export class SvgBackend {
  /** @type {string[]} */
  #parts = []
  /** Patterns by id. The id contains the colours, so that pictures in one document do not conflict. @type {Map<string, string>} */
  #definitions = new Map()

  /** @param {string} family font family */
  constructor(family) {
    this.family = family
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} fill */
  fill(x, y, width, height, fill) {
    this.#parts.push(`<rect ${box(x, y, width, height)} fill="${escapeXml(fill)}"/>`)
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {LineStyle} style */
  frame(x, y, width, height, style) {
    this.#parts.push(`<rect ${box(x, y, width, height)} fill="none" ${this.#stroke(style)}/>`)
  }

  /** @param {number[]} points @param {LineStyle} style */
  line(points, style) {
    this.#parts.push(`<polyline points="${points.map(n).join(' ')}" fill="none" ${this.#stroke(style)}/>`)
  }

  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {LineStyle} style */
  link(x0, y0, x1, y1, style) {
    const middle = n((x0 + x1) / 2)
    const path = `M${n(x0)} ${n(y0)}C${middle} ${n(y0)} ${middle} ${n(y1)} ${n(x1)} ${n(y1)}`
    this.#parts.push(`<path d="${path}" fill="none" ${this.#stroke(style)}/>`)
  }

  /** @param {LineStyle} style */
  #stroke({ stroke, width = 1, opacity = 1, dash = [] }) {
    const more = `${opacity < 1 ? ` stroke-opacity="${n(opacity)}"` : ''}${dash.length ? ` stroke-dasharray="${dash.join(' ')}"` : ''}`
    return `stroke="${escapeXml(stroke)}" stroke-width="${n(width)}"${more}`
  }

  /** @param {string} text @param {number} x @param {number} y @param {TextStyle} style */
  text(text, x, y, { size = 12, fill = '#000', align = 'left', upright = false, weight = 400, most } = {}) {
    const shown = most === undefined ? text : cut(text, most, `${weight} ${size}px ${this.family}`)
    const anchor = { left: 'start', center: 'middle', right: 'end' }[align]
    const turned = upright ? ` transform="rotate(-90 ${n(x)} ${n(y)})"` : ''
    const bold = weight === 400 ? '' : ` font-weight="${weight}"`
    const look = `font-size="${n(size)}" fill="${escapeXml(fill)}" text-anchor="${anchor}"${bold}${turned}`
    this.#parts.push(`<text x="${n(x)}" y="${n(y)}" dy="0.35em" ${look}>${escapeXml(shown)}</text>`)
  }

  /** @param {HTMLCanvasElement} image @param {number} x @param {number} y @param {number} width @param {number} height */
  image(image, x, y, width, height) {
    this.#parts.push(
      `<image ${box(x, y, width, height)} preserveAspectRatio="none" image-rendering="pixelated" href="${image.toDataURL()}"/>`,
    )
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {{ ground: string, line: string }} colours */
  hatch(x, y, width, height, { ground, line }) {
    const id = `hatch-${ground.slice(1)}-${line.slice(1)}`
    if (!this.#definitions.has(id)) {
      const size = 'width="3.54" height="3.54"'
      const stripes = `<rect ${size} fill="${ground}"/><rect width="1" height="3.54" fill="${line}"/>`
      const place = 'patternUnits="userSpaceOnUse" patternTransform="rotate(45)"'
      this.#definitions.set(id, `<pattern id="${id}" ${size} ${place}>${stripes}</pattern>`)
    }
    this.fill(x, y, width, height, `url(#${id})`)
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {() => void} draw */
  clip(x, y, width, height, draw) {
    const id = `clip-${[x, y, width, height].map(n).join('-')}`
    this.#definitions.set(id, `<clipPath id="${id}"><rect ${box(x, y, width, height)}/></clipPath>`)
    this.#parts.push(`<g clip-path="url(#${id})">`)
    draw()
    this.#parts.push('</g>')
  }

  /**
   * Returns the complete SVG.
   * @param {number} width
   * @param {number} height
   * @param {string} title
   * @param {string} [description]
   */
  picture(width, height, title, description) {
    const size = `width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}"`
    const look = `role="img" font-family="${escapeXml(this.family)}" font-variant-numeric="tabular-nums"`
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${look}>`,
      `<title>${escapeXml(title)}</title>`,
      description ? `<desc>${escapeXml(description)}</desc>` : '',
      this.#definitions.size ? `<defs>${[...this.#definitions.values()].join('')}</defs>` : '',
      ...this.#parts,
      '</svg>',
    ].join('\n')
  }
}
