// Cells as pixels. Where several cells share a pixel, the strongest shows, so that a single strong link is never lost.

import { exceptions, paletteOf, pixel, stepOf } from './colour.js'

/**
 * A part of a matrix as an image of `width` by `height` pixels; hidden cells are left transparent.
 * @param {object} matrix
 * @param {ArrayLike<number>} matrix.data
 * @param {readonly number[]} matrix.dims
 * @param {(i: number) => boolean} matrix.isHidden
 * @param {import('./colour.js').Scale} matrix.scale
 * @param {readonly number[]} matrix.domain
 * @param {boolean} isDark
 * @param {{ row: number, column: number, rows: number, columns: number }} part whole cells
 * @param {number} width at most `columns`
 * @param {number} height at most `rows`
 */
export function raster({ data, dims, isHidden, scale, domain }, isDark, { row, column, rows, columns }, width, height) {
  const { pixels } = paletteOf(scale, isDark)
  const nan = pixel(exceptions(isDark).nan)
  const image = new ImageData(width, height)
  const out = new Uint32Array(image.data.buffer)
  const isSigned = scale === 'diverging'
  const middle = (domain[0] + domain[1]) / 2
  /** The strongest of each pixel of a line: -1 where every cell is hidden, Infinity where one is not a number. */
  const strength = new Float64Array(width)
  const step = new Uint8Array(width)
  for (let y = 0; y < height; y++) {
    const [from, to] = [Math.floor((y * rows) / height), Math.ceil(((y + 1) * rows) / height)]
    strength.fill(-1)
    for (let r = from; r < to; r++) {
      const start = (row + r) * dims[1] + column
      for (let c = 0; c < columns; c++) {
        if (isHidden(start + c)) continue
        const value = data[start + c]
        const x = width === columns ? c : Math.floor((c * width) / columns)
        const strong = isSigned ? Math.abs(value - middle) : value - domain[0]
        if (Number.isNaN(strong)) strength[x] = Infinity
        else if (strong > strength[x] || (strength[x] < 0 && strong <= 0)) {
          strength[x] = Math.min(Math.max(strong, 0), Number.MAX_VALUE)
          step[x] = stepOf(value, domain)
        }
      }
    }
    for (let x = 0; x < width; x++)
      if (strength[x] >= 0) out[y * width + x] = strength[x] === Infinity ? nan : pixels[step[x]]
  }
  return image
}

/** An image as a canvas, to be drawn scaled. @param {ImageData} image */
export function canvasOf(image) {
  const canvas = document.createElement('canvas')
  canvas.width = image.width
  canvas.height = image.height
  canvas.getContext('2d')?.putImageData(image, 0, 0)
  return canvas
}
