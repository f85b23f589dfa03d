// Describes how heads differ, based on their weights. Shapes: H heads, L queries, S keys. Pure.

import { strengthOf } from './word-facts.js'

/** @import { HeadStatistics } from '../../../elements/statistics.js' */

/**
 * @typedef {object} HeadWords
 * @property {'self' | 'previous' | 'first' | 'key' | 'none'} at what the head attends to most, on average
 * @property {number} [key] if `at` is 'key': its position
 * @property {number} share average attention on it
 * @property {ReturnType<typeof strengthOf>} strength
 * @property {number} bits mean entropy of the head's rows
 * @property {'sharpest' | 'evenest' | undefined} rank set for the heads with the lowest and the highest entropy
 */

/** Minimum entropy of an even head, as a share of the maximum entropy. */
const EVEN = 0.95

/** Values of `at` that are also names of statistics. They are used with one sentence only. @type {('self' | 'previous' | 'first')[]} */
const AT = ['self', 'previous', 'first']

/**
 * Describes each head.
 * @param {HeadStatistics[]} statistics one for each head
 * @param {object} given
 * @param {{ data: ArrayLike<number>, dims: readonly number[] }} [given.weights] (H, L, S); without weights, `at` is never 'key'
 * @param {boolean} given.isCross true for two sentences, where self, first and previous are meaningless
 * @param {number} given.mostBits entropy of uniform attention over the visible keys
 * @returns {HeadWords[]}
 */
export function headWords(statistics, { weights, isCross, mostBits }) {
  const bits = statistics.map(({ entropy }) => entropy)
  const [least, most] = [Math.min(...bits), Math.max(...bits)]
  return statistics.map((own, h) => {
    /** @type {[HeadWords['at'], number, number?][]} */
    const candidates = isCross ? [] : AT.map(at => [at, own[at]])
    const key = weights && favourite(weights, h)
    if (key) candidates.push(['key', key.share, key.position])
    const [at, share, position] = candidates.reduce((a, b) => (b[1] > a[1] ? b : a), ['none', 0])
    const hasRanks = statistics.length > 1 && least < most
    const extreme = bits[h] === least ? 'sharpest' : bits[h] === most ? 'evenest' : undefined
    return {
      at,
      share,
      // Judge evenness by the entropy rather than by the share, since a query that sees only one key gives it a share of 1.
      strength: mostBits > 0 && bits[h] >= EVEN * mostBits ? 'evenly' : strengthOf(share, 0),
      bits: bits[h],
      rank: hasRanks ? extreme : undefined,
      key: at === 'key' ? position : undefined,
    }
  })
}

/**
 * Returns the key with the highest mean weight over the queries that see a key.
 * @param {{ data: ArrayLike<number>, dims: readonly number[] }} weights
 * @param {number} head
 */
function favourite({ data, dims: [, L, S] }, head) {
  const sums = new Float64Array(S)
  let seeing = 0
  for (let row = 0; row < L; row++) {
    let any = 0
    for (let column = 0; column < S; column++) {
      const weight = data[(head * L + row) * S + column]
      sums[column] += weight
      any += weight
    }
    if (any > 0) seeing++
  }
  let position = 0
  for (let column = 1; column < S; column++) if (sums[column] > sums[position]) position = column
  return seeing ? { position, share: sums[position] / seeing } : undefined
}
