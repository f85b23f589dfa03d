// Settings in the hash of the address and back: #1~CHECK&field=value&... , only what differs from the default.
// The check is over what follows it, so that a link cut short or mistyped is noticed; a hash without one is
// taken as it is, for links written by hand.

import { isFloat32 } from './check-settings.js'
import { DEFAULTS, describe, FIELD_NAMES, ZOO } from './fields.js'
import { checkGiven } from './imported-tensors.js'
import { EDITABLE } from './matrices.js'

/** @typedef {import('./fields.js').Settings} Settings */
/** @typedef {import('./fields.js').FieldName} FieldName */
/** @typedef {import('./fields.js').Kind} Kind */
/** @typedef {'linkDamaged' | 'linkNewer'} Trouble */

export const VERSION = 1
const MOST = 2_000_000

/** FNV-1a in 32 bits, base 36. @param {string} text */
function sum(text) {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36)
}

const isCount = (/** @type {unknown} */ n) => typeof n === 'number' && Number.isInteger(n) && n >= 0 && n < 100_000

/** @param {string} text */
function toCount(text) {
  if (!text || !isCount(Number(text))) throw new Error(text)
  return Number(text)
}

/** @param {any} cell */
const cellText = ({ matrix, head, row, column }) => `${matrix}.${head}.${row}.${column}`

/** @param {string} text */
function toCell(text) {
  const [matrix, ...rest] = text.split('.')
  const [head, row, column] = rest.map(Number)
  if (rest.length !== 3 || ![head, row, column].every(isCount) || !/^\w+$/.test(matrix)) throw new Error(text)
  return { matrix: /** @type {any} */ (matrix), head, row, column }
}

/** @param {string} text */
const toNumberText = text => (Number.isFinite(Number(text)) && text.trim() ? Number(text) : text.slice(0, 40))

/** A box for whole numbers holds a number or nothing. @param {string} text */
function toWholeText(text) {
  if (text !== '' && !Number.isFinite(Number(text))) throw new Error(text)
  return toNumberText(text)
}

const same = (/** @type {string} */ text) => text

/** How the values of each kind are read; a value that its kind does not have throws. @type {Record<Exclude<Kind, 'choice'>, (text: string) => any>} */
const READ = {
  text: same,
  seed: same,
  whole: toWholeText,
  real: toNumberText,
  count: toCount,
  cell: toCell,
  flag: text => text === 'true',
  given: text => checkGiven(JSON.parse(text)),
  word: text => {
    const [, side, position] = /^(queries|keys)\.(\d+)$/.exec(text) ?? []
    return { side, position: toCount(position) }
  },
  zoo: text => {
    const kinds = text.split('.')
    if (!kinds.every(kind => /** @type {readonly string[]} */ (ZOO).includes(kind))) throw new Error(text)
    return kinds
  },
  painted: text =>
    text.split(' ').map(each => {
      const cell = each.split('.').map(Number)
      if (cell.length !== 3 || !cell.every(isCount) || cell[2] > 1) throw new Error(each)
      return cell
    }),
  edits: text =>
    text.split(' ').map(each => {
      const [cell, number] = each.split(':')
      const edit = { ...toCell(cell), value: Number(number || 'x') }
      if (!isFloat32(edit.value) || !EDITABLE.includes(edit.matrix)) throw new Error(each)
      return edit
    }),
}

/** How they are written, where that is not their text. @type {Partial<Record<Kind, (value: any) => string>>} */
const WRITE = {
  given: JSON.stringify,
  cell: cellText,
  word: ({ side, position }) => `${side}.${position}`,
  zoo: kinds => kinds.join('.'),
  painted: cells => cells.map((/** @type {number[]} */ cell) => cell.join('.')).join(' '),
  edits: edits => edits.map((/** @type {any} */ each) => `${cellText(each)}:${each.value}`).join(' '),
}

/**
 * @param {Readonly<Settings>} settings
 * @param {Record<string, string>} [links] the parameters of the other rooms; in the hash "room." stands before their names
 * @returns {string} '' for the default
 */
export function toHash(settings, links = {}) {
  const parts = new URLSearchParams()
  for (const name of FIELD_NAMES) {
    const value = settings[name]
    if (JSON.stringify(value) === JSON.stringify(DEFAULTS[name])) continue
    if (value === null) continue // fields that may be null are so by default
    parts.set(name, (WRITE[describe(name).kind] ?? String)(value))
  }
  for (const [room, link] of Object.entries(links))
    for (const [name, value] of new URLSearchParams(link)) parts.set(`${room}.${name}`, value)
  const body = String(parts)
  return body && `#${VERSION}~${sum(body)}&${body}`
}

/** Numbers that a link carries at most: browsers cut longer addresses. */
const MOST_NUMBERS = 10_000

/**
 * Can a link carry these settings? Large tensors that were brought it cannot.
 * @param {Settings} settings
 */
export function isLinkable({ given, sentence, second }) {
  const tensors = Object.values(given ?? {}).flatMap(part => ('data' in part ? [part.data.length] : []))
  return tensors.reduce((a, b) => a + b, 0) <= MOST_NUMBERS && sentence.length + second.length <= 20 * MOST_NUMBERS
}

/**
 * The settings of a hash. Never throws.
 * @param {string} hash
 * @returns {{ settings: Settings, links: Record<string, string>, trouble?: Trouble }} links: the parameters of the other
 *   rooms; with trouble, the default
 */
export function fromHash(hash) {
  const text = hash.replace(/^#/, '')
  if (text === '') return { settings: DEFAULTS, links: {} }
  const damaged = { settings: DEFAULTS, links: {}, trouble: /** @type {Trouble} */ ('linkDamaged') }
  const [, version, check, body] = /^(\d{1,9})(?:~([0-9a-z]*))?&(.*)$/s.exec(text.slice(0, MOST)) ?? []
  if (version === undefined) return damaged
  if (Number(version) > VERSION) return { settings: DEFAULTS, links: {}, trouble: 'linkNewer' }
  if (text.length > MOST || (check !== undefined && sum(body) !== check)) return damaged
  try {
    /** @type {Record<string, URLSearchParams>} */
    const others = {}
    /** @type {[FieldName, unknown][]} */
    const patch = []
    for (const [name, value] of new URLSearchParams(body)) {
      const [, room, field] = /^(\w+)\.(\w+)$/.exec(name) ?? []
      if (!room) patch.push(readField(name, value))
      else {
        others[room] ??= new URLSearchParams()
        others[room].set(field, value)
      }
    }
    const links = Object.fromEntries(Object.entries(others).map(([room, parts]) => [room, String(parts)]))
    return { settings: { ...DEFAULTS, ...Object.fromEntries(patch) }, links }
  } catch {
    return damaged
  }
}

/** The field of a name in a link, also of a former name. */
const NAMES = new Map(FIELD_NAMES.flatMap(name => [name, describe(name).former ?? name].map(own => [own, name])))

/** @param {string} name @param {string} text @returns {[FieldName, unknown]} */
function readField(name, text) {
  const field = NAMES.get(name)
  if (!field) throw new Error(name)
  const { kind, choices = [] } = describe(field)
  if (kind !== 'choice') return [field, READ[kind](text)]
  if (!choices.includes(text)) throw new Error(text)
  return [field, text]
}
