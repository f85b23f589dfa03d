// Which numbers a cell comes from. Pure; nothing is computed here, values are looked up in the trace.

/** @typedef {import('./matrices.js').Cell} Cell */
/** @typedef {import('./matrices.js').MatrixId} MatrixId */
/** @typedef {import('./trace.js').Result} Result */

/**
 * How a cell came about.
 * - draw: from the random stream
 * - products: the sum of the products of pairs of cells
 * - scale: one cell times 1/sqrt(d_k)
 * - mask: one cell, kept or hidden
 * - softmax: exp(cell - largest) / sum, over the cells of a row
 * - join: one cell of a head
 * @typedef {{ kind: 'draw', from: 'table', id: number } | { kind: 'draw', from: 'weights' }
 *   | { kind: 'products', terms: [Cell, Cell][], along: 'dims' | 'keys' }
 *   | { kind: 'scale', source: Cell, size: number }
 *   | { kind: 'mask', source: Cell, isHidden: boolean }
 *   | { kind: 'softmax', sources: Cell[], exponentials: Float32Array, largest: number, sum: number }
 *   | { kind: 'join', source: Cell }} Explanation
 */

/**
 * The two factors of each projection and product: rows of the first meet columns of the second.
 * @param {Result} result
 * @returns {Partial<Record<MatrixId, [MatrixId, MatrixId]>>}
 */
const factorsOf = ({ settings }) => {
  const source = settings.isCross ? 'X2' : 'X'
  return { Q: ['X', 'Wq'], K: [source, 'Wk'], V: [source, 'Wv'], output: ['weights', 'V'] }
}

/**
 * @param {Result} result
 * @param {number} shown which head
 * @param {Cell} cell one that exists
 * @returns {Explanation}
 */
export function explain(result, shown, { matrix, row, column }) {
  const { settings, heads } = result
  const { Q, V, steps } = heads[shown]
  /** @type {(matrix: MatrixId, row: number, column: number) => Cell} */
  const at = (matrix, row, column) => ({ matrix, row, column })
  /** @type {(length: number, term: (i: number) => [Cell, Cell]) => [Cell, Cell][]} */
  const pairs = (length, term) => Array.from({ length }, (_, i) => term(i))

  const factors = factorsOf(result)[matrix]
  if (factors) {
    const [a, b] = factors
    const isOutput = matrix === 'output'
    const length = isOutput ? V.dims[0] : settings.dModel
    const terms = pairs(length, i => [at(a, row, i), at(b, i, column)])
    return { kind: 'products', terms, along: isOutput ? 'keys' : 'dims' }
  }
  switch (matrix) {
    case 'X':
      return { kind: 'draw', from: 'table', id: settings.queries.ids[row] }
    case 'X2':
      return { kind: 'draw', from: 'table', id: settings.keys.ids[row] }
    case 'scores':
      return { kind: 'products', terms: pairs(Q.dims[1], i => [at('Q', row, i), at('K', column, i)]), along: 'dims' }
    case 'scaled':
      return { kind: 'scale', source: at('scores', row, column), size: settings.dKey }
    case 'masked':
      return { kind: 'mask', source: at('scaled', row, column), isHidden: steps.masked.at(row, column) === -Infinity }
    case 'weights': {
      const S = steps.masked.dims[1]
      return {
        kind: 'softmax',
        sources: Array.from({ length: S }, (_, j) => at('masked', row, j)),
        exponentials: steps.exponentials.row(row).data,
        largest: steps.maxima.at(row),
        sum: steps.sums.at(row),
      }
    }
    case 'joined': {
      const head = Math.floor(column / settings.dValue)
      return { kind: 'join', source: { ...at('output', row, column % settings.dValue), head } }
    }
    default:
      return { kind: 'draw', from: 'weights' }
  }
}

/**
 * The cells an explanation names.
 * @param {Explanation} explanation
 * @returns {Cell[]}
 */
export function sourcesOf(explanation) {
  switch (explanation.kind) {
    case 'draw':
      return []
    case 'products':
      return explanation.terms.flat()
    case 'softmax':
      return explanation.sources
    default:
      return [explanation.source]
  }
}
