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
 * Returns a + b. The dims of b are the last ones of a; b repeats along the leading axes of a. `out` may be a.
 * @type {(qkv: Qkv, a: Operand, b: Operand, options?: OutOptions) => FloatTensor}
 */
export const add = defineOperation({ name: 'add', operands: ['a', 'b'], prepare: combination(0) })

/**
 * Returns the gradients of add: dA is dY; dB is the sum of dY over the axes along which b repeats.
 * @type {(qkv: Qkv, a: Operand, b: Operand, dY: Operand, options?: Outs<'dA' | 'dB'>) => Gradients<'dA' | 'dB'>}
 */
export const addBackward = gradientOf(add)

/**
 * Returns a - b. The dims of b are the last ones of a; b repeats along the leading axes of a. `out` may be a.
 * @type {(qkv: Qkv, a: Operand, b: Operand, options?: OutOptions) => FloatTensor}
 */
export const sub = defineOperation({ name: 'sub', operands: ['a', 'b'], prepare: combination(0, -1) })

/**
 * Returns the gradients of sub: dA is dY; dB is minus the sum of dY over the axes along which b repeats.
 * @type {(qkv: Qkv, a: Operand, b: Operand, dY: Operand, options?: Outs<'dA' | 'dB'>) => Gradients<'dA' | 'dB'>}
 */
export const subBackward = gradientOf(sub)

/**
 * Returns a * b, element by element; b repeats as in add.
 * @type {(qkv: Qkv, a: Operand, b: Operand, options?: OutOptions) => FloatTensor}
 */
export const mul = defineOperation({ name: 'mul', operands: ['a', 'b'], prepare: combination(1) })

/**
 * Returns the gradients of mul: dA is dY * b; dB is dY * a, summed over the axes along which b repeats.
 * @type {(qkv: Qkv, a: Operand, b: Operand, dY: Operand, options?: Outs<'dA' | 'dB'>) => Gradients<'dA' | 'dB'>}
 */
export const mulBackward = gradientOf(mul)
