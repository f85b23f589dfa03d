// Tensors that the reader brought.

import { Tensor } from 'qkv'

/**
 * @param {import('../settings/fields.js').GivenTensor} given
 * @returns {Tensor<Float32Array>} (heads, rows, columns)
 */
const toTensor = ({ dims, data }) =>
  new Tensor(Float32Array.from(data), dims.length === 3 ? dims : [1, dims[0], dims[1]])

/** @type {import('./index.js').Start} */
export function given(_, settings) {
  const { q, k, v, weights } = /** @type {Record<string, import('../settings/fields.js').GivenTensor>} */ (
    settings.given ?? {}
  )
  const tensors = { Q: q, K: k, V: v, weights }
  return {
    tensors: Object.fromEntries(
      Object.entries(tensors)
        .filter(([, tensor]) => tensor)
        .map(([name, tensor]) => [name, toTensor(tensor)]),
    ),
  }
}
