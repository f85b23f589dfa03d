// datetime.strftime of Python on Linux, in the C locale: the directives of the C standard and those of glibc.
// https://docs.python.org/3/library/datetime.html#format-codes

import { NotCovered } from './values.js'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const DAY = 86_400_000

/** Returns the days since the first of January. @param {Date} d */
const dayOfYear = d =>
  Math.round((Date.UTC(d.getFullYear(), d.getMonth(), d.getDate()) - Date.UTC(d.getFullYear(), 0, 1)) / DAY)

/** Returns the ISO 8601 year and week; a week belongs to the year of its Thursday. @param {Date} d */
function isoWeek(d) {
  const thursday = new Date(Date.UTC(d.getFullYear(), d.getMonth(), d.getDate() + 4 - (d.getDay() || 7)))
  const year = thursday.getUTCFullYear()
  return { year, week: Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / DAY / 7) + 1 }
}

/** A value to be padded to a minimum of digits. @typedef {[value: number, digits: number, fill?: '0' | ' ']} Digits */
/** @type {Record<string, (d: Date) => string | Digits>} */
const DIRECTIVES = {
  a: d => DAYS[d.getDay()].slice(0, 3),
  A: d => DAYS[d.getDay()],
  b: d => MONTHS[d.getMonth()].slice(0, 3),
  B: d => MONTHS[d.getMonth()],
  h: d => MONTHS[d.getMonth()].slice(0, 3),
  c: d => strftime(d, '%a %b %e %H:%M:%S %Y'),
  C: d => [Math.floor(d.getFullYear() / 100), 2],
  d: d => [d.getDate(), 2],
  D: d => strftime(d, '%m/%d/%y'),
  e: d => [d.getDate(), 2, ' '],
  F: d => strftime(d, '%Y-%m-%d'),
  g: d => [isoWeek(d).year % 100, 2],
  G: d => [isoWeek(d).year, 1],
  H: d => [d.getHours(), 2],
  I: d => [d.getHours() % 12 || 12, 2],
  j: d => [dayOfYear(d) + 1, 3],
  k: d => [d.getHours(), 2, ' '],
  l: d => [d.getHours() % 12 || 12, 2, ' '],
  m: d => [d.getMonth() + 1, 2],
  M: d => [d.getMinutes(), 2],
  n: () => '\n',
  p: d => (d.getHours() < 12 ? 'AM' : 'PM'),
  P: d => (d.getHours() < 12 ? 'am' : 'pm'),
  r: d => strftime(d, '%I:%M:%S %p'),
  R: d => strftime(d, '%H:%M'),
  s: d => [Math.floor(d.getTime() / 1000), 1],
  S: d => [d.getSeconds(), 2],
  t: () => '\t',
  T: d => strftime(d, '%H:%M:%S'),
  u: d => [d.getDay() || 7, 1],
  U: d => [Math.floor((dayOfYear(d) + 7 - d.getDay()) / 7), 2],
  V: d => [isoWeek(d).week, 2],
  w: d => [d.getDay(), 1],
  W: d => [Math.floor((dayOfYear(d) + 7 - ((d.getDay() + 6) % 7)) / 7), 2],
  x: d => strftime(d, '%m/%d/%y'),
  X: d => strftime(d, '%H:%M:%S'),
  y: d => [d.getFullYear() % 100, 2],
  Y: d => [d.getFullYear(), 1],
  '%': () => '%',
}

/**
 * Formats a local time without a zone.
 * @param {Date} date
 * @param {string} format
 * @returns {string}
 */
export function strftime(date, format) {
  const whole = format // directives that Python replaces before it calls the C library
    .replace(/%%|%f/g, all => (all === '%%' ? all : `${String(date.getMilliseconds()).padStart(3, '0')}000`))
    .replace(/%%|%[zZ]/g, all => (all === '%%' ? all : ''))
  return whole.replace(/%([-_0^#]?)([\s\S]|$)/g, (directive, flag, letter) => {
    const made = Object.hasOwn(DIRECTIVES, letter) ? DIRECTIVES[letter](date) : undefined
    if (made === undefined || (flag && (flag === '#' || (typeof made === 'string') !== (flag === '^'))))
      throw new NotCovered(`${directive} of strftime_now`)
    if (typeof made === 'string') return flag ? made.toUpperCase() : made
    const [value, digits, fill = '0'] = made
    return flag === '-' ? String(value) : String(value).padStart(digits, flag === '_' ? ' ' : flag || fill)
  })
}
