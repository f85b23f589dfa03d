// qkv/nn: the operations of a transformer block beside attention and linear layers. All take resident tensors and `out`,
// which may be an input of the same dims.

import { activate, combine } from './block/elementwise.js'
import { norm } from './block/norm.js'
import { PackedLinear } from './block/packed-linear.js'
import { gatherRows } from './ops/embedding.js'
import { expectCore } from './qkv.js'

/** @typedef {import('./qkv.js').Qkv} Qkv */
/** @typedef {import('./base/tensor.js').TensorLike} TensorLike */
/** @typedef {import('./base/tensor.js').Nested} Nested */
/** @typedef {import('./runtime/outputs.js').OutOptions} OutOptions */
/** @typedef {import('./base/tensor.js').Tensor<Float32Array>} FloatTensor */

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
