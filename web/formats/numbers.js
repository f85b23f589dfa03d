// Numbers as the article prints them.

/**
 * Four decimals; `-inf` for hidden scores.
 * @param {number} x
 */
export function format(x) {
  if (Number.isNaN(x)) return 'nan'
  return Number.isFinite(x) ? x.toFixed(4) : x < 0 ? '-inf' : 'inf'
}

/**
 * The end of a colour scale, short.
 * @param {number} x
 */
export const short = x => x.toPrecision(3)

/**
 * @param {number} share
 * @param {string} language
 */
export const percent = (share, language) =>
  new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: share < 0.1 || share > 0.99 ? 1 : 0,
  }).format(share)
