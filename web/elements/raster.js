// Draws cells as pixels. If several cells share a pixel, the one of largest magnitude is shown, so that a single strong cell is never lost.

import { exceptions, paletteOf, pixel, stepOf } from './colour-scale.js'

/**
 * Draws a part of a matrix as an image of `width` by `height` pixels; hidden cells are transparent.
 * @param {object} matrix
 * @param {ArrayLike<number>} matrix.data
 * @param {readonly number[]} matrix.dims
 * @param {(i: number) => boolean} matrix.isHidden
 * @param {import('./colour-scale.js').Scale} matrix.scale
 * @param {readonly number[]} matrix.domain
 * @param {boolean} isDark
 * @param {{ row: number, column: number, rows: number, columns: number }} part whole cells
 * @param {number} width at most `columns`
 * @param {number} height at most `rows`
 */
export function raster({ data, dims, isHidden, scale, domain }, isDark, { row, column, rows, columns }, width, height) {
  const { pixels } = paletteOf(scale, isDark)
  const nan = pixel(exceptions(isDark).nan)
  const image =
    typeof ImageData === 'undefined' // in jsdom, which draws nothing
      ? /** @type {ImageData} */ ({ width, height, data: new Uint8ClampedArray(4 * width * height) })
      : new ImageData(width, height)
  const out = new Uint32Array(image.data.buffer)
  const isSigned = scale === 'diverging'
  const zero = isSigned ? (domain[0] + domain[1]) / 2 : domain[0]
  /** First column of each pixel; the last entry is the end of the last pixel. */
  const first = Int32Array.from({ length: width + 1 }, (_, x) => Math.ceil((x * columns) / width))
  for (let y = 0; y < height; y++) {
    const [top, bottom] = [Math.floor((y * rows) / height), Math.ceil(((y + 1) * rows) / height)]
    for (let x = 0; x < width; x++) {
      /** Largest magnitude so far: -Infinity if every cell is hidden, Infinity if one is NaN. */
      let most = -Infinity
      let strongest = 0
      for (let r = top; r < bottom; r++) {
        const start = (row + r) * dims[1] + column
        for (let i = start + first[x]; i < start + first[x + 1]; i++) {
          const value = data[i]
          const strong = isSigned ? Math.abs(value - zero) : value - zero
          if (strong <= most || isHidden(i)) continue // check isHidden last, so that it is rarely called
          most = Number.isNaN(strong) ? Infinity : Math.min(Math.max(strong, 0), Number.MAX_VALUE)
          strongest = value
        }
      }
      if (most >= 0) out[y * width + x] = most === Infinity ? nan : pixels[stepOf(strongest, domain)]
    }
  }
  return image
}

/** Copies an image to a canvas, for scaled drawing. @param {ImageData} image @param {HTMLCanvasElement} [canvas] reused if given */
export function canvasOf(image, canvas = document.createElement('canvas')) {
  if (canvas.width !== image.width) canvas.width = image.width
  if (canvas.height !== image.height) canvas.height = image.height
  canvas.getContext('2d')?.putImageData(image, 0, 0)
  return canvas
}
