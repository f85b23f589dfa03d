// The gradients of y = x W^T + bias: dX = dY W, dW = dY^T x, dBias = the sum of the rows of dY.

import { expectDims } from '../base/arguments.js'
import { count, Tensor, toFloats } from '../base/tensor.js'
import { checkInput, checkWeights, shareOrRun } from '../ops/linear.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */

/**
 * @param {Core} core
 * @param {unknown} x
 * @param {unknown} weight
 * @param {unknown} dY
 */
export function differentiateLinear(core, x, weight, dY) {
  const where = 'linearBackward'
  const weights = checkWeights(weight, undefined, where)
  const { input, M, dims } = checkInput(x, weights, where)
  const upstream = toFloats(dY, `${where}: dY`)
  expectDims(upstream, dims, `${where}: dY`, '(..., out)')
  return core.scope(() => {
    core.reserve(4 * (2 * count(input.dims) + 2 * count(weights.dims) + count(dims)))
    return linearGradients(core, input, weights.weight, core.toMemory(upstream), M)
  })
}

/**
 * @param {Core} core
 * @param {FloatTensor} x (..., in)
 * @param {FloatTensor} weight (out, in)
 * @param {number} dY address of (M, out)
 * @param {number} M
 */
export function linearGradients(core, x, weight, dY, M) {
  const [N, K] = weight.dims
  return core.scope(() => {
    const [dX, dWeight, dBias] = [M * K, N * K, N].map(n => core.allocFloats(n))
    runLinearBackward(core, core.toMemory(x), core.toMemory(weight), dY, dX, dWeight, dBias, M, K, N)
    return {
      dX: new Tensor(core.copyOut(dX, M * K), [...x.dims]),
      dWeight: new Tensor(core.copyOut(dWeight, N * K), [...weight.dims]),
      dBias: new Tensor(core.copyOut(dBias, N), [N]),
    }
  })
}

/**
 * Gradients inside the module's memory, by addresses; 0: not wanted.
 * @param {Core} core
 * @param {number} x (M, K)
 * @param {number} w (N, K)
 * @param {number} dY (M, N)
 * @param {number} dX
 * @param {number} dW
 * @param {number} dBias
 * @param {number} M
 * @param {number} K
 * @param {number} N
 * @param {number} [accumulate] 1: dX, 2: dW, 4: dBias are added to what is there
 */
export function runLinearBackward(core, x, w, dY, dX, dW, dBias, M, K, N, accumulate = 0) {
  core.scope(() => {
    const args = core.copyIn(Uint32Array.of(x, w, dY, dX, dW, dBias, M, K, N, accumulate))
    const units = core.exports.qkv_linear_backward_units(args)
    const scratch = core.exports.qkv_linear_backward_scratch(args)
    shareOrRun(core, { kernel: 'qkv_linear_backward_part', args, work: 4 * M * K * N, units, scratch })
  })
}
