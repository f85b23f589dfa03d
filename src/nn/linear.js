import { expectDims } from '../base/arguments.js'
import { checkInput, checkWeights, multiply, toWeights } from '../ops/linear.js'
import { columnSums } from './kernels.js'
import { runLinearBackward } from './linear-backward.js'

/** y = x W^T + bias + residual; W (in, out) with layout 'in,out'. @type {import('./operation.js').Operation['prepare']} */
export function prepareLinear(core, operands, { layout }, where) {
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
        return runLinearBackward(core, x, w, dY, toX, toW, toBias, M, K, N, flags)
      }
      // dX = dY W^T, dW = x^T dY
      if (dX) multiply(core, dY, M, { ...toWeights(w, [K, N]), residual: dX.accumulate && dX.at }, dX.at)
      if (dW) runLinearBackward(core, dY, 0, x, 0, dW.at, 0, M, N, K, 2 * dW.accumulate)
      if (dBias) columnSums(core, dY, M, N, dBias)
    },
  }
}
