// The rooms of the page. Each is loaded when it is opened, keeps its store while another is shown, and is drawn from its state.

import { html, nothing } from 'lit'
import { loadTexts } from '../i18n/index.js'
import { canWork, problemOf } from './port.js'
import { retry } from './retry.js'
import { createStore } from './store.js'

/** @typedef {import('./room.js').Room<any>} Room */
/** @typedef {import('./room.js').HandOver} HandOver */
/** @typedef {import('./room.js').Effect<any>} Effect */
/** @typedef {import('./room.js').Problem} Problem */

/**
 * @typedef {object} Opened
 * @property {Room} room
 * @property {import('./store.js').Store<any>} store
 * @property {import('lit').TemplateResult} [good] the last picture that could be drawn
 * @property {import('lit').TemplateResult} [picture] the one that is being drawn
 * @property {{ settings: object, problem: Problem }} [broken] settings that cannot be drawn
 * @property {{ problem: Problem, isBad: boolean }} [message] what was done last, or why not
 */

/**
 * @param {object} host
 * @param {Record<string, () => Promise<{ room: Room }>>} host.rooms loads each
 * @param {() => Promise<import('qkv').Qkv>} host.load loads the core: for rooms that compute on the page
 * @param {Record<string, string>} host.links the parameters that the address holds for each room
 * @param {import('./room.js').Surroundings} host.around
 * @param {(id: string, effect: Effect) => void} host.perform what a room asks of the page
 * @param {() => void} host.changed
 */
export function createRooms({ rooms, load, links, around, perform, changed }) {
  /** @type {Map<string, Opened>} */
  const opened = new Map()
  /** Rooms that are being loaded. @type {Map<string, Promise<Opened | undefined>>} */
  const opening = new Map()
  /** Why a room could not be opened. @type {Map<string, Problem>} */
  const failed = new Map()
  /** What the address holds for rooms that are not open. */
  const waiting = { ...links }
  let surroundings = around
  /** @type {import('qkv').Qkv | undefined} */
  let core
  /** @type {Map<string, any>} */
  const translators = new Map()

  /** @param {string} id @returns {Promise<Opened | undefined>} */
  function open(id) {
    const found = opening.get(id)
    if (found) return found
    failed.delete(id)
    const made = start(id).catch(error => {
      opening.delete(id)
      failed.set(id, problemOf(error))
      changed()
      return undefined
    })
    opening.set(id, made)
    return made
  }

  /** @param {string} id @returns {Promise<Opened>} */
  async function start(id) {
    const { room } = await rooms[id]()
    if (room.now) core = await load()
    const options = {
      qkv: core,
      load,
      worker: canWork() ? room.session.worker : undefined,
      perform: (/** @type {Effect} */ effect) => take(id, effect),
      changed,
      isLazy: true,
      around: surroundings,
    }
    /** @type {Opened['message']} */
    let message
    let store
    try {
      store = createStore(room, { ...options, link: waiting[id] ?? '' })
    } catch {
      store = createStore(room, options)
      message = { problem: { key: 'linkDamaged' }, isBad: true }
    }
    delete waiting[id]
    const own = { room, store, message }
    opened.set(id, own)
    store.update(room.enter?.(store.state))
    return own
  }

  /** @param {string} id @param {Effect} effect */
  function take(id, effect) {
    if (effect.type !== 'message') return perform(id, effect)
    say(id, effect.problem, effect.isBad)
  }

  /** @param {string} id @param {Problem | undefined} problem @param {boolean} [isBad] */
  function say(id, problem, isBad = false) {
    const own = opened.get(id)
    if (own) own.message = problem && { problem, isBad }
    changed()
  }

  /** The texts of a room in a language; undefined while they are being loaded. @param {Room} room @param {import('../i18n/index.js').Language} language */
  function textsOf(room, language) {
    const name = `${language} ${room.id}`
    if (!translators.has(name)) {
      translators.set(name, undefined)
      loadTexts(language, ['shell', ...room.texts]).then(t => {
        translators.set(name, t)
        changed()
      })
    }
    return translators.get(name)
  }

  /**
   * The picture of a room, or that it is being loaded.
   * @param {string} id
   * @param {{ t: any, language: import('../i18n/index.js').Language, isDark: boolean }} page
   */
  function draw(id, { t: shell, language, isDark }) {
    const problem = failed.get(id)
    if (!problem) open(id)
    if (problem)
      return retry(shell, problem, () => {
        open(id)
        changed()
      })
    const own = opened.get(id)
    const t = own && textsOf(own.room, language)
    if (!own || !t) return html`<p class="note">${shell('loading')}</p>`
    const { store, message } = own
    if (own.broken?.settings !== store.state.settings) own.broken = undefined
    if (!own.broken)
      try {
        store.ask()
        own.picture = own.room.draw(contextOf(own, t, isDark))
      } catch (error) {
        fail(id, error)
      }
    const { broken } = own
    return html`${broken ? retry(t, broken.problem, () => tryAgain(own)) : nothing}${(broken ? own.good : own.picture) ?? nothing}
      <div class="said ${message?.isBad ? 'is-bad' : ''}" role="status" aria-live="polite" data-message=${message?.problem.key ?? nothing}>${
        message
          ? html`<span>${t(message.problem.key, message.problem.params)}</span> <button type="button" class="plain" @click=${() => say(id, undefined)}>${t('close')}</button>`
          : nothing
      }</div>`
  }

  /** @param {Opened} own @param {any} t @param {boolean} isDark @returns {import('./room.js').Context<any>} */
  function contextOf({ store }, t, isDark) {
    const { act, travel, state } = store
    return { ...state, t, isDark, qkv: core, act, travel, can: store.can() }
  }

  /** @param {Opened} own */
  function tryAgain(own) {
    own.broken = undefined
    own.store.update({ effects: [{ type: 'retry' }] })
  }

  /** Says that these settings cannot be drawn, until they change. @param {string} id @param {unknown} error */
  function fail(id, error) {
    const own = opened.get(id)
    const message = error instanceof Error ? error.message : String(error)
    const isMemory = /memory|allocat|length|size/i.test(message) && !/stack/.test(message)
    const problem = { key: isMemory ? 'tooLarge' : 'cannotShow', params: { message } }
    if (own) own.broken = { settings: own.store.state.settings, problem }
    else failed.set(id, problem)
  }

  /** @param {Partial<import('./room.js').Surroundings>} patch */
  function surround(patch) {
    surroundings = { ...surroundings, ...patch }
    for (const { store } of opened.values()) {
      store.surround(patch)
      store.ask() // a hidden tab draws nothing
    }
  }

  return {
    has: (/** @type {string} */ id) => Object.hasOwn(rooms, id),
    open,
    draw,
    say,
    fail,
    /** What a room adds to the header. @param {string} id @param {'tools' | 'more'} where @param {{ language: import('../i18n/index.js').Language, isDark: boolean }} page */
    part(id, where, { language, isDark }) {
      const own = opened.get(id)
      const t = own && textsOf(own.room, language)
      return own && t ? (own.room[where]?.(contextOf(own, t, isDark)) ?? nothing) : nothing
    },
    /** Selectors of what the guide of a room speaks of. @param {string} id @returns {readonly string[]} */
    marks(id) {
      const own = opened.get(id)
      return own?.room.marks?.(own.store.state) ?? []
    },
    /** The picture of a room is on the page. @param {string} id */
    drawn(id) {
      const own = opened.get(id)
      if (own && !own.broken) own.good = own.picture
    },
    /** The last good picture cannot be drawn either. @param {string} id */
    forget(id) {
      const own = opened.get(id)
      if (own) own.good = undefined
    },
    store: (/** @type {string} */ id) => opened.get(id)?.store,
    /** All settings may change again: what restricted them belongs to another link. */
    release() {
      for (const { store } of opened.values()) store.restrict()
    },
    /** The parameters of all rooms. @returns {Record<string, string>} */
    links: () => ({ ...waiting, ...Object.fromEntries([...opened].map(([id, { store }]) => [id, store.link()])) }),
    /** The address has changed. @param {Record<string, string>} links */
    follow(links) {
      for (const id of Object.keys(rooms)) {
        const own = opened.get(id)
        if (!own) waiting[id] = links[id] ?? ''
        else
          try {
            own.store.follow(links[id] ?? '')
          } catch {
            say(id, { key: 'linkDamaged' }, true)
          }
      }
    },
    /** Gives a room something; false: it has no use for it. @param {string} id @param {HandOver} what */
    async give(id, what) {
      const own = await open(id)
      const step = own?.room.take?.(own.store.state, what)
      if (step) own?.store.update(step)
      return step !== undefined
    },
    enter(/** @type {string} */ id) {
      const own = opened.get(id)
      if (own) own.store.update(own.room.enter?.(own.store.state))
    },
    leave(/** @type {string} */ id) {
      const own = opened.get(id)
      if (!own) return
      own.store.update(own.room.leave?.(own.store.state))
      own.store.ask() // nothing draws it now
      const sentence = own.room.sentence?.(own.store.state)
      if (sentence !== undefined) surround({ sentence })
    },
    /** A few words for the tab of a room. @param {string} id @param {import('../i18n/index.js').Language} language */
    note(id, language) {
      const own = opened.get(id)
      const t = own && textsOf(own.room, language)
      return (own && t && own.room.note?.(own.store.state, t)) || undefined
    },
    /** Does the room take a key? @param {string} id @param {string} key */
    press(id, key) {
      const own = opened.get(id)
      const step = own?.room.keys?.[key]?.(own.store.state)
      if (step) own?.store.update(step)
      return step !== undefined
    },
    /** The reader has scrolled past a part of a room. @param {string} id @param {string} part */
    pass(id, part) {
      const own = opened.get(id)
      const step = own?.room.pass?.(own.store.state, part)
      if (step) own?.store.update(step)
    },
    surround,
  }
}

/** @typedef {ReturnType<typeof createRooms>} Rooms */
