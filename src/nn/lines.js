// Softmax and rotary position embedding with their gradients.

import { count, Tensor } from '../base/tensor.js'
import { launch } from '../ops/launch.js'
import { checkRope, rotate } from '../ops/rope.js'
import { checkAxis } from '../ops/softmax.js'

/** @typedef {import('./operation.js').Operation['prepare']} Prepare */

/** dX = y (dY - sum(dY y)), line by line. @type {Prepare} */
export const prepareSoftmax = (core, [{ dims }], { axis }, where) => {
  const { columns, inner, units } = checkAxis(dims, axis, where)
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

/** The gradient turns the other way. @type {Prepare} */
export const prepareRope = (core, [{ dims }], options) => {
  const turn = checkRope(dims, options)
  const { data } = turn.sin
  const sin = new Tensor(
    data.map(x => -x),
    turn.sin.dims,
  )
  return {
    dims,
    gradients: { dX: dims },
    run: ([x], y) => rotate(core, turn, x, y),
    overwrites: true,
    differentiate: (_, dY, [dX]) => dX && rotate(core, { ...turn, sin }, dY, dX.at),
  }
}
