// The part of src/runtime/abi.js that only layers, gradients and training need.

import { ATTENTION_WORDS, tensorWords } from '../runtime/abi.js'

/** The fields of any struct that are floats; all others are whole numbers and pointers. */
export const FLOATS = new Set([
  'scale',
  'sigma',
  'softcap',
  'dropout',
  'eps',
  'shift',
  'factor',
  'smoothing',
  'beta1',
  'rest1',
  'beta2',
  'rest2',
  'decay',
  'keep',
  'rate',
  'root',
  'momentum',
  'take',
  'ahead',
  'back',
])

/** struct qkv_backward. */
export const BACKWARD_WORDS = /** @type {const} */ ([
  ...ATTENTION_WORDS,
  ...tensorWords('d_out'),
  ...tensorWords('dq'),
  ...tensorWords('dk'),
  ...tensorWords('dv'),
  'd_w_v',
  'd_sinks',
  'd_bias',
  'accumulate',
])

/** struct qkv_linear_backward. */
export const LINEAR_BACKWARD_WORDS = ['x', 'w', 'dy', 'dx', 'dw', 'd_bias', 'M', 'K', 'N', 'accumulate']

/** struct qkv_pack_linear. */
export const PACK_LINEAR_WORDS = /** @type {const} */ ([
  'w',
  'w_row',
  'w_column',
  'K',
  'N',
  'weights',
  'is_quantized',
  'packed',
  'panel_size',
  'scales',
  'scratch',
])

/** struct qkv_product. */
const PRODUCT_WORDS = ['w', 'scales', 'bias', 'y', 'N', 'weights', 'activation']

/** struct qkv_products. */
export const PRODUCTS_WORDS = [
  'x',
  'M',
  'K',
  ...['first', 'second', 'third'].flatMap(product => PRODUCT_WORDS.map(word => `${product}.${word}`)),
]

/** struct qkv_norm. */
export const NORM_WORDS = /** @type {const} */ (['x', 'weight', 'bias', 'y', 'stats', 'C', 'center', 'eps', 'shift'])

/** struct qkv_norm_backward. */
export const NORM_BACKWARD_WORDS = /** @type {const} */ ([
  'x',
  'weight',
  'stats',
  'dy',
  'dx',
  'sums',
  'rows',
  'C',
  'center',
  'shift',
  'accumulate',
])

/** struct qkv_activate. */
export const ACTIVATE_WORDS = /** @type {const} */ (['kind', 'x', 'up', 'y', 'n', 'C', 'row'])

/** struct qkv_activate_backward. */
export const ACTIVATE_BACKWARD_WORDS = /** @type {const} */ ([
  'kind',
  'x',
  'up',
  'dy',
  'dx',
  'd_up',
  'n',
  'C',
  'row',
  'accumulate',
])

/** struct qkv_combine. */
export const COMBINE_WORDS = /** @type {const} */ ([
  'product',
  'a',
  'b',
  'y',
  'n',
  'C',
  'period',
  'factor',
  'accumulate',
])

/** struct qkv_cross_entropy. */
export const CROSS_ENTROPY_WORDS = /** @type {const} */ ([
  'logits',
  'targets',
  'weights',
  'losses',
  'd_logits',
  'V',
  'ignore',
  'smoothing',
  'scale',
])

/** struct qkv_adam. */
export const ADAM_WORDS = /** @type {const} */ ([
  'p',
  'g',
  'm',
  'v',
  'n',
  'beta1',
  'rest1',
  'beta2',
  'rest2',
  'decay',
  'keep',
  'rate',
  'root',
  'eps',
])

/** struct qkv_sgd. */
export const SGD_WORDS = /** @type {const} */ ([
  'p',
  'g',
  'buffer',
  'n',
  'decay',
  'momentum',
  'take',
  'ahead',
  'back',
  'rate',
])

/** enum qkv_function. */
export const FUNCTION = { sigmoid: 5, tanh: 6, exp: 7, log: 8 }

/**
 * Writes a struct of 32-bit words, in memory of this call.
 * @template {string} W
 * @param {import('../runtime/memory.js').Core} core
 * @param {readonly W[]} words its fields, in order
 * @param {Readonly<Record<NoInfer<W>, number>>} fields
 * @returns {number} its address
 */
export function writeStruct(core, words, fields) {
  const address = core.alloc(words.length * 4)
  let at = address / 4
  for (const name of words) (FLOATS.has(name) ? core.floats : core.words)[at++] = fields[name]
  return address
}
