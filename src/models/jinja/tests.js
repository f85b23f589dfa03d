// The tests of jinja2, such as `value is defined`.

import { bound, isLower, isUpper } from './methods.js'
import { binary, comparison } from './operators.js'
import {
  Callable,
  contains,
  Float,
  Iter,
  isLoop,
  isNotIterable,
  isNumber,
  isText,
  Markup,
  refuse,
  str,
  TemplateError,
  Undefined,
  View,
} from './values.js'

/** @typedef {[names: string[], call: (value: unknown, ...args: unknown[]) => boolean]} Test */

/** @param {string} operator @returns {Test} */
const compared = operator => [['other'], (value, other) => comparison(operator, value, other)]
/** @param {(value: unknown) => boolean} call @returns {Test} */
const alone = call => [[], call]
/** @param {unknown} value @param {unknown} by @param {number} rest */
const hasRest = (value, by, rest) => comparison('==', binary('%', value, by), rest)

const eq = compared('==')
const ne = compared('!=')
const [lt, le, gt, ge] = ['<', '<=', '>', '>='].map(compared)

/** @type {Record<string, Test>} */
const ALL = {
  '==': eq,
  eq,
  equalto: eq,
  '!=': ne,
  ne,
  '<': lt,
  lt,
  lessthan: lt,
  '<=': le,
  le,
  '>': gt,
  gt,
  greaterthan: gt,
  '>=': ge,
  ge,
  boolean: alone(value => typeof value === 'boolean'),
  callable: alone(value => value instanceof Callable || value instanceof Undefined || isLoop(value)),
  defined: alone(value => !(value instanceof Undefined)),
  divisibleby: [['num'], (value, by) => hasRest(value, by, 0)],
  escaped: alone(value => value instanceof Markup),
  even: alone(value => hasRest(value, 2, 0)),
  false: alone(value => value === false),
  filter: [[], () => refuse('the test filter')],
  float: alone(value => value instanceof Float),
  in: [['seq'], contains],
  integer: alone(value => typeof value === 'number'),
  iterable: alone(value => !isNotIterable(value)),
  lower: alone(value => isLower(str(value))),
  mapping: alone(value => value instanceof Map),
  none: alone(value => value === null),
  number: alone(isNumber),
  odd: alone(value => hasRest(value, 2, 1)),
  sameas: [
    ['other'],
    (value, other) => {
      const isOne = (/** @type {unknown} */ each) => each === null || typeof each === 'boolean'
      if (isOne(value) || isOne(other)) return value === other
      return refuse('the test sameas of anything but none, true and false')
    },
  ],
  sequence: alone(
    value => !isLoop(value) && !isNotIterable(value) && !(value instanceof Iter || value instanceof View),
  ),
  string: alone(isText),
  test: [[], () => refuse('the test test')],
  true: alone(value => value === true),
  undefined: alone(value => value instanceof Undefined),
  upper: alone(value => isUpper(str(value))),
}

export const TESTS = {
  has: (/** @type {string} */ name) => Object.hasOwn(ALL, name),
  /** @param {unknown} given the name @param {unknown} value @param {unknown[]} args @param {Map<string, unknown>} kwargs @returns {boolean} */
  call(given, value, args, kwargs) {
    const name = str(given)
    if (!TESTS.has(name)) throw new TemplateError(`No test named '${name}'.`)
    const [names, call] = ALL[name]
    const all = bound(name, names, args, kwargs)
    if (all.includes(undefined)) throw new TemplateError(`the test ${name} needs ${names.length} argument(s)`)
    return call(value, ...all)
  },
}
