// Settings in the hash of the address and back: #1~CHECK&field=value&... , only what differs from the default.
// The check is over what follows it, so that a link cut short or mistyped is noticed; a hash without one is
// taken as it is, for links written by hand.

import { checkGiven } from '../formats/tensors.js'
import { CHOICES, RANGES } from './check.js'
import { DEFAULTS, EDITABLE, ZOO } from './state.js'

/** @typedef {import('./state.js').Settings} Settings */
/** @typedef {import('./check.js').Field} Field */
/** @typedef {'linkDamaged' | 'linkNewer'} Trouble */

const VERSION = 1
const MOST = 2_000_000

/** FNV-1a in 32 bits, base 36. @param {string} text */
function sum(text) {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36)
}

const TEXTS = ['sentence', 'second', 'probeWord', 'seed', 'step', 'baseline']
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

/** How fields that are neither texts, numbers nor choices are written. */
const CODECS = /** @type {Record<string, { write: (value: any) => string, read: (text: string) => any }>} */ ({
  edits: {
    write: edits => edits.map((/** @type {any} */ e) => `${cellText(e)}:${e.value}`).join(' '),
    read: text =>
      text.split(' ').map(each => {
        const [cell, number] = each.split(':')
        const edit = { ...toCell(cell), value: Number(number || 'x') }
        if (!Number.isFinite(edit.value) || !EDITABLE.includes(edit.matrix)) throw new Error(each)
        return edit
      }),
  },
  painted: {
    write: cells => cells.map((/** @type {number[]} */ cell) => cell.join('.')).join(' '),
    read: text =>
      text.split(' ').map(each => {
        const cell = each.split('.').map(Number)
        if (cell.length !== 3 || !cell.every(isCount) || cell[2] > 1) throw new Error(each)
        return cell
      }),
  },
  zoo: {
    write: kinds => kinds.join('.'),
    read: text => {
      const kinds = text.split('.')
      if (!kinds.every(kind => /** @type {readonly string[]} */ (ZOO).includes(kind))) throw new Error(text)
      return kinds
    },
  },
  cell: { write: cellText, read: toCell },
  word: {
    write: ({ side, position }) => `${side}.${position}`,
    read: text => {
      const [, side, position] = /^(queries|keys)\.(\d+)$/.exec(text) ?? []
      return { side, position: toCount(position) }
    },
  },
  bias: { write: String, read: text => text === 'true' },
  given: { write: JSON.stringify, read: text => checkGiven(JSON.parse(text)) },
  head: { write: String, read: toCount },
  probe: { write: String, read: toCount },
  other: { write: String, read: toCount },
  scale: { write: String, read: text => toNumberText(text) },
})

/** @param {string} text */
const toNumberText = text => (Number.isFinite(Number(text)) && text.trim() ? Number(text) : text.slice(0, 40))

/**
 * @param {Settings} settings
 * @returns {string} '' for the default
 */
export function toHash(settings) {
  const parts = new URLSearchParams()
  for (const field of /** @type {Field[]} */ (Object.keys(DEFAULTS))) {
    const value = settings[field]
    if (field === 'v' || JSON.stringify(value) === JSON.stringify(DEFAULTS[field])) continue
    if (value === null) continue // fields that may be null are so by default
    parts.set(field, CODECS[field] ? CODECS[field].write(value) : String(value))
  }
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
 * @returns {{ settings: Settings, trouble?: Trouble }} with trouble, the default
 */
export function fromHash(hash) {
  const text = hash.replace(/^#/, '')
  if (text === '') return { settings: DEFAULTS }
  const damaged = { settings: DEFAULTS, trouble: /** @type {Trouble} */ ('linkDamaged') }
  const [, version, check, body] = /^(\d{1,9})(?:~([0-9a-z]*))?&(.*)$/s.exec(text.slice(0, MOST)) ?? []
  if (version === undefined) return damaged
  if (Number(version) > VERSION) return { settings: DEFAULTS, trouble: 'linkNewer' }
  if (text.length > MOST || (check !== undefined && sum(body) !== check)) return damaged
  try {
    const patch = [...new URLSearchParams(body)].map(([name, value]) => {
      const field = Object.hasOwn(FORMER, name) ? FORMER[name] : name
      return [field, readField(field, value)]
    })
    return { settings: { ...DEFAULTS, ...Object.fromEntries(patch) } }
  } catch {
    return damaged
  }
}

/** Fields by the names that older links have for them. @type {Record<string, Field>} */
const FORMER = { pinned: 'cell', kept: 'baseline' }

/** @param {string} field @param {string} text */
function readField(field, text) {
  if (field === 'v' || !Object.hasOwn(DEFAULTS, field)) throw new Error(field)
  if (TEXTS.includes(field)) return text
  if (Object.hasOwn(CODECS, field)) return CODECS[field].read(text)
  if (Object.hasOwn(RANGES, field)) return toNumberText(text)
  const choices = /** @type {readonly string[]} */ (CHOICES[/** @type {keyof typeof CHOICES} */ (field)])
  if (!choices.includes(text)) throw new Error(text)
  return text
}
