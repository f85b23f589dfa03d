// The operations that qkv/nn and models run. tape-operations.js lists all operations.

import { activation, combination } from './elementwise.js'
import { norm } from './norm.js'

/** @typedef {import('./operation.js').Operation} Operation */

/**
 * @param {string} operands names; `name?` may be left out
 * @param {string} options
 * @param {Operation['prepare']} prepare
 * @returns {Operation}
 */
export const operation = (operands, options, prepare) => {
  const names = operands.split(' ')
  return {
    operands: names.map(name => name.replace('?', '')),
    required: names.filter(name => !name.endsWith('?')).length,
    options: options ? options.split(' ') : [],
    prepare,
  }
}

export const OPERATIONS = {
  layerNorm: operation('x weight? bias?', 'eps', norm(1)),
  rmsNorm: operation('x weight?', 'eps plusOne', norm(0)),
  gelu: operation('x', 'approximate', activation('gelu')),
  relu: operation('x', '', activation('relu')),
  silu: operation('x', '', activation('silu')),
  swiglu: operation('x up?', '', activation('swiglu')),
  geglu: operation('x up?', 'approximate', activation('geglu')),
  add: operation('a b', '', combination(0)),
  mul: operation('a b', '', combination(1)),
}
