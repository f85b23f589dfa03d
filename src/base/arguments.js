// Checks of arguments. Each returns the value or throws an error that names the argument.

import { describe, didYouMean, shape } from './errors.js'

/**
 * The option names of each call. The error for a misplaced option names the call that has this option.
 * @type {Map<string, readonly string[]>}
 */
const optionsOf = new Map()

/** Functions that translate names of other libraries to ours, for error messages. qkv/models replaces these no-ops. @type {Pick<typeof import('../models/other-names.js'), 'optionOf' | 'placeOf' | 'tokensOf'>} */
export const others = { optionOf: () => undefined, placeOf: () => undefined, tokensOf: () => '' }

/**
 * Registers the options of a call, and returns them.
 * @template {readonly string[]} T
 * @param {string} where
 * @param {T} known
 * @returns {T}
 */
export function register(where, known) {
  if (!optionsOf.has(where)) optionsOf.set(where, known)
  return known
}

/**
 * Copies the options. Each is read once, before anything else, so that no getter of the caller runs between checks and copies. Inherited
 * options are ignored.
 * @template {object} T
 * @param {T} options
 * @param {readonly string[]} known
 * @param {string} where
 * @param {object} [record] receives the copies
 * @returns {T}
 */
export function readOptions(options, known, where, record = new Options()) {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw noOptions(options, known, where)
  let isEmpty = true
  for (const name in options) {
    if (!Object.hasOwn(options, name)) continue
    if (!known.includes(name)) throw unknownOption(name, known, where)
    record[/** @type {keyof typeof record} */ (name)] = /** @type {never} */ (options[name])
    isEmpty = false
  }
  if (isEmpty && Symbol.iterator in options) throw noOptions(options, known, where) // options is a Map or a Set, for example
  return /** @type {T} */ (record)
}

/** A record of options. It inherits nothing from Object.prototype, so that options that were not given are undefined. */
export class Options {}
Object.setPrototypeOf(Options.prototype, null)

/** @param {unknown} options @param {readonly string[]} known @param {string} where */
const noOptions = (options, known, where) =>
  new TypeError(
    `${where}: expected an object of options, got ${describe(options)}. Known: ${known.join(', ') || 'none'}`,
  )

/** Makes the error for an unknown option. @param {string} name @param {readonly string[]} known @param {string} where */
export function unknownOption(name, known, where) {
  const owner = [...optionsOf].find(([call, names]) => call !== where && names.includes(name))?.[0]
  const other = others.optionOf(name)
  const like = other ? `; ${other.replace(/^(?!there )/, 'here it is ')}.` : didYouMean(name, known) || '.'
  const hint = (owner ? `, it belongs to ${owner}` : '') + like
  return new TypeError(`${where}: there is no option ${describe(name)}${hint} Known: ${known.join(', ') || 'none'}`)
}

/**
 * Checks that a value is one of the choices, and returns it.
 * @template {string} T
 * @param {unknown} value
 * @param {readonly T[]} choices
 * @param {string} name
 * @param {Readonly<Record<string, T>>} [elsewhere] names in other libraries, for the error
 * @returns {T}
 */
export function oneOf(value, choices, name, elsewhere = {}) {
  for (const choice of choices) if (choice === value) return choice
  const other = typeof value === 'string' && Object.hasOwn(elsewhere, value) ? elsewhere[value] : undefined
  const hint = other ? `; here it is "${other}"` : typeof value === 'string' ? didYouMean(value, choices) : ''
  throw new RangeError(`${name}: expected one of "${choices.join('", "')}", got ${describe(value)}${hint}`)
}

const FINITE = {}

/**
 * Checks that a value is a number in a range, and returns it.
 * @param {unknown} value
 * @param {string} name
 * @param {{ least?: number, most?: number, whole?: boolean, open?: boolean }} [range] open: true to accept Infinity
 * @returns {number}
 */
export function toNumber(value, name, { least = -Infinity, most = Infinity, whole = false, open = false } = FINITE) {
  if (typeof value !== 'number') throw new TypeError(`${name}: expected a number, got ${describe(value)}`)
  const isFine =
    value >= least && value <= most && (whole ? Number.isInteger(value) : Number.isFinite(Math.fround(value)))
  if (!isFine && !(open && value === Infinity)) {
    const from = least === -Infinity ? '' : ` from ${least}`
    const to = most === Infinity ? '' : ` to ${most}`
    throw new RangeError(`${name}: expected a ${whole ? 'whole' : 'finite'} number${from}${to}, got ${value}`)
  }
  return value + 0 // -0 becomes 0
}

/** Checks that a value is a boolean, and returns it. @param {unknown} value @param {string} name */
export function toBoolean(value, name) {
  if (typeof value !== 'boolean') throw new TypeError(`${name}: expected true or false, got ${describe(value)}`)
  return value
}

/**
 * @param {{ readonly dims: readonly number[] }} tensor
 * @param {readonly number[]} dims
 * @param {string} name
 * @param {string} letters
 */
export function expectDims(tensor, dims, name, letters) {
  if (tensor.dims.length !== dims.length || dims.some((size, axis) => size !== tensor.dims[axis]))
    throw new RangeError(`${name}: expected ${letters} = ${shape(dims)}, got dims ${shape(tensor.dims)}`)
}

/**
 * Returns the size of an axis, counted from the end: 1 is the last axis. Missing leading axes have size 1.
 * @param {{ dims: readonly number[] }} tensor
 * @param {number} fromEnd
 */
export const sizeOf = ({ dims }, fromEnd) => (fromEnd > dims.length ? 1 : dims[dims.length - fromEnd])
