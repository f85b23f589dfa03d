// Rotary position embedding as an operation of a tape, and its gradient. qkv.rope computes it without a gradient.

import { Tensor } from '../../base/tensor.js'
import { defineOperation, gradientOf } from '../operation.js'
import { checkRope, ROPE_OPTIONS, rotate } from './forward.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Operand } from '../operation.js' */
/** @import { OutOptions } from '../../runtime/outputs.js' */
/** @import { RopeOptions } from './forward.js' */
/** @template {string} Name @typedef {import('../operation.js').Outs<Name>} Outs */
/** @template {string} Name @typedef {import('../operation.js').Gradients<Name>} Gradients */

/** Prepares the rotation of x, and its gradient: dY rotated by the opposite angles. @type {import('../operation.js').Prepare} */
const prepare = (core, [{ dims }], options) => {
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

/**
 * Rotates pairs of values of each head by an angle proportional to the position.
 * @type {(qkv: Qkv, x: Operand, options?: RopeOptions & OutOptions) => FloatTensor}
 */
export const rope = defineOperation({
  name: 'rope',
  operands: ['x'],
  gradientOperands: [],
  options: ROPE_OPTIONS,
  prepare,
})

/**
 * Returns the gradient of rope, dY rotated by the opposite angles; options as in qkv.rope.
 * @type {(qkv: Qkv, dY: Operand, options?: RopeOptions & Outs<'dX'>) => Gradients<'dX'>}
 */
export const ropeBackward = gradientOf(rope)
