import { colourOf, hatch } from '../colour.js'

/** @typedef {import('../matrices.js').Matrix} Matrix */

/** Canvas pixels of a cell's side. */
const SIDE = 8

/** What each canvas shows; it is painted again only if that changes. */
const painted = /** @type {WeakMap<Element, { tensor: Matrix['tensor'], isDark: boolean }>} */ (new WeakMap())

/**
 * Draws a matrix, a square for each cell; hidden cells are hatched.
 * @param {Element | undefined} element
 * @param {Pick<Matrix, 'tensor' | 'scale' | 'reach' | 'isHidden'>} matrix
 * @param {boolean} isDark
 */
export function paint(element, { tensor, scale, reach, isHidden }, isDark) {
  if (!(element instanceof HTMLCanvasElement)) return
  const last = painted.get(element)
  if (last?.tensor === tensor && last.isDark === isDark) return
  painted.set(element, { tensor, isDark })
  const [rows, columns] = tensor.dims
  element.width = columns * SIDE
  element.height = rows * SIDE
  const pen = element.getContext('2d')
  if (!pen) return
  const { ground, line } = hatch(isDark)
  pen.strokeStyle = line
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [x, y] = [column * SIDE, row * SIDE]
      const hidden = isHidden(row, column)
      pen.fillStyle = hidden ? ground : colourOf(scale, reach, tensor.data[row * columns + column], isDark).ground
      pen.fillRect(x, y, SIDE, SIDE)
      if (!hidden) continue
      pen.beginPath()
      pen.moveTo(x, y + SIDE)
      pen.lineTo(x + SIDE, y)
      pen.stroke()
    }
  }
}
