// The operations of a block in one table: qkv/nn has them as functions, a tape as methods.

import { LABELS, prepareAttention } from './attention.js'
import { activation, combination, prepareDropout } from './elementwise.js'
import { prepareRelativeBias } from './embedding.js'
import { prepareLinear } from './linear.js'
import { prepareRope, prepareSoftmax } from './lines.js'
import { norm } from './norm.js'

/** @typedef {import('./operation.js').Operation} Operation */

/**
 * @param {string} operands `name?`: may be left out
 * @param {string} options
 * @param {Operation['prepare']} prepare
 * @returns {Operation}
 */
const operation = (operands, options, prepare) => {
  const names = operands.split(' ')
  return {
    operands: names.map(name => name.replace('?', '')),
    required: names.filter(name => !name.endsWith('?')).length,
    options: options ? options.split(' ') : [],
    prepare,
  }
}

const ROPE = 'positions pastLength interleaved rotaryDim base cos sin numHeads'

export const OPERATIONS = {
  linear: operation('x weight bias? residual?', 'layout', prepareLinear),
  attention: operation('q bias? k? v?', 'numHeads kvHeads', prepareAttention),
  rope: operation('x', ROPE, prepareRope),
  softmax: operation('x', 'axis', prepareSoftmax),
  layerNorm: operation('x weight? bias?', 'eps', norm(1)),
  rmsNorm: operation('x weight?', 'eps plusOne', norm(0)),
  gelu: operation('x', 'approximate', activation('gelu')),
  relu: operation('x', '', activation('relu')),
  silu: operation('x', '', activation('silu')),
  swiglu: operation('x up?', '', activation('swiglu')),
  geglu: operation('x up?', 'approximate', activation('geglu')),
  add: operation('a b', '', combination(0)),
  mul: operation('a b', '', combination(1)),
  relativeBias: operation('table', 'L S', prepareRelativeBias),
  dropout: operation('x', 'p', prepareDropout),
}

/** Attention of one operand, all of whose options are given at once. @type {Operation} */
export const PACKED = { ...OPERATIONS.attention, operands: ['x', 'bias'], options: LABELS.packedAttention.known }
