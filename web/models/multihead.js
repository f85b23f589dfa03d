// torch.nn.MultiheadAttention(dModel, heads, bias=bias).

import { splitHeads } from 'qkv'

/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */

/** @type {import('./index.js').Start} */
export function multihead(_, settings, table) {
  const { isCross, queries, keys, dModel, heads: H, bias } = settings
  const { embedding, generator } = table(settings)
  const X = embedding.forward(queries.ids)
  const { query, key, value, out } = generator.multiheadAttention(dModel, H, { bias }).layers
  // PyTorch keeps weights as (out, in) and all heads in one; the page shows x W, head by head.
  const perHead = (/** @type {{ weight: FloatTensor }} */ { weight }) => splitHeads(weight.T, H)
  const biasOf = (/** @type {{ bias?: FloatTensor }} */ layer) =>
    layer.bias && splitHeads(layer.bias.reshape([1, dModel]), H)
  const biases = bias && { bq: biasOf(query), bk: biasOf(key), bv: biasOf(value), bo: out.bias?.reshape([1, dModel]) }
  return {
    tensors: {
      ...{ X, ...(isCross && { X2: embedding.forward(keys.ids) }) },
      ...{ Wq: perHead(query), Wk: perHead(key), Wv: perHead(value), Wo: out.weight.T, ...biases },
    },
    generator,
  }
}
