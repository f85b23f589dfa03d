// Rows divided by their lengths.

import { rows, sum } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }) =>
  rows(x).flatMap(row => {
    const length = Math.sqrt(sum(row.map(value => value ** 2)))
    return row.map(value => value / Math.max(length, 1e-12))
  })

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { x: [3, 7] } }, { dims: { x: [2, 3, 33] }, large: 1e6 }, { dims: { x: [5] } }]

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { x: [70, 1100] } }
