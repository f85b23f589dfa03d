// The sum of the rows of a tensor.

import { readOptions } from '../../base/arguments.js'
import { toFloats } from '../../base/operand.js'
import { count } from '../../base/tensor.js'
import { expectCore } from '../../runtime/core-of.js'
import { OUT_OPTIONS, produce, toTarget } from '../../runtime/outputs.js'
import { columnSums } from '../kernels.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Operand } from '../operation.js' */

/**
 * Returns the sum of all rows, (..., C) -> (C), which is the gradient of a bias.
 * @param {Qkv} qkv
 * @param {Operand} x
 * @param {import('../../runtime/outputs.js').OutOptions} [options]
 * @returns {FloatTensor}
 */
export function sumRows(qkv, x, options = {}) {
  const core = expectCore(qkv, 'sumRows')
  const given = readOptions(options, OUT_OPTIONS, 'sumRows')
  const input = toFloats(x, 'sumRows: x')
  const [C = 1] = input.dims.slice(-1)
  const rows = C && count(input.dims) / C
  const target = toTarget(given, input.dims.slice(-1), 'sumRows', [input])
  return produce(core, target, at => columnSums(core, core.toMemory(input), rows, C, { at, accumulate: 0 }))
}
