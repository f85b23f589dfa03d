// Softmax and rotary position embedding with their gradients.

import { count, Tensor } from '../base/tensor.js'
import { launch } from '../ops/launch.js'
import { prepareRope, rotate } from '../ops/rope.js'
import { checkAxis } from '../ops/softmax.js'

/** @typedef {import('./operation.js').Operation['check']} Check */

/** dX = y (dY - sum(dY y)), line by line. @type {Check} */
export const softmax = (core, [{ dims }], { axis }, where) => {
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

/** The gradient turns the other way. @type {Check} */
export const rope = (core, [{ dims }], options) => {
  const prepared = prepareRope(dims, options)
  const { data } = prepared.sin
  const sin = new Tensor(
    data.map(x => -x),
    prepared.sin.dims,
  )
  return {
    dims,
    gradients: { dX: dims },
    run: ([x], y) => rotate(core, prepared, x, y),
    overwrites: true,
    differentiate: (_, dY, [dX]) => dX && rotate(core, { ...prepared, sin }, dY, dX.at),
  }
}
