// Repeats axes of size 1.

import { elements, indexIn } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }, { dims }) => {
  const lead = dims.length - x.dims.length
  const sizes = dims.map((/** @type {number} */ n, /** @type {number} */ axis) => (n < 0 ? x.dims[axis - lead] : n))
  return elements(sizes).map(index => x.data[indexIn(x.dims, index.slice(lead))])
}

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { x: [3, 1] }, options: { dims: [2, 3, 4] } },
  { dims: { x: [2, 1, 5] }, options: { dims: [-1, 3, -1] } },
  { dims: { x: [] }, options: { dims: [3] } },
]

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { x }, { dims }) => t.expand(x, dims)
