// Made from src/kernel/qkv.h by `npm run abi`: edit the header, not this file.

import { ATTENTION_WORDS } from '../runtime/abi.js'

/**
 * struct qkv_backward, one 32-bit word each.
 * @type {readonly (typeof ATTENTION_WORDS[number] | 'd_out.data' | 'd_out.batch' | 'd_out.head' | 'd_out.row' | 'dq.data' | 'dq.batch' | 'dq.head' | 'dq.row'
 *   | 'dk.data' | 'dk.batch' | 'dk.head' | 'dk.row' | 'dv.data' | 'dv.batch' | 'dv.head' | 'dv.row'
 *   | 'd_w_v' | 'd_sinks' | 'd_bias' | 'accumulate')[]}
 */
export const BACKWARD_WORDS = [
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
]

/**
 * struct qkv_products, one 32-bit word each.
 * @type {readonly ('x' | 'M' | 'K' | 'x_int8' | 'first.w' | 'first.scales' | 'first.bias' | 'first.y'
 *   | 'first.N' | 'first.weights' | 'first.activation' | 'second.w' | 'second.scales' | 'second.bias' | 'second.y' | 'second.N'
 *   | 'second.weights' | 'second.activation' | 'third.w' | 'third.scales' | 'third.bias' | 'third.y' | 'third.N' | 'third.weights'
 *   | 'third.activation')[]}
 */
export const PRODUCTS_WORDS = [
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
]

/**
 * struct qkv_pack_linear.
 * @type {import('../runtime/structs.js').Struct<'w' | 'w_row' | 'w_column' | 'K' | 'N' | 'weights' | 'is_quantized' | 'packed'
 *   | 'panel_size' | 'scales' | 'scratch'>}
 */
export const PACK_LINEAR_STRUCT = {
  words: ['w', 'w_row', 'w_column', 'K', 'N', 'weights', 'is_quantized', 'packed', 'panel_size', 'scales', 'scratch'],
  floats: [],
}

/**
 * struct qkv_norm.
 * @type {import('../runtime/structs.js').Struct<'x' | 'weight' | 'bias' | 'y' | 'stats' | 'C' | 'center' | 'eps'
 *   | 'shift'>}
 */
export const NORM_STRUCT = {
  words: ['x', 'weight', 'bias', 'y', 'stats', 'C', 'center', 'eps', 'shift'],
  floats: ['eps', 'shift'],
}

/**
 * struct qkv_norm_backward.
 * @type {import('../runtime/structs.js').Struct<'x' | 'weight' | 'stats' | 'dy' | 'dx' | 'sums' | 'rows' | 'C'
 *   | 'center' | 'shift' | 'accumulate'>}
 */
export const NORM_BACKWARD_STRUCT = {
  words: ['x', 'weight', 'stats', 'dy', 'dx', 'sums', 'rows', 'C', 'center', 'shift', 'accumulate'],
  floats: ['shift'],
}

/**
 * struct qkv_activate.
 * @type {import('../runtime/structs.js').Struct<'kind' | 'x' | 'up' | 'y' | 'n' | 'C' | 'row'>}
 */
export const ACTIVATE_STRUCT = { words: ['kind', 'x', 'up', 'y', 'n', 'C', 'row'], floats: [] }

/**
 * struct qkv_activate_backward.
 * @type {import('../runtime/structs.js').Struct<'kind' | 'x' | 'up' | 'dy' | 'dx' | 'd_up' | 'n' | 'C'
 *   | 'row' | 'accumulate'>}
 */
export const ACTIVATE_BACKWARD_STRUCT = {
  words: ['kind', 'x', 'up', 'dy', 'dx', 'd_up', 'n', 'C', 'row', 'accumulate'],
  floats: [],
}

/**
 * struct qkv_combine.
 * @type {import('../runtime/structs.js').Struct<'product' | 'a' | 'b' | 'y' | 'n' | 'C' | 'period' | 'factor'
 *   | 'accumulate'>}
 */
export const COMBINE_STRUCT = {
  words: ['product', 'a', 'b', 'y', 'n', 'C', 'period', 'factor', 'accumulate'],
  floats: ['factor'],
}

/**
 * struct qkv_cross_entropy.
 * @type {import('../runtime/structs.js').Struct<'logits' | 'targets' | 'weights' | 'losses' | 'd_logits' | 'V' | 'ignore' | 'smoothing'
 *   | 'scale'>}
 */
export const CROSS_ENTROPY_STRUCT = {
  words: ['logits', 'targets', 'weights', 'losses', 'd_logits', 'V', 'ignore', 'smoothing', 'scale'],
  floats: ['smoothing', 'scale'],
}

/**
 * struct qkv_read_logits.
 * @type {import('../runtime/structs.js').Struct<'logits' | 'probabilities' | 'sums' | 'top' | 'V' | 'K' | 'others'>}
 */
export const READ_LOGITS_STRUCT = { words: ['logits', 'probabilities', 'sums', 'top', 'V', 'K', 'others'], floats: [] }

/**
 * struct qkv_adam.
 * @type {import('../runtime/structs.js').Struct<'p' | 'g' | 'm' | 'v' | 'n' | 'beta1' | 'rest1' | 'beta2'
 *   | 'rest2' | 'decay' | 'keep' | 'rate' | 'root' | 'eps'>}
 */
export const ADAM_STRUCT = {
  words: ['p', 'g', 'm', 'v', 'n', 'beta1', 'rest1', 'beta2', 'rest2', 'decay', 'keep', 'rate', 'root', 'eps'],
  floats: ['beta1', 'rest1', 'beta2', 'rest2', 'decay', 'keep', 'rate', 'root', 'eps'],
}

/**
 * struct qkv_sgd.
 * @type {import('../runtime/structs.js').Struct<'p' | 'g' | 'buffer' | 'n' | 'decay' | 'momentum' | 'take' | 'ahead'
 *   | 'back' | 'rate'>}
 */
export const SGD_STRUCT = {
  words: ['p', 'g', 'buffer', 'n', 'decay', 'momentum', 'take', 'ahead', 'back', 'rate'],
  floats: ['decay', 'momentum', 'take', 'ahead', 'back', 'rate'],
}

/** enum qkv_function. */
export const FUNCTION = { sigmoid: 5, tanh: 6, exp: 7, log: 8 }
