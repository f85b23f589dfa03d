// gelu, by erf or by tanh.

import { ACTIVATIONS } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }, { approximate }) =>
  Array.from(x.data, ACTIVATIONS[approximate === 'tanh' ? 'gelu_tanh' : 'gelu'])

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { x: [37] } },
  { dims: { x: [5, 3] }, options: { approximate: 'tanh' } },
  { dims: { x: [9] }, large: 1e5 },
]

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { x: [70, 1100] }, options: { approximate: 'tanh' } }
