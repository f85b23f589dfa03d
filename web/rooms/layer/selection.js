// Drops selected and pointed cells and words that the current numbers do not have. Pure.

import { MATRICES } from './matrices.js'
import { resultOf } from './needs.js'

/** @import { Cell, LayerRoom, LayerState, MatrixId, Result, Word } from './layer.js' */

/** True if each head has a separate matrix. @param {Result} result @param {MatrixId} matrix */
const isPerHead = ({ tensors }, matrix) => tensors[matrix]?.dims.length === 3

/** @param {Result} result @param {Cell | null | undefined} cell @returns {cell is Cell} */
export function hasCell(result, cell) {
  if (!cell || !Object.hasOwn(MATRICES, cell.matrix) || MATRICES[cell.matrix].isInner) return false
  const [rows, columns] = result.tensors[cell.matrix]?.dims.slice(-2) ?? [0, 0]
  return cell.row < rows && cell.column < columns && cell.head < (isPerHead(result, cell.matrix) ? result.heads : 1)
}

/** Drops selections that are not among the displayed numbers. @param {LayerState} state @returns {ReturnType<NonNullable<LayerRoom['prune']>>} */
export function prune({ settings, view, got }) {
  const result = resultOf({ got })
  if (!result) return undefined
  const { heads, detailHead } = result
  const { head, word, cell, less } = settings
  const { pointed, hovered, hoveredHead, range } = view
  const shown = detailHead ?? Math.min(head, heads - 1)
  const lengthOf = (/** @type {Word['side']} */ side) => result.settings[side].tokens.length
  /** @param {Word | null | undefined} of */
  const isLostWord = of => of && of.position >= lengthOf(of.side)
  /** True if the cell does not exist, or belongs to a head that is not displayed. @param {Cell | null | undefined} of */
  const isLostCell = of => of && !(hasCell(result, of) && (of.head === shown || !isPerHead(result, of.matrix)))
  /** @type {Partial<LayerState['settings']>} */
  const set = {}
  /** @type {Partial<LayerState['view']>} */
  const gone = {}
  if (head >= heads) set.head = heads - 1
  if (isLostWord(word)) set.word = null
  if (isLostCell(cell)) set.cell = null
  if (isLostCell(less) || (less && (set.cell === null || less.matrix !== cell?.matrix))) set.less = null
  if (isLostCell(pointed)) gone.pointed = undefined
  if (isLostWord(hovered)) gone.hovered = undefined
  if (hoveredHead !== undefined && hoveredHead >= heads) gone.hoveredHead = undefined
  if (range && range.to >= lengthOf('queries')) gone.range = undefined
  const own = (/** @type {object} */ fields) => Object.keys(fields).length > 0
  return own(set) || own(gone) ? { set: own(set) ? set : undefined, view: gone } : undefined
}
