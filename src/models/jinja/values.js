// Python values in JavaScript. A str is a string, an int is a number without a fraction, a dict is a Map, a list is an Array, None is null.
// Other Python types have a class here, because JavaScript prints, compares or computes them differently.

import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'

/** An error that Python raises, too. */
export class TemplateError extends Error {}

/** Thrown for what Python supports and this renderer does not. */
export class NotCovered extends Error {
  /** @param {string} construct */
  constructor(construct) {
    super(`${construct} is not covered here`)
  }
}

/** Throws NotCovered. @param {string} what @returns {never} */
export function refuse(what) {
  throw new NotCovered(what)
}

export class Float {
  /** @param {number} value */
  constructor(value) {
    this.value = value
  }
}

export class Tuple extends Array {}

export class Undefined {
  /** @param {string} message */
  constructor(message) {
    this.message = message
  }
}

/** The result of the filter safe. It can only be printed, compared and joined. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text
  }
}

/** An iterator of Python, which can be read once. */
export class Iter {
  /** @param {Iterator<unknown>} iterator */
  constructor(iterator) {
    this.iterator = iterator
  }

  [Symbol.iterator]() {
    return { next: () => this.iterator.next() } // no return(), so that the rest can be read after a loop ends early
  }
}

/** dict.keys(), dict.values(), dict.items(). */
export class View {
  /** @param {'keys' | 'values' | 'items'} kind @param {Map<unknown, unknown>} map */
  constructor(kind, map) {
    this.kind = kind
    this.map = map
  }

  get size() {
    return this.map.size
  }

  /** @returns {Iterator<unknown>} */
  [Symbol.iterator]() {
    if (this.kind !== 'items') return this.map[this.kind]()
    return Array.from(this.map, pair => Tuple.from(pair))[Symbol.iterator]()
  }
}

export class Numbers {
  /** @param {number} start @param {number} stop @param {number} step */
  constructor(start, stop, step) {
    this.start = start
    this.stop = stop
    this.step = step
    this.size = Math.max(0, Math.ceil((stop - start) / step))
  }

  *[Symbol.iterator]() {
    for (let n = 0; n < this.size; n++) yield this.start + n * this.step
  }
}

export class Namespace {
  /** @param {Map<unknown, unknown>} map */
  constructor(map) {
    this.map = map
  }
}

/** @typedef {(args: unknown[], kwargs: Map<string, unknown>) => unknown} Calling */

export class Callable {
  /** @param {string | null} name @param {Calling} call @param {boolean} [isMacro] */
  constructor(name, call, isMacro = false) {
    this.name = name
    this.call = call
    this.isMacro = isMacro
    /** @type {unknown} */
    this.self = undefined
  }

  /** Binds the method to a value. Methods of the same name are equal if they are bound to the same value. @param {unknown} self */
  of(self) {
    this.self = self
    return this
  }
}

/** @param {unknown} v @returns {v is string | Markup} */
export const isText = v => typeof v === 'string' || v instanceof Markup
/** True for an int, a float or, as in Python, a bool. @param {unknown} v @returns {v is number | boolean | Float} */
export const isNumber = v => typeof v === 'number' || typeof v === 'boolean' || v instanceof Float
/** @param {unknown} v @returns {v is Map<unknown, unknown> | View | Numbers} */
const isSized = v => v instanceof Map || v instanceof View || v instanceof Numbers

/** True for the variable loop of a for. @param {unknown} v @returns {v is import('./scope.js').Loop} */
export const isLoop = v => Object(v).isLoop === true

/** @param {unknown} v @returns {number} */
export const numberOf = v => (v instanceof Float ? v.value : Number(v))

/** Returns an int, or throws if it is not below 2^53, where JavaScript's numbers become inexact. @param {number} n */
export function int(n) {
  if (!Number.isSafeInteger(n)) throw new NotCovered('an int above 2^53')
  return n + 0 // no -0
}

/** Returns the name of the Python type of a value. @param {unknown} v @returns {string} */
export function typeName(v) {
  if (v === null) return 'NoneType'
  if (isText(v)) return 'str'
  if (typeof v === 'boolean') return 'bool'
  if (typeof v === 'number') return 'int'
  /** @type {[Function, string][]} */
  const names = [
    [Float, 'float'],
    [Tuple, 'tuple'],
    [Array, 'list'],
    [Map, 'dict'],
    [Numbers, 'range'],
    [Undefined, 'Undefined'],
    [Namespace, 'Namespace'],
    [View, `dict_${v instanceof View ? v.kind : ''}`],
    [Iter, 'generator'],
  ]
  return names.find(([Class]) => v instanceof Class)?.[1] ?? 'function'
}

/** Throws if one of the values is an Undefined. @param {unknown[]} values */
export function checkDefined(...values) {
  for (const v of values) if (v instanceof Undefined) throw new TemplateError(v.message)
}

/**
 * Converts a JavaScript value to a Python value. A number without a fraction becomes an int.
 * @param {unknown} value
 * @param {string} where where it comes from, for errors
 * @param {number} [depth]
 * @returns {unknown}
 */
export function fromJS(value, where, depth = 0) {
  if (depth > 500) throw new RangeError(`${where}: lists and objects in each other, 500 deep or without end`)
  const inner = (/** @type {unknown} */ each, /** @type {string | number} */ key) =>
    fromJS(each, `${where}.${key}`, depth + 1)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return new Float(value)
    if (Number.isSafeInteger(value)) return value + 0
    throw new RangeError(`${where}: expected a number within 2^53, got ${value}; larger integers are not exact`)
  }
  if (Array.isArray(value)) return value.map(inner)
  const proto = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined
  if (proto === null || (proto && Object.getPrototypeOf(proto) === null && !(Symbol.iterator in proto)))
    return new Map(
      Object.entries(/** @type {object} */ (value))
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => [key, inner(each, key)]),
    )
  throw new TypeError(
    `${where}: expected a text, a number, true, false, null, a list or an object, got ${describe(value)}`,
  )
}

/** Returns the truth value of a Python value. @param {unknown} v @returns {boolean} */
export function truth(v) {
  if (v instanceof Undefined) return false
  if (v instanceof Markup) return v.text !== ''
  if (isNumber(v)) return numberOf(v) !== 0
  if (Array.isArray(v)) return v.length > 0
  if (isSized(v)) return v.size > 0
  return Boolean(v) || (typeof v === 'object' && v !== null)
}

/** @param {unknown} v @returns {Iterable<unknown>} */
export function iterate(v) {
  if (v instanceof Undefined) return []
  if (isText(v)) return textOf(v)
  if (v instanceof Map) return v.keys()
  if (Array.isArray(v) || v instanceof View || v instanceof Numbers || v instanceof Iter) return v
  if (isLoop(v)) throw new NotCovered('a loop over loop')
  throw new TemplateError(`'${typeName(v)}' object is not iterable`)
}

/** @param {unknown} v @returns {number} */
export function length(v) {
  if (v instanceof Undefined) return 0
  if (isText(v)) return Array.from(textOf(v)).length
  if (Array.isArray(v)) return v.length
  if (isSized(v)) return v.size
  if (isLoop(v)) return v.length
  throw new TemplateError(`object of type '${typeName(v)}' has no len()`)
}

/** Returns the characters of a str. @param {string | Markup} v */
export const textOf = v => (v instanceof Markup ? v.text : v)

/** Formats a float as Python does. @param {number} value */
export function floatText(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const [digits, power] = Math.abs(value).toExponential().split('e')
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 16)
    return `${sign}${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  const all = digits.replace('.', '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${all}`
  const whole = all.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${all.slice(exponent + 1) || '0'}`
}

/** @type {Record<string, string>} */
const ESCAPES = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** @param {string} text */
function textRepr(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text.replace(/[\\\n\r\t]|(?! )[\p{C}\p{Z}]/gu, c => {
    const code = present(c.codePointAt(0))
    const hex = code.toString(16)
    return (
      ESCAPES[c] ??
      (code < 256
        ? `\\x${hex.padStart(2, '0')}`
        : code < 65536
          ? `\\u${hex.padStart(4, '0')}`
          : `\\U${hex.padStart(8, '0')}`)
    )
  })
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote
}

/** Formats a value as Python's repr does. @param {unknown} v @returns {string} */
export function repr(v) {
  const list = (/** @type {Iterable<unknown>} */ items) => Array.from(items, repr).join(', ')
  const pairs = (/** @type {Map<unknown, unknown>} */ map) =>
    `{${Array.from(map, ([k, each]) => `${repr(k)}: ${repr(each)}`).join(', ')}}`
  if (v === null) return 'None'
  if (typeof v === 'string') return textRepr(v)
  if (v instanceof Markup) return `Markup(${textRepr(v.text)})`
  if (typeof v === 'boolean') return v ? 'True' : 'False'
  if (typeof v === 'number') return String(v)
  if (v instanceof Float) return floatText(v.value)
  if (v instanceof Tuple) return v.length === 1 ? `(${repr(v[0])},)` : `(${list(v)})`
  if (Array.isArray(v)) return `[${list(v)}]`
  if (v instanceof Map) return pairs(v)
  if (v instanceof View) return `dict_${v.kind}([${list(v)}])`
  if (v instanceof Numbers) return `range(${v.start}, ${v.stop}${v.step === 1 ? '' : `, ${v.step}`})`
  if (v instanceof Undefined) return 'Undefined'
  if (v instanceof Namespace) return `<Namespace ${pairs(v.map)}>`
  if (v instanceof Callable && v.isMacro) return `<Macro ${v.name === null ? 'anonymous' : repr(v.name)}>`
  if (isLoop(v)) return `<LoopContext ${v.index}/${v.length}>`
  throw new NotCovered(
    v instanceof Iter ? 'printing a generator, such as the result of map or select,' : 'printing a function',
  )
}

/** @param {unknown} v @returns {string} */
export const str = v => (isText(v) ? textOf(v) : v instanceof Undefined ? '' : repr(v))

/** True if two values are equal in Python. @param {unknown} a @param {unknown} b @returns {boolean} */
export function equal(a, b) {
  if (isNumber(a)) return isNumber(b) && numberOf(a) === numberOf(b)
  if (isText(a)) return isText(b) && textOf(a) === textOf(b)
  if (a instanceof Undefined) return b instanceof Undefined
  if (Array.isArray(a))
    return (
      Array.isArray(b) &&
      a instanceof Tuple === b instanceof Tuple &&
      a.length === b.length &&
      a.every((each, i) => each === b[i] || equal(each, b[i]))
    )
  if (a instanceof Map)
    return (
      b instanceof Map &&
      a.size === b.size &&
      Array.from(a).every(([key, each]) => b.has(key) && (each === b.get(key) || equal(each, b.get(key))))
    )
  if ((a instanceof View && b instanceof View) || (a instanceof Numbers && b instanceof Numbers))
    throw new NotCovered(`comparing ${typeName(a)}`)
  if (a instanceof Callable && b instanceof Callable && a.self !== undefined && a.name === b.name) {
    if (typeof a.self !== 'object' && a.self === b.self) throw new NotCovered('comparing methods of a text or a number')
    return a.self === b.self
  }
  return a === b
}

/** Compares texts by code points. @param {string} a @param {string} b */
function compareTexts(a, b) {
  const [left, right] = [Array.from(a), Array.from(b)]
  const at = left.findIndex((c, i) => c !== right[i])
  if (at < 0) return left.length - right.length
  if (at >= right.length) return 1
  return Number(left[at].codePointAt(0)) - Number(right[at].codePointAt(0))
}

/**
 * Compares two values: negative if a < b, NaN if they are unordered.
 * @param {unknown} a
 * @param {unknown} b
 * @param {string} [operator] in errors
 * @returns {number}
 */
export function compare(a, b, operator = '<') {
  checkDefined(a, b)
  if (isNumber(a) && isNumber(b)) {
    const [x, y] = [numberOf(a), numberOf(b)]
    return x === y ? 0 : x - y < 0 ? -1 : x > y ? 1 : x < y ? -1 : Number.NaN
  }
  if (isText(a) && isText(b)) return compareTexts(textOf(a), textOf(b))
  if (Array.isArray(a) && Array.isArray(b) && a instanceof Tuple === b instanceof Tuple) {
    const at = a.findIndex((each, i) => i >= b.length || !equal(each, b[i]))
    return at < 0 ? a.length - b.length : at >= b.length ? 1 : compare(a[at], b[at], operator)
  }
  if (a instanceof View && b instanceof View) throw new NotCovered(`comparing ${typeName(a)}`)
  throw new TemplateError(`'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`)
}

/** Converts a key of a dict to a key of a Map; undefined if it is not hashable. @param {unknown} key @returns {unknown} */
export function keyOf(key) {
  if (isText(key)) return textOf(key)
  if (isNumber(key)) return numberOf(key)
  if (key instanceof Tuple) return key.some(each => keyOf(each) === undefined) ? undefined : key
  const isView = key instanceof View && key.kind !== 'values'
  return key instanceof Map || Array.isArray(key) || isView ? undefined : key
}

/** Evaluates `item in all`. @param {unknown} item @param {unknown} all @returns {boolean} */
export function contains(item, all) {
  if (isText(all)) {
    if (isText(item)) return textOf(all).includes(textOf(item))
    throw new TemplateError(`'in <string>' requires string as left operand, not ${typeName(item)}`)
  }
  if (all instanceof Map || (all instanceof View && all.kind === 'keys')) {
    const map = all instanceof View ? all.map : all
    const key = keyOf(item)
    if (key === undefined) throw new TemplateError(`unhashable type: '${typeName(item)}'`)
    return map.has(key)
  }
  if (isNotIterable(all)) throw new TemplateError(`argument of type '${typeName(all)}' is not iterable`)
  for (const each of iterate(all)) if (each === item || equal(each, item)) return true
  return false
}

/** @param {unknown} v */
export const isNotIterable = v =>
  !(isText(v) || v instanceof Undefined || isLoop(v)) && !(typeof v === 'object' && v !== null && Symbol.iterator in v)

/**
 * Returns list[start:stop:step].
 * @template T
 * @param {T[]} list
 * @param {(number | boolean | null)[]} parts start, stop and step; null for a default
 * @returns {T[]}
 */
export function sliced(list, parts) {
  const [start, stop, given] = parts.map(part => (part === null ? undefined : Number(part)))
  const step = given ?? 1
  if (step === 0) throw new TemplateError('slice step cannot be zero')
  const L = list.length
  const [low, high] = step > 0 ? [0, L] : [-1, L - 1]
  const clip = (/** @type {number | undefined} */ n, /** @type {number} */ fallback) =>
    n === undefined ? fallback : Math.min(Math.max(n < 0 ? n + L : n, low), high)
  const end = clip(stop, step > 0 ? L : -1)
  const out = []
  for (let i = clip(start, step > 0 ? 0 : L - 1); step > 0 ? i < end : i > end; i += step) out.push(list[i])
  return out
}

/**
 * Implements json.dumps.
 * @param {unknown} v
 * @param {{ ascii: boolean, indent: string | undefined, separators: string[], sorted: boolean }} options
 * @param {string} [margin]
 * @returns {string}
 */
export function dumps(v, options, margin = '\n') {
  const { ascii, indent, separators, sorted } = options
  if (isText(v)) {
    const text = JSON.stringify(textOf(v))
    return ascii ? text.replace(/[\x7f-\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`) : text
  }
  if (v === null) return 'null'
  if (typeof v === 'boolean' || typeof v === 'number') return String(v)
  if (v instanceof Float) return floatText(v.value).replace('inf', 'Infinity').replace('nan', 'NaN')
  const inner = margin + (indent ?? '')
  const join = (/** @type {string} */ open, /** @type {string[]} */ items, /** @type {string} */ close) => {
    if (!items.length || indent === undefined) return open + items.join(separators[0]) + close
    return open + inner + items.join(separators[0] + inner) + margin + close
  }
  if (Array.isArray(v))
    return join(
      '[',
      v.map(each => dumps(each, options, inner)),
      ']',
    )
  if (!(v instanceof Map)) throw new TemplateError(`Object of type ${typeName(v)} is not JSON serializable`)
  const entries = Array.from(v)
  if (sorted) entries.sort(([a], [b]) => compare(a, b))
  const name = (/** @type {unknown} */ key) => dumps(isText(key) ? key : dumps(key, options), options)
  return join(
    '{',
    entries.map(([key, each]) => name(key) + separators[1] + dumps(each, options, inner)),
    '}',
  )
}
