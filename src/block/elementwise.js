import { expectDims, oneOf, readOptions } from '../base/arguments.js'
import { shape } from '../base/errors.js'
import { count, toFloats } from '../base/tensor.js'
import { launch, toTargetInPlace, UNIT } from '../ops/launch.js'
import { OUT_OPTIONS, produce } from '../runtime/outputs.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../runtime/outputs.js').OutOptions} OutOptions */
/** @typedef {import('../base/tensor.js').Tensor<Float32Array>} FloatTensor */

/** Of the operation, or of its gate: enum qkv_activation. */
const KINDS = { gelu: 1, geglu: 1, relu: 3, silu: 4, swiglu: 4 }
/** @typedef {keyof typeof KINDS} Activation */
/** @typedef {{ approximate?: 'none' | 'tanh' }} GeluOptions */

/**
 * x, or what is gated by it: `up` beside it, or the second half of each of its rows.
 * @param {unknown} x
 * @param {unknown} up
 * @param {GeluOptions & OutOptions} options
 * @param {Activation} name
 * @param {string} where
 * @param {readonly string[]} known
 */
export function checkActivation(x, up, options, name, where, known) {
  const isGelu = KINDS[name] === 1
  const isGated = name.endsWith('glu')
  const given = readOptions(options, [...(isGelu ? ['approximate'] : []), ...known], where)
  const input = toFloats(x, `${where}: x`)
  const second = up === undefined ? undefined : toFloats(up, `${where}: up`)
  if (second) expectDims(second, input.dims, `${where}: up`, 'the dims of x')
  const isPacked = isGated && !second
  const width = input.dims[input.dims.length - 1]
  if (isPacked && !(width % 2 === 0))
    throw new RangeError(
      `${where}: x has dims ${shape(input.dims)}: give up, or x of (..., 2 C), gate and up side by side`,
    )
  const approximate = isGelu && oneOf(given.approximate ?? 'none', ['none', 'tanh'], `${where}: approximate`)
  const kind = KINDS[name] + Number(approximate === 'tanh')
  const C = isPacked ? width / 2 : UNIT
  const n = count(input.dims) / (isPacked ? 2 : 1)
  const dims = isPacked ? [...input.dims.slice(0, -1), C] : input.dims
  return { input, second, kind, dims, n, C, row: isPacked ? width : C, units: C && Math.ceil(n / C), isPacked, given }
}

/**
 * @param {Core} core
 * @param {unknown} x
 * @param {unknown} up of gated products only
 * @param {GeluOptions & OutOptions} options
 * @param {Activation} name
 */
export function activate(core, x, up, options, name) {
  const checked = checkActivation(x, up, options, name, name, OUT_OPTIONS)
  const { input, second, kind, dims, n, C, row, units, isPacked, given } = checked
  return produce(core, toTargetInPlace(given, dims, name, [input, second]), y => {
    const from = core.toMemory(input)
    const gated = second ? core.toMemory(second) : isPacked ? from + C * 4 : 0
    launch(core, 'qkv_activate', [kind, from, gated, y, n, C, row], units, n)
  })
}

/**
 * How b repeats along a: its dims are the last ones of a.
 * @param {readonly number[]} dims of a
 * @param {FloatTensor} b
 * @param {string} where
 */
export function checkRepeat(dims, b, where) {
  expectDims(b, dims.slice(Math.max(0, dims.length - b.dims.length)), `${where}: b`, 'the last dims of a')
  const n = count(dims)
  const size = count(b.dims)
  const isWhole = size === n
  const C = isWhole ? UNIT : size
  return { n, size, C, period: isWhole ? 2 ** 32 - 1 : 1, units: n && Math.ceil(n / C) }
}

/**
 * @param {Core} core
 * @param {unknown} a
 * @param {unknown} b
 * @param {OutOptions} options
 * @param {'add' | 'mul'} where
 */
export function combine(core, a, b, options, where) {
  options = readOptions(options, OUT_OPTIONS, where)
  const left = toFloats(a, `${where}: a`)
  const right = toFloats(b, `${where}: b`)
  const { n, C, period, units } = checkRepeat(left.dims, right, where)
  return produce(core, toTargetInPlace(options, left.dims, where, [left, right]), y => {
    const args = [Number(where === 'mul'), core.toMemory(left), core.toMemory(right), y, n, C, period, 1, 0]
    launch(core, 'qkv_combine', args, units, n)
  })
}
