// Defines the types of settings: how a value is read from a link, written to a link, validated and edited.

/** @template V @typedef {import('./room.js').Kind<V>} Kind */

/**
 * Parses a typed number; accepts a decimal comma and any minus sign.
 * @param {unknown} value
 */
export function toNumber(value) {
  const text = String(value)
    .trim()
    .replace('−', '-')
    .replace(/^(-?\d+),(\d+)$/, '$1.$2')
  return /^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
}

/** Parses a number in a link. Invalid text stays a string, since a link may contain a number that was still being typed. @param {string} text */
const readNumber = text => (Number.isFinite(Number(text)) && text.trim() ? Number(text) : text.slice(0, 40))

/** @returns {Kind<string>} */
export const text = () => ({ type: 'text', write: value => value, read: text => text })

/** @returns {Kind<boolean>} */
export const flag = () => ({ type: 'flag', write: String, read: text => text === 'true' })

/** @template {string} C @param {readonly C[]} choices @returns {Kind<C> & { choices: readonly C[] }} */
export const choice = choices => ({
  type: 'choice',
  choices,
  write: String,
  read(text) {
    const found = choices.find(name => name === text)
    if (found === undefined) throw new Error(text)
    return found
  },
})

/**
 * Returns the type of whole numbers in a range. A value is a string while it is being typed.
 * @param {number} least
 * @param {number} most
 * @returns {Kind<number | string> & { least: number, most: number }}
 */
export const whole = (least, most) => ({
  type: 'whole',
  least,
  most,
  write: String,
  read: readNumber,
  check(value) {
    const number = toNumber(value)
    if (Number.isInteger(number) && number >= least && number <= most) return undefined
    return { key: 'problemRange', params: { least, most } }
  },
})

/**
 * Returns the type of numbers in a range. A value is a string while it is being typed.
 * @param {number} least
 * @param {number} most
 * @returns {Kind<number | string> & { least: number, most: number }}
 */
export const real = (least, most) => ({
  type: 'real',
  least,
  most,
  write: String,
  read: readNumber,
  check(value) {
    const number = toNumber(value)
    if (number >= least && number <= most) return undefined
    return { key: 'problemPositive', params: { least, most } }
  },
})

/** Returns the type of positions and indices; null for none. @returns {Kind<number | null>} */
export const count = () => ({
  type: 'count',
  write: value => (value === null ? '' : String(value)),
  read(text) {
    if (text === '') return null
    if (!/^\d{1,6}$/.test(text)) throw new Error(text)
    return Number(text)
  },
})

/**
 * Returns a custom type of a room.
 * @template V
 * @param {string} type
 * @param {{ write: (value: V) => string, read: (text: string) => V, check?: Kind<V>['check'] }} functions
 * @returns {Kind<V>}
 */
export const other = (type, functions) => ({ type, ...functions })
