// RMS norm, with and without weight.

import { norm } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x, weight }, { eps = 2 ** -23, plusOne }) =>
  norm(x, weight, undefined, { eps, plusOne }, false)

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { x: [3, 7], weight: [7] } },
  { dims: { x: [2, 13], weight: [13] }, options: { plusOne: true, eps: 1e-6 }, large: 1e6 },
]

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { x: [70, 1100], weight: [1100] }, options: { plusOne: true } }
