// How a cell came about, in cells. Pure; nothing is computed here, values are looked up in the trace.

import { reasonOf } from '../compute/mask.js'
import { scaleOf } from '../compute/trace.js'
import { isSameCell } from '../settings/state.js'
import { factorsOf } from './dependencies.js'

/** @typedef {import('../settings/state.js').Cell} Cell */
/** @typedef {import('./matrices.js').MatrixId} MatrixId */
/** @typedef {import('../compute/trace.js').Result} Result */
/** @typedef {import('../models/index.js').FloatTensor} FloatTensor */

/**
 * - given: drawn from the random stream (`id`: row of the table), brought by the reader, or set by hand
 * - products: the sum of products of pairs, and a bias
 * - gaussian: minus the squared differences of pairs, over 2 sigma^2
 * - additive: the sum of v tanh(q + k)
 * - scale: a cell times a factor
 * - mask: a cell, kept or hidden; `zero`: after softmax
 * - softmax: exp(cell - largest) / sum, along a row or a column
 * - divide: a cell over the sum of its line
 * - override: a row in which weights were set by hand
 * - join: a cell of a head
 * @typedef {{ kind: 'given', from: 'table' | 'weights' | 'reader' | 'zeros' | 'zoo' | 'zooWeights', id?: number }
 *   | { kind: 'hand' }
 *   | { kind: 'products', terms: [Cell, Cell][], bias?: Cell, along: 'dims' | 'keys' }
 *   | { kind: 'gaussian', terms: [Cell, Cell][], sigma: number }
 *   | { kind: 'additive', terms: [Cell, Cell, Cell][] }
 *   | { kind: 'scale', source: Cell, factor: number, size: number, isRoot: boolean }
 *   | { kind: 'mask', source: Cell, isHidden: boolean, reason: ReturnType<typeof reasonOf>, zero: boolean }
 *   | { kind: 'softmax', sources: Cell[], own: number, exponentials: number[], largest: number, sum: number }
 *   | { kind: 'divide', source: Cell, sum: number }
 *   | { kind: 'override', set: Cell[] }
 *   | { kind: 'join', source: Cell }} Explanation
 */

/** @param {number} length @param {(i: number) => any} of */
const list = (length, of) => Array.from({ length }, (_, i) => of(i))

/**
 * @param {Result} result
 * @param {Cell} cell one that exists
 * @returns {Explanation}
 */
export function explain(result, cell) {
  const { settings, tensors, visible } = result
  const { matrix, head, row, column } = cell
  const S = settings.keys.tokens.length
  if (settings.edits.some(edit => isSameCell(edit, cell))) return { kind: 'hand' }
  /** @type {(matrix: MatrixId, row: number, column: number) => Cell} */
  const at = (id, row, column) => ({ matrix: id, head: tensors[id]?.dims.length === 3 ? head : 0, row, column })
  const sizeOf = (/** @type {MatrixId} */ id) => /** @type {FloatTensor} */ (tensors[id]).dims.at(-1) ?? 0

  const factors = factorsOf(result, matrix)
  if (factors) {
    const [a, b, bias] = factors
    const terms = list(sizeOf(a), i => [at(a, row, i), at(b, i, column)])
    return {
      kind: 'products',
      terms,
      along: matrix === 'output' ? 'keys' : 'dims',
      ...(bias && { bias: at(bias, 0, column) }),
    }
  }
  switch (matrix) {
    case 'scores':
      if (tensors.Aq) {
        return {
          kind: 'additive',
          terms: list(sizeOf('Aq'), i => [at('va', 0, i), at('Aq', row, i), at('Ak', column, i)]),
        }
      }
      return {
        ...{ terms: list(sizeOf('Q'), i => [at('Q', row, i), at('K', column, i)]) },
        ...(settings.score === 'gaussian'
          ? { kind: 'gaussian', sigma: settings.sigma }
          : { kind: 'products', along: 'dims' }),
      }
    case 'scaled': {
      const size = sizeOf('K')
      const isRoot = settings.scale === null && settings.score === 'scaled'
      return { kind: 'scale', source: at('scores', row, column), factor: scaleOf(settings, size), size, isRoot }
    }
    case 'masked':
    case 'zeroed': {
      const zero = matrix === 'zeroed'
      const isHidden = (zero || settings.masking === 'before') && visible?.[row * S + column] === 0
      const source = at(zero ? 'unmasked' : 'scaled', row, column)
      return { kind: 'mask', source, isHidden, reason: reasonOf(settings, row, column), zero }
    }
    case 'weights':
    case 'unmasked':
      return explainShare(result, cell, at)
    case 'joined': {
      const size = sizeOf('output')
      return { kind: 'join', source: { matrix: 'output', head: Math.floor(column / size), row, column: column % size } }
    }
    default:
      return origin(result, cell)
  }
}

/**
 * @param {Result} result
 * @param {Cell} cell
 * @param {(matrix: MatrixId, row: number, column: number) => Cell} at
 * @returns {Explanation}
 */
function explainShare({ settings, tensors }, { matrix, head, row, column }, at) {
  const set = settings.edits.filter(edit => edit.matrix === matrix && edit.head === head && edit.row === row)
  if (set.length > 0) return { kind: 'override', set }
  const { masked, exponentials, maxima, sums, zeroedSums } = tensors
  if (!masked || !exponentials || !maxima || !sums) return { kind: 'given', from: 'reader' }
  const isByKeys = settings.softmaxAxis === 'keys'
  const [H, L, S] = masked.dims
  const h = Math.min(head, H - 1) // of a large trace, the steps of one head are there
  const line = isByKeys ? row : column
  if (matrix === 'weights' && zeroedSums)
    return { kind: 'divide', source: at('zeroed', row, column), sum: zeroedSums.data[h * (isByKeys ? L : S) + line] }
  const count = isByKeys ? S : L
  const place = (/** @type {number} */ i) => (isByKeys ? [row, i] : [i, column])
  return {
    ...{ kind: 'softmax', own: isByKeys ? column : row },
    sources: list(count, i => at('masked', place(i)[0], place(i)[1])),
    exponentials: list(count, i => exponentials.data[(h * L + place(i)[0]) * S + place(i)[1]]),
    largest: maxima.data[h * (isByKeys ? L : S) + line],
    sum: sums.data[h * (isByKeys ? L : S) + line],
  }
}

/**
 * @param {Result} result
 * @param {Cell} cell
 * @returns {Explanation}
 */
function origin({ settings, tensors }, { matrix, row }) {
  if (!tensors.Wq) return { kind: 'given', from: 'reader' }
  if (settings.model === 'zoo' && ['X', 'X2', 'Wq', 'Wk', 'Wv'].includes(matrix))
    return { kind: 'given', from: matrix.startsWith('X') ? 'zoo' : 'zooWeights' }
  if (matrix === 'X') return { kind: 'given', from: 'table', id: settings.queries.ids[row] }
  if (matrix === 'X2' && settings.keysFrom === 'words')
    return { kind: 'given', from: 'table', id: settings.keys.ids[row] }
  if (['bq', 'bk', 'bv', 'bo'].includes(matrix)) return { kind: 'given', from: 'zeros' }
  return { kind: 'given', from: 'weights' }
}
