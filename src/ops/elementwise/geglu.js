// geglu(gate, up) = gelu(gate) * up.

import { defineOperation, gradientOf } from '../operation.js'
import { activation } from './activation.js'

/** @typedef {import('../../qkv.js').Qkv} Qkv */
/** @typedef {import('../../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../operation.js').Operand} Operand */
/** @typedef {import('../../runtime/outputs.js').OutOptions} OutOptions */
/** @typedef {import('./activation.js').GeluOptions} GeluOptions */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/**
 * gelu(gate) * up, as in swiglu.
 * @type {(qkv: Qkv, gate: Operand, up?: Operand, options?: GeluOptions & OutOptions) => FloatTensor}
 */
export const geglu = defineOperation({
  name: 'geglu',
  operands: ['x', 'up?'],
  options: ['approximate'],
  prepare: activation('gelu', true),
})

/**
 * As swigluBackward.
 * @type {(qkv: Qkv, gate: Operand, up: Operand | undefined, dY: Operand, options?: GeluOptions & Outs<'dX' | 'dUp'>) => Gradients<'dX'> & Partial<Gradients<'dUp'>>}
 */
export const gegluBackward = gradientOf(geglu)
