// relu.

import { ACTIVATIONS } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }) => Array.from(x.data, ACTIVATIONS.relu)

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { x: [3, 5] } }]

/** Moves values away from 0, where relu has no derivative. */
export const domain = (/** @type {number} */ x) => (Math.abs(x) < 0.01 ? 0.5 : x)

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { x: [70, 1100] } }
