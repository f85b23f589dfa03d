// The same values under other dims.

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }) => [...x.data]

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { x: [2, 3, 5] }, options: { dims: [5, 6] } }]

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { x }, { dims }) => t.reshape(x, dims)
