// Reads a model's config.json: each key is validated when it is read, and keys that were not read are refused by name.

import { toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'

export class Config {
  #values
  /** Defaults of the family's config class for missing keys. @type {Record<string, unknown>} */
  #defaults = {}
  /** @type {Set<string>} */
  #read = new Set()

  /** Wraps a config. @param {unknown} json @param {string} [file] file name for errors */
  constructor(json, file = 'config.json') {
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      throw new TypeError(`${file}: expected an object, got ${describe(json)}`)
    this.#values = new Map(Object.entries(json))
    this.file = file
  }

  /**
   * Sets the defaults of the family's config class for missing keys, and the other names that the class accepts for some keys.
   * @param {Record<string, unknown>} defaults
   * @param {Record<string, string>} [aliases] maps the other name of a key to the key
   */
  assume(defaults, aliases = {}) {
    this.#defaults = defaults
    for (const [other, key] of Object.entries(aliases)) {
      const [value, own] = [this.get(other), this.#values.get(key)]
      if (value !== undefined && own !== undefined && value !== own)
        throw new RangeError(
          `${this.file}: ${other} ${describe(value)} and ${key} ${describe(own)} mean the same: leave one of them out`,
        )
      if (value !== undefined) this.#values.set(key, value)
    }
  }

  /** Returns the value of a key, or the family's default if the key is missing; undefined if it is null. @param {string} key */
  get(key) {
    this.#read.add(key)
    return (this.#values.has(key) ? this.#values.get(key) : this.#defaults[key]) ?? undefined
  }

  /** True if the key exists, even with the value null. @param {string} key */
  has(key) {
    return this.#values.has(key)
  }

  /**
   * Reads a size.
   * @param {string} key
   * @param {number} [fallback] used if the key is null, or missing without a default of the family
   * @returns {number} an integer from 1 to 2^24
   */
  size(key, fallback) {
    return this.number(key, { least: 1, most: 2 ** 24, whole: true }, fallback)
  }

  /**
   * Reads a number.
   * @param {string} key
   * @param {Parameters<typeof toNumber>[2]} [range]
   * @param {number} [fallback] used if the key is null, or missing without a default of the family
   */
  number(key, range, fallback) {
    const value = this.get(key) ?? fallback
    if (value === undefined) throw new TypeError(`${this.file}: ${key} is missing`)
    return toNumber(value, `${this.file}: ${key}`, range)
  }

  /**
   * Reads ids.
   * @param {string} key holds an id or a list of ids
   * @returns {number[]} [] if the key is missing
   */
  ids(key) {
    const value = this.get(key)
    const ids = value === undefined ? [] : Array.isArray(value) ? value : [value]
    return ids.map(id => toNumber(id, `${this.file}: ${key}`, { whole: true }))
  }

  /** Reads a boolean. @param {string} key @param {boolean} [fallback] default: false, since null is falsy in Python */
  flag(key, fallback = false) {
    const value = this.get(key) ?? fallback
    if (typeof value !== 'boolean')
      throw new TypeError(`${this.file}: ${key}: expected true or false, got ${describe(value)}`)
    return value
  }

  /**
   * @template const T
   * @param {string} key
   * @param {Readonly<Record<string, T>>} choices
   * @returns {T}
   */
  choice(key, choices) {
    const value = this.get(key)
    if (typeof value !== 'string' || !Object.hasOwn(choices, value))
      throw new RangeError(
        `${this.file}: ${key} ${describe(value)} is not covered; covered: ${Object.keys(choices).join(', ')}`,
      )
    return choices[value]
  }

  /**
   * Throws for keys with unsupported values. A missing key is accepted. So is null, except where only true is supported: there it counts as
   * false.
   * @param {Record<string, unknown>} covered the supported value of each key
   */
  only(covered) {
    for (const [key, one] of Object.entries(covered)) {
      const value = this.get(key) ?? (one === true && this.has(key) ? false : one)
      if (value !== one)
        throw new RangeError(`${this.file}: ${key} ${describe(value)} is not covered; covered: ${one ?? 'none'}`)
    }
  }

  /** Throws for unread keys with a value other than null and false. @param {(key: string) => boolean} [isRefused] True for keys to refuse; default all */
  end(isRefused = () => true) {
    const rest = [...this.#values].filter(
      ([key, value]) => !this.#read.has(key) && value !== null && value !== false && isRefused(key),
    )
    if (rest.length)
      throw new RangeError(
        `${this.file}: not covered: ${rest.map(([key, value]) => `${key} = ${describe(value)}`).join(', ')}`,
      )
  }
}
