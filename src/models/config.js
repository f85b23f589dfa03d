// Reads a model's config.json: each key is checked when it is read, and keys that were not read are refused by name.

import { toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'

export class Config {
  #values
  /** What the config class of the family has where the file has no such key. @type {Record<string, unknown>} */
  #defaults = {}
  /** @type {Set<string>} */
  #read = new Set()

  /** @param {unknown} json @param {string} [file] its name, in errors */
  constructor(json, file = 'config.json') {
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      throw new TypeError(`${file}: ${describe(json)} given, an object expected`)
    this.#values = new Map(Object.entries(json))
    this.file = file
  }

  /**
   * Sets what the config class of a family has where the file has no such key, and the names under which it also takes some keys.
   * @param {Record<string, unknown>} defaults
   * @param {Record<string, string>} [aliases] the key that is meant, by the other name
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

  /** Returns the value of a key, or where the file has no such key the default of the family; undefined if it is null. @param {string} key */
  get(key) {
    this.#read.add(key)
    return (this.#values.has(key) ? this.#values.get(key) : this.#defaults[key]) ?? undefined
  }

  /** True if the key is there, perhaps with null. @param {string} key */
  has(key) {
    return this.#values.has(key)
  }

  /**
   * @param {string} key
   * @param {number} [fallback] if it is null, or absent and the family has no default
   * @returns {number} a size: 1 to 2^24
   */
  size(key, fallback) {
    return this.number(key, { least: 1, most: 2 ** 24, whole: true }, fallback)
  }

  /**
   * @param {string} key
   * @param {Parameters<typeof toNumber>[2]} [range]
   * @param {number} [fallback] if it is null, or absent and the family has no default
   */
  number(key, range, fallback) {
    const value = this.get(key) ?? fallback
    if (value === undefined) throw new TypeError(`${this.file}: ${key} is missing`)
    return toNumber(value, `${this.file}: ${key}`, range)
  }

  /**
   * @param {string} key of an id, or of a list of ids
   * @returns {number[]} empty if the key is absent
   */
  ids(key) {
    const value = this.get(key)
    const ids = value === undefined ? [] : Array.isArray(value) ? value : [value]
    return ids.map(id => toNumber(id, `${this.file}: ${key}`, { whole: true }))
  }

  /** @param {string} key @param {boolean} [fallback] default: false, as null is in Python */
  flag(key, fallback = false) {
    const value = this.get(key) ?? fallback
    if (typeof value !== 'boolean')
      throw new TypeError(`${this.file}: ${key}: ${describe(value)} given, true or false expected`)
    return value
  }

  /**
   * @template T
   * @param {string} key
   * @param {Record<string, T>} choices
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
   * Refuses keys whose values are not the covered ones; an absent key has the covered value, and null is as false where true is covered.
   * @param {Record<string, unknown>} covered
   */
  only(covered) {
    for (const [key, one] of Object.entries(covered)) {
      const value = this.get(key) ?? (one === true && this.has(key) ? false : one)
      if (value !== one)
        throw new RangeError(`${this.file}: ${key} ${describe(value)} is not covered; covered: ${one ?? 'none'}`)
    }
  }

  /** Refuses keys that were not read. @param {(key: string) => boolean} [isRefused] which of them; default all */
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
