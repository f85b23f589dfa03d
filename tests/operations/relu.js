// relu.

import { ACTIVATIONS } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }) => Array.from(x.data, ACTIVATIONS.relu)

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { x: [3, 5] } }]

/** There is no derivative at 0, so values near it are moved away. */
export const domain = (/** @type {number} */ x) => (Math.abs(x) < 0.01 ? 0.5 : x)

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { x: [70, 1100] } }
