// gelu(x) = x Phi(x).

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
 * x Phi(x), Phi the normal distribution, or its approximation by tanh.
 * @type {(qkv: Qkv, x: Operand, options?: GeluOptions & OutOptions) => FloatTensor}
 */
export const gelu = defineOperation({
  name: 'gelu',
  operands: ['x'],
  options: ['approximate'],
  prepare: activation('gelu'),
})

/**
 * The gradient of gelu.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: GeluOptions & Outs<'dX'>) => Gradients<'dX'>}
 */
export const geluBackward = gradientOf(gelu)
