// Slices the tensors of an attention, and computes its weights. Shapes: B sequences, H heads, L queries, S keys, T positions, d width.

/** @import { Attended } from './transformer.js' */
/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */

/** Returns the attention of the first sequence only. @param {Attended} layer @returns {Attended} */
function firstOf({ q, k, v, options }) {
  const own = { ...options }
  if (own.keyLengths) own.keyLengths = own.keyLengths.slice(0, 1)
  return { q: q.slice(0, 0, 1), k: k.slice(0, 0, 1), v: v.slice(0, 0, 1), options: own }
}

/** Computes the weights (B, H, L, S) of an attention. @param {import('qkv').Qkv} qkv @param {Attended} layer */
export function traceWeights(qkv, { q, k, v, options }) {
  const { weights } = qkv.trace(q, k, v, { ...options, keep: ['weights'] })
  return weights
}

/** Computes the weights (H, L, S) of the first sequence. @param {import('qkv').Qkv} qkv @param {Attended} layer @returns {FloatTensor} */
export function weightsOfFirst(qkv, layer) {
  const weights = traceWeights(qkv, firstOf(layer))
  return weights.reshape(weights.dims.slice(-3))
}

/** Returns the first n rows of the first sequence, (n, d), of a tensor (B, T, d). @param {FloatTensor} x @param {number} n */
export const rowsOfFirst = (x, n) => x.slice(0, 0, 1).slice(1, 0, n).reshape([n, x.dims[2]])

/** Returns the columns (rows, size) of one head in a matrix (rows, d). @param {FloatTensor} x @param {number} head @param {number} size */
export const headColumns = (x, head, size) => x.slice(1, head * size, (head + 1) * size)
