// Induction: somewhere a segment of tokens stands, later it stands again; its second half is predictable from the first.

import { below, permutations } from './batch.js'

/** @typedef {import('./batch.js').Batch} Batch */

/** Lengths of the segment. */
const LENGTHS = { train: [4, 5, 6, 9, 10, 11], heldOut: [7, 8] }

/**
 * T + 1 tokens, of which the first T are the input. A permutation of the vocabulary gives a segment of n tokens, which
 * starts at a and again at b; all other tokens come from the rest of the permutation. Targets are the segment's second
 * occurrence but for its first token.
 * @param {import('qkv').Generator} generator
 * @param {{ V: number, T: number }} sizes vocabulary, length of the input
 * @param {number} B
 * @param {import('./batch.js').Split} split
 * @returns {Batch}
 */
export function inductionBatch(generator, { V, T }, B, split) {
  const lengths = LENGTHS[split].filter(n => 2 * n <= T + 1 && n < V)
  const n = Array.from(generator.randint(0, lengths.length, [B]).data, i => lengths[i])
  const orders = permutations(generator, B, V)
  const a = below(generator.rand([B]).data, b => T + 2 - 2 * n[b])
  const gap = below(generator.rand([B]).data, b => T + 2 - a[b] - 2 * n[b])
  const background = below(generator.rand([B, T + 1]).data, i => V - n[Math.floor(i / (T + 1))])
  const ids = new Int32Array(B * T)
  const targets = new Int32Array(B * T).fill(-1)
  const sources = new Int32Array(B * T).fill(-1)
  for (let b = 0; b < B; b++) {
    const second = a[b] + n[b] + gap[b]
    const token = (/** @type {number} */ t) => {
      for (const start of [a[b], second]) if (t >= start && t < start + n[b]) return orders[b][t - start]
      return orders[b][n[b] + background[b * (T + 1) + t]]
    }
    for (let t = 0; t < T; t++) {
      ids[b * T + t] = token(t)
      if (t + 1 <= second || t + 1 >= second + n[b]) continue
      targets[b * T + t] = token(t + 1)
      sources[b * T + t] = t + 1 - second + a[b]
    }
  }
  return { B, T, L: T, ids, targets, sources }
}
