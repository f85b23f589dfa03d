// Describes how the matrices of one head are displayed: labels of rows and columns, colours, hidden cells.

import { present } from '../../../shell/known.js'
import { MATRICES, MATRIX_IDS } from '../matrices.js'
import { handBuiltNames } from '../numbers/hand-built-heads.js'
import { ofHead } from '../numbers/tensors.js'
import { drawnOfHead } from '../trace/visibility.js'
import { computationOf } from './dependencies.js'
import { labelsOf } from './labels.js'

/** @import { Axis, FloatTensor, MatrixId, Result } from '../layer.js' */

/**
 * @typedef {object} Matrix
 * @property {MatrixId} id
 * @property {number} head index of the displayed head; 0 if all heads share the matrix
 * @property {boolean} isPerHead
 * @property {FloatTensor} tensor (rows, columns)
 * @property {FloatTensor} [before] the matrix without the edits, if there are edits
 * @property {readonly string[]} rows labels of the rows
 * @property {readonly string[]} columns labels of the columns
 * @property {[Axis, Axis]} axes what goes down and what goes across
 * @property {string} symbol such as `W_q`, in the notation of views/math.js
 * @property {'signed' | 'share'} scale
 * @property {number} reach magnitude at the end of the colour scale
 * @property {[number, number]} domain start and end of the colour scale
 * @property {(row: number, column: number) => boolean} isHidden
 * @property {boolean} isEditable
 * @property {FloatTensor} [sums] row sums, for `weights` and `zeroed`
 */

/**
 * Matrices by id. `get` is typed without undefined, since it is only called for matrices that exist.
 * @typedef {{ get(id: MatrixId): Matrix } & ReadonlyMap<MatrixId, Matrix>} Matrices
 */

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
 * Returns the symbol of a matrix. With two sequences, X is X_1. With several heads, the output of a head is Z_h, with h from 1.
 * @param {Result} result
 * @param {MatrixId} id
 * @param {number} [head]
 */
export function symbolOf({ settings, heads }, id, head) {
  if (id === 'X' && settings.isCross) return 'X_1'
  return id === 'output' && heads > 1 && head !== undefined ? `Z_${head + 1}` : MATRICES[id].symbol
}

/**
 * Returns the matrices of one head together with the shared ones.
 * @param {Result} result
 * @param {number} shown the displayed head
 * @returns {Matrices}
 */
export function matricesOf(result, shown) {
  const { settings, tensors, before, heads, visible } = result
  const S = settings.keys.tokens.length
  /** @param {Axis} axis @param {number} length */
  const names = (axis, length) => {
    if (axis === 'tokens' || axis === 'queries') return labelsOf(settings.queries.tokens)
    if (axis === 'keys') return labelsOf(settings.keys.tokens)
    if (axis === 'one') return ['']
    const named = settings.model === 'handBuilt' ? handBuiltNames(settings, axis) : undefined
    if (named) return named
    if (axis !== 'heads') return numbered(length)
    return Array.from({ length }, (_, c) => `${Math.floor((c * heads) / length) + 1}·${(c % (length / heads)) + 1}`)
  }
  const own = drawnOfHead(result, shown)?.data
  /** @param {Uint8Array | undefined} seen @returns {Matrix['isHidden']} */
  const hiddenIn = seen => (row, column) => seen?.[row * S + column] === 0
  const ids = MATRIX_IDS.filter(id => tensors[id] && !MATRICES[id].isInner)
  const matrices = new Map(
    ids.map(id => {
      const whole = present(tensors[id])
      const { axes, computations, unless, free, isShare = false, isHideable } = MATRICES[id]
      const [down, across] = axes
      const isPerHead = whole.dims.length === 3
      const tensor = ofHead(whole, shown)
      const old = before?.[id]
      const sums =
        id === 'weights'
          ? tensors.rowSums
          : id === 'zeroed' && settings.softmaxAxis === 'keys'
            ? tensors.zeroedSums
            : undefined
      const isReplaced = unless !== undefined && tensors[unless] !== undefined
      const reach = isShare ? 1 : largest(tensor)
      /** @type {Matrix} */
      const matrix = {
        id,
        isPerHead,
        tensor,
        axes,
        rows: names(down, tensor.dims[0]),
        columns: names(across, tensor.dims[1]),
        ...(old && old !== whole && { before: ofHead(old, shown) }),
        ...(sums && { sums: ofHead(sums, shown) }),
        head: isPerHead ? shown : 0,
        symbol: symbolOf(result, id, shown),
        scale: isShare ? 'share' : 'signed',
        reach,
        domain: isShare ? [0, 1] : [-reach, reach],
        isHidden: isHideable && !isReplaced ? hiddenIn(id === 'weights' ? own : visible) : () => false,
        isEditable:
          free === 'always' || (free === 'imported' && computations !== undefined && !computationOf(result, id)),
      }
      return [id, matrix]
    }),
  )
  return /** @type {Matrices} */ (matrices)
}

/**
 * @param {Matrices} matrices
 * @param {{ matrix: MatrixId, row: number, column: number }} cell
 */
export function valueAt(matrices, { matrix, row, column }) {
  const { tensor } = matrices.get(matrix)
  return tensor.data[row * tensor.dims[1] + column]
}
