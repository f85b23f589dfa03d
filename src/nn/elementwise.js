// Activations, gated products, sums and products, value by value.

import { expectDims, oneOf } from '../base/arguments.js'
import { shape } from '../base/errors.js'
import { count } from '../base/tensor.js'
import { launch, UNIT } from '../ops/launch.js'
import { columnSums, multiplyAll } from './kernels.js'

/** @typedef {import('./operation.js').Operation['prepare']} Prepare */
/** @typedef {{ approximate?: 'none' | 'tanh' }} GeluOptions */

/** The activation of each operation, or of its gate: enum qkv_activation. */
const KINDS = { gelu: 1, geglu: 1, relu: 3, silu: 4, swiglu: 4 }

/** f(x), or f(x) * up for gated products: up is an operand, or the second half of each row of x. @param {keyof typeof KINDS} name @returns {Prepare} */
export const activation = name => (core, operands, options, where) => {
  const [{ dims: given }, up] = operands
  const approximate = options.approximate ?? 'none'
  const kind = KINDS[name] + Number(oneOf(approximate, ['none', 'tanh'], `${where}: approximate`) === 'tanh')
  if (up) expectDims(up, given, `${where}: up`, 'the dims of x')
  const isPacked = name.endsWith('glu') && !up
  const width = given[given.length - 1]
  if (isPacked && !(width % 2 === 0))
    throw new RangeError(`${where}: x has dims ${shape(given)}: give up, or x of (..., 2 C), gate and up side by side`)
  const C = isPacked ? width / 2 : UNIT
  const row = isPacked ? width : C
  const n = count(given) / (isPacked ? 2 : 1)
  const units = C && Math.ceil(n / C)
  return {
    dims: isPacked ? [...given.slice(0, -1), C] : given,
    gradients: { dX: given, ...(up && { dUp: given }) },
    run([x, up = 0], y) {
      launch(core, 'qkv_activate', [kind, x, isPacked ? x + C * 4 : up, y, n, C, row], units, n)
    },
    overwrites: up !== undefined, // one flag for both gradients
    differentiate([x, up = 0], dY, [toX, toUp]) {
      const dX = toX?.at ?? core.allocFloats(n)
      const dUp = up && (toUp?.at ?? core.allocFloats(n))
      const [second, dSecond] = isPacked ? [x + C * 4, dX + C * 4] : [up, dUp]
      const args = [kind, x, second, dY, dX, dSecond, n, C, row, toX?.accumulate ?? 0]
      launch(core, 'qkv_activate_backward', args, units, 2 * n)
    },
  }
}

/** a + b or a b; the dims of b are the last ones of a. @param {0 | 1} product @returns {Prepare} */
export const combination = product => (core, operands, _, where) => {
  const [a, b] = operands
  expectDims(b, a.dims.slice(Math.max(0, a.dims.length - b.dims.length)), `${where}: b`, 'the last dims of a')
  const [n, size] = [count(a.dims), count(b.dims)]
  const repeats = size < n
  const [C, period] = repeats ? [size, 1] : [UNIT, 2 ** 32 - 1]
  const units = n && Math.ceil(n / C)
  return {
    dims: a.dims,
    gradients: { dA: a.dims, dB: b.dims },
    passes: product ? [] : repeats ? [0] : [0, 1],
    run: ([a, b], y) => launch(core, 'qkv_combine', [product, a, b, y, n, C, period, 1, 0], units, 2 * n),
    differentiate([a, b], dY, [dA, dB]) {
      if (dA) launch(core, 'qkv_combine', [1, dY, b, dA.at, n, C, period, 1, dA.accumulate], units, 2 * n)
      if (!dB) return
      if (!repeats) return multiplyAll(core, dY, a, dB.at, n, dB.accumulate)
      const each = product ? core.allocFloats(n) : dY
      if (product) multiplyAll(core, dY, a, each, n)
      columnSums(core, each, size && n / size, size, dB)
    },
  }
}
