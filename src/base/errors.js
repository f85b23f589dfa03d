// Errors state what was expected, what came, and how to mend it.

/**
 * An error that is neither a wrong type (TypeError) nor a wrong value (RangeError): the module could not be loaded, the core refused a
 * call, or a thread was lost.
 */
export class QkvError extends Error {
  /**
   * @param {'WASM_MISSING' | 'WASM_INVALID' | 'WASM_BLOCKED' | 'WASM_VERSION' | 'NO_SIMD' | 'NO_RELAXED_SIMD' | 'KERNEL' | 'THREAD_START' | 'THREAD_LOST'} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options)
    this.name = 'QkvError'
    this.code = code
  }
}

/** Returns the message of a caught value. @param {unknown} cause */
export const messageOf = cause => (cause instanceof Error ? cause.message : String(cause))

/** Shortens a text to 40 characters. @param {string} text */
const cut = text => (text.length > 40 ? `${text.slice(0, 40)}...` : text)

/**
 * Describes a value: `3.5`, `"abc"`, `null`, `an array of 3`, `a Float32Array of 12`, `an object with bits, group_size`.
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
 * Makes the error for a Proxy of one of our objects, such as Vue and MobX make. Private fields are not accessible through a Proxy.
 * @param {string} name
 */
export const proxied = name =>
  new TypeError(
    `${name}: expected the object itself, got a Proxy of it or an object derived from it; pass the object itself (in Vue, use markRaw)`,
  )

/**
 * Gives a promise the methods of its result. On the promise they throw an error that says to await it first.
 * @template T
 * @param {Promise<T>} promise
 * @param {{ prototype: object }} type class of the result
 * @param {string} how code that awaits it, for the error
 */
export function toAwait(promise, { prototype }, how) {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
    if (typeof value === 'function' && name !== 'constructor')
      Object.defineProperty(promise, name, {
        value() {
          throw new TypeError(`${name}: expected the value that it resolves to, got a Promise; ${how}`)
        },
      })
  return promise
}

/**
 * Formats dims: `(2, 6, 3)`.
 * @param {ArrayLike<unknown>} dims
 */
export const shape = dims => `(${Array.from(dims, describe).join(', ')})`

/**
 * Returns the edit distance of two names (Levenshtein).
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
 * Returns the known name with the smallest edit distance, if it is near: the distance is at most 1 plus a third of the letters of the
 * shorter name, or one name, of more than two letters, is the beginning or the end of the other.
 * @param {string} name
 * @param {readonly string[]} known
 * @returns {string | undefined}
 */
export function nearest(name, known) {
  const plain = (/** @type {string} */ text) => text.toLowerCase().replaceAll('_', '')
  const cost = (/** @type {string} */ candidate) => distance(plain(name), plain(candidate))
  if (!known.length) return undefined
  const best = known.reduce((best, candidate) => (cost(candidate) < cost(best) ? candidate : best))
  const [a, b] = [plain(name), plain(best)]
  const isPart =
    Math.min(a.length, b.length) > 2 && (a.startsWith(b) || b.startsWith(a) || a.endsWith(b) || b.endsWith(a))
  return isPart || cost(best) <= 1 + Math.min(a.length, b.length) / 3 ? best : undefined
}

/** Returns `; did you mean "x"?` if a known name is near, else ''. @param {string} name @param {readonly string[]} known */
export function didYouMean(name, known) {
  const found = nearest(name, known)
  return found === undefined ? '' : `; did you mean "${found}"?`
}
