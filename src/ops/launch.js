import { count } from '../base/tensor.js'
import { expectApart, produce, toTarget } from '../runtime/outputs.js'

/** @import { Core } from '../runtime/memory.js' */
/** @import { OutOptions } from '../runtime/outputs.js' */
/** @typedef {import('../base/tensor.js').Tensor<Float32Array>} FloatTensor */

const WORK = 32 // multiplications that take as long as reading and writing one value
const CHUNK = 2e6 // operations per chunk of units; shorter streams of memory are a third slower (measured)

/**
 * Runs a kernel whose last arguments are `first` and `count` of its units, on all threads if there is enough work. Must be called within a
 * scope.
 * @param {Core} core
 * @param {string} kernel
 * @param {number[]} args the kernel's arguments before `first` and `count`
 * @param {number} units
 * @param {number} n number of values that the kernel reads or writes
 * @param {boolean} [isEven] true if each thread takes one contiguous share, because adjacent units read the same rows
 */
export function launch(core, kernel, args, units, n, isEven) {
  if (core.threads?.run(core, { kernel, args, work: WORK * n, units, scratch: 0, chunk: isEven ? Infinity : CHUNK }))
    return
  core.check(kernel, core.exports[kernel](...args, 0, units))
}

/**
 * Returns the target of an operation that may overwrite an input: `out` must be an input itself, or not overlap any.
 * @param {OutOptions} options
 * @param {readonly number[]} dims
 * @param {string} where
 * @param {readonly (FloatTensor | undefined)[]} inputs
 */
export function toTargetInPlace(options, dims, where, inputs) {
  const target = toTarget(options, dims, where, [])
  /** @type {(FloatTensor & { address?: number }) | undefined} */
  const to = target.to
  for (const input of inputs) {
    /** @type {(FloatTensor & { address?: number }) | undefined} */
    const x = input
    const isSame = to?.isResident && x?.isResident && to.address === x.address && count(x.dims) === count(dims)
    if (to?.isResident && x?.isResident && !isSame) expectApart(to, x, `${where}: out`)
  }
  return target
}

/**
 * Runs a kernel whose output has the dims of its only input.
 * @param {Core} core
 * @param {FloatTensor} x
 * @param {OutOptions} options
 * @param {string} where
 * @param {(from: number, to: number) => void} kernel gets the addresses of x and of the output
 */
export function mapValues(core, x, options, where, kernel) {
  const target = toTarget(options, x.dims, where, [x])
  return produce(core, target, y => kernel(core.toMemory(x, undefined, y), y))
}
