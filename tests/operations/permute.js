// Reordered axes.

import { elements, indexIn } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }, { dims }) => {
  const order = dims.map((/** @type {number} */ axis) => (axis + x.dims.length) % x.dims.length)
  const sizes = order.map((/** @type {number} */ axis) => x.dims[axis])
  return elements(sizes).map(index => {
    const at = x.dims.map(() => 0)
    for (const [n, axis] of order.entries()) at[axis] = index[n]
    return x.data[indexIn(x.dims, at)]
  })
}

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { x: [2, 3, 4] }, options: { dims: [2, 0, 1] } },
  { dims: { x: [2, 5, 3, 20] }, options: { dims: [0, 2, 1, -1] } },
  { dims: { x: [3, 1, 2] }, options: { dims: [-1, 1, 0] } },
]

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { x }, { dims }) => t.permute(x, dims)
