// The logistic sigmoid.

import { sigmoid } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }) => Array.from(x.data, sigmoid)

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { x: [37] } }, { dims: { x: [9] }, large: 60 }]

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { x: [70, 1100] } }
