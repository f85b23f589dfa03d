// Manages companions: parts of the page beside the open room, such as an exercise. A companion is loaded when the address has one of its
// parameters, or when the reader opens it from the menu.

/** @import { Shell } from './shell.js' */

/**
 * @typedef {object} Companion
 * @property {(drawing: import('./shell.js').Drawing) => unknown} draw draws the companion, after the room
 * @property {() => Record<string, string>} link returns the companion's parameters in the address
 * @property {(page: Record<string, string>, links: Record<string, string>) => void | Promise<void>} follow called once the
 *   companion is loaded and after each change of the address; page: the parameters of the page; links: the settings of each room
 * @property {() => void} [drawn] called after each draw
 * @property {() => void} [open] called when the reader chooses the companion in the menu
 * @property {() => void} [close] called when the reader chooses another companion
 * @property {(event: KeyboardEvent) => boolean} [press] returns true if the companion handles the key
 */

/**
 * How a companion is loaded; `isOffered`: true if it is in the menu.
 * @typedef {{ parameters: readonly string[], isOffered?: boolean, load: () => Promise<{ companion: (shell: Shell) => Companion }> }}
 * CompanionSource
 */

/** Manages the companions of a page. @param {Record<string, CompanionSource>} sources @param {() => Shell} shell returns the shell */
export function createCompanions(sources, shell) {
  /** Loaded companions. @type {Map<string, Companion>} */
  const present = new Map()
  /**
   * Parameters in the last address: those of the page, and those of each room.
   * @type {{ page: Record<string, string>, ofRooms: Record<string, string> }}
   */
  let asked = { page: {}, ofRooms: {} }
  /** Parameters of the page that belong to no room and no loaded companion. @type {Record<string, string>} */
  let others = {}

  /** Loads a companion, and passes it the current parameters. @param {string} name */
  async function start(name) {
    if (!present.has(name)) {
      const { companion } = await sources[name].load()
      // A second address may have requested the companion while it was loading; create it only once.
      if (!present.has(name)) present.set(name, companion(shell()))
    }
    for (const parameter of sources[name].parameters) delete others[parameter]
    await present.get(name)?.follow(asked.page, asked.ofRooms)
  }

  /** @param {string[]} names */
  async function startAll(names) {
    for (const name of names) await start(name)
  }

  return {
    parameters: Object.values(sources).flatMap(({ parameters }) => parameters),
    /** Companions offered in the menu. */
    offered: Object.keys(sources).filter(name => sources[name].isOffered),
    /** Returns the parameters of the page for the address: those of loaded companions, and the others of the last address. @returns {Record<string, string>} */
    link: () => Object.assign({ ...others }, ...Array.from(present.values(), each => each.link())),

    /**
     * Passes the parameters of a changed address to the companions, and loads those it requests. Returns undefined if none is concerned.
     * @param {Record<string, string>} page
     * @param {Record<string, string>} ofRooms
     */
    follow(page, ofRooms) {
      asked = { page, ofRooms }
      others = { ...page }
      const wanted = Object.keys(sources).filter(
        name => present.has(name) || sources[name].parameters.some(parameter => Object.hasOwn(page, parameter)),
      )
      return wanted.length ? startAll(wanted) : undefined
    },

    /** Opens a companion from the menu. @param {string} name */
    async summon(name) {
      if (!present.has(name)) await start(name)
      for (const [other, own] of present) if (other !== name) own.close?.()
      present.get(name)?.open?.()
    },
    /** @param {import('./shell.js').Drawing} drawing */
    draw: drawing => Array.from(present.values(), companion => companion.draw(drawing)),
    drawn() {
      for (const companion of present.values()) companion.drawn?.()
    },
    /** True if a companion handles the key. @param {KeyboardEvent} event */
    press: event => [...present.values()].some(companion => companion.press?.(event)),
  }
}
