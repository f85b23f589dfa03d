// The part of src/runtime/abi.js that only layers, gradients and training need.

import { ATTENTION_WORDS, tensorWords } from '../runtime/abi.js'

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

export const WEIGHTS = { strided: 0, float32: 1, float16: 2, int8: 3 }
