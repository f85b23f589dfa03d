// Numbers of the page: those of the elements, and shares.

import { write } from '../elements/number-text.js'

export { percent, short } from '../elements/number-text.js'

/** Four decimals with a true minus; 4.1e−7 where they would say 0.0000, −∞ for hidden scores. @param {number} x */
export const format = x => write(x, 4)

/** What writes shares, of a language and the least count of decimals: making it takes longer than writing. @type {Map<string, Intl.NumberFormat>} */
const writers = new Map()

/**
 * A share of attention: one decimal; 100% only if it is all, else >99.9%, as `percent` writes it.
 * @param {number} x
 * @param {string} language
 */
export function share(x, language) {
  const minimumFractionDigits = x < 1 ? 1 : 0
  const key = `${language} ${minimumFractionDigits}`
  const options = /** @type {const} */ ({ style: 'percent', minimumFractionDigits, maximumFractionDigits: 1 })
  const writer = writers.get(key) ?? new Intl.NumberFormat(language, options)
  writers.set(key, writer)
  return x < 1 && x >= 0.9995 ? `>${writer.format(0.999)}` : writer.format(x)
}
