// A linear layer as an operation of a tape, and its gradients: dX = dY W, dW = dY^T x, dBias = the column sums of dY. qkv.linear computes
// it without gradients.

import { expectDims } from '../../base/arguments.js'
import { columnSums } from '../kernels.js'
import { defineOperation, gradientOf } from '../operation.js'
import { checkInput, checkWeights, multiply, shareOrRun, toWeights } from './forward.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Operand } from '../operation.js' */
/** @import { OutOptions } from '../../runtime/outputs.js' */
/** @import { Core } from '../../runtime/memory.js' */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/**
 * Computes the gradients of y = x W^T + bias inside the module's memory.
 * @param {Core} core
 * @param {object} operands addresses; 0 for gradients that are not needed
 * @param {number} operands.x (M, K)
 * @param {number} operands.w (N, K)
 * @param {number} operands.dY (M, N)
 * @param {number} operands.dX
 * @param {number} operands.dW
 * @param {number} operands.dBias
 * @param {readonly [M: number, K: number, N: number]} sizes
 * @param {number} [accumulate] bit mask of gradients that are added to the present values: 1 dX, 2 dW, 4 dBias
 */
export function runLinearBackward(core, { x, w, dY, dX, dW, dBias }, [M, K, N], accumulate = 0) {
  core.scope(() => {
    const args = core.copyIn(Uint32Array.of(x, w, dY, dX, dW, dBias, M, K, N, accumulate))
    const units = core.exports.qkv_linear_backward_units(args)
    const scratch = core.exports.qkv_linear_backward_scratch(args)
    shareOrRun(core, { kernel: 'qkv_linear_backward_part', args, work: 4 * M * K * N, units, scratch })
  })
}

/** Prepares y = x W^T + bias + residual; W is (in, out) with layout 'in,out'. @type {import('../operation.js').Prepare} */
function prepare(core, operands, { layout }, where) {
  const [x, weight, bias, residual] = operands
  const weights = checkWeights(weight, bias, where, layout)
  const { isTransposed } = weights
  const [N, K] = weights.dims
  const { M, dims } = checkInput(x, weights, where)
  if (residual) expectDims(residual, dims, `${where}: residual`, 'the dims of the output')
  return {
    dims,
    gradients: { dX: x.dims, dWeight: weight.dims, dBias: [N] },
    passes: residual && [3],
    run([x, weight, , residual], y) {
      multiply(core, x, M, { ...weights, weight, residual }, y)
    },
    differentiate([x, w], dY, [dX, dW, dBias]) {
      if (!isTransposed) {
        const [toX, toW, toBias] = [dX, dW, dBias].map(slot => slot?.at ?? 0)
        const flags = [dX, dW, dBias].reduce((sum, slot, i) => sum + (slot?.accumulate ?? 0) * 2 ** i, 0)
        return runLinearBackward(core, { x, w, dY, dX: toX, dW: toW, dBias: toBias }, [M, K, N], flags)
      }
      // layout 'in,out': dX = dY W^T, dW = x^T dY
      if (dX) multiply(core, dY, M, { ...toWeights(w, [K, N]), residual: dX.accumulate && dX.at }, dX.at)
      if (dW) {
        const swapped = { x: dY, w: 0, dY: x, dX: 0, dW: dW.at, dBias: 0 }
        runLinearBackward(core, swapped, [M, N, K], 2 * dW.accumulate)
      }
      if (dBias) columnSums(core, dY, M, N, dBias)
    },
  }
}

/**
 * Returns x W^T + bias + residual; with layout 'in,out' the weight is (in, out).
 * @type {(qkv: Qkv, x: Operand, weight: Operand, bias?: Operand, residual?: Operand, options?: import('./forward.js').LayoutOption & OutOptions) => FloatTensor}
 */
export const linear = defineOperation({
  name: 'linear',
  operands: ['x', 'weight', 'bias?', 'residual?'],
  gradientOperands: ['x', 'weight'],
  options: ['layout'],
  prepare,
})

/**
 * Returns the gradients of linear for dY (..., out). dWeight has the dims of the weight; dBias is the sum of the rows of dY.
 * @type {(qkv: Qkv, x: Operand, weight: Operand, dY: Operand, options?: import('./forward.js').LayoutOption & Outs<'dX' | 'dWeight' | 'dBias'>) => Gradients<'dX' | 'dWeight' | 'dBias'>}
 */
export const linearBackward = gradientOf(linear)
