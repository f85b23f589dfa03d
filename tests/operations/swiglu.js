// swiglu: gate and up separate, and side by side.

import { ACTIVATIONS, gated } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ gate, up }) => gated(ACTIVATIONS.silu, gate, up)

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { gate: [3, 5], up: [3, 5] } }, { dims: { gate: [3, 14] } }]

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { gate: [70, 1100] } }
