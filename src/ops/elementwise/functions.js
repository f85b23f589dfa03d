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
 * Returns exp of each value, as torch.exp; bit for bit equal to qkv.exp.
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const exp = defineOperation({ name: 'exp', operands: ['x'], prepare: activation('exp') })

/**
 * Returns the gradient of exp.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const expBackward = gradientOf(exp)

/**
 * Returns the natural logarithm, as torch.log: -Infinity at 0, NaN for negative numbers.
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const log = defineOperation({ name: 'log', operands: ['x'], prepare: activation('log') })

/**
 * Returns the gradient of log.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const logBackward = gradientOf(log)

/**
 * Returns tanh of each value, as torch.tanh; bit for bit equal to qkv.tanh.
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const tanh = defineOperation({ name: 'tanh', operands: ['x'], prepare: activation('tanh') })

/**
 * Returns the gradient of tanh.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const tanhBackward = gradientOf(tanh)

/**
 * Returns the logistic sigmoid 1 / (1 + exp(-x)), as torch.sigmoid.
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const sigmoid = defineOperation({ name: 'sigmoid', operands: ['x'], prepare: activation('sigmoid') })

/**
 * Returns the gradient of sigmoid.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const sigmoidBackward = gradientOf(sigmoid)

/**
 * Returns max(x, 0).
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const relu = defineOperation({ name: 'relu', operands: ['x'], prepare: activation('relu') })

/**
 * Returns the gradient of relu, which is 0 at 0.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const reluBackward = gradientOf(relu)

/**
 * Returns x sigmoid(x).
 * @type {(qkv: Qkv, x: Operand, options?: OutOptions) => FloatTensor}
 */
export const silu = defineOperation({ name: 'silu', operands: ['x'], prepare: activation('silu') })

/**
 * Returns the gradient of silu.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>}
 */
export const siluBackward = gradientOf(silu)

/**
 * Returns x Phi(x), with Phi the normal distribution, or its approximation by tanh.
 * @type {(qkv: Qkv, x: Operand, options?: GeluOptions & OutOptions) => FloatTensor}
 */
export const gelu = defineOperation({
  name: 'gelu',
  operands: ['x'],
  options: ['approximate'],
  prepare: activation('gelu'),
})

/**
 * Returns the gradient of gelu.
 * @type {(qkv: Qkv, x: Operand, dY: Operand, options?: GeluOptions & Outs<'dX'>) => Gradients<'dX'>}
 */
export const geluBackward = gradientOf(gelu)

/**
 * Returns silu(gate) * up, both (..., C); without `up`, gate is (..., 2 C) and holds both side by side.
 * @type {(qkv: Qkv, gate: Operand, up?: Operand, options?: OutOptions) => FloatTensor}
 */
export const swiglu = defineOperation({ name: 'swiglu', operands: ['gate', 'up?'], prepare: activation('silu', true) })

/**
 * Returns the gradients of swiglu: dGate (without `up`, of gate and up side by side) and dUp.
 * @type {(qkv: Qkv, gate: Operand, up: Operand | undefined, dY: Operand, options?: Outs<'dGate' | 'dUp'>) => Gradients<'dGate'> & Partial<Gradients<'dUp'>>}
 */
export const swigluBackward = gradientOf(swiglu)

/**
 * Returns gelu(gate) * up, with operands as in swiglu.
 * @type {(qkv: Qkv, gate: Operand, up?: Operand, options?: GeluOptions & OutOptions) => FloatTensor}
 */
export const geglu = defineOperation({
  name: 'geglu',
  operands: ['gate', 'up?'],
  options: ['approximate'],
  prepare: activation('gelu', true),
})

/**
 * Returns the gradients of geglu, as swigluBackward does for swiglu.
 * @type {(qkv: Qkv, gate: Operand, up: Operand | undefined, dY: Operand, options?: GeluOptions & Outs<'dGate' | 'dUp'>) => Gradients<'dGate'> & Partial<Gradients<'dUp'>>}
 */
export const gegluBackward = gradientOf(geglu)
