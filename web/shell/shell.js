// Manages the page around the rooms: the open room, the address, language and theme, and messages. Draws everything in a single place,
// which catches errors while drawing. Only the host (browser.js, or a plain object in tests) touches the DOM.

import { loadTexts } from '../i18n/index.js'
import { createAddress } from './address.js'
import { createCompanions } from './companions.js'
import { copyFor, handOver, perform } from './effects.js'
import { createRooms } from './rooms.js'

/** @import { Language } from '../i18n/index.js' */
/** @import { HandOver, Problem } from './room.js' */
/** @typedef {'light' | 'dark' | 'system'} Theme */
/** @typedef {ReturnType<typeof createShell>} Shell */
/** @typedef {State & { shell: Shell, isDark: boolean }} Drawing */

/**
 * @typedef {object} State
 * @property {string} room id of the open room
 * @property {Language} language
 * @property {Theme} theme
 * @property {import('./room.js').Translate} t texts of the shell in that language
 * @property {Problem} [notice] notice about the link
 * @property {{ room: string, text: string, to: string }} [from] a button that leads back to `room`: its `text`, and `to`, the room with the
 *   button
 * @property {{ room: string, what: HandOver }} [offer] what to pass on to the next room that accepts it
 * @property {boolean} isWaiting True while loading a companion that decides what the room shows
 */

/** Data of a browser history entry. room: the open room; visits: a random number shared by entries that differ only in the room. @typedef {{ visits: number, room: string }} Entry */

/**
 * What the shell needs from its environment.
 * @typedef {object} Host
 * @property {(drawing: State & { shell: Shell }) => void} draw may throw
 * @property {(message: string) => void} drawPlainly shows a message when even the header alone cannot be drawn
 * @property {(run: () => void) => void} frame runs a callback before the next paint
 * @property {() => string} address returns the hash
 * @property {(hash: string, entry?: Entry) => void} setAddress
 * @property {(hash: string, entry: Entry) => void} addEntry adds an entry to the browser history
 * @property {() => Entry | undefined} entry returns the data of the current history entry
 * @property {() => number} scrolled returns the scroll position in pixels
 * @property {(top: number) => void} scrollTo scrolls once the page is high enough
 * @property {() => string} href returns the full address
 * @property {(choices: { language: Language, theme: Theme }) => void} remember
 * @property {(selector: string) => void} reveal scrolls to an element
 * @property {(selector: string, isLost?: boolean) => void} focus focuses an element once it is drawn; isLost: only if nothing has the focus
 * @property {(id: string) => void} show scrolls to a part of the page and focuses it
 * @property {() => import('./room.js').Surroundings} around
 * @property {(text: string) => Promise<boolean>} copy
 * @property {(name: string, data: any, type: string) => void} save
 */

/**
 * @param {object} given
 * @param {Host} given.host
 * @param {Record<string, () => Promise<{ room: any }>>} given.rooms loaders of the rooms
 * @param {string} [given.front] the room that opens without a link; it has no tab unless it is `home`; default home
 * @param {string} [given.home] the room whose fields have no prefix in a link; default the first
 * @param {readonly string[]} [given.aside] rooms without a tab, opened from the menu
 * @param {string} [given.opener] the room that opens models; default home
 * @param {Record<string, import('./companions.js').CompanionSource>} [given.companions]
 * @param {() => Promise<import('qkv').Qkv>} given.load loads the core, for rooms that compute on the page
 * @param {Language} given.language
 * @param {Theme} given.theme
 * @param {import('./room.js').Translate} given.t
 */
export function createShell({
  host,
  rooms: loaders,
  home = Object.keys(loaders)[0],
  front = home,
  aside = [],
  opener = home,
  companions: sources = {},
  load,
  language,
  theme,
  t,
}) {
  const ids = Object.keys(loaders)
  const companions = createCompanions(sources, () => shell)
  const address = createAddress(
    host,
    { front, home, page: companions.parameters },
    ids,
    () => state.room,
    () => rooms.links(),
    companions.link,
  )
  const { room, links, page, trouble } = address.read()
  /** @type {State} */
  const state = { room, language, theme, t, isWaiting: false, notice: trouble && { key: trouble } }
  const rooms = createRooms({
    rooms: loaders,
    load,
    links,
    around: host.around(),
    perform: (id, effect) => perform(shell, host, id, effect),
    changed: schedule,
  })
  let isScheduled = false
  /** Resolves when the companions have handled the last change of the address. @type {Promise<void> | undefined} */
  let following

  function schedule() {
    if (isScheduled) return
    isScheduled = true
    host.frame(() => {
      isScheduled = false
      draw()
    })
  }

  /** @param {Partial<State>} patch */
  function update(patch) {
    Object.assign(state, patch)
    schedule()
  }

  /** Opens a room. @param {string} id @param {State['from']} [from] */
  async function enter(id, from) {
    if (id === state.room) return
    rooms.leave(state.room)
    update({ room: id, from, notice: undefined })
    const { offer } = state
    const isTaken = offer && offer.room !== id && (await rooms.give(id, offer.what))
    if (isTaken && state.offer === offer) state.offer = undefined
  }

  /** Scroll position of each room when it was left. @type {Map<string, number>} */
  const tops = new Map()

  /** Opens a room at its last scroll position. @param {string} id @param {State['from']} [from] @param {number} [top] */
  function open(id, from, top = tops.get(id) ?? 0) {
    tops.set(state.room, host.scrolled())
    enter(id, from)
    host.scrollTo(top)
  }

  /**
   * Passes the parameters of the address to the companions.
   * @param {Record<string, string>} page
   * @param {Record<string, string>} ofRooms
   */
  async function accompany(page, ofRooms) {
    const own = companions.follow(page, ofRooms)
    following = own
    if (own || state.isWaiting) update({ isWaiting: own !== undefined })
    if (!own) return
    await own.catch(error => rooms.fail(state.room, error))
    if (following === own) update({ isWaiting: false })
  }

  /** Copies a link to the current view. */
  function share() {
    address.write()
    const own = rooms.get(state.room)
    if (own?.store.canLink() === false) own.say({ key: 'linkLarge' }, true)
    else copyFor(shell, host, state.room, { text: host.href(), said: 'copied.link' })
  }

  function draw() {
    if (!drawSafely(host, shell)) return
    rooms.get(state.room)?.drawn()
    companions.drawn()
    if (state.notice || state.isWaiting) address.leave()
    else address.writeSoon()
  }

  const shell = {
    state,
    rooms,
    /** Rooms with a tab. */
    tabs: ids.filter(id => (id !== front || front === home) && !aside.includes(id)),
    front,
    aside,
    load,
    draw,
    enter,
    /**
     * Opens a room with a new history entry, so that Back returns to the current room.
     * @param {string} id
     * @param {State['from']} [from]
     * @param {number} [top]
     */
    visit(id, from, top) {
      if (id !== state.room) address.visit(() => open(id, from, top))
    },
    /** Handles Back and Forward of the browser. */
    travelled() {
      const room = address.visited()
      if (room === undefined) return
      if (room !== state.room) open(room)
      address.write()
    },
    share,
    companions,
    /** Opens a companion. @param {string} name */
    async summon(name) {
      await companions.summon(name).catch(error => rooms.fail(state.room, error))
      schedule()
    },
    /** Returns the current hash with other page parameters; undefined removes one. @param {Record<string, string | undefined>} [patch] */
    linkWith(patch = {}) {
      const all = Object.entries({ ...companions.link(), ...patch })
      const page = Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
      return address.hash(page)
    },
    /** @param {import('./histories.js').History} kind @param {0 | 1} to */
    travel: (kind, to) => rooms.store(state.room)?.travel(kind, to),
    reset: () => rooms.store(state.room)?.reset(),
    show: host.show,
    /** Passes dropped files or pasted text to the room. GGUF files, and files that the room does not take, go to `opener`. @param {HandOver} what */
    async give(what) {
      const { room } = state
      const isModel = what.type === 'files' && what.files.some(({ name }) => /\.gguf$/i.test(name))
      const isTaken = !isModel && (await rooms.give(room, what))
      if (!isTaken && what.type === 'files') handOver(shell, room, { to: opener, what })
    },
    ...languageAndTheme(host, { language, theme }, rooms.learn, update),
    schedule,
    /** Reports an uncaught error. @param {unknown} error */
    fail(error) {
      rooms.fail(state.room, error)
      schedule()
    },
    /** Called when the reader has changed the address, as by following a link. */
    follow() {
      const { room, links, page, trouble } = address.read()
      if (!trouble && address.isCurrent()) return
      address.followed()
      rooms.release()
      // A link to an exercise alone leaves the other rooms unchanged.
      if (Object.keys(links).length || !page.exercise) rooms.follow(links)
      state.offer = undefined // the link decides what the room shows
      if (room !== state.room && !page.exercise) enter(room)
      update({ notice: trouble && { key: trouble } })
      accompany(page, links)
    },
  }
  accompany(page, links)
  return shell
}

/**
 * Returns functions that set language and theme. The host stores what the reader chooses, but not what a link sets.
 * @param {Pick<Host, 'remember'>} host
 * @param {{ language: Language, theme: Theme }} chosen
 * @param {(language: Language) => Promise<unknown>} learn loads the texts of the open rooms; until then, the old ones are shown
 * @param {(patch: Partial<State>) => void} update
 */
function languageAndTheme(host, chosen, learn, update) {
  /** The last chosen language, whose texts may still be loading. */
  let speaking = chosen.language
  return {
    /** @param {Language} language @param {boolean} [isRemembered] True to store it as the reader's choice */
    async setLanguage(language, isRemembered = true) {
      speaking = language
      const [t] = await Promise.all([loadTexts(language, ['shell']), learn(language)])
      if (speaking !== language) return // the reader has chosen another language meanwhile
      update({ language, t })
      if (isRemembered) host.remember(Object.assign(chosen, { language }))
    },
    /** @param {Theme} theme @param {boolean} [isRemembered] True to store it as the reader's choice */
    setTheme(theme, isRemembered = true) {
      update({ theme })
      if (isRemembered) host.remember(Object.assign(chosen, { theme }))
    },
  }
}

/**
 * Draws the page. If the room throws, draws its last good template with a message. If that throws too, draws only the header.
 * @param {Host} host
 * @param {Shell} shell
 * @returns {boolean} true if everything was drawn
 */
function drawSafely(host, shell) {
  const { state, rooms } = shell
  const draw = () => host.draw({ ...state, shell })
  try {
    draw()
    return true
  } catch (error) {
    rooms.fail(state.room, error)
  }
  try {
    draw()
  } catch {
    rooms.get(state.room)?.forget()
    try {
      draw()
    } catch (error) {
      host.drawPlainly(error instanceof Error ? error.message : String(error))
    }
  }
  return false
}
