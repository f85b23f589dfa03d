// Differences; b may repeat along leading axes of a.

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ a, b }) =>
  Array.from(/** @type {number[]} */ (a.data), (x, n) => x - b.data[n % b.data.length])

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { a: [2, 3, 5], b: [2, 3, 5] } }, { dims: { a: [2, 3, 5], b: [3, 5] }, large: 10 }]

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { a: [70, 1100], b: [1100] } }
