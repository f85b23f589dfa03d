// exp(x): e to the power of x.

import { defineOperation, gradientOf } from '../operation.js'
import { activation } from './activation.js'

/** @typedef {import('../../qkv.js').Qkv} Qkv */
/** @typedef {import('../../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../operation.js').Operand} Operand */
/** @typedef {import('../../runtime/outputs.js').OutOptions} OutOptions */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/**
 * exp of each value: torch.exp, the bits of qkv.exp.
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const exp = defineOperation({ name: 'exp', operands: ['x'], prepare: activation('exp') })

/**
 * The gradient of exp.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const expBackward = gradientOf(exp)
