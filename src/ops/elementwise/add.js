// add(a, b) = a + b.

import { defineOperation, gradientOf } from '../operation.js'
import { combination } from './combination.js'

/** @typedef {import('../../qkv.js').Qkv} Qkv */
/** @typedef {import('../../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../operation.js').Operand} Operand */
/** @typedef {import('../../runtime/outputs.js').OutOptions} OutOptions */
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
