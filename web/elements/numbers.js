// How numbers are written.

import { format } from 'd3-format'

const MINUS = '\u2212'

/**
 * With that many decimals; very large and very small ones as powers of ten.
 * @param {number} value
 * @param {number} decimals
 */
export function write(value, decimals) {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value < 0 ? `${MINUS}∞` : '∞'
  return format(Math.abs(value) >= 1e7 ? `.${Math.min(decimals, 2)}e` : `.${decimals}f`)(value)
}

/** The end of a scale, short. @param {number} value */
export const short = value => format(Math.abs(value) >= 1e5 ? '.2e' : '.3~r')(value)

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
