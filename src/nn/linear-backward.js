// The gradients of y = x W^T + bias: dX = dY W, dW = dY^T x, dBias = the sum of the rows of dY.

import { shareOrRun } from '../ops/linear.js'

/** @typedef {import('../runtime/memory.js').Core} Core */

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
