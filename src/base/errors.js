// Errors say what was given, what was expected, and how to mend it.

/**
 * An error that is neither a wrong type (TypeError) nor a wrong value (RangeError): the module could not be
 * loaded, the core refused a call, or a thread was lost.
 */
export class QkvError extends Error {
  /**
   * @param {'WASM_MISSING' | 'WASM_INVALID' | 'WASM_VERSION' | 'NO_SIMD' | 'NO_RELAXED_SIMD' | 'KERNEL' | 'THREAD_START' | 'THREAD_LOST'} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options)
    this.name = 'QkvError'
    this.code = code
  }
}

/** At most 40 characters of a text. @param {string} text */
const cut = text => (text.length > 40 ? `${text.slice(0, 40)}...` : text)

/**
 * A value in a few words: `3.5`, `"abc"`, `null`, `an array of 3`, `a Float32Array of 12`, `an object with bits, group_size`.
 * @param {unknown} value
 * @returns {string}
 */
export function describe(value) {
  if (typeof value === 'string') return JSON.stringify(cut(value))
  if (typeof value === 'bigint') return cut(`${value}n`)
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return cut(String(value))
  if (Array.isArray(value)) return `an array of ${value.length}`
  const prototype = Object.getPrototypeOf(value)
  const named = prototype ? prototype.constructor?.name : 'Object'
  const name = typeof named === 'string' && named ? cut(named) : 'object'
  if (name === 'Object') {
    const keys = Object.keys(value)
    const more = keys.length > 3 ? ` and ${keys.length - 3} more` : ''
    return keys.length ? `an object with ${keys.slice(0, 3).map(cut).join(', ')}${more}` : 'an empty object'
  }
  const article = /^[AEIO]/i.test(name) ? 'an' : 'a'
  return ArrayBuffer.isView(value) && 'length' in value ? `${article} ${name} of ${value.length}` : `${article} ${name}`
}

/**
 * The error for a Proxy of an object of ours (Vue and MobX make such): private fields are not reachable through it.
 * @param {string} name
 */
export const proxied = name =>
  new TypeError(`${name}: a Proxy of it, or an object made from it, given: use the object itself (in Vue markRaw)`)

/**
 * Dims as text: `(2, 6, 3)`.
 * @param {ArrayLike<unknown>} dims
 */
export const shape = dims => `(${Array.from(dims, describe).join(', ')})`

/**
 * The edit distance of two names (Levenshtein).
 * @param {string} a
 * @param {string} b
 */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length]
}

/**
 * The known name with the smallest edit distance.
 * @param {string} name
 * @param {readonly string[]} known
 */
export function nearest(name, known) {
  const cost = (/** @type {string} */ candidate) => distance(name.toLowerCase(), candidate.toLowerCase())
  return known.reduce((best, candidate) => (cost(candidate) < cost(best) ? candidate : best))
}
