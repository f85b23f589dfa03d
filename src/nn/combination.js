// Sums and products of two tensors, value by value: what add and mul share.

import { expectDims } from '../base/arguments.js'
import { count } from '../base/tensor.js'
import { UNIT } from '../ops/launch.js'
import { columnSums, combine, multiplyAll, ONCE } from './kernels.js'

/** a + b or a b; the dims of b are the last ones of a. @param {0 | 1} product @returns {import('./operation.js').Prepare} */
export const combination = product => (core, operands, _, where) => {
  const [a, b] = operands
  expectDims(b, a.dims.slice(Math.max(0, a.dims.length - b.dims.length)), `${where}: b`, 'the last dims of a')
  const [n, size] = [count(a.dims), count(b.dims)]
  const repeats = size < n
  const [C, period] = repeats ? [size, 1] : [UNIT, ONCE]
  return {
    dims: a.dims,
    gradients: { dA: a.dims, dB: b.dims },
    passes: product ? [] : repeats ? [0] : [0, 1],
    run: ([a, b], y) => combine(core, { product, a, b, y, n, C, period }),
    differentiate([a, b], dY, [dA, dB]) {
      if (dA) combine(core, { product: 1, a: dY, b, y: dA.at, n, C, period, accumulate: dA.accumulate })
      if (!dB) return
      if (!repeats) return multiplyAll(core, dY, a, dB.at, n, dB.accumulate)
      const each = product ? core.allocFloats(n) : dY
      if (product) multiplyAll(core, dY, a, each, n)
      columnSums(core, each, size && n / size, size, dB)
    },
  }
}
