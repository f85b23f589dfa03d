// Attributes, items and methods of Python's values, as jinja2's sandbox exposes them.

import { present } from '../../base/present.js'
import { LOOP } from './scope.js'
import { SPACE } from './tokens.js'
import {
  Callable,
  checkDefined,
  contains,
  equal,
  isLoop,
  isNumber,
  isText,
  iterate,
  keyOf,
  Markup,
  Namespace,
  NotCovered,
  Numbers,
  refuse,
  sliced,
  str,
  TemplateError,
  Tuple,
  textOf,
  truth,
  typeName,
  Undefined,
  View,
} from './values.js'

/**
 * Returns the arguments of a call in the order of the parameters; undefined for each that is not given.
 * @param {string} name the function, for errors
 * @param {readonly string[]} names its parameters
 * @param {unknown[]} args
 * @param {Map<string, unknown>} kwargs
 */
export function bound(name, names, args, kwargs) {
  if (args.length > names.length)
    throw new TemplateError(`${name}() takes ${names.length} arguments, ${args.length} were given`)
  const all = names.map((_, i) => args[i])
  for (const [key, value] of kwargs) {
    const at = names.indexOf(key)
    if (at < args.length) throw new TemplateError(`${name}() got an unexpected keyword argument '${key}'`)
    all[at] = value
  }
  return all
}

/** @param {unknown} v @param {string} what @returns {string} */
export function expectText(v, what) {
  checkDefined(v)
  if (isText(v)) return textOf(v)
  throw new TemplateError(`${what} must be str, not ${typeName(v)}`)
}

/** @param {unknown} v @returns {number} */
export function expectInt(v) {
  checkDefined(v)
  if (typeof v === 'number' || typeof v === 'boolean') return Number(v)
  throw new TemplateError(`'${typeName(v)}' object cannot be interpreted as an integer`)
}

const START = new RegExp(`^${SPACE}+`)
const END = new RegExp(`${SPACE}+$`)
const WORDS = new RegExp(`${SPACE}+`)

/** @param {string} text @param {unknown} chars @param {boolean} atStart @param {boolean} atEnd */
export function strip(text, chars, atStart, atEnd) {
  if (chars === undefined || chars === null) {
    if (atStart) text = text.replace(START, '')
    return atEnd ? text.replace(END, '') : text
  }
  const set = new Set(expectText(chars, 'strip arg'))
  const all = Array.from(text)
  let [from, to] = [0, all.length]
  while (atStart && from < to && set.has(all[from])) from++
  while (atEnd && to > from && set.has(all[to - 1])) to--
  return all.slice(from, to).join('')
}

/** Implements str.split and str.rsplit. @param {string} text @param {unknown} separator @param {unknown} most @param {boolean} isRight */
function split(text, separator, most, isRight) {
  const limit = most === undefined || expectInt(most) < 0 ? Infinity : expectInt(most)
  const isSpace = separator === undefined || separator === null
  if (isSpace) {
    const rest = strip(text, undefined, true, true)
    if (!rest) return []
    const parts = rest.split(WORDS)
    if (parts.length - 1 < limit) return parts
    // The unsplit rest keeps its inner white space. It also keeps the white space at its end, or with rsplit at its start.
    const own = isRight
      ? new RegExp(`^([\\s\\S]*?)${SPACE}+((?:(?!${SPACE})[\\s\\S])+)$`)
      : new RegExp(`^((?:(?!${SPACE})[\\s\\S])+)${SPACE}+([\\s\\S]*)$`)
    let left = isRight ? strip(text, undefined, false, true) : strip(text, undefined, true, false)
    const out = []
    for (let n = 0; n < limit; n++) {
      const found = present(own.exec(left))
      out.push(found[isRight ? 2 : 1])
      left = isRight ? strip(found[1], undefined, false, true) : found[2]
    }
    out.push(left)
    return isRight ? out.reverse() : out
  }
  const by = expectText(separator, 'separator')
  if (!by) throw new TemplateError('empty separator')
  const parts = text.split(by)
  if (parts.length - 1 <= limit) return parts
  if (isRight) return [parts.slice(0, parts.length - limit).join(by), ...parts.slice(parts.length - limit)]
  return [...parts.slice(0, limit), parts.slice(limit).join(by)]
}

const ENDS = '\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029'
const LINES = new RegExp(`([^${ENDS}]*)(\\r\\n|[${ENDS}]|$)`, 'g')

/** Splits a text into lines as str.splitlines does. @param {string} text @param {boolean} [keepsEnds] */
export function lines(text, keepsEnds = false) {
  const all = Array.from(text.matchAll(LINES))
  return all.filter(([whole]) => whole).map(([whole, line]) => (keepsEnds ? whole : line))
}

/** @param {string} text @param {string} old @param {string} given @param {number} most replacements; all if negative */
export function replaced(text, old, given, most) {
  const limit = most < 0 ? Infinity : most
  const parts = old ? text.split(old) : ['', ...Array.from(text), '']
  if (!old && !text) return limit ? given : ''
  return parts.reduce((all, part, i) => all + (i <= limit ? given : old) + part)
}

/** @param {string} text */
export function capitalized(text) {
  const letters = Array.from(text)
  return letters.map((c, i) => (i ? lowered(c, i, letters) : titled(c))).join('')
}

/**
 * Lowercases a letter of a text; a capital sigma at the end of a word becomes ς.
 * @param {string} c
 * @param {number} i
 * @param {string[]} letters
 */
function lowered(c, i, letters) {
  if (c !== 'Σ') return c.toLowerCase()
  const [before, after] = [letters.slice(0, i).join(''), letters.slice(i + 1).join('')]
  const isEnd = /\p{Cased}\p{Case_Ignorable}*$/u.test(before) && !/^\p{Case_Ignorable}*\p{Cased}/u.test(after)
  return isEnd ? 'ς' : 'σ'
}

/** Returns a character in title case. @param {string} c */
function titled(c) {
  if (/[\u01c4-\u01cc\u01f1-\u01f3\u10d0-\u10ff\u1c90-\u1cbf\u1f80-\u1fff]/.test(c))
    throw new NotCovered(`the title case of ${c}`)
  const [first = '', ...rest] = Array.from(c.toUpperCase())
  return first + rest.join('').toLowerCase()
}

/** Implements str.title, where a letter after another letter is lowercased. @param {string} text */
function titleOf(text) {
  let isAfter = false
  const letters = Array.from(text)
  const made = letters.map((c, i) => {
    const isLetter = /\p{Cased}/u.test(c)
    const out = isLetter ? (isAfter ? lowered(c, i, letters) : titled(c)) : c
    isAfter = isLetter
    return out
  })
  return made.join('')
}

/**
 * Returns the part of a text that a method of str such as find searches.
 * @param {string} text
 * @param {unknown} start
 * @param {unknown} end
 * @returns {{ within: string, from: number } | undefined} the part and its start; undefined if `start` is after `end`, where Python does
 *   not even find an empty text
 */
function between(text, start, end) {
  if ((start ?? null) === null && (end ?? null) === null) return { within: text, from: 0 }
  const points = Array.from(text)
  const L = points.length
  const [from, to] = [start ?? 0, end ?? L].map(index => {
    const at = expectInt(index)
    return at < 0 ? Math.max(at + L, 0) : at
  })
  const last = Math.min(to, L)
  return from > last ? undefined : { within: points.slice(from, last).join(''), from }
}

/** @param {string} text @param {unknown} part @param {'startsWith' | 'endsWith'} method @param {unknown} [start] @param {unknown} [end] */
function hasEnd(text, part, method, start, end) {
  const found = between(text, start, end)
  const parts = (part instanceof Tuple ? part : [part]).map((/** @type {unknown} */ each) =>
    expectText(each, 'argument'),
  )
  return found !== undefined && parts.some((/** @type {string} */ each) => found.within[method](each))
}

/** @param {string} text @param {unknown} part @param {'indexOf' | 'lastIndexOf'} method @param {boolean} isStrict @param {unknown} start @param {unknown} end */
function find(text, part, method, isStrict, start, end) {
  const sought = expectText(part, 'argument')
  const found = between(text, start, end)
  const at = found ? found.within[method](sought) : -1
  if (found && at >= 0) return found.from + Array.from(found.within.slice(0, at)).length
  if (isStrict) throw new TemplateError('substring not found')
  return -1
}

/** @param {string} text @param {unknown} part @param {unknown} start @param {unknown} end */
function countOf(text, part, start, end) {
  const sought = expectText(part, 'argument')
  const found = between(text, start, end)
  if (!found) return 0
  return sought ? found.within.split(sought).length - 1 : Array.from(found.within).length + 1
}

/** @param {string} text @param {unknown} by @param {'indexOf' | 'lastIndexOf'} method */
function partition(text, by, method) {
  const separator = expectText(by, 'separator')
  if (!separator) throw new TemplateError('empty separator')
  const at = text[method](separator)
  if (at < 0) return Tuple.from(method === 'indexOf' ? [text, '', ''] : ['', '', text])
  return Tuple.from([text.slice(0, at), separator, text.slice(at + separator.length)])
}

/** @param {string} text @param {unknown} width @param {unknown} fill @param {'left' | 'right' | 'both'} side to fill */
export function padded(text, width, fill, side) {
  const size = Array.from(text).length
  const w = expectInt(width)
  const more = Math.max(0, w - size)
  const c = fill === undefined ? ' ' : expectText(fill, 'the fill character')
  if (Array.from(c).length !== 1) throw new TemplateError('The fill character must be exactly one character long')
  const left = side === 'left' ? more : side === 'right' ? 0 : Math.floor(more / 2) + (more & w & 1)
  return c.repeat(left) + text + c.repeat(more - left)
}

/** @param {string} text @param {RegExp} pattern */
const all = (text, pattern) => pattern.test(text)

export const isLower = (/** @type {string} */ text) => /\p{Cased}/u.test(text) && !/[\p{Lu}\p{Lt}]/u.test(text)
export const isUpper = (/** @type {string} */ text) => /\p{Cased}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text)

/**
 * A method of a Python type T: its parameters, the least number of arguments, its function. TypeScript compares the parameters of a
 * method less strictly than those of a function, so `call` is typed as a method to fit into one table for all types.
 * @template T
 * @typedef {[names: string[], least: number, call: { call(value: T, ...args: unknown[]): unknown }['call']]} PythonMethod
 */
/**
 * The methods of each type by name.
 * @typedef {{ [type: string]: Record<string, PythonMethod<unknown>>, str: Record<string, PythonMethod<string>>,
 *   dict: Record<string, PythonMethod<Map<unknown, unknown>>>, list: Record<string, PythonMethod<unknown[]>> }} Methods
 */

/** Parameters that have no keyword, so they can only be passed by position. */
const PLACES = ['a part', 'its start', 'its end']

/** @type {Methods} */
const METHODS = {
  str: {
    capitalize: [[], 0, capitalized],
    casefold: [
      [],
      0,
      text => (/^\p{ASCII}*$/u.test(text) ? text.toLowerCase() : refuse('casefold of letters beyond ASCII')),
    ],
    center: [['width', 'fill'], 1, (text, width, fill) => padded(text, width, fill, 'both')],
    count: [PLACES, 1, countOf],
    endswith: [PLACES, 1, (text, part, start, end) => hasEnd(text, part, 'endsWith', start, end)],
    find: [PLACES, 1, (text, part, start, end) => find(text, part, 'indexOf', false, start, end)],
    index: [PLACES, 1, (text, part, start, end) => find(text, part, 'indexOf', true, start, end)],
    isalnum: [[], 0, text => all(text, /^[\p{L}\p{N}]+$/u)],
    isalpha: [[], 0, text => all(text, /^\p{L}+$/u)],
    isascii: [[], 0, text => all(text, /^\p{ASCII}*$/u)],
    isdecimal: [[], 0, text => all(text, /^\p{Nd}+$/u)],
    isdigit: [
      [],
      0,
      text => (/[\p{No}\p{Nl}]/u.test(text) ? refuse('isdigit of such a character') : all(text, /^\p{Nd}+$/u)),
    ],
    islower: [[], 0, isLower],
    isnumeric: [
      [],
      0,
      text => (/\p{Lo}/u.test(text) ? refuse('isnumeric of such a character') : all(text, /^\p{N}+$/u)),
    ],
    isspace: [[], 0, text => all(text, new RegExp(`^${SPACE}+$`))],
    isupper: [[], 0, isUpper],
    join: [
      ['items'],
      1,
      (text, items) => Array.from(iterate(items), each => expectText(each, 'sequence item')).join(text),
    ],
    ljust: [['width', 'fill'], 1, (text, width, fill) => padded(text, width, fill, 'right')],
    lower: [[], 0, text => text.toLowerCase()],
    lstrip: [['chars'], 0, (text, chars) => strip(text, chars, true, false)],
    partition: [['sep'], 1, (text, by) => partition(text, by, 'indexOf')],
    removeprefix: [
      ['prefix'],
      1,
      (text, part) => (hasEnd(text, part, 'startsWith') ? text.slice(expectText(part, 'argument').length) : text),
    ],
    removesuffix: [
      ['suffix'],
      1,
      (text, part) =>
        part && hasEnd(text, part, 'endsWith') ? text.slice(0, -expectText(part, 'argument').length) : text,
    ],
    replace: [
      ['old', 'new', 'count'],
      2,
      (text, old, given, count) =>
        replaced(
          text,
          expectText(old, 'argument 1'),
          expectText(given, 'argument 2'),
          count === undefined ? -1 : expectInt(count),
        ),
    ],
    rfind: [PLACES, 1, (text, part, start, end) => find(text, part, 'lastIndexOf', false, start, end)],
    rindex: [PLACES, 1, (text, part, start, end) => find(text, part, 'lastIndexOf', true, start, end)],
    rjust: [['width', 'fill'], 1, (text, width, fill) => padded(text, width, fill, 'left')],
    rpartition: [['sep'], 1, (text, by) => partition(text, by, 'lastIndexOf')],
    rsplit: [['sep', 'maxsplit'], 0, (text, by, most) => split(text, by, most, true)],
    rstrip: [['chars'], 0, (text, chars) => strip(text, chars, false, true)],
    split: [['sep', 'maxsplit'], 0, (text, by, most) => split(text, by, most, false)],
    splitlines: [['keepends'], 0, (text, keeps = false) => lines(text, truth(keeps))],
    startswith: [PLACES, 1, (text, part, start, end) => hasEnd(text, part, 'startsWith', start, end)],
    strip: [['chars'], 0, (text, chars) => strip(text, chars, true, true)],
    title: [[], 0, titleOf],
    upper: [[], 0, text => text.toUpperCase()],
    zfill: [
      ['width'],
      1,
      (text, width) => {
        const sign = /^[+-]/.exec(text)?.[0] ?? ''
        return sign + padded(text.slice(sign.length), expectInt(width) - sign.length, '0', 'left')
      },
    ],
  },
  dict: {
    copy: [[], 0, map => new Map(map)],
    get: [['key', 'default'], 1, (map, key, fallback = null) => (contains(key, map) ? map.get(keyOf(key)) : fallback)],
    items: [[], 0, map => new View('items', map)],
    keys: [[], 0, map => new View('keys', map)],
    values: [[], 0, map => new View('values', map)],
  },
  list: {
    copy: [[], 0, list => [...list]],
    count: [['item'], 1, (list, item) => list.filter((/** @type {unknown} */ each) => equal(each, item)).length],
    index: [['item'], 1, indexIn],
  },
}
METHODS.tuple = { count: METHODS.list.count, index: METHODS.list.index }

/** @param {unknown[]} list @param {unknown} item */
function indexIn(list, item) {
  const at = list.findIndex(each => equal(each, item))
  if (at < 0) throw new TemplateError('item is not in list')
  return at
}

/** Attributes and methods of Python's types that are not supported; FORBIDDEN has others. @type {Record<string, string>} */
const OTHERS = {
  str: 'encode expandtabs format format_map isidentifier isprintable istitle maketrans swapcase translate',
  dict: 'fromkeys',
  int: 'as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes',
  float: 'as_integer_ratio conjugate fromhex hex imag is_integer real',
  range: 'count index start step stop',
  function: 'name arguments catch_kwargs catch_varargs caller explicit_caller',
  dict_keys: 'isdisjoint mapping',
  dict_items: 'isdisjoint mapping',
  dict_values: 'mapping',
  generator: 'close gi_code gi_frame gi_running gi_suspended gi_yieldfrom send throw',
}
OTHERS.bool = OTHERS.int
/** Methods that the sandbox forbids, because they change a value. @type {Record<string, string>} */
const FORBIDDEN = {
  dict: 'clear pop popitem setdefault update',
  list: 'append clear extend insert pop remove reverse sort',
}

/** @param {Record<string, string>} names @param {string} type @param {string} name */
const isAmong = (names, type, name) => names[type]?.split(' ').includes(name)

/**
 * Returns an attribute or a bound method of a Python value; undefined if it has none of that name.
 * @param {unknown} of
 * @param {string} name
 */
function ownAttribute(of, name) {
  const isInner = /^__.*__$/.test(name)
  if (name !== '__class__') checkDefined(of)
  if (of instanceof Namespace) return of.map.get(name)
  if (isLoop(of)) return LOOP.includes(name) ? of[/** @type {keyof typeof of} */ (name)] : undefined
  const type = typeName(of)
  const method = Object.hasOwn(METHODS[type] ?? {}, name) ? METHODS[type][name] : undefined
  if (method || isAmong(OTHERS, type, name)) {
    if (of instanceof Markup) throw new NotCovered(`the method ${name} of a value that went through safe or escape`)
    if (!method) throw new NotCovered(`the attribute ${name} of a ${type}`)
    const [names, least, call] = method
    return new Callable(name, (args, kwargs) => {
      const given = bound(name, names, args, kwargs)
      if (given.slice(0, least).includes(undefined))
        throw new TemplateError(`${name}() takes at least ${least} argument(s)`)
      return call(isText(of) ? textOf(of) : of, ...given)
    }).of(of)
  }
  if (isInner && of instanceof Map && of.has(name)) throw new NotCovered(`${name} of a dict with such a key`)
  if (isAmong(FORBIDDEN, type, name) || isInner) return forbidden(name, type)
  return undefined
}

/** @param {string} name @param {string} type */
const forbidden = (name, type) => new Undefined(`access to attribute '${name}' of '${type}' object is unsafe.`)

/** @param {unknown} of @param {unknown} name */
const none = (of, name) =>
  new Undefined(`'${typeName(of)} object' has no attribute ${typeof name === 'string' ? `'${name}'` : str(name)}`)

/** Returns of[key] for a dict, a list, a str or a range; undefined if there is none. @param {unknown} of @param {unknown} key */
function ownItem(of, key) {
  checkDefined(of)
  if (of instanceof Map) return of.get(keyOf(key))
  if (!(isText(of) || Array.isArray(of) || of instanceof Numbers) || !isNumber(key) || !Number.isInteger(Number(key)))
    return undefined
  if (of instanceof Markup) throw new NotCovered('an item of a value that went through safe or escape')
  const all = Array.isArray(of) ? of : [...of]
  return all.at(Number(key))
}

/** @param {unknown} item @param {unknown} of @param {unknown} name */
const presentOr = (item, of, name) => (item === undefined ? none(of, name) : item)

/** Evaluates of.name. @param {unknown} of @param {string} name */
export function attributeOf(of, name) {
  const value = ownAttribute(of, name)
  if (value === undefined) return presentOr(ownItem(of, name), of, name)
  return name.startsWith('_') ? forbidden(name, typeName(of)) : value
}

/** Evaluates of[key]. @param {unknown} of @param {unknown} key */
export function itemOf(of, key) {
  const item = ownItem(of, key)
  if (item !== undefined) return item
  if (!isText(key)) return none(of, key)
  const name = textOf(key)
  const value = ownAttribute(of, name)
  if (value === undefined) return none(of, key)
  return name.startsWith('_') ? forbidden(name, typeName(of)) : value
}

/** Evaluates of[from:to:by]. @param {unknown} of @param {unknown[]} parts */
export function sliceOf(of, parts) {
  checkDefined(of)
  const isWhole = parts.every(part => part === null || typeof part === 'number' || typeof part === 'boolean')
  // jinja2 raises an error here. If all parts are constants, it evaluates to an undefined value.
  if (!(typeof of === 'string' || Array.isArray(of)) || !isWhole)
    throw new NotCovered(`such a slice of a ${typeName(of)}`)
  const items = sliced(Array.from(of), parts)
  return typeof of === 'string' ? items.join('') : of instanceof Tuple ? Tuple.from(items) : items
}

/**
 * Makes a getter of an item's attribute.
 * @param {unknown} attribute a path such as 'function.name', an index, or none for the item itself
 * @param {unknown} [fallback]
 * @returns {(item: unknown) => unknown}
 */
export function getter(attribute, fallback) {
  if (attribute === undefined || attribute === null) return item => item
  const parts = isText(attribute)
    ? textOf(attribute)
        .split('.')
        .map(part => (/^\d+$/.test(part) ? Number(part) : part))
    : [attribute]
  return item =>
    parts.reduce((value, part) => {
      const next = itemOf(value, part)
      return fallback !== undefined && fallback !== null && next instanceof Undefined ? fallback : next
    }, item)
}
