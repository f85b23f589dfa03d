// Tape operations that reduce: sum, mean and mean squared error.

import { expectDims, oneOf, toBoolean } from '../base/arguments.js'
import { count, Tensor } from '../base/tensor.js'
import { addAll, combine, multiplyAll } from '../ops/kernels.js'
import { toOperation } from '../ops/operation.js'
import { toAxis, toList } from './rearrange.js'
import { stepsOf, sumTo, transfer } from './strided.js'

/** @import { Operation } from '../ops/operation.js' */

/**
 * @typedef {object} ReduceOptions
 * @property {number | readonly number[]} [dim] axes to reduce; negative: from the end; default all
 * @property {boolean} [keepdim] true keeps the reduced axes with size 1; default false
 */

/** Implements sum or mean over axes, accumulated in float64. @param {boolean} isMean @returns {Operation} */
const reduction = isMean =>
  toOperation(['x'], {
    options: ['dim', 'keepdim'],
    prepare(core, [x], { dim, keepdim = false }, where) {
      /** @type {readonly number[]} */
      const given = x.dims
      const list = dim instanceof Tensor ? toList(dim, `${where}: dim`) : dim === undefined ? [] : [dim]
      const axes = Array.from(list.length ? list : given.keys(), n => toAxis(n, given, `${where}: dim`))
      if (new Set(axes).size !== axes.length)
        throw new RangeError(`${where}: dim: expected each axis once, got ${axes.join(', ')}`)
      const left = given.map((n, axis) => (axes.includes(axis) ? 1 : n))
      const steps = stepsOf(left).map((step, axis) => (axes.includes(axis) ? 0 : step))
      const rows = stepsOf(given)
      const n = count(left)
      const factor = isMean ? n / count(given) : 1
      const isKept = toBoolean(keepdim, `${where}: keepdim`)
      return {
        dims: isKept ? left : left.filter((_, axis) => !axes.includes(axis)),
        gradients: { dX: given },
        run([x], y) {
          const data = core.floats
          sumTo(given, { data, at: x / 4, steps: rows }, steps, n, data, { at: y, accumulate: 0 }, factor)
        },
        differentiate(_, dY, [dX]) {
          if (!dX) return
          const data = core.floats
          const target = { data, at: dX.at / 4, steps: rows }
          transfer(given, { data, at: dY / 4, steps }, target, { factor, accumulate: dX.accumulate })
        },
      }
    },
  })

export const sum = reduction(false)
export const mean = reduction(true)

/** Implements torch.nn.functional.mse_loss. The differences are saved for the gradient. @type {Operation} */
export const mseLoss = toOperation(['input', 'target'], {
  options: ['reduction'],
  prepare(core, [{ dims }, target], { reduction = 'mean' }, where) {
    expectDims(target, dims, `${where}: target`, 'the dims of input')
    const kind = oneOf(reduction, ['mean', 'sum', 'none'], `${where}: reduction`)
    const n = count(dims)
    const factor = kind === 'mean' ? 1 / n : 1
    return {
      dims: kind === 'none' ? dims : [],
      gradients: { dInput: dims, dTarget: dims },
      saved: n,
      run([input, target], y, differences) {
        addAll(core, input, target, differences, n, -1)
        if (kind === 'none') return multiplyAll(core, differences, differences, y, n)
        const { floats } = core
        let total = 0
        for (let i = differences / 4, end = i + n; i < end; i++) total += floats[i] * floats[i]
        floats[y / 4] = kind === 'mean' ? total / n : total
      },
      differentiate(_, dY, slots, differences) {
        let change = differences // times `scale`, this is the gradient of the input
        let scale = 2 * factor
        if (kind === 'none') {
          change = core.allocFloats(n)
          multiplyAll(core, differences, dY, change, n)
        } else scale *= core.floats[dY / 4]
        for (const [i, slot] of slots.entries())
          if (slot) {
            const { at: y, accumulate } = slot
            combine(core, { product: 0, a: 0, b: change, y, n, factor: i ? -scale : scale, accumulate })
          }
      },
    }
  },
})
