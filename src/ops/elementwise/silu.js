// silu(x) = x sigmoid(x).

import { defineOperation, gradientOf } from '../operation.js'
import { activation } from './activation.js'

/** @typedef {import('../../qkv.js').Qkv} Qkv */
/** @typedef {import('../../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../operation.js').Operand} Operand */
/** @typedef {import('../../runtime/outputs.js').OutOptions} OutOptions */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/**
 * x sigmoid(x).
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const silu = defineOperation({ name: 'silu', operands: ['x'], prepare: activation('silu') })

/**
 * The gradient of silu.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const siluBackward = gradientOf(silu)
