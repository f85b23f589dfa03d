// Exports the inputs of a layer's attention for the room "One layer". Shapes: T positions, of which n are in use, d width.

import { tensor } from 'qkv'
import { rowsOfFirst } from './attention-parts.js'
import { forwardShown } from './model-picture.js'

/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */
/** @typedef {{ dims: readonly number[], data: Float32Array }} Matrices (heads, rows, columns) */
/** @typedef {{ layer: number, heads: Record<string, Matrices>, causal: boolean, rows: string[], columns: string[] }} OpenedLayer */

/**
 * Returns the tensors from which "One layer" computes each head: X with the projection matrices; Q, K and V if these are not products of a
 * single X; or the attention weights and V if the scores have a learned bias.
 * @param {import('qkv').Qkv} qkv
 * @param {import('./tasks/task.js').Run} run
 * @param {string} probe
 * @param {number} layer
 * @returns {OpenedLayer}
 */
export function openedLayer(qkv, run, probe, layer) {
  const { shown, forward } = forwardShown(qkv, run, probe)
  const { settings, blocks, parameters, task } = run
  const { rows, columns } = shown.layers[layer]
  const { d, heads, positions } = settings
  const size = d / heads
  /** (1, T, d) -> (heads, n, size) @param {FloatTensor} x @param {number} n */
  const parted = (x, n) => rowsOfFirst(x, n).reshape([n, heads, size]).permute([1, 0, 2])
  const weight = (/** @type {string} */ part) =>
    tensor(parameters.values[`${blocks[layer]}.${part}`].data.slice(), [d, d])
  /** Returns the matrix W of each head, (heads, d, size), with Q = X W. @param {string} part 'q', 'k' or 'v' */
  const perHead = part => weight(part).reshape([heads, size, d]).permute([0, 2, 1])
  const { q, k, v } = forward.layers[layer]
  const n = rows.length
  const values = parted(v, columns.length)
  const wo = weight('o').T
  const opened = { layer, rows, columns, causal: task.isCausal }
  // "One layer" has no learned bias of the scores.
  if (positions === 'distance') return { ...opened, causal: false, heads: { weights: shown.layers[layer], v: values } }
  // With RoPE, and in cross-attention, Q, K and V are not products of a single X.
  if (positions === 'rope' || blocks[layer] === 'cross')
    return { ...opened, heads: { q: parted(q, n), k: parted(k, columns.length), v: values, wo } }
  const x = rowsOfFirst(forward.inputs[layer], n)
  return { ...opened, heads: { x, wq: perHead('q'), wk: perHead('k'), wv: perHead('v'), wo } }
}
