// Squared differences: their mean, their sum, or no reduction.

import { sum } from '../formulas.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ input, target }, { reduction = 'mean' }) => {
  const squares = Array.from(input.data, (x, n) => (x - target.data[n]) ** 2)
  if (reduction === 'none') return squares
  return [sum(squares) / (reduction === 'mean' ? squares.length : 1)]
}

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { input: [3, 5], target: [3, 5] } },
  { dims: { input: [70], target: [70] }, options: { reduction: 'sum' } },
  { dims: { input: [2, 3], target: [2, 3] }, options: { reduction: 'none' }, large: 10 },
]

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { input, target }, options) => t.mseLoss(input, target, options)
