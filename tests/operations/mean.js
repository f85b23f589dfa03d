// Means over axes.

import { sumOver } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }, { dim }) => {
  const sums = sumOver(x, dim)
  return sums.map(y => (y * sums.length) / x.data.length)
}

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { x: [3, 4] } },
  { dims: { x: [3, 4, 5] }, options: { dim: -1 }, large: 1e20 },
  { dims: { x: [2, 3, 4] }, options: { dim: [2, 0], keepdim: true } },
]

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { x }, options) => t.mean(x, options)
