// The natural logarithm.

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }) => Array.from(x.data, Math.log)

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { x: [37] } }, { dims: { x: [9] }, large: 1e5 }]

/** Makes values positive, and keeps them away from 0, where the slope is steep. */
export const domain = (/** @type {number} */ x) => Math.abs(x) + 0.1

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { x: [70, 1100] } }
