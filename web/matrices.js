// The matrices of one head in the order of the computation: what each is called, how its axes and colours read.

/** @typedef {import('./trace.js').Result} Result */
/** @typedef {import('./trace.js').FloatTensor} FloatTensor */
/** @typedef {import('./i18n/index.js').Key} Key */

/**
 * @typedef {'X' | 'X2' | 'Wq' | 'Wk' | 'Wv' | 'Q' | 'K' | 'V' | 'scores' | 'scaled' | 'masked' | 'weights' | 'output'
 *   | 'joined'} MatrixId
 */

/**
 * A cell of the page. `head` is said only where it is not the one shown.
 * @typedef {{ matrix: MatrixId, row: number, column: number, head?: number }} Cell
 */

/**
 * @typedef {object} Matrix
 * @property {MatrixId} id
 * @property {FloatTensor} tensor (rows, columns)
 * @property {readonly string[]} rows names of the rows
 * @property {readonly string[]} columns names of the columns
 * @property {Key} title
 * @property {string} formula in the notation of views/math.js
 * @property {Key} axes what goes down and what across
 * @property {'signed' | 'share'} scale
 * @property {number} reach the value at the end of the colour scale
 * @property {(row: number, column: number) => boolean} isHidden
 */

/** @typedef {ReadonlyMap<MatrixId, Matrix>} Matrices */

const never = () => false

/** @param {FloatTensor} tensor */
function largest({ data }) {
  let most = 0
  for (const x of data) if (Number.isFinite(x) && Math.abs(x) > most) most = Math.abs(x)
  return most || 1
}

/**
 * How the weights of a head look.
 * @param {import('qkv').Trace} steps
 * @returns {Pick<Matrix, 'tensor' | 'scale' | 'reach' | 'isHidden'>}
 */
export function weightsOf({ masked, weights }) {
  const isHidden = (/** @type {number} */ row, /** @type {number} */ column) =>
    masked.data[row * masked.dims[1] + column] === -Infinity
  return { tensor: weights, scale: 'share', reach: 1, isHidden }
}

/** @param {number} length */
const numbered = length => Array.from({ length }, (_, i) => String(i + 1))

/**
 * @param {Result} result
 * @param {number} shown which head
 * @returns {Matrices}
 */
export function matricesOf({ settings, X, X2, heads, joined }, shown) {
  const { isCross } = settings
  const { steps, ...own } = heads[shown]
  const queries = settings.queries.tokens
  const keys = settings.keys.tokens
  const source = isCross ? 'X_2' : 'X'
  const { isHidden } = weightsOf(steps)

  /** @type {(id: MatrixId, tensor: FloatTensor, rows: readonly string[], axes: Key, formula: string) => Matrix} */
  const signed = (id, tensor, rows, axes, formula) => ({
    ...{ id, tensor, rows, axes, formula, title: `matrix.${id}`, scale: 'signed', isHidden: never },
    columns: numbered(tensor.dims[1]),
    reach: largest(tensor),
  })
  const dims = numbered(settings.dModel)
  /** @type {(id: MatrixId, tensor: FloatTensor, formula: string) => Matrix} */
  const map = (id, tensor, formula) => ({ ...signed(id, tensor, queries, 'axesQueriesKeys', formula), columns: keys })

  const list = [
    signed('X', X, queries, 'axesTokensDims', isCross ? 'X_1' : 'X'),
    ...(isCross ? [signed('X2', X2, keys, 'axesTokensDims', 'X_2')] : []),
    signed('Wq', own.Wq, dims, 'axesDimsQuery', 'W_q'),
    signed('Wk', own.Wk, dims, 'axesDimsKey', 'W_k'),
    signed('Wv', own.Wv, dims, 'axesDimsValue', 'W_v'),
    signed('Q', own.Q, queries, 'axesTokensQuery', `Q = ${isCross ? 'X_1' : 'X'} W_q`),
    signed('K', own.K, keys, 'axesTokensKey', `K = ${source} W_k`),
    signed('V', own.V, keys, 'axesTokensValue', `V = ${source} W_v`),
    map('scores', steps.scores, 'Q K^T'),
    map('scaled', steps.scaled, 'Q K^T / √d_k'),
    { ...map('masked', steps.masked, 'M'), isHidden },
    { ...map('weights', steps.weights, 'A = softmax(M)'), ...weightsOf(steps) },
    signed('output', steps.output, queries, 'axesQueriesValue', heads.length > 1 ? `Z_${shown + 1} = A V` : 'Z = A V'),
    ...(heads.length > 1 ? [joinedMatrix(signed, joined, queries, heads.length)] : []),
  ]
  return new Map(list.map(matrix => [matrix.id, matrix]))
}

/**
 * @param {(id: MatrixId, tensor: FloatTensor, rows: readonly string[], axes: Key, formula: string) => Matrix} signed
 * @param {FloatTensor} joined
 * @param {readonly string[]} queries
 * @param {number} H
 */
function joinedMatrix(signed, joined, queries, H) {
  const size = joined.dims[1] / H
  const columns = Array.from({ length: joined.dims[1] }, (_, c) => `${Math.floor(c / size) + 1}·${(c % size) + 1}`)
  const formula = H > 2 ? `[Z_1 … Z_${H}]` : '[Z_1 Z_2]'
  return { ...signed('joined', joined, queries, 'axesQueriesHeads', formula), columns }
}

/**
 * The cell, or the nearest one that exists.
 * @param {Matrices} matrices
 * @param {Cell} cell
 * @returns {Cell}
 */
export function nearestCell(matrices, { matrix, row, column }) {
  const { id, tensor } = matrices.get(matrix) ?? /** @type {Matrix} */ (matrices.get('weights'))
  const [rows, columns] = tensor.dims
  return { matrix: id, row: Math.min(row, rows - 1), column: Math.min(column, columns - 1) }
}

/**
 * @param {Matrices} matrices
 * @param {Cell} cell
 */
export function valueAt(matrices, { matrix, row, column }) {
  const { tensor } = /** @type {Matrix} */ (matrices.get(matrix))
  return tensor.data[row * tensor.dims[1] + column]
}
