// Parses tensors from the reader's JSON. Pure.

import { Trouble } from '../../files/trouble.js'
import { fromLink } from '../../shell/settings-link.js'
import { FIELDS } from './fields.js'
import { settingsOfTensors } from './settings.js'

/** @import { Settings } from './layer.js' */

/** Maximum size of a file or text, in megabytes. */
export const MOST_MEGABYTES = 32

/** Names of tensors in files. */
const ALIASES = {
  q: ['q', 'query', 'queries'],
  k: ['k', 'key', 'keys'],
  v: ['v', 'value', 'values'],
  x: ['x'],
  wq: ['wq', 'w_q'],
  wk: ['wk', 'w_k'],
  wv: ['wv', 'w_v'],
  wo: ['wo', 'w_o'],
  weights: ['weights', 'a', 'attention', 'attentions', 'attn'],
}
/** @type {Record<string, string>} */
export const NAMES = Object.fromEntries(
  Object.entries(ALIASES).flatMap(([name, all]) => all.map(alias => [alias, name])),
)
/** @type {Record<string, 'tokens' | 'keyTokens'>} */
const TOKENS = {
  tokens: 'tokens',
  querytokens: 'tokens',
  query_tokens: 'tokens',
  keytokens: 'keyTokens',
  key_tokens: 'keyTokens',
}

/** @param {number} bytes */
export function checkSize(bytes) {
  const size = Math.ceil(bytes / 1e6)
  if (bytes > MOST_MEGABYTES * 1e6) throw new Trouble('importLarge', { size, most: MOST_MEGABYTES })
}

/** @param {string} text @returns {unknown} */
export function parse(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    const outside = text.replace(/"(?:[^"\\]|\\.)*"/g, '')
    if (/\b(NaN|Infinity)\b/.test(outside)) throw new Trouble('importNaN')
    throw new Trouble('importJson', { message: error instanceof Error ? error.message.slice(0, 120) : '' })
  }
}

/**
 * Parses pasted JSON.
 * @param {string} text
 * @returns {Settings}
 * @throws {Trouble}
 */
export function fromText(text) {
  checkSize(text.length)
  return fromValue(parse(text))
}

/** Parses tensors by name, or a file saved by this page. @param {unknown} value @returns {Settings} @throws {Trouble} */
export function fromValue(value) {
  if (typeof value !== 'object' || value === null) throw new Trouble('importShape')
  if ('link' in value && typeof value.link === 'string') return settingsOfLink(value.link)
  const isTensor = Array.isArray(value) || 'data' in value
  /** @type {Record<string, unknown>} */
  const parts = {}
  for (const [name, part] of Object.entries(isTensor ? { weights: value } : value)) {
    const known = name.toLowerCase()
    if (Object.hasOwn(NAMES, known)) parts[NAMES[known]] = toTensor(NAMES[known], part)
    else if (Object.hasOwn(TOKENS, known)) parts[TOKENS[known]] = part
  }
  return settingsOfTensors(parts)
}

/** Parses the link in a file saved by this page. @param {string} link @returns {Settings} */
function settingsOfLink(link) {
  try {
    return fromLink(FIELDS, link)
  } catch (error) {
    throw error instanceof Trouble ? error : new Trouble('linkDamaged')
  }
}

/**
 * Parses nested lists, or data with dims or shape. Drops leading axes of size one until three axes are left.
 * @param {string} name
 * @param {any} value
 */
function toTensor(name, value) {
  const isFlat = value && typeof value === 'object' && !Array.isArray(value)
  const dims = isFlat ? (value.dims ?? value.shape) : dimsOf(value)
  const data = isFlat ? value.data : flatten(name, value, dims)
  if (!Array.isArray(dims) || !Array.isArray(data)) throw new Trouble('importTensor', { name })
  const ones = dims.findIndex(size => size !== 1)
  const first = Math.min(ones < 0 ? dims.length : ones, Math.max(dims.length - 3, 0))
  return { dims: dims.slice(first), data }
}

/** Returns the dims of nested lists. Looks only at the first element of each list. @param {unknown} value @returns {number[]} */
function dimsOf(value) {
  const dims = []
  for (let part = value; Array.isArray(part); part = part[0]) {
    dims.push(part.length)
    if (dims.length > 8) break
  }
  return dims
}

/** @param {string} name @param {unknown} value @param {number[]} dims */
function flatten(name, value, dims) {
  /** @type {unknown[]} */
  const data = []
  const walk = (/** @type {unknown} */ part, /** @type {number} */ axis) => {
    if (axis === dims.length) data.push(part)
    else if (Array.isArray(part) && part.length === dims[axis]) for (const each of part) walk(each, axis + 1)
    else throw new Trouble('importRagged', { name, dims: dims.join(', ') })
  }
  walk(value, 0)
  return data
}
