// Formats numbers for the page: plain numbers, as in web/elements, and percentages.

import { write } from '../elements/number-text.js'

export { percent, short } from '../elements/number-text.js'

/** Formats with four decimals and a true minus sign. Writes 4.1e−7 instead of 0.0000, and −∞ for hidden scores. @param {number} x */
export const format = x => write(x, 4)

/** Formats like `format`, but writes an exact zero, such as the weight of a hidden key, as 0. @param {number} x */
export const zeroOr = x => (x === 0 ? '0' : format(x))

/** Cache of number formats by language and minimum decimals, since creating one is slower than using it. @type {Map<string, Intl.NumberFormat>} */
const writers = new Map()

/**
 * Formats a share of attention with one decimal. Writes 100% only for exactly 1; shares that would round to it are >99.9%.
 * @param {number} x
 * @param {string} language
 */
export function share(x, language) {
  const minimumFractionDigits = x < 1 ? 1 : 0
  const key = `${language} ${minimumFractionDigits}`
  /** @type {Intl.NumberFormatOptions} */
  const options = { style: 'percent', minimumFractionDigits, maximumFractionDigits: 1 }
  const writer = writers.get(key) ?? new Intl.NumberFormat(language, options)
  writers.set(key, writer)
  return x < 1 && x >= 0.9995 ? `>${writer.format(0.999)}` : writer.format(x)
}
