// Keeps the address in sync with the state of the page: the open room, the settings of all rooms, the parameters of companions.

import { readHash, writeHash } from './link.js'

/** Milliseconds before the address is updated, since browsers allow few changes per second. */
const PAUSE = 200

/**
 * Creates the functions that read and write the address.
 * @param {import('./shell.js').Host} host
 * @param {import('./link.js').Entrance} entrance
 * @param {readonly string[]} ids of all rooms
 * @param {() => Parameters<typeof writeHash>[1]} room returns the open room
 * @param {() => Record<string, string>} links returns the parameters of each room
 * @param {() => Record<string, string>} ofPage returns the parameters of companions
 */
export function createAddress(host, entrance, ids, room, links, ofPage) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let writing
  /** The address when last read or written. */
  let known = host.address()
  /** Number shared by browser history entries that differ only in the open room. Following a link draws a new number. */
  let visits = host.entry()?.visits ?? Math.random()

  /** Returns the hash of the current state. @param {Record<string, string>} [page] parameters of companions; default: the current ones */
  const hash = (page = ofPage()) => writeHash(entrance, room(), links(), page)

  function write() {
    clearTimeout(writing)
    const now = hash()
    // If the address differs from the last known one, the reader has followed a link whose event is pending, so don't overwrite it.
    if (host.address() !== known || now === known) return
    host.setAddress(now)
    known = host.address()
  }

  return {
    hash,
    write,
    writeSoon() {
      clearTimeout(writing)
      writing = setTimeout(write, PAUSE)
    },
    /** Cancels a pending update of the address. */
    leave: () => clearTimeout(writing),
    read() {
      known = host.address()
      return readHash(entrance, ids, known)
    },
    isCurrent: () => host.address() === hash(),
    /** Opens a room and adds a history entry. @param {() => void} open */
    visit(open) {
      write()
      host.setAddress(host.address(), { visits, room: room() })
      open()
      host.addEntry(hash(), { visits, room: room() })
      known = host.address()
    },
    /** Handles Back and Forward of the browser. Returns the room of the history entry if nothing but the room differs, else undefined. @returns {string | undefined} */
    visited() {
      const entry = host.entry()
      if (entry?.visits !== visits || !ids.includes(entry.room)) return undefined
      known = host.address()
      return entry.room
    },
    /** Takes the number of the current history entry, or draws a new one, after the reader has followed a link. */
    followed() {
      visits = host.entry()?.visits ?? Math.random()
    },
  }
}
