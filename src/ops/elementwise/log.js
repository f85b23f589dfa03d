// log(x): the natural logarithm of x.

import { defineOperation, gradientOf } from '../operation.js'
import { activation } from './activation.js'

/** @typedef {import('../../qkv.js').Qkv} Qkv */
/** @typedef {import('../../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../operation.js').Operand} Operand */
/** @typedef {import('../../runtime/outputs.js').OutOptions} OutOptions */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/**
 * The natural logarithm: torch.log. Of 0 it is -Infinity, of negative numbers NaN.
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const log = defineOperation({ name: 'log', operands: ['x'], prepare: activation('log') })

/**
 * The gradient of log.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const logBackward = gradientOf(log)
