// Compares hiding keys before the softmax with hiding them after it. Both use the same exponentials; they differ in the sum. Pure.

/** @import { Arithmetic, Result } from '../layer.js' */

/** Maximum number of rows, and of keys per row. */
const [ROWS, MOST_KEYS] = [3, 12]

/**
 * @typedef {object} Term
 * @property {number} column
 * @property {number} exponential exp(score - largest score of the whole row)
 * @property {number} full its share of all exponentials
 * @property {number} weight its share of the visible exponentials
 * @property {boolean} isHidden
 */

/**
 * @typedef {{ row: number, all: number, visible: number, terms: Term[] }} AlgebraRow all, visible: sums of the exponentials over all keys
 * and over visible keys
 */

/**
 * Compares masking before and after the softmax.
 * @param {Result} result
 * @param {number} head
 * @param {Arithmetic} arithmetic
 * @returns {AlgebraRow[]} the first rows with both hidden and visible keys
 */
export function algebraOf({ maskOrder, visible, settings }, head, arithmetic) {
  if (!maskOrder || !visible || settings.softmaxAxis !== 'keys') return []
  const [L, S] = [settings.queries.tokens.length, settings.keys.tokens.length]
  if (S > MOST_KEYS) return []
  const rows = []
  for (let row = 0; row < L && rows.length < ROWS; row++) {
    const seen = visible.subarray(row * S, (row + 1) * S)
    if (!seen.includes(0) || !seen.includes(1)) continue
    const terms = Array.from({ length: S }, (_, column) => ({
      column,
      isHidden: seen[column] === 0,
      exponential: maskOrder.exponentials.at(head, row, column),
      full: maskOrder.full.at(head, row, column),
      weight: maskOrder.after.at(head, row, column),
    }))
    const all = maskOrder.sums.data[head * L + row]
    const seenTerms = terms.filter(({ isHidden }) => !isHidden)
    rows.push({ row, all, visible: arithmetic.sum(seenTerms.map(({ exponential }) => exponential)), terms })
  }
  return rows
}
