// Computes the cost of attention: multiplications and bytes by formula, and the growth of measured times. Pure.

/** Range of the length slider in words, and its number of steps. */
export const [LEAST_LENGTH, MOST_LENGTH, LENGTH_STEPS] = [6, 100_000, 400]
/** Lengths that can be measured, in words. */
export const MEASURED = [256, 512, 1024, 2048, 4096, 8192, 16_384]
/** Lengths that are measured by default. */
export const USUAL = MEASURED.slice(0, -1)
/** Maximum length at which the version that stores all weights is measured. */
export const MOST_STORED = 2048
/** Minimum length that growthOf fits. Times of shorter texts depend mostly on costs that do not grow with the number of word pairs. */
const LEAST_FITTED = 1024

/** @typedef {{ n: number, fused?: number, stored?: number }} Timing milliseconds for one head of size 64 and n words; fused: without storing the weights; stored: with all weights stored */

/** Returns the length at a step of the slider. @param {number} step */
export const lengthAt = step =>
  Math.round(LEAST_LENGTH * (MOST_LENGTH / LEAST_LENGTH) ** (Math.min(Math.max(step, 0), LENGTH_STEPS) / LENGTH_STEPS))

/** @param {number} n */
export const stepAt = n =>
  Math.round((LENGTH_STEPS * Math.log(n / LEAST_LENGTH)) / Math.log(MOST_LENGTH / LEAST_LENGTH))

/**
 * Computes the cost of attention. `projections` and `mixing` are multiplications.
 * @param {{ n: number, heads: number, size: number, isCausal: boolean }} given `n`: number of words; `size`: dimensions of a head
 */
export function costOf({ n, heads, size, isCausal }) {
  const width = heads * size
  return {
    projections: 4 * n * width ** 2,
    mixing: isCausal ? n * (n + 1) * width : 2 * n ** 2 * width,
    /** Length at which attention and projections cost the same, without a mask. */
    equal: 2 * width,
    /** Weights of all heads, in bytes. */
    stored: 4 * heads * n ** 2,
    /** Queries, keys, values and output, in bytes. */
    fused: 16 * n * width,
    /** Multiplications for the attention of one more word to n words in the KV cache. */
    decode: 2 * n * width,
    /** KV cache, in bytes. */
    cache: 8 * n * width,
  }
}

/**
 * Returns the length that the full width of the picture represents: 24 times a power of 4.
 * @param {number} n
 * @param {number} size size of a head
 */
export function sideOf(n, size) {
  let side = 4 * LEAST_LENGTH
  while (side < Math.max(n, 4 * size)) side *= 4
  return side
}

/** Returns the exponent of the growth: the slope of a line fitted to the logarithms of the times. @param {readonly Timing[]} times */
export function growthOf(times) {
  const points = times.flatMap(({ n, fused }) => (fused && n >= LEAST_FITTED ? [[Math.log(n), Math.log(fused)]] : []))
  if (points.length < 2) return undefined
  const mean = (/** @type {0 | 1} */ i) => points.reduce((sum, point) => sum + point[i], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const sum = (/** @type {(dx: number, dy: number) => number} */ of) =>
    points.reduce((all, point) => all + of(point[0] - x, point[1] - y), 0)
  return sum((dx, dy) => dx * dy) / sum(dx => dx * dx)
}

/** Extrapolates the time for n words from the longest measured text; undefined without a fit, or if n is not longer. @param {readonly Timing[]} times @param {number} n */
export function estimateOf(times, n) {
  const last = times[times.length - 1]
  const growth = growthOf(times)
  return last?.fused && growth && n > last.n ? last.fused * (n / last.n) ** growth : undefined
}

/** Formats the times as CSV. @param {readonly Timing[]} times @param {string} browser @param {number} cores */
export const timesToCsv = (times, browser, cores) =>
  [
    ['length', 'fused ms', 'stored ms', 'browser', 'cores'],
    ...times.map(({ n, fused, stored }) => [n, fused ?? '', stored ?? '', `"${browser.replaceAll('"', '""')}"`, cores]),
  ]
    .map(row => row.join(','))
    .join('\r\n')
