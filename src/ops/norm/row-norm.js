// Norms of the rows of a tensor: the code that layerNorm and rmsNorm share.

import { expectDims, toBoolean, toNumber } from '../../base/arguments.js'
import { count } from '../../base/tensor.js'
import { writeStruct } from '../../runtime/structs.js'
import { columnSums } from '../kernels.js'
import { launch } from '../launch.js'
import { NORM_BACKWARD_STRUCT, NORM_STRUCT } from '../nn-abi.js'

const ROWS = 128 // rows per unit of qkv_norm_backward

/** @import { Prepared } from '../operation.js' */

/**
 * @typedef {object} NormOptions
 * @property {number} [eps] added to the variance; default 1e-5, for rmsNorm 2^-23, as in PyTorch
 * @property {boolean} [plusOne] rmsNorm only: the factor is weight + 1, as Gemma stores it; default false
 */

/** @param {0 | 1} center 1: layer norm, which subtracts the mean; 0: RMS norm @returns {import('../operation.js').Prepare} */
export const norm = center => (core, operands, options, where) => {
  const [{ dims }, weight, bias] = operands
  const C = dims.length ? dims[dims.length - 1] : 1
  if (weight) expectDims(weight, [C], `${where}: weight`, '(C), the last axis of x,')
  if (bias) expectDims(bias, [C], `${where}: bias`, '(C), the last axis of x,')
  const eps = toNumber(options.eps ?? (center ? 1e-5 : 2 ** -23), `${where}: eps`, { least: 0 })
  const shift = Number(options.plusOne !== undefined && toBoolean(options.plusOne, `${where}: plusOne`))
  const n = count(dims)
  const rows = C && n / C
  /** @type {Prepared['run']} */
  const run = ([x, weight, bias = 0], y, stats) => {
    const args = writeStruct(core, NORM_STRUCT, { x, weight, bias, y, stats, C, center, eps, shift })
    launch(core, 'qkv_norm', [args], rows, n)
  }
  return {
    dims,
    gradients: { dX: dims, dWeight: [C], ...(center && { dBias: [C] }) },
    saved: 2 * rows,
    run,
    save: (at, stats) => run(at, core.allocFloats(n), stats),
    differentiate([x, weight], dY, [dX, dWeight, dBias], stats) {
      const units = Math.ceil(rows / ROWS)
      const dx = dX ? dX.at : core.allocFloats(n)
      const sums = core.allocFloats(2 * units * C)
      const accumulate = dX?.accumulate ?? 0
      const fields = { x, weight, stats, dy: dY, dx, sums, rows, C, center, shift, accumulate }
      launch(core, 'qkv_norm_backward', [writeStruct(core, NORM_BACKWARD_STRUCT, fields)], units, 3 * n)
      if (dWeight) columnSums(core, sums, units, C, dWeight)
      if (dBias) columnSums(core, sums + units * C * 4, units, C, dBias)
    },
  }
}
