// What is selected and pointed at, checked against the numbers that are there. Pure.

import { MATRICES } from './matrices.js'
import { resultOf } from './needs.js'

/** @import { Cell, LayerRoom, LayerState, MatrixId, Result, Word } from './layer.js' */

const NO_SELECTION = { head: 0, word: null, cell: null, less: null }
const NOT_POINTED = { pointed: undefined, hovered: undefined, hoveredHead: undefined, range: undefined }

/** Does each head have a matrix of its own? @param {Result} result @param {MatrixId} matrix */
const isPerHead = ({ tensors }, matrix) => tensors[matrix]?.dims.length === 3

/** @param {Result} result @param {Cell | null | undefined} cell @returns {cell is Cell} */
export function hasCell(result, cell) {
  if (!cell || !Object.hasOwn(MATRICES, cell.matrix) || MATRICES[cell.matrix].isInner) return false
  const [rows, columns] = result.tensors[cell.matrix]?.dims.slice(-2) ?? [0, 0]
  return cell.row < rows && cell.column < columns && cell.head < (isPerHead(result, cell.matrix) ? result.heads : 1)
}

/** @param {Result} result @param {Word | null | undefined} word */
const hasWord = ({ settings }, word) => !!word && word.position < settings[word.side].tokens.length

/**
 * The fields that point to nothing, with what takes their place; undefined if there are none.
 * @template {object} O
 * @param {O} fields
 * @param {{ [F in keyof O]: boolean }} isThere
 * @param {O} instead
 * @returns {Partial<O> | undefined}
 */
function dropped(fields, isThere, instead) {
  const names = /** @type {(keyof O)[]} */ (Object.keys(instead))
  const lost = names.filter(name => !isThere[name] && fields[name] !== instead[name])
  return lost.length
    ? /** @type {Partial<O>} */ (Object.fromEntries(lost.map(name => [name, instead[name]])))
    : undefined
}

/** Drops what is not among the numbers that are drawn. @param {LayerState} state @returns {ReturnType<NonNullable<LayerRoom['prune']>>} */
export function prune({ settings, view, got }) {
  const result = resultOf({ got })
  if (!result) return undefined
  const { heads, detailHead } = result
  const shown = detailHead ?? Math.min(settings.head, heads - 1)
  const { head, word, cell, less } = settings
  const { pointed, hovered, hoveredHead, range } = view
  /** Is it a cell of the head that is shown? @param {Cell | null | undefined} cell */
  const isShown = cell => hasCell(result, cell) && (cell.head === shown || !isPerHead(result, cell.matrix))
  const isCell = isShown(cell)
  const set = dropped(
    { head, word, cell, less },
    {
      head: head < heads,
      word: hasWord(result, word),
      cell: isCell,
      less: isCell && less?.matrix === cell?.matrix && isShown(less),
    },
    { ...NO_SELECTION, head: heads - 1 },
  )
  const pointing = dropped(
    { pointed, hovered, hoveredHead, range },
    {
      pointed: isShown(pointed),
      hovered: hasWord(result, hovered),
      hoveredHead: hoveredHead !== undefined && hoveredHead < heads,
      range: range !== undefined && range.to < result.settings.queries.tokens.length,
    },
    NOT_POINTED,
  )
  return set || pointing ? { set, view: pointing } : undefined
}
