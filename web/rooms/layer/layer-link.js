// Settings in the hash of the address and back: #1~CHECK&field=value&... , only what differs from the default.
// The check is over what follows it, so that a link cut short or mistyped is noticed; a hash without one is
// taken as it is, for links written by hand.

import { fromLink, toLink } from '../../shell/store.js'
import { DEFAULTS, FIELDS } from './fields.js'

/** @typedef {import('./fields.js').Settings} Settings */
/** @typedef {'linkDamaged' | 'linkNewer'} Trouble */

export const VERSION = 1
const MOST = 2_000_000

/** FNV-1a in 32 bits, base 36. @param {string} text */
function sum(text) {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36)
}

/**
 * @param {Readonly<Settings>} settings
 * @param {Record<string, string>} [links] the parameters of the other rooms; in the hash "room." stands before their names
 * @returns {string} '' for the default
 */
export function toHash(settings, links = {}) {
  const parts = new URLSearchParams()
  for (const [name, text] of new URLSearchParams(toLink(FIELDS, settings))) parts.set(name, text)
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
    const own = new URLSearchParams()
    for (const [name, value] of new URLSearchParams(body)) {
      const [, room, field] = /^(\w+)\.(\w+)$/.exec(name) ?? []
      if (!room) own.set(name, value)
      else {
        others[room] ??= new URLSearchParams()
        others[room].set(field, value)
      }
    }
    const links = Object.fromEntries(Object.entries(others).map(([room, parts]) => [room, String(parts)]))
    return { settings: fromLink(FIELDS, String(own)), links }
  } catch {
    return damaged
  }
}
