// Manages the rooms of the page. Each is loaded when it is first opened, and keeps its store while another room is displayed.

import { html } from 'lit'
import { loadTexts } from '../i18n/index.js'
import { drawProblem, openedRoom } from './opened-room.js'
import { canWork, problemOf } from './port.js'
import { retry } from './retry.js'
import { createStore } from './store.js'

/** @typedef {import('./room.js').Room<any>} Room */
/** @typedef {import('./room.js').Effect<any>} Effect */
/** @import { Problem } from './room.js' */
/** @import { OpenedRoom } from './opened-room.js' */
/** @import { Language } from '../i18n/index.js' */
/** @typedef {ReturnType<typeof createRooms>} Rooms */

/**
 * Loads and caches the texts of rooms.
 * @param {(room: Room) => void} loaded
 * @param {(room: Room, error: unknown) => void} failed
 */
function textsOfRooms(loaded, failed) {
  /** Loaded texts. @type {Map<string, any>} */
  const translators = new Map()
  /** Requested texts. @type {Map<string, Promise<void>>} */
  const loading = new Map()
  /** @param {Room} room @param {Language} language */
  function load(room, language) {
    const name = `${language} ${room.id}`
    const found =
      loading.get(name) ??
      loadTexts(language, ['shell', ...room.texts]).then(
        t => {
          translators.set(name, t)
          loaded(room)
        },
        error => {
          loading.delete(name)
          failed(room, error)
        },
      )
    loading.set(name, found)
    return found
  }
  return {
    load,
    /** Returns the texts of a room; undefined while they are loading. @param {Room} room @param {Language} language */
    of(room, language) {
      load(room, language)
      return translators.get(`${language} ${room.id}`)
    },
  }
}

/**
 * Returns `open` and the failures so far. `open` opens each room once; for a room that failed, it tries again.
 * @param {(id: string) => Promise<OpenedRoom>} start
 * @param {() => void} changed
 */
function createOpening(start, changed) {
  /** Rooms that are open or loading, by id. @type {Map<string, Promise<OpenedRoom | undefined>>} */
  const opening = new Map()
  /** Reasons why rooms could not be opened. @type {Map<string, Problem>} */
  const failed = new Map()

  /** @param {string} id @param {unknown} error */
  function fail(id, error) {
    failed.set(id, problemOf(error))
    changed()
  }

  return {
    failed,
    fail,
    /** @param {string} id @returns {Promise<OpenedRoom | undefined>} */
    open(id) {
      failed.delete(id)
      const found = opening.get(id)
      if (found) return found
      const made = start(id).catch(error => {
        opening.delete(id)
        fail(id, error)
        return undefined
      })
      opening.set(id, made)
      return made
    },
  }
}

/**
 * Opens a room with a link, or with the defaults if the link is damaged.
 * @param {Room} room
 * @param {string} link
 * @param {Parameters<typeof createStore>[1]} options
 * @param {Parameters<typeof openedRoom>[2]} host
 */
function openedAt(room, link, options, host) {
  try {
    return openedRoom(room, createStore(room, { ...options, link }), host)
  } catch {
    const own = openedRoom(room, createStore(room, options), host)
    own.say({ key: 'linkDamaged' }, true)
    return own
  }
}

/**
 * @param {object} host
 * @param {Record<string, () => Promise<{ room: Room }>>} host.rooms loaders of the rooms
 * @param {() => Promise<import('qkv').Qkv>} host.load loads the core, for rooms that compute on the page
 * @param {Record<string, string>} host.links parameters of each room in the address
 * @param {import('./room.js').Surroundings} host.around
 * @param {(id: string, effect: Effect) => void} host.perform performs an effect of a room
 * @param {() => void} host.changed
 */
export function createRooms({ rooms, load, links, around, perform, changed }) {
  /** @type {Map<string, OpenedRoom>} */
  const opened = new Map()
  /** Parameters, from the address, of the rooms that are not open. */
  const waiting = { ...links }
  let surroundings = around
  const { open, failed, fail: cannotOpen } = createOpening(start, changed)
  const texts = textsOfRooms(changed, ({ id }, error) => cannotOpen(id, error))

  /** @param {string} id @returns {Promise<OpenedRoom>} */
  async function start(id) {
    const { room } = await rooms[id]()
    const qkv = room.now && (await load())
    const options = {
      qkv,
      load,
      worker: canWork() ? room.session.worker : undefined,
      perform: (/** @type {Effect} */ effect) => perform(id, effect),
      changed,
      isLazy: true,
      around: surroundings,
    }
    const host = { qkv, texts: (/** @type {Language} */ language) => texts.of(room, language), changed }
    const own = openedAt(room, waiting[id] ?? '', options, host)
    delete waiting[id]
    opened.set(id, own)
    changed()
    return own
  }

  /**
   * Draws a room, or a message while it is loading.
   * @param {string} id
   * @param {{ t: import('./room.js').Translate, language: Language, isDark: boolean }} page
   */
  function draw(id, { t: shell, language, isDark }) {
    const problem = failed.get(id)
    if (problem)
      return retry(shell, problem, () => {
        open(id)
        changed()
      })
    open(id)
    const own = opened.get(id)
    const t = own && texts.of(own.room, language)
    return t ? own.draw(t, isDark) : html`<p class="note">${shell('loading')}</p>`
  }

  /** @param {Partial<import('./room.js').Surroundings>} patch */
  function surround(patch) {
    surroundings = { ...surroundings, ...patch }
    for (const { store } of opened.values()) {
      store.surround(patch)
      store.ask() // drawing usually sends the requests, but a hidden tab does not draw
    }
  }

  return {
    open,
    draw,
    surround,
    /** Loads the texts of the open rooms. @param {Language} language */
    learn: language => Promise.all(Array.from(opened.values(), ({ room }) => texts.load(room, language))),
    /** Returns a room if it is open. @param {string} id */
    get: id => opened.get(id),
    store: (/** @type {string} */ id) => opened.get(id)?.store,
    /** Reports that a room cannot be drawn. @param {string} id @param {unknown} error */
    fail(id, error) {
      const own = opened.get(id)
      if (own) own.fail(error)
      else failed.set(id, drawProblem(error))
    },
    /** Gives data to a room; returns false if the room does not accept it. @param {string} id @param {import('./room.js').HandOver} what */
    give: async (id, what) => (await open(id))?.give(what) ?? false,
    /** @param {string} id */
    leave(id) {
      const sentence = opened.get(id)?.leave()
      if (sentence !== undefined) surround({ sentence })
    },
    /** Removes the restrictions that the exercise of an earlier link has set on settings. */
    release() {
      for (const { store } of opened.values()) store.restrict()
    },
    /** Returns the parameters of all rooms. @returns {Record<string, string>} */
    links: () => ({ ...waiting, ...Object.fromEntries([...opened].map(([id, { store }]) => [id, store.link()])) }),
    /** Handles a change of the address. @param {Record<string, string>} links */
    follow(links) {
      for (const id of Object.keys(rooms)) {
        const own = opened.get(id)
        if (!own) waiting[id] = links[id] ?? ''
        else
          try {
            own.store.follow(links[id] ?? '')
          } catch {
            own.say({ key: 'linkDamaged' }, true)
          }
      }
    },
  }
}
