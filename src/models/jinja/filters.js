// The filters of jinja2, and tojson as transformers defines it.

import { bound, capitalized, expectInt, expectText, getter, lines, padded, replaced, strip } from './methods.js'
import { binary } from './operators.js'
import { TESTS } from './tests.js'
import { SPACE } from './tokens.js'
import {
  checkDefined,
  compare,
  dumps,
  equal,
  Float,
  Iter,
  int,
  isNumber,
  isText,
  iterate,
  keyOf,
  length,
  Markup,
  NotCovered,
  numberOf,
  refuse,
  str,
  TemplateError,
  Tuple,
  textOf,
  truth,
  typeName,
  Undefined,
  View,
} from './values.js'

/** @typedef {[names: string[], least: number, call: (value: unknown, ...args: unknown[]) => unknown]} Filter */

/** @param {unknown} value */
const small = value => (isText(value) ? textOf(value).toLowerCase() : value)

/** True if an option is given and truthy in Python. @param {unknown} value */
const isOn = value => value !== undefined && truth(value)

/** @template T @param {T[]} items @param {(item: T) => unknown} keyFor @param {unknown} reverse */
function sorted(items, keyFor, reverse) {
  const pairs = items.map(item => ({ item, key: keyFor(item) }))
  const sign = isOn(reverse) ? -1 : 1
  return pairs.sort((a, b) => sign * compare(a.key, b.key)).map(({ item }) => item)
}

/** @param {unknown} value @param {boolean} isCaseSensitive @param {unknown} attribute @param {number} sign */
function extreme(value, isCaseSensitive, attribute, sign) {
  const read = getter(attribute)
  const keyFor = (/** @type {unknown} */ item) => (isCaseSensitive ? read(item) : small(read(item)))
  let best
  for (const item of iterate(value)) {
    const key = keyFor(item)
    if (!best || sign * compare(key, best.key) > 0) best = { item, key }
  }
  return best ? best.item : new Undefined('No aggregated item, sequence was empty.')
}

/** Parses a number as Python's float() does. @param {string} text @returns {number | undefined} undefined if it is invalid */
function readFloat(text) {
  const plain = strip(text, undefined, true, true)
  if (/^[+-]?(?:inf|infinity|nan)$/i.test(plain))
    return /nan/i.test(plain) ? Number.NaN : plain.startsWith('-') ? -Infinity : Infinity
  if (/^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i.test(plain))
    return Number(plain.replaceAll('_', ''))
  return /(?!\p{ASCII})\p{Nd}/u.test(plain) ? refuse('digits beyond ASCII') : undefined
}

/** @param {number} value */
function truncated(value) {
  if (!Number.isFinite(value)) throw new TemplateError('cannot convert float infinity or NaN to integer')
  return int(Math.trunc(value))
}

/** @param {unknown} value @param {unknown} fallback @param {unknown} base */
function toInt(value, fallback, base) {
  checkDefined(value)
  if (base !== undefined && base !== 10) return refuse('the filter int with another base')
  if (isNumber(value)) return truncated(numberOf(value))
  if (!isText(value)) return fallback
  const text = strip(textOf(value), undefined, true, true)
  if (/^[+-]?\d+(?:_\d+)*$/.test(text)) return int(Number(text.replaceAll('_', '')))
  const float = readFloat(text)
  return float === undefined || Number.isNaN(float) ? fallback : truncated(float)
}

/** @param {unknown} value @param {unknown} fallback */
function toFloat(value, fallback) {
  checkDefined(value)
  const float = isNumber(value) ? numberOf(value) : isText(value) ? readFloat(textOf(value)) : undefined
  return float === undefined ? fallback : new Float(float)
}

/** Rounds as Python does, exactly and half to even. @param {unknown} value @param {unknown} precision @param {unknown} method */
function rounded(value, precision = 0, method = 'common') {
  checkDefined(value)
  if (!isNumber(value)) throw new TemplateError(`type ${typeName(value)} doesn't define __round__ method`)
  if (method !== 'common' && method !== 'ceil' && method !== 'floor')
    throw new TemplateError('method must be common, ceil or floor')
  const places = expectInt(precision)
  const x = numberOf(value)
  if (places < 0 || places > 50) return refuse('the filter round with such a precision')
  if (method !== 'common') return new Float((Math[method](x * 10 ** places) + 0) / 10 ** places) // no -0
  if (!(value instanceof Float)) return int(x)
  if (!Number.isFinite(x) || Math.abs(x) >= 1e21) return value
  const long = Math.abs(x).toFixed(Math.min(100, places + 50))
  const point = long.indexOf('.')
  const isHalf = /^50*$/.test(long.slice(point + 1 + places))
  const near = Math.abs(x).toFixed(places)
  const kept = long.slice(0, point + (places ? 1 + places : 0))
  const even = /[02468]$/.test(kept) ? kept : near
  return new Float((x < 0 || Object.is(x, -0) ? -1 : 1) * Number(isHalf ? even : near))
}

/** @param {unknown} value @param {unknown} [width] @param {unknown} [first] @param {unknown} [blank] */
function indented(value, width = 4, first, blank) {
  const margin = isText(width) ? textOf(width) : ' '.repeat(Math.max(0, expectInt(width)))
  const all = lines(`${expectText(value, 'the text of indent')}\n`)
  const rest = all.slice(1).map(line => (line || isOn(blank) ? margin + line : line))
  return (isOn(first) ? margin : '') + [all[0], ...rest].join('\n')
}

/** @param {unknown} value */
function reversed(value) {
  if (isText(value)) return Array.from(textOf(value)).reverse().join('')
  const items = Array.from(iterate(value)).reverse()
  return value instanceof Iter ? items : new Iter(items[Symbol.iterator]())
}

/** @param {unknown} value @param {unknown} ascii @param {unknown} indent @param {unknown} separators @param {unknown} sortKeys */
function toJSON(value, ascii, indent = null, separators = null, sortKeys) {
  const margin =
    indent === null ? undefined : isText(indent) ? textOf(indent) : ' '.repeat(Math.max(0, expectInt(indent)))
  const between =
    separators === null
      ? [margin === undefined ? ', ' : ',', ': ']
      : Array.from(iterate(separators), each => expectText(each, 'separator'))
  if (between.length !== 2) throw new TemplateError('separators: expected two texts')
  return dumps(value, { ascii: isOn(ascii), indent: margin, separators: between, sorted: isOn(sortKeys) })
}

/**
 * Makes select, reject, selectattr or rejectattr, which filter items by a named test or by truth.
 * @param {boolean} isKept true for select
 * @param {boolean} isAttribute true if the test is for an attribute of each item
 */
const chosen = (isKept, isAttribute) =>
  /** @param {unknown} value @param {unknown[]} args @param {Map<string, unknown>} kwargs */
  function* (value, args, kwargs) {
    if (!truth(value)) return
    if (isAttribute && !args.length) throw new TemplateError('Missing parameter for attribute name')
    const read = getter(isAttribute ? args[0] : undefined)
    const [name, ...rest] = args.slice(Number(isAttribute))
    for (const item of iterate(value)) {
      const own = read(item)
      const isIt = name === undefined ? truth(own) : TESTS.call(name, own, rest, kwargs)
      if (isIt === isKept) yield item
    }
  }

/** @param {unknown} value @param {unknown[]} args @param {Map<string, unknown>} kwargs */
function* mapped(value, args, kwargs) {
  if (!truth(value)) return
  if (!args.length && kwargs.has('attribute')) {
    const [attribute, fallback] = bound('map', ['attribute', 'default'], [], kwargs)
    const read = getter(attribute, fallback)
    for (const item of iterate(value)) yield read(item)
  } else {
    if (!args.length) throw new TemplateError('map requires a filter argument')
    const [name, ...rest] = args
    for (const item of iterate(value)) yield FILTERS.call(name, item, rest, kwargs)
  }
}

/** @param {unknown} value @param {unknown} count @param {unknown} fill */
function* batches(value, count, fill = null) {
  const size = expectInt(count)
  /** @type {unknown[]} */
  let batch = []
  for (const item of iterate(value)) {
    if (batch.length === size) {
      yield batch
      batch = []
    }
    batch.push(item)
  }
  if (!batch.length) return
  while (fill !== null && batch.length < size) batch.push(fill)
  yield batch
}

/** @param {unknown} value @param {unknown} isCaseSensitive @param {unknown} attribute */
function* unique(value, isCaseSensitive, attribute) {
  const read = getter(attribute)
  /** @type {unknown[]} */
  const seen = []
  for (const item of iterate(value)) {
    const key = isOn(isCaseSensitive) ? read(item) : small(read(item))
    if (keyOf(key) === undefined) throw new TemplateError(`unhashable type: '${typeName(key)}'`)
    if (seen.some(each => equal(each, key))) continue
    seen.push(key)
    yield item
  }
}

/** @param {unknown} value @param {unknown} length @param {unknown} killwords @param {unknown} end @param {unknown} leeway */
function cut(value, length = 255, killwords, end = '...', leeway = null) {
  if (value instanceof Undefined) return value
  if (!isText(value)) return refuse('the filter truncate of anything but a text')
  const text = Array.from(textOf(value))
  const [most, last, more] = [expectInt(length), expectText(end, 'end'), leeway === null ? 5 : expectInt(leeway)]
  if (most < Array.from(last).length || more < 0)
    throw new TemplateError('truncate: expected a length of at least that of its end')
  if (text.length <= most + more) return text.join('')
  const kept = text.slice(0, most - Array.from(last).length).join('')
  const space = kept.lastIndexOf(' ')
  return (isOn(killwords) || space < 0 ? kept : kept.slice(0, space)) + last
}

/** @type {Record<string, string>} */
const HTML = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
}
const escaped = (/** @type {unknown} */ value) => new Markup(str(value).replace(/[&<>'"]/g, c => HTML[c]))

/** @type {Filter} */
const FALLBACK = [
  ['default_value', 'boolean'],
  0,
  (value, given = '', boolean) => (value instanceof Undefined || (isOn(boolean) && !truth(value)) ? given : value),
]
/** @type {Filter} */
const LENGTH = [[], 0, length]
/** @type {Filter} */
const ESCAPE = [[], 0, value => (value instanceof Markup ? value : escaped(value))]

/** @type {Record<string, Filter>} */
const ALL = {
  abs: [
    [],
    0,
    value => {
      checkDefined(value)
      if (!isNumber(value)) throw new TemplateError(`bad operand type for abs(): '${typeName(value)}'`)
      return value instanceof Float ? new Float(Math.abs(value.value)) : Math.abs(numberOf(value))
    },
  ],
  batch: [['linecount', 'fill_with'], 1, (value, count, fill) => new Iter(batches(value, count, fill))],
  capitalize: [[], 0, value => capitalized(str(value))],
  center: [['width'], 0, (value, width = 80) => padded(str(value), width, undefined, 'both')],
  count: LENGTH,
  d: FALLBACK,
  default: FALLBACK,
  dictsort: [
    ['case_sensitive', 'by', 'reverse'],
    0,
    (value, isCaseSensitive, by = 'key', reverse) => {
      if (by !== 'key' && by !== 'value') throw new TemplateError('You can only sort by either "key" or "value"')
      checkDefined(value)
      if (!(value instanceof Map)) throw new TemplateError(`'${typeName(value)}' object has no attribute 'items'`)
      const at = Number(by === 'value')
      const items = Array.from(value, pair => Tuple.from(pair))
      return sorted(items, pair => (isOn(isCaseSensitive) ? pair[at] : small(pair[at])), reverse)
    },
  ],
  e: ESCAPE,
  escape: ESCAPE,
  first: [
    [],
    0,
    value => {
      for (const item of iterate(value)) return item
      return new Undefined('No first item, sequence was empty.')
    },
  ],
  float: [['default'], 0, (value, fallback = new Float(0)) => toFloat(value, fallback)],
  forceescape: [[], 0, escaped],
  indent: [['width', 'first', 'blank'], 0, indented],
  int: [['default', 'base'], 0, (value, fallback = 0, base) => toInt(value, fallback, base)],
  items: [
    [],
    0,
    value => {
      if (!(value instanceof Map) && !(value instanceof Undefined))
        throw new TemplateError('Can only get item pairs from a mapping.')
      return new Iter(value instanceof Map ? new View('items', value)[Symbol.iterator]() : [][Symbol.iterator]())
    },
  ],
  join: [
    ['d', 'attribute'],
    0,
    (value, d = '', attribute) => Array.from(iterate(value), item => str(getter(attribute)(item))).join(str(d)),
  ],
  last: [
    [],
    0,
    value => {
      if (value instanceof Iter) throw new TemplateError("'generator' object is not reversible")
      const items = Array.from(iterate(value))
      return items.length ? items.at(-1) : new Undefined('No last item, sequence was empty.')
    },
  ],
  length: LENGTH,
  list: [[], 0, value => Array.from(iterate(value))],
  lower: [[], 0, value => str(value).toLowerCase()],
  max: [
    ['case_sensitive', 'attribute'],
    0,
    (value, isCaseSensitive, attribute) => extreme(value, isOn(isCaseSensitive), attribute, 1),
  ],
  min: [
    ['case_sensitive', 'attribute'],
    0,
    (value, isCaseSensitive, attribute) => extreme(value, isOn(isCaseSensitive), attribute, -1),
  ],
  replace: [
    ['old', 'new', 'count'],
    2,
    (value, old, given, count = null) =>
      replaced(str(value), str(old), str(given), count === null ? -1 : expectInt(count)),
  ],
  reverse: [[], 0, reversed],
  round: [['precision', 'method'], 0, rounded],
  safe: [[], 0, value => (value instanceof Markup ? value : new Markup(str(value)))],
  sort: [
    ['reverse', 'case_sensitive', 'attribute'],
    0,
    (value, reverse, isCaseSensitive, attribute = null) => {
      const reads = (isText(attribute) ? textOf(attribute).split(',') : [attribute]).map(
        (/** @type {unknown} */ each) => getter(each),
      )
      const keyFor = (/** @type {unknown} */ item) =>
        reads.map(read => (isOn(isCaseSensitive) ? read(item) : small(read(item))))
      return sorted(Array.from(iterate(value)), keyFor, reverse)
    },
  ],
  string: [[], 0, value => (value instanceof Markup ? value : str(value))],
  sum: [
    ['attribute', 'start'],
    0,
    (value, attribute, start = 0) => {
      if (isText(start)) throw new TemplateError("sum() can't sum strings [use ''.join(seq) instead]")
      return Array.from(iterate(value), getter(attribute)).reduce((sum, item) => binary('+', sum, item), start)
    },
  ],
  title: [
    [],
    0,
    value =>
      str(value)
        .split(new RegExp(`((?:[-({[<]|${SPACE})+)`))
        .map(word => {
          const [first = '', ...rest] = Array.from(word)
          return first.toUpperCase() + rest.join('').toLowerCase()
        })
        .join(''),
  ],
  tojson: [['ensure_ascii', 'indent', 'separators', 'sort_keys'], 0, toJSON],
  trim: [['chars'], 0, (value, chars) => strip(str(value), chars, true, true)],
  truncate: [['length', 'killwords', 'end', 'leeway'], 0, cut],
  unique: [
    ['case_sensitive', 'attribute'],
    0,
    (value, isCaseSensitive, attribute) => new Iter(unique(value, isCaseSensitive, attribute)),
  ],
  upper: [[], 0, value => str(value).toUpperCase()],
  wordcount: [[], 0, value => str(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0],
}

/** Filters that take any arguments. @type {Record<string, (value: unknown, args: unknown[], kwargs: Map<string, unknown>) => Iterator<unknown>>} */
const ANY = {
  map: mapped,
  select: chosen(true, false),
  reject: chosen(false, false),
  selectattr: chosen(true, true),
  rejectattr: chosen(false, true),
}

/** Filters of jinja2 that are not supported. */
const REFUSED =
  'attr filesizeformat format groupby pprint random slice striptags urlencode urlize wordwrap xmlattr'.split(' ')
/** Filters that treat Markup (the result of the filter safe) like any other text. */
const PLAIN = 'count d default e escape forceescape join length list replace safe string tojson wordcount'.split(' ')

export const FILTERS = {
  has: (/** @type {string} */ name) => Object.hasOwn(ALL, name) || Object.hasOwn(ANY, name) || REFUSED.includes(name),
  /** @param {unknown} given the name @param {unknown} value @param {unknown[]} args @param {Map<string, unknown>} kwargs @returns {unknown} */
  call(given, value, args, kwargs) {
    const name = str(given)
    if (REFUSED.includes(name)) throw new NotCovered(`the filter ${name}`)
    if (!FILTERS.has(name)) throw new TemplateError(`No filter named '${name}'.`)
    if (value instanceof Markup && !PLAIN.includes(name))
      throw new NotCovered(`the filter ${name} of a value that went through safe or escape`)
    if (Object.hasOwn(ANY, name)) return new Iter(ANY[name](value, args, kwargs))
    const [names, least, call] = ALL[name]
    const all = bound(name, names, args, kwargs)
    if (all.slice(0, least).includes(undefined))
      throw new TemplateError(`the filter ${name} needs ${least} argument(s)`)
    return call(value, ...all)
  },
}
