// The page around the rooms: which room is open, the address, language and theme, messages, and the one place that draws
// everything and catches the errors of a draw. It touches no DOM: the host (browser.js; in tests a plain object) does.

import { loadTexts } from '../i18n/index.js'
import { createCompanions } from './companions.js'
import { readHash, writeHash } from './link.js'
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

/**
 * What the shell needs of the place it runs in.
 * @typedef {object} Host
 * @property {(drawing: State & { shell: Shell }) => void} draw may throw
 * @property {(message: string) => void} drawPlainly when even a page without numbers cannot be drawn
 * @property {(run: () => void) => void} frame runs it before the next paint
 * @property {() => string} address the hash
 * @property {(hash: string) => void} setAddress
 * @property {() => string} href the whole address
 * @property {(choices: { language: Language, theme: Theme }) => void} remember
 * @property {(selector: string) => void} reveal scrolls to an element
 * @property {(selector: string) => void} focus moves the focus to an element, once it is drawn
 * @property {(id: string) => void} show scrolls to a part of the page and focuses it
 * @property {() => void} toTop
 * @property {() => import('./room.js').Surroundings} around
 * @property {(text: string) => Promise<boolean>} copy
 * @property {(name: string, data: any, type: string) => void} save
 */

/** Milliseconds until the address follows: browsers allow few changes a second. */
const ADDRESS_PAUSE = 200

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
  const entrance = { front, home, page: companions.parameters }
  const { room, links, page, trouble } = readHash(entrance, ids, host.address())
  /** @type {State} */
  const state = { room, language, theme, t, isWaiting: false, notice: trouble && { key: trouble } }
  const rooms = createRooms({ rooms: loaders, load, links, around: host.around(), perform, changed: schedule })
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let writing
  let isScheduled = false

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

  /** What a room asks of the page. @param {string} id @param {import('./room.js').Effect<any>} effect */
  function perform(id, effect) {
    if (effect.type === 'reveal') host.reveal(effect.selector)
    else if (effect.type === 'focus') host.focus(effect.selector)
    else if (effect.type === 'show') host.show(effect.id)
    else if (effect.type === 'save') host.save(effect.name, effect.data, effect.mime ?? 'application/octet-stream')
    else if (effect.type === 'link') share()
    else if (effect.type === 'copy') copyFor(id, effect.text, effect.said)
    else if (effect.type === 'offer') {
      state.offer = { room: id, what: effect.what }
      if (effect.what.type === 'sentence') rooms.surround({ sentence: effect.what.text })
    } else if (effect.type === 'handOver') handOver(id, effect.to, effect.what)
  }

  /** @param {string} id @param {string} text @param {string} [said] the key of the text that tells so */
  async function copyFor(id, text, said) {
    const isDone = await host.copy(text)
    if (!isDone) rooms.say(id, { key: 'copyFailed' }, true)
    else if (said) rooms.say(id, { key: said })
  }

  /** Gives another room something, and opens it. @param {string} id @param {string} to @param {HandOver} what */
  async function handOver(id, to, what) {
    if (!(await rooms.give(to, what))) return
    enter(to)
    if (what.type === 'head') update({ from: { room: id, text: what.from, to } })
    host.frame(host.toTop) // when it is drawn
  }

  /** Opens a room. @param {string} id */
  async function enter(id) {
    if (id === state.room) return
    rooms.leave(state.room)
    rooms.enter(id)
    update({ room: id, from: undefined, notice: undefined })
    const { offer } = state
    if (offer && offer.room !== id && (await rooms.give(id, offer.what))) state.offer = undefined
  }

  /** Companions follow the address. @param {Record<string, string>} page @param {Record<string, string>} ofRooms */
  async function accompany(page, ofRooms) {
    const following = companions.follow(page, ofRooms)
    if (!following) return
    update({ isWaiting: true })
    await following.catch(error => rooms.fail(state.room, error))
    update({ isWaiting: false })
  }

  /** Copies the link of what is shown. */
  function share() {
    writeAddress()
    const cannot = rooms.store(state.room)?.canLink() === false
    if (cannot) rooms.say(state.room, { key: 'linkLarge' }, true)
    else copyFor(state.room, host.href(), 'copied.link')
  }

  /** Writes the settings into the address, now. */
  function writeAddress() {
    clearTimeout(writing)
    const hash = writeHash(entrance, state.room, rooms.links(), companions.link())
    if (hash !== host.address()) host.setAddress(hash)
  }

  function draw() {
    try {
      host.draw({ ...state, shell })
      rooms.drawn(state.room)
      companions.drawn()
      clearTimeout(writing)
      if (!state.notice && !state.isWaiting) writing = setTimeout(writeAddress, ADDRESS_PAUSE)
      return
    } catch (error) {
      rooms.fail(state.room, error)
    }
    // The last good picture stays beside the sentence; if it cannot be drawn either, the header does.
    try {
      host.draw({ ...state, shell })
    } catch {
      rooms.forget(state.room)
      try {
        host.draw({ ...state, shell })
      } catch (error) {
        host.drawPlainly(error instanceof Error ? error.message : String(error))
      }
    }
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
      return writeHash(entrance, state.room, rooms.links(), page)
    },
    /** @param {import('./histories.js').History} kind @param {0 | 1} to */
    travel: (kind, to) => rooms.store(state.room)?.travel(kind, to),
    reset: () => rooms.store(state.room)?.reset(),
    show: host.show,
    /** Files that were dropped, or a text that was pasted. @param {HandOver} what */
    give: what => rooms.give(state.room, what),
    /** @param {Language} language @param {boolean} [isRemembered] is it the reader's own choice? */
    async setLanguage(language, isRemembered = true) {
      update({ language, t: await loadTexts(language, ['shell']) })
      if (isRemembered) host.remember(state)
    },
    /** @param {Theme} theme @param {boolean} [isRemembered] is it the reader's own choice? */
    setTheme(theme, isRemembered = true) {
      update({ theme })
      if (isRemembered) host.remember(state)
    },
    schedule,
    /** An error that was caught by nobody. @param {unknown} error */
    fail(error) {
      rooms.fail(state.room, error)
      schedule()
    },
    /** The reader changed the address. */
    follow() {
      const { room, links, page, trouble } = readHash(entrance, ids, host.address())
      if (!trouble && host.address() === writeHash(entrance, state.room, rooms.links(), companions.link())) return
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
