// Softmax as an operation of a tape, and its gradient. qkv.softmax computes it without a gradient.

import { count } from '../../base/tensor.js'
import { launch } from '../launch.js'
import { defineOperation, gradientOf } from '../operation.js'
import { checkAxis } from './forward.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Operand } from '../operation.js' */
/** @import { OutOptions } from '../../runtime/outputs.js' */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/** Prepares the softmax y of x, and its gradient dX = y (dY - sum(dY y)), line by line. @type {import('../operation.js').Prepare} */
const prepare = (core, [{ dims }], { dim }, where) => {
  const { columns, inner, units } = checkAxis(dims, dim, where)
  const n = count(dims)
  return {
    dims,
    gradients: { dX: dims },
    run: ([x], y) => launch(core, 'qkv_softmax', [x, y, columns, inner], units, n),
    differentiate(_, dY, [dX], __, y) {
      if (dX) launch(core, 'qkv_softmax_backward', [y, dY, dX.at, columns, inner, dX.accumulate], units, 2 * n)
    },
  }
}

/**
 * Returns the softmax over one axis, by default the last.
 * @type {(qkv: Qkv, x: Operand, options?: { dim?: number } & OutOptions) => FloatTensor}
 */
export const softmax = defineOperation({
  name: 'softmax',
  operands: ['x'],
  gradientOperands: ['y'],
  options: ['dim'],
  prepare,
})

/**
 * Returns the gradient of softmax, dX = y (dY - sum(dY y)), line by line; y is the output of softmax.
 * @type {(qkv: Qkv, y: Operand, dY: Operand, options?: { dim?: number } & Outs<'dX'>) => Gradients<'dX'>}
 */
export const softmaxBackward = gradientOf(softmax)
