// The gradients of the operations of a block: each function takes dY, the gradient of the output, and returns the gradients
// of the inputs.

import { readOptions } from '../base/arguments.js'
import { toFloats } from '../base/operand.js'
import { count } from '../base/tensor.js'
import { expectCore } from '../qkv.js'
import { OUT_OPTIONS, produce, toTarget } from '../runtime/outputs.js'
import { differentiateAttention } from './attention-backward.js'
import { columnSums } from './kernels.js'
import { runGradients } from './operation.js'
import { TAPE_OPERATIONS as OPERATIONS } from './tape-operations.js'

/** @typedef {import('../qkv.js').Qkv} Qkv */
/** @typedef {import('./operation.js').Operand} Operand */
/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('./norm.js').NormOptions} NormOptions */
/** @typedef {import('./elementwise.js').GeluOptions} GeluOptions */

/**
 * @template {string} Name
 * @typedef {import('./operation.js').Outs<Name>} Outs
 */
/**
 * @template {string} Name
 * @typedef {import('./operation.js').Gradients<Name>} Gradients
 */

/**
 * The gradients of attention: takes dOutput, the gradient of the output, and returns the gradients of the inputs. No L x S
 * matrix is stored. A query that sees no key, and a hidden key, get zeros. With dropout, pass the generator in the state
 * that it had before the attention.
 * @param {Qkv} qkv
 * @param {Operand} q as in attention
 * @param {Operand} k
 * @param {Operand} v
 * @param {Operand} dOutput with the dims of the output
 * @param {import('../ops/attention-options.js').AttentionOptions & Outs<'dQ' | 'dK' | 'dV' | 'dMask' | 'dBias' | 'dSinks'>} [options] those of the attention
 * @returns {import('./attention-backward.js').AttentionGradients}
 * @throws {TypeError | RangeError}
 */
export const attentionBackward = (qkv, q, k, v, dOutput, options = {}) =>
  differentiateAttention(expectCore(qkv, 'attentionBackward'), q, k, v, dOutput, options)

/**
 * The gradients of linear, from dY (..., out): of x (..., in), of the weight, (out, in) or with layout 'in,out' (in, out),
 * and of the bias: the sum of the rows of dY.
 * @type {(qkv: Qkv, x: Operand, weight: Operand, dY: Operand, options?: import('../ops/linear.js').LayoutOption & Outs<'dX' | 'dWeight' | 'dBias'>) => Gradients<'dX' | 'dWeight' | 'dBias'>}
 */
export const linearBackward = (qkv, x, weight, dY, options = {}) =>
  runGradients(qkv, 'linearBackward', OPERATIONS.linear, [x, weight], dY, options)

/** @type {(qkv: Qkv, x: Operand, weight: Operand | undefined, dY: Operand, options?: { eps?: number } & Outs<'dX' | 'dWeight' | 'dBias'>) => Gradients<'dX' | 'dWeight' | 'dBias'>} */
export const layerNormBackward = (qkv, x, weight, dY, options = {}) =>
  runGradients(qkv, 'layerNormBackward', OPERATIONS.layerNorm, [x, weight], dY, options)

/** @type {(qkv: Qkv, x: Operand, weight: Operand | undefined, dY: Operand, options?: NormOptions & Outs<'dX' | 'dWeight'>) => Gradients<'dX' | 'dWeight'>} */
export const rmsNormBackward = (qkv, x, weight, dY, options = {}) =>
  runGradients(qkv, 'rmsNormBackward', OPERATIONS.rmsNorm, [x, weight], dY, options)

/** @type {(qkv: Qkv, x: Operand, dY: Operand, options?: GeluOptions & Outs<'dX'>) => Gradients<'dX'>} */
export const geluBackward = (qkv, x, dY, options = {}) =>
  runGradients(qkv, 'geluBackward', OPERATIONS.gelu, [x], dY, options)

/** @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>} */
export const reluBackward = (qkv, x, dY, options = {}) =>
  runGradients(qkv, 'reluBackward', OPERATIONS.relu, [x], dY, options)

/** @type {(qkv: Qkv, x: Operand, dY: Operand, options?: Outs<'dX'>) => Gradients<'dX'>} */
export const siluBackward = (qkv, x, dY, options = {}) =>
  runGradients(qkv, 'siluBackward', OPERATIONS.silu, [x], dY, options)

/** dX is the gradient of the gate, or of gate and up side by side. @type {(qkv: Qkv, gate: Operand, up: Operand | undefined, dY: Operand, options?: Outs<'dX' | 'dUp'>) => Gradients<'dX'> & Partial<Gradients<'dUp'>>} */
export const swigluBackward = (qkv, gate, up, dY, options = {}) =>
  runGradients(qkv, 'swigluBackward', OPERATIONS.swiglu, [gate, up], dY, options)

/** As swigluBackward. @type {(qkv: Qkv, gate: Operand, up: Operand | undefined, dY: Operand, options?: GeluOptions & Outs<'dX' | 'dUp'>) => Gradients<'dX'> & Partial<Gradients<'dUp'>>} */
export const gegluBackward = (qkv, gate, up, dY, options = {}) =>
  runGradients(qkv, 'gegluBackward', OPERATIONS.geglu, [gate, up], dY, options)

/** @type {(qkv: Qkv, a: Operand, b: Operand, dY: Operand, options?: Outs<'dA' | 'dB'>) => Gradients<'dA' | 'dB'>} */
export const addBackward = (qkv, a, b, dY, options = {}) =>
  runGradients(qkv, 'addBackward', OPERATIONS.add, [a, b], dY, options)

/** @type {(qkv: Qkv, a: Operand, b: Operand, dY: Operand, options?: Outs<'dA' | 'dB'>) => Gradients<'dA' | 'dB'>} */
export const mulBackward = (qkv, a, b, dY, options = {}) =>
  runGradients(qkv, 'mulBackward', OPERATIONS.mul, [a, b], dY, options)

/** dX = y (dY - sum(dY y)), line by line; y is the output of softmax. @type {(qkv: Qkv, y: Operand, dY: Operand, options?: { axis?: number } & Outs<'dX'>) => Gradients<'dX'>} */
export const softmaxBackward = (qkv, y, dY, options = {}) =>
  runGradients(qkv, 'softmaxBackward', { ...OPERATIONS.softmax, operands: ['y'] }, [y], dY, options)

/** dX is dY rotated by the opposite angles; options as in qkv.rope. @type {(qkv: Qkv, dY: Operand, options?: import('../ops/rope.js').RopeOptions & Outs<'dX'>) => Gradients<'dX'>} */
export const ropeBackward = (qkv, dY, options = {}) =>
  runGradients(qkv, 'ropeBackward', { ...OPERATIONS.rope, operands: ['dY'] }, [dY], dY, options)

/** The sum of all rows, (..., C) -> (C): the gradient of a bias. @param {Qkv} qkv @param {Operand} x @param {import('../runtime/outputs.js').OutOptions} [options] @returns {FloatTensor} */
export function sumRows(qkv, x, options = {}) {
  const core = expectCore(qkv, 'sumRows')
  const given = readOptions(options, OUT_OPTIONS, 'sumRows')
  const input = toFloats(x, 'sumRows: x')
  const [C = 1] = input.dims.slice(-1)
  const rows = C && count(input.dims) / C
  const target = toTarget(given, input.dims.slice(-1), 'sumRows', [input])
  return produce(core, target, at => columnSums(core, core.toMemory(input), rows, C, { at, accumulate: 0 }))
}
