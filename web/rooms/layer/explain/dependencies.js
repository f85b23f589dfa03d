// Finds the sources of a cell (what it is computed from) and its targets (what is computed from it), as cells, rows, columns or whole
// matrices. Both are derived from MATRICES (matrices.js).

import { MATRICES, MATRIX_IDS } from '../matrices.js'

/** @import { Cell, MatrixId, Reach, Result, Rule, StepId } from '../layer.js' */

/**
 * A part of a matrix: one cell, a row (without `column`), a column (without `row`), or all cells (without both).
 * @typedef {{ matrix: MatrixId, head: number, row?: number, column?: number }} Region
 */

/**
 * The computation of a matrix in a given trace.
 * @typedef {{ rule: Rule, sources: [MatrixId, Reach][], bias?: MatrixId, step?: StepId }} OwnComputation
 */

/**
 * Returns the computation of a matrix.
 * @param {Pick<Result, 'tensors'>} result
 * @param {MatrixId} id
 * @returns {OwnComputation | undefined} undefined if the matrix was drawn, imported, or is not in the trace
 */
export function computationOf({ tensors }, id) {
  const has = (/** @type {MatrixId | undefined} */ name) => tensors[/** @type {MatrixId} */ (name)] !== undefined
  const computation =
    has(id) && MATRICES[id].computations?.find(({ sources }) => sources.every(([source]) => has(source)))
  if (!computation) return undefined
  return { ...computation, bias: has(computation.bias) ? computation.bias : undefined }
}

/** Returns the sources of a matrix, including its bias, and the reach of each: which cells of the source a cell is computed from. @param {Result} result @param {MatrixId} id @returns {[MatrixId, Reach][]} */
function reachesOf(result, id) {
  const { sources = [], bias } = computationOf(result, id) ?? {}
  return bias ? [...sources, [bias, 'column']] : sources
}

/**
 * Returns the cells that a cell is computed from.
 * @param {Result} result
 * @param {Cell} cell
 * @returns {Region[]}
 */
export function sourcesOf(result, { matrix, head, row, column }) {
  const isByKeys = result.settings.softmaxAxis === 'keys'
  return reachesOf(result, matrix).map(([id, reach]) => {
    const size = widthOf(result, id)
    /** @type {Record<Reach, Partial<Region>>} */
    const regions = {
      cell: { row, column },
      row: { row },
      column: { column },
      crossed: { row: column },
      all: {},
      line: isByKeys ? { row } : { column },
      head: { head: Math.floor(column / size), row, column: column % size },
      partner: { row, column: partnerOf(column, size) },
    }
    return { matrix: id, head: headOf(result, id, head), ...regions[reach] }
  })
}

/**
 * Returns the cells that are computed from a cell.
 * @param {Result} result
 * @param {Cell} cell
 * @returns {Region[]}
 */
export function targetsOf(result, { matrix, head, row, column }) {
  const isByKeys = result.settings.softmaxAxis === 'keys'
  return MATRIX_IDS.flatMap(id =>
    reachesOf(result, id)
      .filter(([source]) => source === matrix)
      .map(([, reach]) => {
        /** @type {Record<Reach, Partial<Region>>} */
        const regions = {
          cell: { row, column },
          row: { row },
          column: { column },
          crossed: { column: row },
          all: {},
          line: isByKeys ? { row } : { column },
          head: { head: 0, row, column: head * widthOf(result, matrix) + column },
          partner: { row, column: partnerOf(column, widthOf(result, matrix)) },
        }
        return { matrix: id, head: headOf(result, id, head), ...regions[reach] }
      }),
  )
}

/** Returns the column that rotary positions rotate together with `column`: half a row away. @param {number} column @param {number} size */
export const partnerOf = (column, size) => (column + size / 2) % size

/** @param {Result} result @param {MatrixId} id */
const widthOf = ({ tensors }, id) => tensors[id]?.dims.at(-1) ?? 1

/** @param {Result} result @param {MatrixId} id @param {number} head */
const headOf = ({ tensors }, id, head) => (tensors[id]?.dims.length === 3 ? head : 0)
