// Activations, other functions of one value, and gated products: the code that gelu, relu, silu, sigmoid, tanh, exp, log, swiglu and geglu
// share.

import { expectDims, oneOf } from '../../base/arguments.js'
import { shape } from '../../base/errors.js'
import { count } from '../../base/tensor.js'
import { ACTIVATION } from '../../runtime/abi.js'
import { writeStruct } from '../../runtime/structs.js'
import { UNIT } from '../kernels.js'
import { launch } from '../launch.js'
import { ACTIVATE_BACKWARD_STRUCT, ACTIVATE_STRUCT, FUNCTION } from '../nn-abi.js'

/** @import { Prepare } from '../operation.js' */
/** @typedef {{ approximate?: 'none' | 'tanh' }} GeluOptions */

const KINDS = { ...ACTIVATION, ...FUNCTION }

/**
 * Makes the operation f(x), or f(x) * up for gated products: `up` is an operand, or the second half of each row of x.
 * @param {'gelu' | 'relu' | 'silu' | keyof typeof FUNCTION} name of f
 * @param {boolean} [isGated]
 * @returns {Prepare}
 */
export const activation = (name, isGated) => (core, operands, options, where) => {
  const [{ dims: given }, up] = operands
  const approximate = options.approximate ?? 'none'
  const isTanh = oneOf(approximate, ['none', 'tanh'], `${where}: approximate`) === 'tanh'
  const kind = KINDS[isTanh ? 'gelu_tanh' : name]
  if (up) expectDims(up, given, `${where}: up`, 'the dims of gate')
  const isPacked = isGated && !up
  const width = given[given.length - 1]
  if (isPacked && !(width % 2 === 0))
    throw new RangeError(
      `${where}: gate has dims ${shape(given)}: pass up, or a gate of (..., 2 C) with up in its second half`,
    )
  const C = isPacked ? width / 2 : UNIT
  const row = isPacked ? width : C
  const n = count(given) / (isPacked ? 2 : 1)
  const units = C && Math.ceil(n / C)
  return {
    dims: isPacked ? [...given.slice(0, -1), C] : given,
    gradients: { [isGated ? 'dGate' : 'dX']: given, ...(up && { dUp: given }) },
    run([x, up = 0], y) {
      const args = writeStruct(core, ACTIVATE_STRUCT, { kind, x, up: isPacked ? x + C * 4 : up, y, n, C, row })
      launch(core, 'qkv_activate', [args], units, n)
    },
    overwrites: up !== undefined, // the kernel has one flag for both gradients
    differentiate([x, up = 0], dY, [toX, toUp]) {
      const dx = toX?.at ?? core.allocFloats(n)
      const dUp = up && (toUp?.at ?? core.allocFloats(n))
      const fields = { kind, x, up, dy: dY, dx, d_up: dUp, n, C, row, accumulate: toX?.accumulate ?? 0 }
      if (isPacked) Object.assign(fields, { up: x + C * 4, d_up: dx + C * 4 })
      launch(core, 'qkv_activate_backward', [writeStruct(core, ACTIVATE_BACKWARD_STRUCT, fields)], units, 2 * n)
    },
  }
}
