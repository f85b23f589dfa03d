// Numbers as the article prints them.

/**
 * Four decimals with a true minus; `−inf` for hidden scores.
 * @param {number} x
 */
export function format(x) {
  if (Number.isNaN(x)) return 'nan'
  return (Number.isFinite(x) ? x.toFixed(4) : x < 0 ? '-inf' : 'inf').replace('-', '\u2212')
}

/**
 * The end of a colour scale, short.
 * @param {number} x
 */
export const short = x => x.toPrecision(3).replace('-', '\u2212')

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

/**
 * A share in any language: one decimal, never rounded to 0% or 100%.
 * @param {number} x
 */
export function percent(x) {
  const text = (100 * x).toFixed(1)
  if (x > 0 && Number(text) < 0.1) return '<0.1%'
  return text === '100.0' && x < 1 ? '>99.9%' : `${text}%`
}
