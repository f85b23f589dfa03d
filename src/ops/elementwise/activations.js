// The activations of a linear layer by their names in its option `activation`, for tapes and for the gradients of models.

import { gelu, geluBackward, relu, reluBackward, silu, siluBackward } from './functions.js'

/** @import { GeluOptions } from './activation.js' */

/** @type {Record<string, { run: typeof gelu, differentiate: typeof geluBackward, options: GeluOptions }>} */
export const ACTIVATIONS = {
  gelu: { run: gelu, differentiate: geluBackward, options: {} },
  gelu_tanh: { run: gelu, differentiate: geluBackward, options: { approximate: 'tanh' } },
  relu: { run: relu, differentiate: reluBackward, options: {} },
  silu: { run: silu, differentiate: siluBackward, options: {} },
}
