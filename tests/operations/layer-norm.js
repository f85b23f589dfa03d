// Layer norm, with and without weight and bias.

import { norm } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x, weight, bias }, { eps = 1e-5 }) => norm(x, weight, bias, { eps }, true)

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { x: [3, 7], weight: [7], bias: [7] } },
  { dims: { x: [2, 3, 33] }, options: { eps: 0.1 }, large: 1e4 },
  { dims: { x: [2, 5], weight: [5] }, large: 1e-4 },
]

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { x: [70, 1100], weight: [1100], bias: [1100] } }
