// Reads and writes the hash of the address, such as #2~CHECK&room=learn&learn.seed=3. It contains the open room and, for every room, the
// settings that differ from their defaults. CHECK, a checksum of the rest, detects links that were truncated or mistyped; it may be omitted
// in links written by hand.

const VERSION = 2
const MOST = 2_000_000

/**
 * The rooms and parameters with a special role in links. `front`: the room that opens without a link; `home`: the room whose fields have no
 * prefix in links; `page`: names of parameters that belong to no room, such as "exercise".
 * @typedef {{ front: string, home: string, page?: readonly string[] }} Entrance
 */

/** Returns a 32-bit FNV-1a hash in base 36. @param {string} text */
function checksum(text) {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36)
}

/**
 * Writes the hash.
 * @param {Entrance} entrance
 * @param {string} room the open room
 * @param {Record<string, string>} links parameters of each room
 * @param {Record<string, string>} [page] parameters of the page
 * @returns {string} '' for the default state
 */
export function writeHash({ front, home }, room, links, page = {}) {
  const parts = new URLSearchParams(page)
  if (room !== home) parts.set('room', room)
  for (const [id, link] of Object.entries(links))
    for (const [name, value] of new URLSearchParams(link)) parts.set(id === home ? name : `${id}.${name}`, value)
  const body = String(parts)
  if (body === (front === home ? '' : String(new URLSearchParams({ room: front })))) return ''
  return body ? `#${VERSION}~${checksum(body)}&${body}` : `#${VERSION}&`
}

/**
 * Parses a hash. Never throws.
 * @param {Entrance} entrance
 * @param {readonly string[]} rooms
 * @param {string} hash
 * @returns {{ room: string, links: Record<string, string>, page: Record<string, string>, trouble?: 'linkDamaged' | 'linkNewer' }}
 */
export function readHash({ front, home, page: ofPage = [] }, rooms, hash) {
  const nothing = { room: home, links: {}, page: {} }
  const text = hash.replace(/^#/, '')
  if (text === '') return { ...nothing, room: front }
  const [, version, check, body] = /^(\d{1,9})(?:~([0-9a-z]*))?&(.*)$/s.exec(text.slice(0, MOST)) ?? []
  if (version === undefined) return { ...nothing, trouble: 'linkDamaged' }
  if (Number(version) > VERSION) return { ...nothing, trouble: 'linkNewer' }
  if (Number(version) < VERSION || text.length > MOST || (check !== undefined && checksum(body) !== check))
    return { ...nothing, trouble: 'linkDamaged' }
  /** @type {Record<string, URLSearchParams>} */
  const parts = {}
  /** @type {Record<string, string>} */
  const page = {}
  let room = home
  for (const [name, value] of new URLSearchParams(body)) {
    if (name === 'room') room = value
    else if (ofPage.includes(name)) page[name] = value
    else {
      const dot = name.indexOf('.')
      const owner = dot < 0 ? home : name.slice(0, dot)
      if (!rooms.includes(owner)) return { ...nothing, trouble: 'linkDamaged' }
      parts[owner] ??= new URLSearchParams()
      parts[owner].set(name.slice(dot + 1), value)
    }
  }
  if (!rooms.includes(room)) return { ...nothing, trouble: 'linkDamaged' }
  const links = Object.fromEntries(Object.entries(parts).map(([id, own]) => [id, String(own)]))
  return { room, links, page }
}
