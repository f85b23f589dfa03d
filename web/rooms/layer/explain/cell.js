// Explains how a cell was computed from other cells. Pure: reads values from the trace.

import { turnOf } from '../numbers/positions.js'
import { isSameCell } from '../settings.js'
import { scaleOf } from '../trace/attention-options.js'
import { reasonOf } from '../trace/visibility.js'
import { computationOf, partnerOf } from './dependencies.js'

/** @import { Cell, MatrixId, Result } from '../layer.js' */

/**
 * How a cell was computed:
 * - origin: drawn from the random stream (`id`: row of the embedding table), imported by the reader, or built in; see `from`
 * - hand: set by hand
 * - products: the sum of products of pairs, plus a bias
 * - gaussian: minus the sum of the squared differences of pairs, divided by 2 sigma^2
 * - additive: the sum of v tanh(q + k)
 * - sum: the sum of two cells
 * - rotate: a cell and its partner, rotated by an angle
 * - scale: a cell times a factor
 * - mask: a cell, kept or hidden; `zero`: true if the mask is applied after the softmax
 * - softmax: exp(cell - largest) / sum, along a row or a column
 * - divide: a cell divided by the sum of its row or column
 * - override: a weight in a row with weights set by hand (`set`)
 * - join: a copy of a cell of a head's output
 * @typedef {{ kind: 'origin', from: 'table' | 'weights' | 'imported' | 'zeros' | 'handBuilt' | 'handBuiltWeights' | 'places' | 'model' | 'modelWeights', id?: number }
 *   | { kind: 'hand' }
 *   | { kind: 'products', terms: [Cell, Cell][], bias?: Cell, along: 'dims' | 'keys' }
 *   | { kind: 'gaussian', terms: [Cell, Cell][], sigma: number }
 *   | { kind: 'additive', terms: [Cell, Cell, Cell][] }
 *   | { kind: 'sum', source: Cell, other: Cell }
 *   | { kind: 'rotate', source: Cell, other: Cell, position: number, angle: number, cos: number, sin: number }
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
 * Explains a cell by the computation of its matrix.
 * @param {Result} result
 * @param {Cell} cell an existing cell
 * @returns {Explanation}
 */
export function explain(result, cell) {
  const { settings, tensors, visible } = result
  const { matrix, head, row, column } = cell
  const S = settings.keys.tokens.length
  if (settings.edits.some(edit => isSameCell(edit, cell))) return { kind: 'hand' }
  /** @type {(matrix: MatrixId, row: number, column: number) => Cell} */
  const at = (id, row, column) => ({ matrix: id, head: tensors[id]?.dims.length === 3 ? head : 0, row, column })
  const sizeOf = (/** @type {MatrixId} */ id) => tensors[id]?.dims.at(-1) ?? 0

  const computation = computationOf(result, matrix)
  const [left, right] = computation?.sources.map(([source]) => source) ?? []
  switch (computation?.rule) {
    case 'product':
      return {
        kind: 'products',
        along: left === 'weights' ? 'keys' : 'dims',
        terms: list(sizeOf(left), i => [at(left, row, i), at(right, i, column)]),
        ...(computation.bias && { bias: at(computation.bias, 0, column) }),
      }
    case 'scores': {
      const pair = (/** @type {number} */ i) => [at(left, row, i), at(right, column, i)]
      if (computation.sources.length > 2)
        return { kind: 'additive', terms: list(sizeOf(left), i => [at('va', 0, i), ...pair(i)]) }
      const terms = list(sizeOf(left), pair)
      const { score, sigma } = settings
      return score === 'gaussian' ? { kind: 'gaussian', terms, sigma } : { kind: 'products', terms, along: 'dims' }
    }
    case 'add':
      return { kind: 'sum', source: at(left, row, column), other: at(right, row, column) }
    case 'rotate': {
      const half = sizeOf(left) / 2
      const { angle, cos, sin } = turnOf(row, column % half, half)
      const other = at(left, row, partnerOf(column, 2 * half))
      return {
        kind: 'rotate',
        source: at(left, row, column),
        other,
        position: row,
        angle,
        cos,
        sin: column < half ? -sin : sin,
      }
    }
    case 'scale': {
      const size = sizeOf('K')
      const isRoot = settings.scale === null && settings.score === 'scaled'
      return { kind: 'scale', source: at(left, row, column), factor: scaleOf(settings, size), size, isRoot }
    }
    case 'mask':
    case 'zero': {
      const zero = computation.rule === 'zero'
      const isHidden = (zero || settings.masking === 'before') && visible?.[row * S + column] === 0
      return { kind: 'mask', source: at(left, row, column), isHidden, reason: reasonOf(settings, row, column), zero }
    }
    case 'softmax':
    case 'divide':
      return explainShare(result, cell, computation.rule, at)
    case 'join': {
      const size = sizeOf(left)
      return { kind: 'join', source: { matrix: left, head: Math.floor(column / size), row, column: column % size } }
    }
    default:
      return matrix === 'weights' ? explainShare(result, cell, undefined, at) : origin(result, cell)
  }
}

/**
 * Explains a cell that the softmax computes, or the division that follows a mask after the softmax.
 * @param {Result} result
 * @param {Cell} cell
 * @param {'softmax' | 'divide' | undefined} rule undefined if the weights were imported
 * @param {(matrix: MatrixId, row: number, column: number) => Cell} at
 * @returns {Explanation}
 */
function explainShare({ settings, tensors }, { matrix, head, row, column }, rule, at) {
  const set = settings.edits.filter(edit => edit.matrix === matrix && edit.head === head && edit.row === row)
  if (set.length > 0) return { kind: 'override', set }
  const { masked, exponentials, maxima, sums, zeroedSums } = tensors
  if (!rule || !masked || !exponentials || !maxima || !sums) return { kind: 'origin', from: 'imported' }
  const isByKeys = settings.softmaxAxis === 'keys'
  const [H, L, S] = masked.dims
  const h = Math.min(head, H - 1) // a large trace keeps the steps of only one head
  const line = isByKeys ? row : column
  if (rule === 'divide' && zeroedSums)
    return { kind: 'divide', source: at('zeroed', row, column), sum: zeroedSums.data[h * (isByKeys ? L : S) + line] }
  const count = isByKeys ? S : L
  const place = (/** @type {number} */ i) => (isByKeys ? [row, i] : [i, column])
  return {
    kind: 'softmax',
    own: isByKeys ? column : row,
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
  if (!tensors.Wq) return { kind: 'origin', from: 'imported' }
  if (matrix === 'P' || matrix === 'P2') return { kind: 'origin', from: 'places' }
  if (settings.model === 'trained')
    return { kind: 'origin', from: matrix === 'X' || matrix === 'E' ? 'model' : 'modelWeights' }
  if (settings.model === 'handBuilt' && ['X', 'X2', 'Wq', 'Wk', 'Wv'].includes(matrix))
    return { kind: 'origin', from: matrix.startsWith('X') ? 'handBuilt' : 'handBuiltWeights' }
  if (matrix === 'X' || matrix === 'E') return { kind: 'origin', from: 'table', id: settings.queries.ids[row] }
  if ((matrix === 'X2' || matrix === 'E2') && settings.keysFrom === 'words')
    return { kind: 'origin', from: 'table', id: settings.keys.ids[row] }
  if (['bq', 'bk', 'bv', 'bo'].includes(matrix)) return { kind: 'origin', from: 'zeros' }
  return { kind: 'origin', from: 'weights' }
}
