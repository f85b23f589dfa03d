// Sums, differences and products of two tensors.

import { defineOperation, gradientOf } from '../operation.js'
import { combination } from './combination.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Operand } from '../operation.js' */
/** @import { OutOptions } from '../../runtime/outputs.js' */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/**
 * a + b; the dims of b are the last ones of a, along whose leading axes it repeats. out: may be a.
 * @type {(qkv: Qkv, a: Operand, b: Operand, options?: OutOptions) => FloatTensor}
 */
export const add = defineOperation({ name: 'add', operands: ['a', 'b'], prepare: combination(0) })

/**
 * dA is dY; dB is the sum of dY over the axes along which b repeats.
 * @type {(qkv: Qkv, a: Operand, b: Operand, dY: Operand, options?: Outs<'dA' | 'dB'>) => Gradients<'dA' | 'dB'>}
 */
export const addBackward = gradientOf(add)

/**
 * a - b; the dims of b are the last ones of a, along whose leading axes it repeats. out: may be a.
 * @type {(qkv: Qkv, a: Operand, b: Operand, options?: OutOptions) => FloatTensor}
 */
export const sub = defineOperation({ name: 'sub', operands: ['a', 'b'], prepare: combination(0, -1) })

/**
 * dA is dY; dB is minus the sum of dY over the axes along which b repeats.
 * @type {(qkv: Qkv, a: Operand, b: Operand, dY: Operand, options?: Outs<'dA' | 'dB'>) => Gradients<'dA' | 'dB'>}
 */
export const subBackward = gradientOf(sub)

/**
 * a * b, value by value, as in add.
 * @type {(qkv: Qkv, a: Operand, b: Operand, options?: OutOptions) => FloatTensor}
 */
export const mul = defineOperation({ name: 'mul', operands: ['a', 'b'], prepare: combination(1) })

/**
 * dA is dY * b; dB is dY * a, summed over the axes along which b repeats.
 * @type {(qkv: Qkv, a: Operand, b: Operand, dY: Operand, options?: Outs<'dA' | 'dB'>) => Gradients<'dA' | 'dB'>}
 */
export const mulBackward = gradientOf(mul)
