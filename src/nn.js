// qkv/nn: the operations of a transformer block beside attention and linear layers, all gradients, packed linear layers, T5's
// relative position bias. All take resident tensors and `out`. `out` of an operation may be one of its inputs if the dims
// are the same; `out` of a gradient must not overlap an input.

import { runOperation } from './nn/operation.js'
import { OPERATIONS } from './nn/operations.js'
import { PackedLinear } from './nn/packed-linear.js'
import { gatherRows } from './ops/embedding.js'
import { expectCore } from './qkv.js'

export { dropout, dropoutBackward } from './nn/dropout.js'
export { embeddingBackward } from './nn/embedding.js'
export {
  addBackward,
  attentionBackward,
  gegluBackward,
  geluBackward,
  layerNormBackward,
  linearBackward,
  mulBackward,
  reluBackward,
  rmsNormBackward,
  ropeBackward,
  siluBackward,
  softmaxBackward,
  sumRows,
  swigluBackward,
} from './nn/gradients.js'
export { crossEntropy } from './nn/loss.js'
export { packedAttention, packedAttentionBackward } from './nn/packed-attention.js'
export { relativePositionBias } from './nn/relative-position-bias.js'

/** @typedef {import('./qkv.js').Qkv} Qkv */
/** @typedef {import('./base/tensor.js').TensorLike} TensorLike */
/** @typedef {import('./base/tensor.js').Nested} Nested */
/** @typedef {import('./nn/operation.js').Operand} Operand */
/** @typedef {import('./nn/operation.js').IdOperand} IdOperand */
/** @typedef {import('./runtime/outputs.js').OutOptions} OutOptions */
/** @typedef {import('./base/tensor.js').Tensor<Float32Array>} FloatTensor */
/** @typedef {import('./nn/attention-backward.js').AttentionGradients} AttentionGradients */
/** @typedef {import('./nn/elementwise.js').GeluOptions} GeluOptions */

/**
 * torch.nn.functional.layer_norm over the last axis: (x - mean) / sqrt(variance + eps) * weight + bias.
 * @type {(qkv: Qkv, x: Operand, weight?: Operand, bias?: Operand, options?: { eps?: number } & OutOptions) => FloatTensor}
 */
export const layerNorm = (qkv, x, weight, bias, options = {}) =>
  runOperation(qkv, 'layerNorm', OPERATIONS.layerNorm, [x, weight, bias], options)

/**
 * torch.nn.functional.rms_norm over the last axis: x / sqrt(mean(x^2) + eps) * weight.
 * @type {(qkv: Qkv, x: Operand, weight?: Operand, options?: import('./nn/norm.js').NormOptions & OutOptions) => FloatTensor}
 */
export const rmsNorm = (qkv, x, weight, options = {}) =>
  runOperation(qkv, 'rmsNorm', OPERATIONS.rmsNorm, [x, weight], options)

/** x Phi(x), Phi the normal distribution, or its approximation by tanh. @type {(qkv: Qkv, x: Operand, options?: GeluOptions & OutOptions) => FloatTensor} */
export const gelu = (qkv, x, options = {}) => runOperation(qkv, 'gelu', OPERATIONS.gelu, [x], options)

/** max(x, 0). @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor} */
export const relu = (qkv, x, options = {}) => runOperation(qkv, 'relu', OPERATIONS.relu, [x], options)

/** x sigmoid(x). @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor} */
export const silu = (qkv, x, options = {}) => runOperation(qkv, 'silu', OPERATIONS.silu, [x], options)

/**
 * silu(gate) * up: gate and up (..., C), or both side by side, (..., 2 C), without up.
 * @type {(qkv: Qkv, gate: Operand, up?: Operand, options?: OutOptions) => FloatTensor}
 */
export const swiglu = (qkv, gate, up, options = {}) =>
  runOperation(qkv, 'swiglu', OPERATIONS.swiglu, [gate, up], options)

/** gelu(gate) * up, as in swiglu. @type {(qkv: Qkv, gate: Operand, up?: Operand, options?: GeluOptions & OutOptions) => FloatTensor} */
export const geglu = (qkv, gate, up, options = {}) => runOperation(qkv, 'geglu', OPERATIONS.geglu, [gate, up], options)

/**
 * a + b; the dims of b are the last ones of a, along whose leading axes it repeats. out: may be a.
 * @type {(qkv: Qkv, a: Operand, b: Operand, options?: OutOptions) => FloatTensor}
 */
export const add = (qkv, a, b, options = {}) => runOperation(qkv, 'add', OPERATIONS.add, [a, b], options)

/** a * b, value by value, as in add. @type {(qkv: Qkv, a: Operand, b: Operand, options?: OutOptions) => FloatTensor} */
export const mul = (qkv, a, b, options = {}) => runOperation(qkv, 'mul', OPERATIONS.mul, [a, b], options)

/**
 * Rows of a table: ids, whole numbers of any dims, and weight (num, dim) give the dims of ids, then dim.
 * @type {(qkv: Qkv, ids: IdOperand, weight: Operand, options?: OutOptions) => FloatTensor}
 */
export const embedding = (qkv, ids, weight, options = {}) =>
  gatherRows(expectCore(qkv, 'embedding'), ids, weight, options)

/**
 * A linear layer whose weight is copied and packed once, row block by row block, for a layer that runs many times.
 * float16 keeps 11 bits of each value, bfloat16 8; int8 is off by at most 1/254 of the largest value of the row.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested | import('./nn/packed-linear.js').RawWeight} weight (out, in); (in, out) with layout
 *   'in,out'. Of float16, bfloat16 (`{ data: Uint16Array, dims, dtype: 'bfloat16' }`) and int8 no float32 copy is made
 * @param {TensorLike | Nested} [bias] (out)
 * @param {import('./nn/packed-linear.js').PackOptions} [options]
 * @returns {PackedLinear} `forward(x, { activation, residual, out })`, `dispose()`
 * @throws {TypeError | RangeError}
 */
export function packLinear(qkv, weight, bias, options = {}) {
  return new PackedLinear(expectCore(qkv, 'packLinear'), weight, bias, options)
}
