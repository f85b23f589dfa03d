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
  const { q, k, v, wo, weights } = /** @type {Record<string, import('../settings/fields.js').GivenTensor>} */ (
    settings.given ?? {}
  )
  const tensors = { Q: q, K: k, V: v, weights }
  const present = Object.entries(tensors).filter(([, tensor]) => tensor)
  return {
    tensors: {
      ...Object.fromEntries(present.map(([name, tensor]) => [name, toTensor(tensor)])),
      ...(wo && { Wo: new Tensor(Float32Array.from(wo.data), wo.dims) }),
    },
  }
}
