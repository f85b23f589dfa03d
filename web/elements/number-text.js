// How numbers are written.

const MINUS = '\u2212'

/** With a typographic minus; a zero that is left of a negative number has none. @param {string} text */
const signed = text => text.replace(/^-/, Number(text) === 0 ? '' : MINUS)

/**
 * With that many decimals; very large and very small ones as powers of ten.
 * @param {number} value
 * @param {number} decimals
 */
export function write(value, decimals) {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value < 0 ? `${MINUS}∞` : '∞'
  return signed(Math.abs(value) >= 1e7 ? value.toExponential(Math.min(decimals, 2)) : value.toFixed(decimals))
}

/** The end of a scale, with three digits. @param {number} value */
export const short = value =>
  signed(Math.abs(value) >= 1e5 ? value.toExponential(2) : String(Number(value.toPrecision(3))))

/**
 * The most decimals with which numbers between these two fit.
 * @param {{ least: number, most: number }} range
 * @param {number} decimals wanted
 * @param {(text: string) => boolean} fits
 * @returns {number | undefined} undefined if not even one fits
 */
export function decimalsThatFit({ least, most }, decimals, fits) {
  for (let count = decimals; count >= Math.min(1, decimals); count--)
    if (fits(write(least, count)) && fits(write(most, count))) return count
  return undefined
}
