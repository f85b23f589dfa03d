// Two tasks that one head solves: sort (causal) and reverse (no mask). Some lengths are never trained.

import { permutations } from './batch.js'

/** @typedef {import('./batch.js').Batch} Batch */
/** @typedef {import('./batch.js').Split} Split */
/** How many numbers a sequence has, drawn from these. @typedef {Record<Split, number[]>} Lengths */

/** @param {number} T @returns {Lengths} */
export const sortLengths = T => ({
  train: [0, 1, 3, 4].map(less => T / 2 - less).filter(n => n > 1),
  heldOut: [T / 2 - 2],
})

/** The longest twice: only it shows the outer places. @param {number} T @returns {Lengths} */
export const reverseLengths = T => ({ train: [T, T, T - 4], heldOut: [T - 2] })

/** @param {import('qkv').Generator} generator @param {readonly number[]} lengths @param {number} B */
const drawLengths = (generator, lengths, B) =>
  Array.from(generator.randint(0, lengths.length, [B]).data, i => lengths[i])

/**
 * n distinct numbers below V, the separator V, then the same numbers in order; the loss is on the ordered ones. The
 * separator also fills the rest.
 * @param {import('qkv').Generator} generator
 * @param {{ V: number, T: number }} sizes
 * @param {number} B
 * @param {Split} split
 * @returns {Batch}
 */
export function sortBatch(generator, { V, T }, B, split) {
  const lengths = drawLengths(generator, sortLengths(T)[split], B)
  const ids = new Int32Array(B * T).fill(V)
  const targets = new Int32Array(B * T).fill(-1)
  const sources = new Int32Array(B * T).fill(-1)
  for (const [b, order] of permutations(generator, B, V).entries()) {
    const n = lengths[b]
    const given = order.subarray(0, n)
    const sorted = given.slice().sort()
    ids.set(given, b * T)
    ids.set(sorted.subarray(0, n - 1), b * T + n + 1)
    for (let i = 0; i < n; i++) {
      targets[b * T + n + i] = sorted[i]
      sources[b * T + n + i] = given.indexOf(sorted[i])
    }
  }
  return { B, T, L: T, ids, targets, sources }
}

/**
 * n numbers below V in the middle of T places, the blank V around them. Each has to answer with the number at the opposite
 * end: of place i, that at T - 1 - i.
 * @param {import('qkv').Generator} generator
 * @param {{ V: number, T: number }} sizes
 * @param {number} B
 * @param {Split} split
 * @returns {Batch}
 */
export function reverseBatch(generator, { V, T }, B, split) {
  const lengths = drawLengths(generator, reverseLengths(T)[split], B)
  const numbers = generator.randint(0, V, [B, T]).data
  const isNumber = (/** @type {number} */ at) => Math.abs(2 * (at % T) - T + 1) < lengths[Math.floor(at / T)]
  const opposite = (/** @type {number} */ at) => at - (at % T) + T - 1 - (at % T)
  const ids = Int32Array.from(numbers, (number, at) => (isNumber(at) ? number : V))
  const targets = Int32Array.from(numbers, (_, at) => (isNumber(at) ? numbers[opposite(at)] : -1))
  const sources = Int32Array.from(numbers, (_, at) => (isNumber(at) ? T - 1 - (at % T) : -1))
  return { B, T, L: T, ids, targets, sources }
}
