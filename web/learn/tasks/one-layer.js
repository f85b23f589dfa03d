// Two tasks that one head solves: sort (causal) and reverse (no mask).

import { permutations } from './batch.js'

/** @typedef {import('./batch.js').Batch} Batch */

/**
 * n distinct numbers below V, the separator V, then the same numbers in order; the loss is on the ordered ones.
 * @param {import('qkv').Generator} generator
 * @param {{ V: number, n: number }} sizes
 * @param {number} B
 * @returns {Batch}
 */
export function sortBatch(generator, { V, n }, B) {
  const T = 2 * n
  const ids = new Int32Array(B * T)
  const targets = new Int32Array(B * T).fill(-1)
  const sources = new Int32Array(B * T).fill(-1)
  for (const [b, order] of permutations(generator, B, V).entries()) {
    const given = order.subarray(0, n)
    const sorted = given.slice().sort()
    ids.set(given, b * T)
    ids[b * T + n] = V
    ids.set(sorted.subarray(0, n - 1), b * T + n + 1)
    for (let i = 0; i < n; i++) {
      targets[b * T + n + i] = sorted[i]
      sources[b * T + n + i] = given.indexOf(sorted[i])
    }
  }
  return { B, T, L: T, ids, targets, sources }
}

/**
 * n numbers below V; position i answers with the number at n - 1 - i.
 * @param {import('qkv').Generator} generator
 * @param {{ V: number, n: number }} sizes
 * @param {number} B
 * @returns {Batch}
 */
export function reverseBatch(generator, { V, n }, B) {
  const ids = generator.randint(0, V, [B, n]).data
  const sources = Int32Array.from(ids, (_, i) => n - 1 - (i % n))
  const targets = Int32Array.from(sources, (source, i) => ids[i - (i % n) + source])
  return { B, T: n, L: n, ids: Int32Array.from(ids), targets, sources }
}
