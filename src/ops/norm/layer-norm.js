// Layer norm: each row minus its mean, divided by its standard deviation.

import { defineOperation, gradientOf } from '../operation.js'
import { norm } from './row-norm.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Operand } from '../operation.js' */
/** @import { OutOptions } from '../../runtime/outputs.js' */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/**
 * Returns torch.nn.functional.layer_norm over the last axis: (x - mean) / sqrt(variance + eps) * weight + bias.
 * @type {(qkv: Qkv, x: Operand, weight?: Operand, bias?: Operand, options?: { eps?: number } & OutOptions) => FloatTensor}
 */
export const layerNorm = defineOperation({
  name: 'layerNorm',
  operands: ['x', 'weight?', 'bias?'],
  gradientOperands: ['x', 'weight?'],
  options: ['eps'],
  prepare: norm(1),
})

/**
 * Returns the gradients of layerNorm.
 * @type {(qkv: Qkv, x: Operand, weight: Operand | undefined, dY: Operand, options?: { eps?: number } & Outs<'dX' | 'dWeight' | 'dBias'>) => Gradients<'dX' | 'dWeight' | 'dBias'>}
 */
export const layerNormBackward = gradientOf(layerNorm)
