// The address of the page: the open room, the settings of all rooms, the parameters of companions. It follows the page.

import { readHash, writeHash } from './link.js'

/** Milliseconds until the address follows: browsers allow few changes a second. */
const PAUSE = 200

/**
 * @param {import('./shell.js').Host} host
 * @param {import('./link.js').Entrance} entrance
 * @param {readonly string[]} ids of all rooms
 * @param {() => Parameters<typeof writeHash>[1]} room the open one
 * @param {() => Record<string, string>} links the parameters of each room
 * @param {() => Record<string, string>} ofPage the parameters of companions
 */
export function createAddress(host, entrance, ids, room, links, ofPage) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let writing
  /** The address as it was read or written last. */
  let known = host.address()
  /** Entries of the browser's history between which only the open room changes have one number; a link begins another. */
  let visits = host.entry()?.visits ?? Math.random()

  /** The hash of what is shown. @param {Record<string, string>} [page] other parameters of companions */
  const hash = (page = ofPage()) => writeHash(entrance, room(), links(), page)

  function write() {
    clearTimeout(writing)
    const now = hash()
    // Another address is a link that was followed: its event is on its way.
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
    /** What is shown now stays out of the address. */
    leave: () => clearTimeout(writing),
    read() {
      known = host.address()
      return readHash(entrance, ids, known)
    },
    isCurrent: () => host.address() === hash(),
    /** The reader opens a room: another entry of the history. @param {() => void} open */
    visit(open) {
      write()
      host.setAddress(host.address(), { visits, room: room() })
      open()
      host.addEntry(hash(), { visits, room: room() })
      known = host.address()
    },
    /** The reader has gone back or forward. Returns the room, if it is all that has changed. @returns {string | undefined} */
    visited() {
      const entry = host.entry()
      if (entry?.visits !== visits || !ids.includes(entry.room)) return undefined
      known = host.address()
      return entry.room
    },
    /** A link was followed. */
    followed() {
      visits = host.entry()?.visits ?? Math.random()
    },
  }
}
