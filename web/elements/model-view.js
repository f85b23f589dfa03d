// Converts the properties of a map into the data to draw.

import { visible, widthOf } from './drawing-backends.js'
import { labelSize, noteSize } from './geometry.js'
import { short, write } from './number-text.js'
import { check, difference, domainOf, extremes, hiddenIn, optionProblem } from './tensor-input.js'

/** @import { TensorLike } from './tensor-input.js' */

/**
 * @param {object} given properties of a map
 * @param {TensorLike | undefined} given.matrix
 * @param {TensorLike | undefined} given.minus
 * @param {TensorLike | undefined} given.mask
 * @param {TensorLike | undefined} given.previous
 * @param {import('./colour-scale.js').Scale | undefined} given.scale
 * @param {readonly number[] | undefined} given.domain
 * @param {readonly string[]} given.rowTokens
 * @param {readonly string[]} given.columnTokens
 * @param {number} given.decimals
 * @param {boolean} given.legend
 * @param {{ rowTitle: string, columnTitle: string, hiddenWord: string }} words
 * @returns {import('./draw.js').HeatMap}
 */
export function mapOf(given, words) {
  const wrong = optionProblem(given)
  if (wrong) throw wrong
  const own = check(given.matrix, 2)
  const tensor = given.minus === undefined ? own : difference(own, check(given.minus, 2))
  const isHidden = hiddenIn(tensor, given.mask === undefined ? undefined : check(given.mask, 2))
  const previous = given.previous === undefined ? undefined : check(given.previous, 2)
  const scale = given.scale ?? (given.minus === undefined ? 'sequential' : 'diverging')
  const range = extremes(tensor, isHidden)
  const { data, dims } = tensor
  return {
    data,
    dims,
    isHidden,
    range,
    scale,
    domain: given.domain ?? domainOf(scale, range),
    rowTokens: given.rowTokens ?? [],
    columnTokens: given.columnTokens ?? [],
    decimals: given.decimals,
    legend: given.legend,
    ...words,
    previous: previous?.dims.join() === dims.join() ? previous.data : undefined,
  }
}

/**
 * Returns the layout requirements of a map: cells that fit its numbers, labels that fit its tokens.
 * @param {import('./draw.js').HeatMap} map
 * @param {import('./draw.js').Style} look
 * @param {number} mostHeight maximum height of all cells
 * @param {number} width maximum width of the picture
 * @param {import('./geometry.js').View} [view]
 * @param {{ width?: number, height?: number }} [largest] maximum cell size, if there is space
 */
export function wantedOf(map, { fontSize, family }, mostHeight, width, view, largest = {}) {
  const [rows, columns] = map.dims
  const font = `400 ${labelSize(fontSize)}px ${family}`
  const widest = (/** @type {readonly unknown[]} */ tokens) => {
    let most = 0
    for (const token of new Set(tokens)) most = Math.max(most, widthOf(visible(token).slice(0, 60), font))
    return most
  }
  const { least, most } = map.range
  const numbers = [least, most].map(value => widthOf(write(value, map.decimals), `400 ${fontSize}px ${family}`))
  return {
    rows,
    columns,
    width,
    view,
    fontSize,
    mostHeight,
    // Width of the numbers at both ends, the gaps and the colour bar.
    legend: map.legend
      ? map.domain.reduce((sum, end) => sum + widthOf(short(end), `400 ${noteSize(fontSize)}px ${family}`), 96)
      : 0,
    most: Math.max(Math.ceil(Math.max(...numbers, 20)) + 8, largest.width ?? 0),
    tallest: largest.height,
    rowLabel: widest(map.rowTokens.slice(0, rows)),
    columnLabel: widest(map.columnTokens.slice(0, columns)),
    titles: Boolean(map.rowTitle || map.columnTitle),
  }
}
