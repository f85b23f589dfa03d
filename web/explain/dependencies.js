// Where a cell comes from and where it goes: whole rows and columns of other matrices. Pure.

/** @typedef {import('../settings/state.js').Cell} Cell */
/** @typedef {import('./matrices.js').MatrixId} MatrixId */
/** @typedef {import('../compute/trace.js').Result} Result */

/**
 * Cells of a matrix: one, a row (no column), a column (no row), or all of it.
 * @typedef {{ matrix: MatrixId, head: number, row?: number, column?: number }} Region
 */

/** Projections: what is multiplied, with which weights and bias. @type {Partial<Record<MatrixId, MatrixId[]>>} */
const PRODUCTS = {
  ...{ Q: ['X', 'Wq', 'bq'], K: ['X2', 'Wk', 'bk'], V: ['X2', 'Wv', 'bv'] },
  ...{ Aq: ['Q', 'Wa', 'ba'], Ak: ['K', 'Ua'], final: ['joined', 'Wo', 'bo'], output: ['weights', 'V'] },
}

/**
 * Left factor, right factor and bias of a matrix that is a product.
 * @param {Result} result
 * @param {MatrixId} matrix
 * @returns {MatrixId[] | undefined} those that there are
 */
export function factorsOf({ tensors }, matrix) {
  const factors = PRODUCTS[matrix]?.map(id => (id === 'X2' && !tensors.X2 ? 'X' : id))
  return factors?.every((id, i) => tensors[id] || i === 2) ? factors.filter(id => tensors[id]) : undefined
}

/**
 * What each step between scores and weights is made from.
 * @param {Result} result
 * @returns {[MatrixId, MatrixId, 'cell' | 'line'][]} from, to
 */
const chain = ({ settings }) =>
  settings.masking === 'after'
    ? [
        ['scores', 'scaled', 'cell'],
        ['scaled', 'masked', 'cell'],
        ['masked', 'unmasked', 'line'],
        ['unmasked', 'zeroed', 'cell'],
        ['zeroed', 'weights', 'line'],
      ]
    : [
        ['scores', 'scaled', 'cell'],
        ['scaled', 'masked', 'cell'],
        ['masked', 'weights', 'line'],
      ]

/**
 * The cells that a cell is computed from.
 * @param {Result} result
 * @param {Cell} cell
 * @returns {Region[]}
 */
export function sourcesOf(result, { matrix, head, row, column }) {
  const { tensors, settings } = result
  const at = (/** @type {MatrixId} */ id, /** @type {Partial<Region>} */ rest) => ({
    matrix: id,
    head: headOf(result, id, head),
    ...rest,
  })
  const factors = factorsOf(result, matrix)
  if (factors) return factors.map((id, i) => at(id, i === 0 ? { row } : { column }))
  if (matrix === 'scores')
    return tensors.Aq
      ? [at('Aq', { row }), at('Ak', { row: column }), at('va', {})]
      : tensors.Q
        ? [at('Q', { row }), at('K', { row: column })]
        : []
  if (matrix === 'joined') {
    const size = /** @type {any} */ (tensors.output).dims[2]
    return [{ matrix: 'output', head: Math.floor(column / size), row, column: column % size }]
  }
  const link = chain(result).find(([from, to]) => to === matrix && tensors[from])
  if (!link) return []
  if (link[2] === 'cell') return [at(link[0], { row, column })]
  return [at(link[0], settings.softmaxAxis === 'keys' ? { row } : { column })]
}

/**
 * The cells that a cell goes into.
 * @param {Result} result
 * @param {Cell} cell
 * @returns {Region[]}
 */
export function targetsOf(result, { matrix, head, row, column }) {
  const { tensors, settings } = result
  const at = (/** @type {MatrixId} */ id, /** @type {Partial<Region>} */ rest) => ({
    matrix: id,
    head: headOf(result, id, head),
    ...rest,
  })
  /** @type {Region[]} */
  const targets = []
  for (const id of /** @type {MatrixId[]} */ (Object.keys(PRODUCTS))) {
    const place = tensors[id] ? (factorsOf(result, id)?.indexOf(matrix) ?? -1) : -1
    if (place >= 0) targets.push(at(id, place === 0 ? { row } : { column }))
  }
  if (matrix === 'Q' && !tensors.Aq && tensors.scores) targets.push(at('scores', { row }))
  if (matrix === 'K' && !tensors.Ak && tensors.scores) targets.push(at('scores', { column: row }))
  if (matrix === 'Aq') targets.push(at('scores', { row }))
  if (matrix === 'Ak') targets.push(at('scores', { column: row }))
  if (matrix === 'va') targets.push(at('scores', {}))
  if (matrix === 'output')
    targets.push({
      matrix: 'joined',
      head: 0,
      row,
      column: head * /** @type {any} */ (tensors.output).dims[2] + column,
    })
  for (const [from, to, reach] of chain(result))
    if (from === matrix && tensors[to])
      targets.push(at(to, reach === 'cell' ? { row, column } : settings.softmaxAxis === 'keys' ? { row } : { column }))
  return targets
}

/** @param {Result} result @param {MatrixId} id @param {number} head */
const headOf = ({ tensors }, id, head) => (tensors[id]?.dims.length === 3 ? head : 0)
