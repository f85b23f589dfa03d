import { toNumber } from '../base/arguments.js'
import { count } from '../base/tensor.js'
import { multiplyAll } from './kernels.js'

/** Draws the factors 0 and 1 / (1 - p) in each step and saves them for the gradient. @type {import('./operation.js').Operation['prepare']} */
export const prepareDropout = (core, operands, options, where) => {
  const [{ dims }] = operands
  const p = toNumber(options.p, `${where}: p`, { least: 0, most: 1 })
  const n = count(dims)
  return {
    dims,
    saved: n,
    run([x], y, factors, /** @type {import('../ops/random-stream.js').RandomStream} */ generator) {
      generator.withState(core, state => core.call('qkv_dropout', state, 0, factors, n, p))
      multiplyAll(core, x, factors, y, n)
    },
    differentiate: (_, dY, [dX], factors) => dX && multiplyAll(core, dY, factors, dX.at, n, dX.accumulate),
  }
}
