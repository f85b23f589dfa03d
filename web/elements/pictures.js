// Exports the picture of an element as a file. Loaded on demand.

import { backendOf } from './drawing-backends.js'
import { SvgBackend } from './svg-backend.js'

/** @typedef {{ width: number, height: number, description?: string, draw: (backend: import('./drawing-backends.js').Backend) => void }} Picture */
/** @import { Style } from './draw.js' */

/** @param {Picture} picture @param {Style} style @param {number} ratio device pixels per CSS pixel @returns {Promise<Blob>} */
export function pngOf({ width, height, draw }, { family, paper }, ratio) {
  const canvas = document.createElement('canvas')
  const backend = backendOf(canvas, width, height, ratio, family)
  if (!backend) throw new Error('No canvas: this browser is out of memory for pictures.')
  backend.fill(0, 0, width, height, paper)
  draw(backend)
  return new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('The picture is too large.'))), 'image/png'),
  )
}

/** @param {Picture} picture @param {Style} style @param {string} title */
export function svgOf({ width, height, draw, description }, { family, paper }, title) {
  const backend = new SvgBackend(family)
  backend.fill(0, 0, width, height, paper)
  draw(backend)
  return backend.picture(width, height, title, description)
}
