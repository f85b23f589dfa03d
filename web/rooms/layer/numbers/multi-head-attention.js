// Draws the weights of torch.nn.MultiheadAttention(dModel, heads, bias=bias).

import { splitHeads } from 'qkv'
import { multiheadAttention } from 'qkv/nn'

/** @import { Checked, Tensors } from '../layer.js' */

/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */

/**
 * Draws the matrices of the layer, split by head. PyTorch stores all heads in one (out, in) weight. It is transposed here, since the page
 * computes x W.
 * @param {import('qkv').Generator} generator
 * @param {Checked} settings
 * @returns {Tensors}
 */
function draw(generator, { dModel, heads: H, bias }) {
  const { query, key, value, out } = multiheadAttention(generator, dModel, H, { bias }).layers
  const perHead = (/** @type {{ weight: FloatTensor }} */ { weight }) => splitHeads(weight.T, H)
  const biasOf = (/** @type {{ bias?: FloatTensor }} */ layer) =>
    layer.bias && splitHeads(layer.bias.reshape([1, dModel]), H)
  const biases = bias && { bq: biasOf(query), bk: biasOf(key), bv: biasOf(value), bo: out.bias?.reshape([1, dModel]) }
  return { Wq: perHead(query), Wk: perHead(key), Wv: perHead(value), Wo: out.weight.T, ...biases }
}

/** @type {import('./index.js').Start} */
export function multihead(_, settings, table) {
  const { isCross, queries, keys } = settings
  const { embedding, generator } = table(settings)
  const X = embedding.forward(queries.ids)
  const weights = table.reuse(settings, () => draw(generator, settings))
  return { tensors: { X, ...(isCross && { X2: embedding.forward(keys.ids) }), ...weights }, generator }
}
