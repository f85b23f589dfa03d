// Sums over axes.

import { sumOver } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }, { dim }) => sumOver(x, dim)

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { x: [3, 4] } },
  { dims: { x: [3, 4, 5] }, options: { dim: 1 } },
  { dims: { x: [2, 3, 4] }, options: { dim: [0, -1], keepdim: true } },
  { dims: { x: [2, 3, 4] }, options: { dim: [] } },
  { dims: { x: [] }, options: { dim: -1 } },
]

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { x }, options) => t.sum(x, options)
