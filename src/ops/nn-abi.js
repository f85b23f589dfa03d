// Made from src/kernel/qkv.h by `npm run abi`: edit the header, not this file.

import { ATTENTION_WORDS } from '../runtime/abi.js'

/** Fields of struct qkv_backward in order, each a 32-bit word. */
export const BACKWARD_WORDS = /** @type {const} */ ([
  ...ATTENTION_WORDS,
  'd_out.data',
  'd_out.batch',
  'd_out.head',
  'd_out.row',
  'dq.data',
  'dq.batch',
  'dq.head',
  'dq.row',
  'dk.data',
  'dk.batch',
  'dk.head',
  'dk.row',
  'dv.data',
  'dv.batch',
  'dv.head',
  'dv.row',
  'd_w_v',
  'd_sinks',
  'd_bias',
  'accumulate',
])

/** Fields of struct qkv_products in order, each a 32-bit word. */
export const PRODUCTS_WORDS = /** @type {const} */ ([
  'x',
  'M',
  'K',
  'x_int8',
  'first.w',
  'first.scales',
  'first.bias',
  'first.y',
  'first.N',
  'first.weights',
  'first.activation',
  'second.w',
  'second.scales',
  'second.bias',
  'second.y',
  'second.N',
  'second.weights',
  'second.activation',
  'third.w',
  'third.scales',
  'third.bias',
  'third.y',
  'third.N',
  'third.weights',
  'third.activation',
])

/** struct qkv_pack_linear. */
export const PACK_LINEAR_STRUCT = /** @type {const} */ ({
  words: ['w', 'w_row', 'w_column', 'K', 'N', 'weights', 'is_quantized', 'packed', 'panel_size', 'scales', 'scratch'],
  floats: [],
})

/** struct qkv_norm. */
export const NORM_STRUCT = /** @type {const} */ ({
  words: ['x', 'weight', 'bias', 'y', 'stats', 'C', 'center', 'eps', 'shift'],
  floats: ['eps', 'shift'],
})

/** struct qkv_norm_backward. */
export const NORM_BACKWARD_STRUCT = /** @type {const} */ ({
  words: ['x', 'weight', 'stats', 'dy', 'dx', 'sums', 'rows', 'C', 'center', 'shift', 'accumulate'],
  floats: ['shift'],
})

/** struct qkv_activate. */
export const ACTIVATE_STRUCT = /** @type {const} */ ({ words: ['kind', 'x', 'up', 'y', 'n', 'C', 'row'], floats: [] })

/** struct qkv_activate_backward. */
export const ACTIVATE_BACKWARD_STRUCT = /** @type {const} */ ({
  words: ['kind', 'x', 'up', 'dy', 'dx', 'd_up', 'n', 'C', 'row', 'accumulate'],
  floats: [],
})

/** struct qkv_combine. */
export const COMBINE_STRUCT = /** @type {const} */ ({
  words: ['product', 'a', 'b', 'y', 'n', 'C', 'period', 'factor', 'accumulate'],
  floats: ['factor'],
})

/** struct qkv_cross_entropy. */
export const CROSS_ENTROPY_STRUCT = /** @type {const} */ ({
  words: ['logits', 'targets', 'weights', 'losses', 'd_logits', 'V', 'ignore', 'smoothing', 'scale'],
  floats: ['smoothing', 'scale'],
})

/** struct qkv_read_logits. */
export const READ_LOGITS_STRUCT = /** @type {const} */ ({
  words: ['logits', 'probabilities', 'sums', 'top', 'V', 'K', 'others'],
  floats: [],
})

/** struct qkv_adam. */
export const ADAM_STRUCT = /** @type {const} */ ({
  words: ['p', 'g', 'm', 'v', 'n', 'beta1', 'rest1', 'beta2', 'rest2', 'decay', 'keep', 'rate', 'root', 'eps'],
  floats: ['beta1', 'rest1', 'beta2', 'rest2', 'decay', 'keep', 'rate', 'root', 'eps'],
})

/** struct qkv_sgd. */
export const SGD_STRUCT = /** @type {const} */ ({
  words: ['p', 'g', 'buffer', 'n', 'decay', 'momentum', 'take', 'ahead', 'back', 'rate'],
  floats: ['decay', 'momentum', 'take', 'ahead', 'back', 'rate'],
})

/** enum qkv_function. */
export const FUNCTION = { sigmoid: 5, tanh: 6, exp: 7, log: 8 }
