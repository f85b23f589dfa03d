// sigmoid(x): 1 / (1 + exp(-x)).

import { defineOperation, gradientOf } from '../operation.js'
import { activation } from './activation.js'

/** @typedef {import('../../qkv.js').Qkv} Qkv */
/** @typedef {import('../../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../operation.js').Operand} Operand */
/** @typedef {import('../../runtime/outputs.js').OutOptions} OutOptions */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/**
 * The logistic sigmoid, 1 / (1 + exp(-x)): torch.sigmoid.
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const sigmoid = defineOperation({ name: 'sigmoid', operands: ['x'], prepare: activation('sigmoid') })

/**
 * The gradient of sigmoid.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const sigmoidBackward = gradientOf(sigmoid)
