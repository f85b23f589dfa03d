// Functions of one value, and the gated products of two: exp, log, tanh, sigmoid, relu, silu, gelu, swiglu, geglu.

import { defineOperation, gradientOf } from '../operation.js'
import { activation } from './activation.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Operand } from '../operation.js' */
/** @import { OutOptions } from '../../runtime/outputs.js' */
/** @import { GeluOptions } from './activation.js' */
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

/**
 * tanh of each value: torch.tanh, the bits of qkv.tanh.
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const tanh = defineOperation({ name: 'tanh', operands: ['x'], prepare: activation('tanh') })

/**
 * The gradient of tanh.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const tanhBackward = gradientOf(tanh)

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

/**
 * max(x, 0).
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const relu = defineOperation({ name: 'relu', operands: ['x'], prepare: activation('relu') })

/**
 * The gradient of relu; 0 at 0.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const reluBackward = gradientOf(relu)

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
