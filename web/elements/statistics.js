// Computes statistics of heads from their attention weights. Sums are in float64.

import { check } from './tensor-input.js'

/**
 * @typedef {object} HeadStatistics means over the queries that see a key; NaN if there are none
 * @property {number} entropy in bits: 0 for a single key, log2(S) for uniform attention
 * @property {number} first weight on the first key
 * @property {number} previous weight on the key before the query
 * @property {number} self weight on the key at the query's position
 */

/**
 * Computes statistics of all heads.
 * @param {import('./tensor-input.js').TensorLike} weights (H, L, S)
 * @param {object} [options]
 * @param {number} [options.offset] position of the first query among the keys
 * @returns {HeadStatistics[]} one for each head
 */
export function headStatistics(weights, { offset = 0 } = {}) {
  const { data, dims } = check(weights, 3)
  const [heads, rows, columns] = dims
  return Array.from({ length: heads }, (_, head) => {
    let [entropy, first, previous, self] = [0, 0, 0, 0]
    let [seeing, withPrevious, withSelf] = [0, 0, 0]
    for (let row = 0; row < rows; row++) {
      const start = (head * rows + row) * columns
      let [sum, bits] = [0, 0]
      for (let column = 0; column < columns; column++) {
        const weight = data[start + column]
        sum += weight
        if (weight !== 0) bits -= weight * Math.log2(weight)
      }
      if (sum === 0) continue
      seeing++
      entropy += bits
      first += data[start]
      const own = row + offset
      if (own >= 1 && own <= columns) {
        withPrevious++
        previous += data[start + own - 1]
      }
      if (own >= 0 && own < columns) {
        withSelf++
        self += data[start + own]
      }
    }
    return {
      entropy: entropy / seeing,
      first: first / seeing,
      previous: previous / withPrevious,
      self: self / withSelf,
    }
  })
}
