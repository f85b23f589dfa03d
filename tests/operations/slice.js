// A part of an axis.

import { elements, indexIn } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }, { dim: axis, from, to }) => {
  const [first, end] = [from, to ?? x.dims.at(axis)].map(i => (i < 0 ? i + x.dims.at(axis) : i))
  const n = axis < 0 ? axis + x.dims.length : axis
  return elements(
    x.dims.map((/** @type {number} */ size, /** @type {number} */ i) => (i === n ? end - first : size)),
  ).map(index => {
    index[n] += first
    return x.data[indexIn(x.dims, index)]
  })
}

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { x: [4, 3] }, options: { dim: 0, from: 1, to: 3 } },
  { dims: { x: [2, 5, 20] }, options: { dim: 1, from: -3, to: -1 } },
  { dims: { x: [2, 3, 4] }, options: { dim: -1, from: 2 } },
]

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { x }, { dim: axis, from, to }) => t.slice(x, axis, from, to)
