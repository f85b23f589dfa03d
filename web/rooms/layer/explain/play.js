// The cells that a step plays, in their order. Pure.

import { stepsOf } from './steps.js'

/** @import { Cell, Result } from '../layer.js' */
/** @typedef {{ step: string, frames: Cell[], at: number }} Playing at: the frame that is shown, -1 before the first */

/** Rows that are computed cell by cell, and cells of a row at most; the rest follows at once. */
const [ROWS, COLUMNS] = [2, 12]

/**
 * @param {Result} result
 * @param {number} head
 * @param {string} step
 * @returns {Cell[]}
 */
export function framesOf(result, head, step) {
  const found = stepsOf(result).find(({ id }) => id === step)
  return (found?.blocks ?? []).flatMap(({ results }) =>
    results.flatMap(matrix => {
      const dims = result.tensors[matrix]?.dims ?? [0, 0]
      const [rows, columns] = dims.slice(-2)
      const own = dims.length === 3 ? head : 0
      return Array.from({ length: Math.min(rows, ROWS) * Math.min(columns, COLUMNS) }, (_, i) => ({
        matrix,
        head: own,
        row: Math.floor(i / Math.min(columns, COLUMNS)),
        column: i % Math.min(columns, COLUMNS),
      }))
    }),
  )
}

/**
 * How many cells of a matrix are written already; undefined: all.
 * @param {Playing | undefined} playing
 * @param {string} matrix
 * @returns {{ row: number, column: number } | undefined} the last one that is
 */
export function writtenUpTo(playing, matrix) {
  if (!playing?.frames.length) return undefined
  const last = playing.frames.map(frame => frame.matrix).lastIndexOf(/** @type {Cell['matrix']} */ (matrix))
  if (last < 0 || playing.at > last) return undefined
  const now = playing.frames[playing.at]
  if (now?.matrix === matrix) return { row: now.row, column: now.column }
  return { row: 0, column: -1 }
}
