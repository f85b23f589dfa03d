// Formats numbers.

const MINUS = '\u2212'

/** Uses a typographic minus; a negative number that rounds to zero has none. @param {string} text */
const signed = text => text.replace(/^-/, Number(text) === 0 ? '' : MINUS).replace('e-', `e${MINUS}`)

/** Minimum number of decimals for which tiny numbers get an exponent. With fewer decimals, the exponent would be wider than the number. */
const ROOM = 3

/**
 * Formats a number with `decimals` decimals. Very large and very small numbers get an exponent: 4.1e−7, which is as wide as 0.0000.
 * @param {number} value
 * @param {number} decimals
 */
export function write(value, decimals) {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value < 0 ? `${MINUS}∞` : '∞'
  const size = Math.abs(value)
  if (size >= 1e7) return signed(value.toExponential(Math.min(decimals, 2)))
  if (size === 0 || decimals < ROOM || size >= 0.5 / 10 ** decimals) return signed(value.toFixed(decimals))
  return signed(value.toExponential(size < 1e-9 ? Math.max(decimals - 4, 0) : decimals - 3))
}

/** Formats the end of a scale with three digits. @param {number} value */
export const short = value =>
  signed(Math.abs(value) >= 1e5 ? value.toExponential(2) : String(Number(value.toPrecision(3))))

/**
 * Formats a share with one decimal, never rounded to 0% or 100%.
 * @param {number} x
 */
export function percent(x) {
  const text = (100 * x).toFixed(1)
  if (x > 0 && Number(text) < 0.1) return '<0.1%'
  return text === '100.0' && x < 1 ? '>99.9%' : `${text}%`
}

/**
 * Returns the largest number of decimals, up to the wanted one, with which all numbers of a range fit.
 * @param {{ least: number, most: number }} range
 * @param {number} decimals wanted number
 * @param {(text: string) => boolean} fits
 * @returns {number | undefined} undefined if the numbers do not fit even with one decimal
 */
export function decimalsThatFit({ least, most }, decimals, fits) {
  for (let count = decimals; count >= Math.min(1, decimals); count--)
    if (fits(write(least, count)) && fits(write(most, count))) return count
  return undefined
}
