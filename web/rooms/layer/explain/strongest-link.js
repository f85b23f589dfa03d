// Finds the largest weight of a head. Pure.

import { ofHead } from '../numbers/tensors.js'

/** @import { Result } from '../layer.js' */
/** @typedef {{ row: number, column: number, weight: number, skipped: boolean }} Link */

/**
 * Finds the largest weight. Skips queries that see only one key, whose weight is always 1; if no query sees more than one key, skips none.
 * @param {Result} result
 * @param {number} head
 * @returns {Link | undefined} undefined if no query sees a key; skipped: true if queries were skipped
 */
export function strongestLink({ tensors, visible }, head) {
  const { data, dims } = ofHead(tensors.weights, head)
  const [L, S] = dims
  const seen = (/** @type {number} */ row) => {
    if (!visible) return S
    let count = 0
    for (let column = 0; column < S; column++) count += visible[row * S + column]
    return count
  }
  const counts = Array.from({ length: L }, (_, row) => seen(row))
  const hasChoice = counts.some(count => count > 1)
  /** @type {{ row: number, column: number, weight: number } | undefined} */
  let best
  for (let row = 0; row < L; row++) {
    if (counts[row] < (hasChoice ? 2 : 1)) continue
    for (let column = 0; column < S; column++) {
      const weight = data[row * S + column]
      if (best === undefined || weight > best.weight) best = { row, column, weight }
    }
  }
  return best && { ...best, skipped: hasChoice && counts.includes(1) }
}
