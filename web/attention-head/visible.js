// Computes which keys each query of a head may attend to, from the causal mask and the keys that the reader has hidden.

/**
 * Caches the last mask, so that equal masks are the same object and the map is not repainted.
 * @type {{ key: string, visible: { data: Uint8Array, dims: readonly number[] } } | undefined}
 */
let last

/**
 * Returns a matrix of `dims` with 1 where a query may attend to a key; undefined if every query may attend to every key.
 * @param {readonly number[]} dims (queries, keys)
 * @param {boolean} isCausal
 * @param {readonly import('./head.js').HideChange[]} hidden
 */
export function visibleOf(dims, isCausal, hidden) {
  if (!isCausal && !hidden.length) return undefined
  const key = JSON.stringify([dims, isCausal, hidden])
  if (last?.key === key) return last.visible
  const [rows, columns] = dims
  const data = new Uint8Array(rows * columns).fill(1)
  if (isCausal) for (let row = 0; row < rows; row++) data.fill(0, row * columns + row + 1, (row + 1) * columns)
  for (const { query, key } of hidden) if (query < rows && key < columns) data[query * columns + key] = 0
  last = { key, visible: { data, dims } }
  return last.visible
}
