// How an operation reads its inputs and writes its output:
//
//   const x = toFloats(value, 'exp: x')                // base/operand.js: float32 with dims; the data of a resident tensor
//                                                      //   becomes a resident view, which growth cannot detach
//   const target = toTarget(options, x.dims, 'exp', [x]) // where the output goes: `out`, a resident tensor, a new array
//   return produce(core, target, y => {                // y: the address of the output
//     const from = core.toMemory(x)                    // its address; a copy if it is not resident
//     core.call('qkv_exp', from, y, count(x.dims))
//   })
//
// Everything is read and checked before `produce`; within it, memory may grow with each allocation, so addresses are
// passed on, never typed arrays. Integer operands: toTensor(ids, name, true), then core.copyIn(Int32Array).

import { expectDims, toBoolean } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { toFloats } from '../base/operand.js'
import { count, Tensor } from '../base/tensor.js'
import { ResidentTensor } from './resident.js'

/** @import { Core } from './memory.js' */
/** @import { DeferredCopies } from '../threads/pool.js' */
/** @typedef {Tensor<Float32Array>} FloatTensor */

export const OUT_OPTIONS = /** @type {const} */ (['out', 'resident'])

/**
 * @typedef {object} OutOptions
 * @property {FloatTensor} [out] receives the output and is returned; must not overlap any input
 * @property {boolean} [resident] true makes the output a new resident tensor, as of qkv.alloc; default false
 *
 * @typedef {object} Target
 * @property {readonly number[]} dims of the output
 * @property {FloatTensor} [out] as given
 * @property {FloatTensor} [to] `out` as an operand: resident if its data is in a module's memory
 * @property {boolean} [resident]
 */

/**
 * Checks that the option `out` is a float32 tensor.
 * @param {unknown} out
 * @param {string} name
 * @returns {FloatTensor} `out` as an operand
 */
export function checkOut(out, name) {
  if (!(out instanceof Tensor) || out.dtype !== 'float32')
    throw new TypeError(
      `${name}: expected a float32 tensor, got ${describe(out)}; qkv.alloc(dims), or tensor(data, dims)`,
    )
  return toFloats(out, name)
}

/**
 * Throws if an output overlaps an input.
 * @param {FloatTensor} to
 * @param {Tensor | undefined} input
 * @param {string} name
 */
export function expectApart(to, input, name) {
  if (to.isResident ? /** @type {ResidentTensor} */ (to).overlaps(input) : input && to.data === input.data)
    throw new RangeError(`${name} overlaps an input, which is read while it is written: give it separate memory`)
}

/** @param {readonly number[]} dims @returns {Target} */
export const newArray = dims => ({ dims, out: undefined, to: undefined, resident: false })

/**
 * Checks the options for the output, and returns where it goes.
 * @param {OutOptions} options
 * @param {readonly number[]} dims of the output
 * @param {string} where
 * @param {readonly (FloatTensor | undefined)[]} inputs
 * @returns {Target}
 */
export function toTarget({ out, resident = false }, dims, where, inputs) {
  toBoolean(resident, `${where}: resident`)
  if (out === undefined) return { ...newArray(dims), resident }
  if (resident) throw new TypeError(`${where}: expected either out or resident, got both; leave one out`)
  const to = checkOut(out, `${where}: out`)
  expectDims(to, dims, `${where}: out`, 'the dims of the output')
  for (const input of inputs) expectApart(to, input, `${where}: out`)
  return { dims, out, to, resident }
}

/**
 * Returns `out` after a write. Its data is read again, because the memory may have grown and detached it.
 * @param {FloatTensor} out
 * @param {FloatTensor} there the resident tensor at the same address; may be `out` itself
 */
export function renewed(out, there) {
  if (out !== there) Reflect.set(out, 'data', there.data)
  return out
}

/**
 * Makes an output array, and adds filling it with zeros to the deferred copies. So the operating system maps its pages while workers
 * compute.
 * @param {number} n
 * @param {DeferredCopies} deferredCopies
 */
export function freshOutput(n, deferredCopies) {
  const fresh = new Float32Array(n)
  deferredCopies.push([n, (from, to) => fresh.fill(0, from, to)])
  return fresh
}

/**
 * Runs `write` with the address of the output, in a scope.
 * @param {Core} core
 * @param {Target} target
 * @param {(address: number) => void} write
 * @param {DeferredCopies} [deferredCopies] copies that `write` defers; the zeros of a new output array are added to them
 * @returns {FloatTensor}
 */
export function produce(core, { dims, out, to, resident }, write, deferredCopies) {
  const made = resident ? allocate(core, dims, false) : undefined
  try {
    return core.scope(() => {
      const n = count(dims)
      const there = made ?? (to && core.residentOf(to))
      const fresh = deferredCopies && !there && !to ? freshOutput(n, deferredCopies) : undefined
      const address = there ? there.address : core.allocFloats(n)
      write(address)
      if (there) return renewed(out ?? there, there)
      const values = core.copyOut(address, n, to?.data ?? fresh)
      return out ?? new Tensor(values, [...dims])
    })
  } catch (error) {
    made?.dispose()
    throw error
  }
}

/**
 * Makes a resident tensor. The innermost qkv.scope will dispose of it.
 * @param {Core} core
 * @param {readonly number[]} dims checked
 * @param {boolean} [isZeroed]
 */
export function allocate(core, dims, isZeroed) {
  const tensor = new ResidentTensor(core, [...dims], undefined, undefined, 0, isZeroed)
  core.inScope?.add(tensor)
  return tensor
}

/**
 * Calls `run`, then disposes of the resident tensors that it allocated. A tensor stays if `run` returns it or a view of it, also in arrays
 * and plain objects, or passes one to `keep`.
 * @template T
 * @param {Core} core
 * @param {(keep: <K>(value: K) => K) => T} run
 * @returns {T}
 */
export function scope(core, run) {
  if (typeof run !== 'function') throw new TypeError(`scope: expected a function, got ${describe(run)}`)
  const outer = core.inScope
  /** @type {Set<ResidentTensor>} */
  const made = new Set()
  core.inScope = made
  /** @param {unknown} value @param {number} [depth] */
  const release = (value, depth = 0) => {
    if (value instanceof Tensor) {
      const base = value instanceof ResidentTensor && value.base
      if (base && made.delete(base)) outer?.add(base)
    } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && depth < 8)
      for (const part of Object.values(value)) release(part, depth + 1)
  }
  try {
    const result = run(value => {
      release(value)
      return value
    })
    if (result instanceof Promise)
      throw new TypeError(
        'scope: expected a synchronous function, got an async one; its tensors would be freed before it ends',
      )
    release(result)
    return result
  } finally {
    core.inScope = outer
    for (const tensor of made) tensor.dispose()
  }
}
