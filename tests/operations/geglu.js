// geglu: gate and up separate, and side by side.

import { ACTIVATIONS, gated } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ gate, up }, { approximate }) =>
  gated(ACTIVATIONS[approximate === 'tanh' ? 'gelu_tanh' : 'gelu'], gate, up)

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { gate: [3, 5], up: [3, 5] }, options: { approximate: 'tanh' } },
  { dims: { gate: [2, 3, 2] }, large: 10 },
]

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { gate: [70, 1100], up: [70, 1100] }, options: { approximate: 'tanh' } }
