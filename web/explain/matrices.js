// The matrices of the page in the order of the computation: what each is called, how its axes and colours read.

import { ofHead } from '../models/tensors.js'
import { zooNames } from '../models/zoo.js'
import { EDITABLE } from '../settings/state.js'

/** @typedef {import('../compute/trace.js').Result} Result */
/** @typedef {import('../models/index.js').FloatTensor} FloatTensor */
/** @typedef {import('../i18n/index.js').Key} Key */
/** @typedef {import('../settings/state.js').Cell} Cell */

/** @typedef {keyof typeof SPECS} MatrixId */
/** @typedef {'tokens' | 'queries' | 'keys' | 'model' | 'query' | 'value' | 'hidden' | 'heads' | 'one'} Axis */

/**
 * @typedef {object} Matrix
 * @property {MatrixId} id
 * @property {number} head the one shown, 0 where all heads share the matrix
 * @property {boolean} isPerHead
 * @property {FloatTensor} tensor (rows, columns)
 * @property {FloatTensor} [before] with edits: what it was without them
 * @property {readonly string[]} rows names of the rows
 * @property {readonly string[]} columns names of the columns
 * @property {[Axis, Axis]} axes what goes down and what across
 * @property {string} symbol such as `W_q`, in the notation of views/math.js
 * @property {'signed' | 'share'} scale
 * @property {number} reach the value at the end of the colour scale
 * @property {[number, number]} domain where the scale begins and ends
 * @property {(row: number, column: number) => boolean} isHidden
 * @property {boolean} isEditable
 * @property {FloatTensor} [sums] of the rows, where they tell something
 */

/** @typedef {ReadonlyMap<MatrixId, Matrix>} Matrices */

/** Axes and symbol of each. */
const SPECS = /** @type {const} */ ({
  X: ['tokens', 'model', 'X'],
  X2: ['keys', 'model', 'X_2'],
  Wq: ['model', 'query', 'W_q'],
  bq: ['one', 'query', 'b_q'],
  Wk: ['model', 'query', 'W_k'],
  bk: ['one', 'query', 'b_k'],
  Wv: ['model', 'value', 'W_v'],
  bv: ['one', 'value', 'b_v'],
  Q: ['queries', 'query', 'Q'],
  K: ['keys', 'query', 'K'],
  V: ['keys', 'value', 'V'],
  Wa: ['query', 'hidden', 'W_a'],
  ba: ['one', 'hidden', 'b_a'],
  Ua: ['query', 'hidden', 'U_a'],
  va: ['one', 'hidden', 'v_a'],
  Aq: ['queries', 'hidden', 'Q_a'],
  Ak: ['keys', 'hidden', 'K_a'],
  scores: ['queries', 'keys', 'S'],
  scaled: ['queries', 'keys', 'S_s'],
  masked: ['queries', 'keys', 'M'],
  exponentials: ['queries', 'keys', 'E'],
  maxima: ['queries', 'one', 'm'],
  sums: ['queries', 'one', 'σ'],
  unmasked: ['queries', 'keys', 'U'],
  zeroed: ['queries', 'keys', 'U_0'],
  zeroedSums: ['queries', 'one', 'σ_0'],
  weights: ['queries', 'keys', 'A'],
  paid: ['queries', 'one', 'Σ'],
  output: ['queries', 'value', 'Z'],
  joined: ['queries', 'heads', 'Z'],
  Wo: ['heads', 'model', 'W_O'],
  bo: ['one', 'model', 'b_O'],
  final: ['queries', 'model', 'Y'],
})

/** Computed on the way, shown in the arithmetic only. */
const UNSEEN = ['exponentials', 'maxima', 'sums', 'zeroedSums', 'paid']
const SHARES = ['weights', 'unmasked', 'zeroed']
const MAPS = ['masked', ...SHARES]

/** @param {FloatTensor} tensor */
function largest({ data }) {
  let most = 0
  for (let i = 0; i < data.length; i++) {
    const size = Math.abs(data[i])
    if (size > most && size < Infinity) most = size
  }
  return most || 1
}

/** @param {number} length */
const numbered = length => Array.from({ length }, (_, i) => String(i + 1))

/**
 * The matrices of one head and those that all share.
 * @param {Result} result
 * @param {number} shown which head
 * @returns {Matrices}
 */
export function matricesOf({ settings, tensors, before, heads, visible }, shown) {
  const S = settings.keys.tokens.length
  /** @param {Axis} axis @param {number} length */
  const names = (axis, length) => {
    if (axis === 'tokens' || axis === 'queries') return settings.queries.tokens
    if (axis === 'keys') return settings.keys.tokens
    if (axis === 'one') return ['']
    const named = settings.model === 'zoo' ? zooNames(settings, axis) : undefined
    if (named) return named
    if (axis !== 'heads') return numbered(length)
    return Array.from({ length }, (_, c) => `${Math.floor((c * heads) / length) + 1}·${(c % (length / heads)) + 1}`)
  }
  const hidden = (/** @type {number} */ row, /** @type {number} */ column) => visible?.[row * S + column] === 0
  const ids = /** @type {MatrixId[]} */ (Object.keys(SPECS)).filter(id => tensors[id] && !UNSEEN.includes(id))
  return new Map(
    ids.map(id => {
      const whole = /** @type {FloatTensor} */ (tensors[id])
      const [down, across, symbol] = SPECS[id]
      const isPerHead = whole.dims.length === 3
      const tensor = ofHead(whole, shown)
      const old = before?.[id]
      const sums =
        id === 'weights'
          ? tensors.paid
          : id === 'zeroed' && settings.softmaxAxis === 'keys'
            ? tensors.zeroedSums
            : undefined
      const isHideable = MAPS.includes(id) && (id !== 'masked' || settings.masking === 'before') && id !== 'unmasked'
      const isShare = SHARES.includes(id)
      const reach = isShare ? 1 : largest(tensor)
      /** @type {Matrix} */
      const matrix = {
        ...{ id, isPerHead, tensor, axes: [down, across] },
        ...{ rows: names(down, tensor.dims[0]), columns: names(across, tensor.dims[1]) },
        ...(old && old !== whole && { before: ofHead(old, shown) }),
        ...(sums && { sums: ofHead(sums, shown) }),
        head: isPerHead ? shown : 0,
        symbol: id === 'X' && settings.isCross ? 'X_1' : id === 'output' && heads > 1 ? `Z_${shown + 1}` : symbol,
        scale: isShare ? 'share' : 'signed',
        reach,
        domain: isShare ? [0, 1] : [-reach, reach],
        isHidden: isHideable ? hidden : () => false,
        isEditable: EDITABLE.some(name => name === id) || (!tensors.Wq && ['Q', 'K', 'V'].includes(id)),
      }
      return [id, matrix]
    }),
  )
}

/**
 * The cell, or the nearest one that exists.
 * @param {Matrices} matrices
 * @param {Cell} cell
 * @returns {Cell}
 */
export function nearestCell(matrices, { matrix, row, column }) {
  const { id, head, tensor } = matrices.get(matrix) ?? /** @type {Matrix} */ (matrices.get('weights'))
  const [rows, columns] = tensor.dims
  return { matrix: id, head, row: Math.min(row, rows - 1), column: Math.min(column, columns - 1) }
}

/**
 * @param {Matrices} matrices
 * @param {{ matrix: MatrixId, row: number, column: number }} cell
 */
export function valueAt(matrices, { matrix, row, column }) {
  const { tensor } = /** @type {Matrix} */ (matrices.get(matrix))
  return tensor.data[row * tensor.dims[1] + column]
}
