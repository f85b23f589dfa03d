// The operators of Python on the values of values.js.

import {
  checkDefined,
  compare,
  contains,
  equal,
  Float,
  int,
  isNumber,
  isText,
  Markup,
  NotCovered,
  numberOf,
  str,
  TemplateError,
  Tuple,
  typeName,
} from './values.js'

/** Evaluates a comparison. @param {string} operator @param {unknown} a @param {unknown} b @returns {boolean} */
export function comparison(operator, a, b) {
  if (operator === '==') return equal(a, b)
  if (operator === '!=') return !equal(a, b)
  if (operator === 'in') return contains(a, b)
  if (operator === 'not in') return !contains(a, b)
  const order = compare(a, b, operator)
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  return operator === '>' ? order > 0 : order >= 0
}

/** @param {unknown[]} parts */
export const concatenated = parts => parts.map(str).join('')

/** @param {unknown} v @param {string} sign */
function signed(v, sign) {
  checkDefined(v)
  if (v instanceof Float) return new Float(sign === '-' ? -v.value : v.value)
  if (isNumber(v)) return int(sign === '-' ? -numberOf(v) : numberOf(v))
  throw new TemplateError(`bad operand type for unary ${sign}: '${typeName(v)}'`)
}

export const negative = (/** @type {unknown} */ v) => signed(v, '-')
export const positive = (/** @type {unknown} */ v) => signed(v, '+')

/**
 * Returns quotient and remainder as Python does, rounding down. A zero quotient has the sign of the exact quotient, a zero remainder the
 * sign of y.
 * https://github.com/python/cpython: Objects/floatobject.c, _float_div_mod
 * @param {number} x @param {number} y
 */
function division(x, y) {
  let rest = x % y
  let ratio = (x - rest) / y
  if (rest !== 0 && rest < 0 !== y < 0) {
    rest += y
    ratio--
  }
  if (rest === 0) rest = y < 0 ? -0 : 0
  let floor = Math.floor(ratio)
  if (ratio - floor > 0.5) floor++
  if (ratio === 0) floor = x / y < 0 || Object.is(x / y, -0) ? -0 : 0
  return { rest, floor }
}

/** @param {string} operator @param {unknown} a @param {unknown} b */
function arithmetic(operator, a, b) {
  const [x, y] = [numberOf(a), numberOf(b)]
  const isFloat = a instanceof Float || b instanceof Float
  const made = (/** @type {number} */ value) => (isFloat ? new Float(value) : int(value))
  if (['/', '//', '%'].includes(operator) && y === 0)
    throw new TemplateError(isFloat ? 'float division by zero' : 'division by zero')
  switch (operator) {
    case '+':
      return made(x + y)
    case '-':
      return made(x - y)
    case '*':
      return made(x * y)
    case '/':
      return new Float(x / y)
    case '//':
      return made(division(x, y).floor)
    case '%':
      return made(division(x, y).rest)
  }
  // Refused, because math libraries differ in the last bit of powers of floats.
  if (isFloat || y < 0) throw new NotCovered('** of floats, or with a negative exponent,')
  // jinja2 compiles a constant -3 before ** to the source -3 ** n, which Python parses as -(3 ** n).
  if (x < 0) throw new NotCovered('** of a negative number')
  if (Math.abs(x) > 1 && y > 60) return int(Infinity)
  return int(Number(BigInt(x) ** BigInt(Math.abs(x) > 1 ? y : (y % 2) + 2 * Number(y > 0))))
}

/** @param {string | unknown[]} list @param {number} times */
function repeated(list, times) {
  if (times > 1e6) throw new NotCovered(`repeating ${times} times`)
  if (typeof list === 'string') return list.repeat(Math.max(0, times))
  const items = Array.from({ length: Math.max(0, times) }, () => Array.from(list)).flat()
  return list instanceof Tuple ? Tuple.from(items) : items
}

/** Evaluates a binary operator. @param {string} operator @param {unknown} a @param {unknown} b @returns {unknown} */
export function binary(operator, a, b) {
  if (operator === '%' && isText(a)) throw new NotCovered('the operator % of a text')
  checkDefined(a, b)
  if (isNumber(a) && isNumber(b)) return arithmetic(operator, a, b)
  if (a instanceof Markup || b instanceof Markup)
    throw new NotCovered(`${operator} of a value that went through safe or escape`)
  if (operator === '+') {
    if (typeof a === 'string' && typeof b === 'string') return a + b
    if (Array.isArray(a) && Array.isArray(b) && a instanceof Tuple === b instanceof Tuple) {
      const all = [...a, ...b]
      return a instanceof Tuple ? Tuple.from(all) : all
    }
    if (isText(a)) throw new TemplateError(`can only concatenate str (not "${typeName(b)}") to str`)
  }
  // In Python, dict.items() and dict.keys() are like sets, and - is the difference of two sets.
  if (operator === '-' && [a, b].some(v => ['dict_items', 'dict_keys'].includes(typeName(v))))
    throw new NotCovered('the operator - of the items or the keys of a dict')
  if (operator === '*') {
    const isList = (/** @type {unknown} */ v) => typeof v === 'string' || Array.isArray(v)
    const isWhole = (/** @type {unknown} */ v) => isNumber(v) && !(v instanceof Float)
    if (isList(a) && isWhole(b)) return repeated(a, numberOf(b))
    if (isWhole(a) && isList(b)) return repeated(b, numberOf(a))
  }
  throw new TemplateError(`unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`)
}
