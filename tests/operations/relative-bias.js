// A bias of scores that depends on the distance of the key from the query.

/** @param {Record<string, any>} inputs @param {Record<string, any>} options @returns {number[]} */
export function reference({ table }, { L, S }) {
  const [H, T] = table.dims
  return Array.from({ length: H * L * S }, (_, n) => {
    const [h, i, j] = [Math.floor(n / (L * S)), Math.floor(n / S) % L, n % S]
    return table.data[h * T + Math.min(T - 1, Math.max(0, i - j))]
  })
}

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { table: [2, 3] }, options: { L: 3, S: 5 } }]

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { table }, { L, S }) => t.relativeBias(table, L, S)
