// What stands beside whatever room is open, such as an exercise. A companion is loaded when the address has one of its
// parameters, or when it is summoned.

/** @typedef {import('./shell.js').Shell} Shell */

/**
 * @typedef {object} Companion
 * @property {(drawing: import('./shell.js').Drawing) => unknown} draw after the room
 * @property {() => Record<string, string>} link its parameters
 * @property {(page: Record<string, string>, links: Record<string, string>) => void | Promise<void>} follow the parameters of
 *   the page have changed; links: the settings of the rooms in the same address
 * @property {() => void} [drawn] the page is drawn
 * @property {() => void} [open] the reader has chosen it in the menu
 * @property {() => void} [close] the reader has chosen another one
 * @property {(event: KeyboardEvent) => boolean} [press] Does it take the key?
 */

/** How a companion is loaded; one that is offered stands in the menu. @typedef {{ parameters: readonly string[], isOffered?: boolean, load: () => Promise<{ companion: (shell: Shell) => Companion }> }} CompanionSource */

/** @param {Record<string, CompanionSource>} sources @param {() => Shell} shell that they stand in */
export function createCompanions(sources, shell) {
  /** Those that are loaded. @type {Map<string, Companion>} */
  const present = new Map()
  /** The parameters that the address had last: of the page, and of the rooms. @type {{ page: Record<string, string>, ofRooms: Record<string, string> }} */
  let asked = { page: {}, ofRooms: {} }
  /** Parameters of the page that belong to no room and to no companion that is loaded. @type {Record<string, string>} */
  let others = {}

  /** Loads a companion, and tells it what the address says now. @param {string} name */
  async function start(name) {
    if (!present.has(name)) {
      const { companion } = await sources[name].load()
      // Two addresses may ask for it while it is being loaded.
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
    /** Those that stand in the menu. */
    offered: Object.keys(sources).filter(name => sources[name].isOffered),
    /** The parameters of the page. @returns {Record<string, string>} */
    link: () => Object.assign({ ...others }, ...Array.from(present.values(), each => each.link())),

    /**
     * The address has changed. Returns undefined if it concerns no companion.
     * @param {Record<string, string>} page @param {Record<string, string>} ofRooms
     */
    follow(page, ofRooms) {
      asked = { page, ofRooms }
      others = { ...page }
      const wanted = Object.keys(sources).filter(
        name => present.has(name) || sources[name].parameters.some(parameter => Object.hasOwn(page, parameter)),
      )
      return wanted.length ? startAll(wanted) : undefined
    },

    /** The reader has chosen one in the menu. @param {string} name */
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
    /** Does one of them take the key? @param {KeyboardEvent} event */
    press: event => [...present.values()].some(companion => companion.press?.(event)),
  }
}
