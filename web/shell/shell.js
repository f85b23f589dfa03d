// The page around the rooms: which room is open, the address, language and theme, messages, and the one place that draws
// everything and catches the errors of a draw. It touches no DOM: the host (browser.js; in tests a plain object) does.

import { loadTexts } from '../i18n/index.js'
import { createAddress } from './address.js'
import { createCompanions } from './companions.js'
import { copyFor, perform } from './effects.js'
import { createRooms } from './rooms.js'

/** @typedef {import('../i18n/index.js').Language} Language */
/** @typedef {'light' | 'dark' | 'system'} Theme */
/** @typedef {import('./room.js').HandOver} HandOver */
/** @typedef {import('./room.js').Problem} Problem */
/** @typedef {ReturnType<typeof createShell>} Shell */
/** @typedef {State & { shell: Shell, isDark: boolean }} Drawing */

/**
 * @typedef {object} State
 * @property {string} room the open one
 * @property {Language} language
 * @property {Theme} theme
 * @property {any} t the texts of the shell in that language
 * @property {Problem} [notice] about the link
 * @property {{ room: string, text: string, to: string }} [from] the room that leads back, and the text of the button
 * @property {{ room: string, what: HandOver }} [offer] what goes along to the next room that takes it
 * @property {boolean} isWaiting for a companion that says what the room shows
 */

/** Of an entry of the browser's history: the room that was open, and a number of those between which only the room changes. @typedef {{ visits: number, room: string }} Entry */

/**
 * What the shell needs of the place it runs in.
 * @typedef {object} Host
 * @property {(drawing: State & { shell: Shell }) => void} draw may throw
 * @property {(message: string) => void} drawPlainly when even a page without numbers cannot be drawn
 * @property {(run: () => void) => void} frame runs it before the next paint
 * @property {() => string} address the hash
 * @property {(hash: string, entry?: Entry) => void} setAddress
 * @property {(hash: string, entry: Entry) => void} addEntry adds one to the history
 * @property {() => Entry | undefined} entry what the page has noted at this entry of the history
 * @property {() => number} scrolled pixels
 * @property {(top: number) => void} scrollTo once the page is as high
 * @property {() => string} href the whole address
 * @property {(choices: { language: Language, theme: Theme }) => void} remember
 * @property {(selector: string) => void} reveal scrolls to an element
 * @property {(selector: string, isLost?: boolean) => void} focus moves the focus to an element, once it is drawn; isLost: if nothing has it
 * @property {(id: string) => void} show scrolls to a part of the page and focuses it
 * @property {() => import('./room.js').Surroundings} around
 * @property {(text: string) => Promise<boolean>} copy
 * @property {(name: string, data: any, type: string) => void} save
 */

/**
 * @param {object} given
 * @param {Host} given.host
 * @param {Record<string, () => Promise<{ room: any }>>} given.rooms loads each
 * @param {string} [given.front] the room that opens without a link; the header has no tab for it; default home
 * @param {string} [given.home] the room whose fields have no prefix in a link; default the first
 * @param {readonly string[]} [given.aside] rooms without a tab, which the menu opens
 * @param {Record<string, import('./companions.js').CompanionSource>} [given.companions]
 * @param {() => Promise<import('qkv').Qkv>} given.load the core, for rooms that compute on the page
 * @param {Language} given.language
 * @param {Theme} given.theme
 * @param {any} given.t
 */
export function createShell({
  host,
  rooms: loaders,
  home = Object.keys(loaders)[0],
  front = home,
  aside = [],
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
  /** Companions that follow the latest address. @type {Promise<void> | undefined} */
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

  /** How far each room was scrolled when it was left. @type {Map<string, number>} */
  const tops = new Map()

  /** Opens a room where it was left. @param {string} id @param {State['from']} [from] @param {number} [top] */
  function open(id, from, top = tops.get(id) ?? 0) {
    tops.set(state.room, host.scrolled())
    enter(id, from)
    host.scrollTo(top)
  }

  /** Companions follow the address. @param {Record<string, string>} page @param {Record<string, string>} ofRooms */
  async function accompany(page, ofRooms) {
    const own = companions.follow(page, ofRooms)
    following = own
    if (own || state.isWaiting) update({ isWaiting: own !== undefined })
    if (!own) return
    await own.catch(error => rooms.fail(state.room, error))
    if (following === own) update({ isWaiting: false })
  }

  /** Copies the link of what is shown. */
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
    /** The rooms that have a tab. */
    tabs: ids.filter(id => (id !== front || front === home) && !aside.includes(id)),
    front,
    aside,
    load,
    draw,
    enter,
    /** The reader opens a room: Back returns to this one. @param {string} id @param {State['from']} [from] @param {number} [top] */
    visit(id, from, top) {
      if (id !== state.room) address.visit(() => open(id, from, top))
    },
    /** The reader has gone back or forward in the browser's history. */
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
    /** The hash of what is shown, with other parameters of the page; undefined leaves one out. @param {Record<string, string | undefined>} [patch] */
    linkWith(patch = {}) {
      const all = Object.entries({ ...companions.link(), ...patch })
      const page = Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
      return address.hash(page)
    },
    /** @param {import('./histories.js').History} kind @param {0 | 1} to */
    travel: (kind, to) => rooms.store(state.room)?.travel(kind, to),
    reset: () => rooms.store(state.room)?.reset(),
    show: host.show,
    /** Files that were dropped, or a text that was pasted. @param {HandOver} what */
    give: what => rooms.give(state.room, what),
    ...languageAndTheme(host, { language, theme }, rooms.learn, update),
    schedule,
    /** An error that was caught by nobody. @param {unknown} error */
    fail(error) {
      rooms.fail(state.room, error)
      schedule()
    },
    /** The reader changed the address. */
    follow() {
      const { room, links, page, trouble } = address.read()
      if (!trouble && address.isCurrent()) return
      address.followed()
      rooms.release()
      // A link of an exercise alone leaves the other rooms as they are.
      if (Object.keys(links).length || !page.exercise) rooms.follow(links)
      state.offer = undefined // the link says what the room shows
      if (room !== state.room && !page.exercise) enter(room)
      update({ notice: trouble && { key: trouble } })
      accompany(page, links)
    },
  }
  accompany(page, links)
  return shell
}

/**
 * The reader's choices, which the host remembers; a link may show others, which it does not.
 * @param {Pick<Host, 'remember'>} host
 * @param {{ language: Language, theme: Theme }} chosen
 * @param {(language: Language) => Promise<unknown>} learn loads the texts of the rooms that are open: they stay while it does
 * @param {(patch: Partial<State>) => void} update
 */
function languageAndTheme(host, chosen, learn, update) {
  /** The language that was chosen last: its texts may still be on their way. */
  let speaking = chosen.language
  return {
    /** @param {Language} language @param {boolean} [isRemembered] is it the reader's own choice? */
    async setLanguage(language, isRemembered = true) {
      speaking = language
      const [t] = await Promise.all([loadTexts(language, ['shell']), learn(language)])
      if (speaking !== language) return // the reader has chosen another one meanwhile
      update({ language, t })
      if (isRemembered) host.remember(Object.assign(chosen, { language }))
    },
    /** @param {Theme} theme @param {boolean} [isRemembered] is it the reader's own choice? */
    setTheme(theme, isRemembered = true) {
      update({ theme })
      if (isRemembered) host.remember(Object.assign(chosen, { theme }))
    },
  }
}

/**
 * Draws the page. What a room throws is said beside its last good picture; if that cannot be drawn either, the header is.
 * @param {Host} host
 * @param {Shell} shell
 * @returns {boolean} Was all of it drawn?
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
