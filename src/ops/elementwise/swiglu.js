// swiglu(gate, up) = silu(gate) * up.

import { defineOperation, gradientOf } from '../operation.js'
import { activation } from './activation.js'

/** @typedef {import('../../qkv.js').Qkv} Qkv */
/** @typedef {import('../../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../operation.js').Operand} Operand */
/** @typedef {import('../../runtime/outputs.js').OutOptions} OutOptions */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/**
 * silu(gate) * up: gate and up (..., C), or both side by side, (..., 2 C), without up.
 * @type {(qkv: Qkv, gate: Operand, up?: Operand, options?: OutOptions) => FloatTensor}
 */
export const swiglu = defineOperation({ name: 'swiglu', operands: ['x', 'up?'], prepare: activation('silu', true) })

/**
 * dX is the gradient of the gate, or of gate and up side by side.
 * @type {(qkv: Qkv, gate: Operand, up: Operand | undefined, dY: Operand, options?: Outs<'dX' | 'dUp'>) => Gradients<'dX'> & Partial<Gradients<'dUp'>>}
 */
export const swigluBackward = gradientOf(swiglu)
