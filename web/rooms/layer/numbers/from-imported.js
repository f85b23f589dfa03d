// Makes the starting tensors from those that the reader imported.

import { Tensor } from 'qkv'

/** @import { ImportedTensor } from '../layer.js' */

/**
 * @param {ImportedTensor} imported
 * @returns {Tensor<Float32Array>} (heads, rows, columns)
 */
const toTensor = ({ dims, data }) =>
  new Tensor(Float32Array.from(data), dims.length === 3 ? dims : [1, dims[0], dims[1]])

/** @type {import('./index.js').Start} */
export function imported(_, settings) {
  const { q, k, v, x, wq, wk, wv, wo, weights } = /** @type {Record<string, ImportedTensor>} */ (
    settings.imported ?? {}
  )
  const tensors = { Q: q, K: k, V: v, Wq: wq, Wk: wk, Wv: wv, weights }
  const flat = { X: x, Wo: wo } // without a head axis, since all heads share them
  const made = (/** @type {Record<string, ImportedTensor>} */ all, /** @type {typeof toTensor} */ make) =>
    Object.fromEntries(Object.entries(all).flatMap(([name, tensor]) => (tensor ? [[name, make(tensor)]] : [])))
  return {
    tensors: {
      ...made(tensors, toTensor),
      ...made(flat, ({ dims, data }) => new Tensor(Float32Array.from(data), dims)),
    },
  }
}
