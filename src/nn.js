// qkv/nn: the operations of a transformer block beside attention and linear layers, which take resident tensors and `out`
// (it may be an input of the same dims); the gradients of attention and of linear layers; T5's relative position bias.

import { differentiateAttention } from './block/attention-backward.js'
import { activate, combine } from './block/elementwise.js'
import { differentiateLinear } from './block/linear-backward.js'
import { norm } from './block/norm.js'
import { PackedLinear } from './block/packed-linear.js'
import { gatherRows } from './ops/embedding.js'
import { expectCore } from './qkv.js'

export { relativePositionBias } from './block/relative-position-bias.js'

/** @typedef {import('./qkv.js').Qkv} Qkv */
/** @typedef {import('./base/tensor.js').TensorLike} TensorLike */
/** @typedef {import('./base/tensor.js').Nested} Nested */
/** @typedef {import('./runtime/outputs.js').OutOptions} OutOptions */
/** @typedef {import('./base/tensor.js').Tensor<Float32Array>} FloatTensor */
/** @typedef {import('./block/attention-backward.js').AttentionGradients} AttentionGradients */

/**
 * torch.nn.functional.layer_norm over the last axis: (x - mean) / sqrt(variance + eps) * weight + bias.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} x (..., C)
 * @param {TensorLike | Nested} [weight] (C)
 * @param {TensorLike | Nested} [bias] (C)
 * @param {{ eps?: number } & OutOptions} [options]
 */
export function layerNorm(qkv, x, weight, bias, options = {}) {
  return norm(expectCore(qkv, 'layerNorm'), x, weight, bias, options, 'layerNorm')
}

/**
 * torch.nn.functional.rms_norm over the last axis: x / sqrt(mean(x^2) + eps) * weight.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} x (..., C)
 * @param {TensorLike | Nested} [weight] (C)
 * @param {import('./block/norm.js').NormOptions & OutOptions} [options]
 */
export function rmsNorm(qkv, x, weight, options = {}) {
  return norm(expectCore(qkv, 'rmsNorm'), x, weight, undefined, options, 'rmsNorm')
}

/**
 * x Phi(x), Phi the normal distribution, or its approximation by tanh.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} x
 * @param {import('./block/elementwise.js').GeluOptions & OutOptions} [options]
 */
export function gelu(qkv, x, options = {}) {
  return activate(expectCore(qkv, 'gelu'), x, undefined, options, 'gelu')
}

/** max(x, 0). @param {Qkv} qkv @param {TensorLike | Nested} x @param {OutOptions} [options] */
export function relu(qkv, x, options = {}) {
  return activate(expectCore(qkv, 'relu'), x, undefined, options, 'relu')
}

/** x sigmoid(x). @param {Qkv} qkv @param {TensorLike | Nested} x @param {OutOptions} [options] */
export function silu(qkv, x, options = {}) {
  return activate(expectCore(qkv, 'silu'), x, undefined, options, 'silu')
}

/**
 * silu(gate) * up.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} gate (..., C); without up (..., 2 C), gate and up side by side
 * @param {TensorLike | Nested} [up] (..., C)
 * @param {OutOptions} [options]
 * @returns {FloatTensor} (..., C)
 */
export function swiglu(qkv, gate, up, options = {}) {
  return activate(expectCore(qkv, 'swiglu'), gate, up, options, 'swiglu')
}

/**
 * gelu(gate) * up.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} gate as in swiglu
 * @param {TensorLike | Nested} [up]
 * @param {import('./block/elementwise.js').GeluOptions & OutOptions} [options]
 * @returns {FloatTensor} (..., C)
 */
export function geglu(qkv, gate, up, options = {}) {
  return activate(expectCore(qkv, 'geglu'), gate, up, options, 'geglu')
}

/**
 * a + b; b may lack leading axes and repeats along them.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} a
 * @param {TensorLike | Nested} b the last dims of a
 * @param {OutOptions} [options] out: may be a
 */
export function add(qkv, a, b, options = {}) {
  return combine(expectCore(qkv, 'add'), a, b, options, 'add')
}

/** a * b, value by value, as in add. @param {Qkv} qkv @param {TensorLike | Nested} a @param {TensorLike | Nested} b @param {OutOptions} [options] */
export function mul(qkv, a, b, options = {}) {
  return combine(expectCore(qkv, 'mul'), a, b, options, 'mul')
}

/**
 * Rows of a table.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested | ArrayLike<number>} ids whole numbers, any dims
 * @param {TensorLike | Nested} weight (num, dim)
 * @param {OutOptions} [options]
 * @returns {FloatTensor} the dims of ids, then dim
 */
export function embedding(qkv, ids, weight, options = {}) {
  return gatherRows(expectCore(qkv, 'embedding'), ids, weight, options)
}

/**
 * A linear layer whose weight is copied and packed once, row block by row block: for one that runs again and again.
 * float16 keeps 11 bits of each value, bfloat16 8; int8 is off by at most 1/254 of the largest value of the row.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested | import('./block/packed-linear.js').RawWeight} weight (out, in); (in, out) with layout
 *   'in,out'. Of float16, bfloat16 (`{ data: Uint16Array, dims, dtype: 'bfloat16' }`) and int8 no float32 copy is made
 * @param {TensorLike | Nested} [bias] (out)
 * @param {import('./block/packed-linear.js').PackOptions} [options]
 * @returns {PackedLinear} `forward(x, { activation, residual, out })`, `dispose()`
 * @throws {TypeError | RangeError}
 */
export function packLinear(qkv, weight, bias, options = {}) {
  return new PackedLinear(expectCore(qkv, 'packLinear'), weight, bias, options)
}

/**
 * The gradients of attention: given dOutput, the gradient of its output, those of its inputs. Scores are computed
 * anew, tile by tile, without any L x S matrix. A query that sees no key, and a hidden key, get zeros. With dropout,
 * give the generator as it stood before the attention.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} q as in attention
 * @param {TensorLike | Nested} k
 * @param {TensorLike | Nested} v
 * @param {TensorLike | Nested} dOutput with the dims of the output
 * @param {import('./ops/attention-options.js').AttentionOptions} [options] those of the attention
 * @returns {AttentionGradients}
 * @throws {TypeError | RangeError}
 */
export function attentionBackward(qkv, q, k, v, dOutput, options = {}) {
  return differentiateAttention(expectCore(qkv, 'attentionBackward'), q, k, v, dOutput, options)
}

/**
 * The gradients of linear: given dY, the gradient of y = x W^T + bias, those of x, W and the bias.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} x (..., in)
 * @param {TensorLike | Nested} weight (out, in)
 * @param {TensorLike | Nested} dY (..., out)
 * @returns {{ dX: FloatTensor, dWeight: FloatTensor, dBias: FloatTensor }} dBias is the sum of the rows of dY
 */
export function linearBackward(qkv, x, weight, dY) {
  return differentiateLinear(expectCore(qkv, 'linearBackward'), x, weight, dY)
}
