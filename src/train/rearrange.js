// Tape operations that only move values: permute, slice, expand and cat.

import { toNumber } from '../base/arguments.js'
import { describe, shape } from '../base/errors.js'
import { checkDims, count, Tensor } from '../base/tensor.js'
import { toOperation } from '../ops/operation.js'
import { stepsOf, sumTo, transfer } from './strided.js'

/** @import { Core } from '../runtime/memory.js' */
/** @import { Operation } from '../ops/operation.js' */

/** Returns the index of an axis; a negative `dim` counts from the end. @param {unknown} dim @param {readonly number[]} dims @param {string} name */
export function toAxis(dim, dims, name) {
  const rank = Math.max(1, dims.length)
  const n = toNumber(dim, name, { least: -rank, most: rank - 1, whole: true })
  return n < 0 ? n + rank : n
}

/** Reads a list of numbers, which the tape has converted to a tensor. @param {unknown} value @param {string} name @returns {number[]} */
export function toList(value, name) {
  if (!(value instanceof Tensor && value.dims.length === 1))
    throw new TypeError(`${name}: expected an array of numbers, got ${describe(value)}`)
  return Array.from(value.data)
}

/**
 * Prepares an operation whose output is a strided view of x, copied.
 * @param {Core} core
 * @param {readonly number[]} given dims of x
 * @param {readonly number[]} dims of the output
 * @param {readonly number[]} steps for each axis of the output, its stride in x
 * @param {number} [at] index in x of the first value of the output
 * @returns {import('../ops/operation.js').Prepared}
 */
function readFrom(core, given, dims, steps, at = 0) {
  const rows = stepsOf(dims)
  const [n, size] = [count(dims), count(given)]
  const repeats = steps.some((step, axis) => step === 0 && dims[axis] !== 1)
  return {
    dims,
    gradients: { dX: given },
    run([x], y) {
      const data = core.floats
      transfer(dims, { data, at: x / 4 + at, steps }, { data, at: y / 4, steps: rows })
    },
    differentiate(_, dY, [dX]) {
      if (!dX) return
      const data = core.floats
      const source = { data, at: dY / 4, steps: rows }
      if (repeats) return sumTo(dims, source, steps, size, data, dX)
      if (!dX.accumulate && n < size) data.fill(0, dX.at / 4, dX.at / 4 + size)
      transfer(dims, source, { data, at: dX.at / 4 + at, steps }, { accumulate: dX.accumulate })
    },
  }
}

/** Implements torch.Tensor.permute. @type {Operation} */
export const permute = toOperation(['x'], {
  options: ['dims'],
  prepare(core, [{ dims: given }], { dims: order }, where) {
    const axes = toList(order, `${where}: dims`).map((dim, n) => toAxis(dim, given, `${where}: dims[${n}]`))
    if (axes.length !== given.length || new Set(axes).size !== axes.length)
      throw new RangeError(`${where}: dims ${shape(axes)} are no order of the ${given.length} axes of ${shape(given)}`)
    const steps = stepsOf(given)
    return readFrom(
      core,
      given,
      axes.map(axis => given[axis]),
      axes.map(axis => steps[axis]),
    )
  },
})

/** Implements slice, a range of one axis, like x[:, from:to] in PyTorch. @type {Operation} */
export const slice = toOperation(['x'], {
  options: ['dim', 'from', 'to'],
  prepare(core, [x], { dim, from, to }, where) {
    /** @type {readonly number[]} */
    const given = x.dims
    if (!given.length) throw new RangeError(`${where}: x has no axes`)
    const axis = toAxis(dim, given, `${where}: dim`)
    const size = given[axis]
    const [first, end] = [from, to ?? size].map((i, n) => {
      const index = toNumber(i, `${where}: ${n ? 'to' : 'from'}`, { whole: true })
      return index < 0 ? Math.max(0, index + size) : Math.min(index, size)
    })
    if (end < first) throw new RangeError(`${where}: from ${from} to ${to} of ${size}: from is after to`)
    const steps = stepsOf(given)
    const dims = given.map((n, i) => (i === axis ? end - first : n))
    return readFrom(core, given, dims, steps, first * steps[axis])
  },
})

/**
 * Returns the sizes and the strides of x expanded to `dims`. -1 keeps the size of an axis. Axes that x lacks come first. An axis of size 1
 * is repeated.
 * @param {readonly number[]} given dims of x
 * @param {readonly number[]} dims
 * @param {string} where
 */
function expandedSteps(given, dims, where) {
  const lead = dims.length - given.length
  const sizes = dims.map((n, axis) => (n === -1 && axis >= lead ? given[axis - lead] : n))
  checkDims(sizes, where)
  const own = stepsOf(given)
  const fits = lead >= 0 && given.every((n, axis) => n === 1 || n === sizes[axis + lead])
  if (!fits) throw new RangeError(`${where}: x of dims ${shape(given)} cannot be expanded to ${shape(sizes)}`)
  return { sizes, steps: sizes.map((_, axis) => (axis < lead || given[axis - lead] === 1 ? 0 : own[axis - lead])) }
}

/** Implements torch.Tensor.expand, as a copy. @type {Operation} */
export const expand = toOperation(['x'], {
  options: ['dims'],
  prepare(core, [{ dims: given }], { dims }, where) {
    const { sizes, steps } = expandedSteps(given, toList(dims, `${where}: dims`), where)
    return readFrom(core, given, sizes, steps)
  },
})

/**
 * Returns the dims to which PyTorch broadcasts tensors of dims a and b. Axes are matched from the last one on; an axis of size 1 is
 * repeated.
 * @param {readonly number[]} a
 * @param {readonly number[]} b
 * @param {string} where
 */
export function broadcastDims(a, b, where) {
  const rank = Math.max(a.length, b.length)
  return Array.from({ length: rank }, (_, axis) => {
    const [m = 1, n = 1] = [a, b].map(dims => dims[axis - rank + dims.length])
    if (m !== n && m !== 1 && n !== 1)
      throw new RangeError(
        `${where}: expected a and b with equal axes, or axes of 1, got dims ${shape(a)} and ${shape(b)}`,
      )
    return m === 1 ? n : m
  })
}

/** Implements torch.cat of `length` tensors. @param {number} length @returns {Operation} */
export const cat = length => {
  const names = Array.from({ length }, (_, n) => `tensors[${n}]`)
  return toOperation(names, {
    options: ['dim'],
    prepare(core, operands, { dim }, where) {
      /** @type {readonly number[]} */
      const first = operands[0].dims
      if (!first.length) throw new RangeError(`${where}: tensors[0] has no axes`)
      const axis = toAxis(dim, first, `${where}: dim`)
      for (const [n, { dims }] of operands.entries())
        if (dims.length !== first.length || first.some((size, i) => i !== axis && size !== dims[i]))
          throw new RangeError(
            `${where}: ${names[n]}: expected the dims of tensors[0], ${shape(first)}, except on axis ${axis}, got ${shape(dims)}`,
          )
      const total = operands.reduce((sum, { dims }) => sum + dims[axis], 0)
      const dims = checkDims(
        first.map((size, i) => (i === axis ? total : size)),
        where,
      )
      const steps = stepsOf(dims)
      let start = 0
      const parts = operands.map(({ dims }, n) => {
        const at = start * steps[axis]
        start += dims[axis]
        return { name: names[n], dims, at, rows: stepsOf(dims) }
      })
      return {
        dims,
        gradients: Object.fromEntries(parts.map(({ name, dims }) => [name, dims])),
        run(from, y) {
          const data = core.floats
          for (const [n, { dims, at, rows }] of parts.entries())
            transfer(dims, { data, at: from[n] / 4, steps: rows }, { data, at: y / 4 + at, steps })
        },
        differentiate(_, dY, to) {
          const data = core.floats
          for (const [n, { dims, at, rows }] of parts.entries()) {
            const slot = to[n]
            if (!slot) continue
            const target = { data, at: slot.at / 4, steps: rows }
            transfer(dims, { data, at: dY / 4 + at, steps }, target, { accumulate: slot.accumulate })
          }
        },
      }
    },
  })
}

/** @param {unknown} list @param {string} name @returns {readonly any[]} */
export function expectList(list, name) {
  if (!Array.isArray(list) || !list.length)
    throw new TypeError(`${name}: expected an array with at least one of them, got ${describe(list)}`)
  return Array.from(list)
}
