// What an element shows, as a file. Loaded when a picture is asked for.

import { penOf } from './pens.js'
import { SvgPen } from './svg-pen.js'

/** @typedef {{ width: number, height: number, description?: string, draw: (pen: import('./pens.js').Pen) => void }} Picture */
/** @typedef {import('./draw.js').Style} Style */

/** @param {Picture} picture @param {Style} style @param {number} ratio pixels for each CSS pixel @returns {Promise<Blob>} */
export function pngOf({ width, height, draw }, { family, paper }, ratio) {
  const canvas = document.createElement('canvas')
  const pen = penOf(canvas, width, height, ratio, family)
  if (!pen) throw new Error('No canvas: this browser is out of memory for pictures.')
  pen.fill(0, 0, width, height, paper)
  draw(pen)
  return new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('The picture is too large.'))), 'image/png'),
  )
}

/** @param {Picture} picture @param {Style} style @param {string} title */
export function svgOf({ width, height, draw, description }, { family, paper }, title) {
  const pen = new SvgPen(family)
  pen.fill(0, 0, width, height, paper)
  draw(pen)
  return pen.picture(width, height, title, description)
}
