// Which links between queries and keys are drawn: only the strongest if there are too many.

/** @typedef {{ row: number, column: number, weight: number }} Link */

const BINS = 4096

/**
 * The links of at least `threshold`, the strongest last; of too many, the strongest `most` (ties may fall away).
 * @param {ArrayLike<number>} data
 * @param {readonly number[]} dims rows, columns
 * @param {(i: number) => boolean} isHidden
 * @param {number} threshold
 * @param {number} most
 * @returns {{ links: Link[], least: number }} `least` is the weight below which links were left out
 */
export function strongest(data, [rows, columns], isHidden, threshold, most) {
  let largest = 0
  for (let i = 0; i < rows * columns; i++)
    if (data[i] > largest && data[i] < Infinity && !isHidden(i)) largest = data[i]
  let least = threshold
  const counts = new Uint32Array(BINS + 1)
  const bin = (/** @type {number} */ weight) => Math.min(Math.floor((weight / largest) * BINS), BINS)
  for (let i = 0; i < rows * columns; i++)
    if (data[i] > 0 && data[i] >= threshold && !isHidden(i)) counts[bin(data[i])]++
  let count = 0
  for (let at = BINS; at >= 0; at--) {
    count += counts[at]
    if (count <= most) continue
    least = Math.max(threshold, ((at + 1) / BINS) * largest)
    break
  }
  /** @type {Link[]} */
  const links = []
  for (let i = 0; i < rows * columns; i++)
    if (data[i] > 0 && data[i] >= least && !isHidden(i))
      links.push({ row: Math.floor(i / columns), column: i % columns, weight: data[i] })
  return { links: links.sort((a, b) => a.weight - b.weight), least }
}

/**
 * The links of one token, the strongest first.
 * @param {ArrayLike<number>} data
 * @param {readonly number[]} dims
 * @param {(i: number) => boolean} isHidden
 * @param {'row' | 'column'} side
 * @param {number} index
 * @returns {Link[]}
 */
export function linksOf(data, [rows, columns], isHidden, side, index) {
  const count = side === 'row' ? columns : rows
  /** @type {Link[]} */
  const links = []
  for (let other = 0; other < count; other++) {
    const [row, column] = side === 'row' ? [index, other] : [other, index]
    const i = row * columns + column
    if (data[i] > 0 && !isHidden(i)) links.push({ row, column, weight: data[i] })
  }
  return links.sort((a, b) => b.weight - a.weight)
}
