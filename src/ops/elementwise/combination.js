// Elementwise sums and products of two tensors: the code that add, sub and mul share.

import { expectDims } from '../../base/arguments.js'
import { count } from '../../base/tensor.js'
import { columnSums, combine, ONCE, UNIT } from '../kernels.js'

/**
 * Makes the operation a + factor * b, or a * b if `product` is 1. The dims of b are the last ones of a.
 * @param {0 | 1} product
 * @param {1 | -1} [factor]
 * @returns {import('../operation.js').Prepare}
 */
export const combination =
  (product, factor = 1) =>
  (core, operands, _, where) => {
    const [a, b] = operands
    expectDims(b, a.dims.slice(Math.max(0, a.dims.length - b.dims.length)), `${where}: b`, 'the last dims of a')
    const [n, size] = [count(a.dims), count(b.dims)]
    const repeats = size !== n
    const [C, period] = repeats ? [size, 1] : [UNIT, ONCE]
    return {
      dims: a.dims,
      gradients: { dA: a.dims, dB: b.dims },
      passes: product ? [] : repeats || factor < 0 ? [0] : [0, 1],
      run: ([a, b], y) => combine(core, { product, a, b, y, n, C, period, factor }),
      differentiate([a, b], dY, [dA, dB]) {
        if (dA) combine(core, { product: 1, a: dY, b, y: dA.at, n, C, period, accumulate: dA.accumulate })
        if (!dB) return
        const change = product ? { product, a: dY, b: a } : { product, a: 0, b: dY, factor } // dB for each value of a, not summed yet
        if (!repeats) return combine(core, { ...change, y: dB.at, n, accumulate: dB.accumulate })
        const isOwn = product || factor < 0
        const each = isOwn ? core.allocFloats(n) : dY
        if (isOwn) combine(core, { ...change, y: each, n })
        columnSums(core, each, size && n / size, size, dB)
      },
    }
  }
