// RMS norm: each row divided by its root mean square.

import { defineOperation, gradientOf } from '../operation.js'
import { norm } from './row-norm.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Operand } from '../operation.js' */
/** @import { OutOptions } from '../../runtime/outputs.js' */
/** @import { NormOptions } from './row-norm.js' */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/**
 * Returns torch.nn.functional.rms_norm over the last axis: x / sqrt(mean(x^2) + eps) * weight.
 * @type {(qkv: Qkv, x: Operand, weight?: Operand, options?: NormOptions & OutOptions) => FloatTensor}
 */
export const rmsNorm = defineOperation({
  name: 'rmsNorm',
  operands: ['x', 'weight?'],
  options: ['eps', 'plusOne'],
  prepare: norm(0),
})

/**
 * Returns the gradients of rmsNorm.
 * @type {(qkv: Qkv, x: Operand, weight: Operand | undefined, dY: Operand, options?: NormOptions & Outs<'dX' | 'dWeight'>) => Gradients<'dX' | 'dWeight'>}
 */
export const rmsNormBackward = gradientOf(rmsNorm)
