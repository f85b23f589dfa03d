// Manages an opened room: its store, its last drawn template, and the message about the last action.

import { html, nothing } from 'lit'
import { keepNoProcess } from './port.js'
import { retry } from './retry.js'
import { textsLater } from './texts-later.js'

/** @typedef {import('./room.js').Room<any>} Room */
/** @import { Problem } from './room.js' */
/** @import { TemplateResult } from 'lit' */
/** @typedef {ReturnType<typeof openedRoom>} OpenedRoom */

/** Returns the problem to report for settings that threw while being drawn. @param {unknown} error @returns {Problem} */
export function drawProblem(error) {
  const message = error instanceof Error ? error.message : String(error)
  const isMemory = /memory|allocat|length|size/i.test(message) && !/stack/.test(message)
  return { key: isMemory ? 'tooLarge' : 'cannotShow', params: { message } }
}

const rare = textsLater([])

/**
 * Returns the text of a problem; texts of rare problems are loaded on demand.
 * @param {import('./room.js').Translate} t
 * @param {Problem} problem
 */
const written = (t, { key, params, texts }) =>
  texts ? rare(t('htmlLang'), [texts]).draw((/** @type {any} */ own) => own(key, params)) : t(key, params)

/** Milliseconds for which a message is shown. */
const STAY = 6000

/** A message about the last action; `isBad` if it failed. @typedef {{ problem: Problem, isBad: boolean }} Message */

/** @param {import('./room.js').Translate} t @param {Message | undefined} message @param {() => void} close */
const messageLine = (t, message, close) =>
  html`<div class="said ${message?.isBad ? 'is-bad' : ''}" role="status" aria-live="polite"
    data-message=${message?.problem.key ?? nothing}>${
      message
        ? html`<span>${written(t, message.problem)}</span> <button type="button" class="plain" @click=${close}>${t('close')}</button>`
        : nothing
    }</div>`

/**
 * @param {Room} room
 * @param {import('./store.js').Store<any>} store
 * @param {object} host
 * @param {import('qkv').Qkv} [host.qkv] core, for rooms that compute on the page
 * @param {(language: import('../i18n/index.js').Language) => any} host.texts returns the texts of the room; undefined while they load
 * @param {() => void} host.changed
 */
export function openedRoom(room, store, { qkv, texts, changed }) {
  let isEntered = false
  /** The template being drawn. @type {TemplateResult | undefined} */
  let picture
  /** The last template that was drawn without error. @type {TemplateResult | undefined} */
  let good
  /** Settings and answers with which drawing threw, and the problem. @type {{ settings: object, got: object, problem: Problem } | undefined} */
  let broken
  /** @type {Message | undefined} */
  let message
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let leaving

  /** Applies a step. @param {import('./room.js').Step<any> | undefined} step @returns {boolean} true if there was a step */
  function take(step) {
    if (step) store.update(step)
    return step !== undefined
  }

  /** @param {import('./room.js').Translate} t @param {boolean} isDark @returns {import('./room.js').Context<any>} */
  function contextOf(t, isDark) {
    const { act, travel, drawn } = store
    return { ...drawn, t, isDark, qkv, act, travel, can: store.can() }
  }

  /** @param {Problem | undefined} problem @param {boolean} [isBad] */
  function say(problem, isBad = false) {
    message = problem && { problem, isBad }
    clearTimeout(leaving)
    if (problem) {
      leaving = setTimeout(() => say(undefined), STAY)
      keepNoProcess(leaving)
    }
    changed()
  }

  /** Marks the current settings as undrawable until they or the answers change. @param {unknown} error */
  function fail(error) {
    const { settings, got } = store.state
    broken = { settings, got, problem: drawProblem(error) }
  }

  function tryAgain() {
    broken = undefined
    store.update({ effects: [{ type: 'retry' }] })
  }

  return {
    room,
    store,
    say,
    fail,

    /** @param {import('./room.js').Translate} t texts of the room @param {boolean} isDark */
    draw(t, isDark) {
      if (!isEntered) {
        isEntered = true
        store.update(room.enter?.(store.state))
      }
      const { settings, got } = store.state
      if (broken?.settings !== settings || broken?.got !== got) broken = undefined
      if (!broken)
        try {
          store.ask()
          picture = room.draw(contextOf(t, isDark))
        } catch (error) {
          fail(error)
        }
      return html`${broken ? retry(t, broken.problem, tryAgain) : nothing}${(broken ? good : picture) ?? nothing}
      ${messageLine(t, message, () => say(undefined))}`
    },
    /** Returns why the settings cannot be drawn, if so. @returns {Problem | undefined} */
    problem: () => broken?.problem,
    /** Keeps the template as the last good one, after it was drawn without error. */
    drawn() {
      if (!broken) good = picture
    },
    /** Discards the last good template. Called when drawing it again has thrown too. */
    forget() {
      good = undefined
    },

    /** Draws the part that the room adds to the header. @param {'tools' | 'more'} where @param {{ language: import('../i18n/index.js').Language, isDark: boolean }} page */
    part(where, { language, isDark }) {
      const t = texts(language)
      return t ? (room[where]?.(contextOf(t, isDark)) ?? nothing) : nothing
    },
    /** Returns a short note for the tab of the room. @param {import('../i18n/index.js').Language} language */
    note(language) {
      const t = texts(language)
      return (t && room.note?.(store.state, t)) || undefined
    },
    /** Returns selectors of the elements that the guide refers to. @returns {readonly string[]} */
    marks: () => room.marks?.(store.state) ?? [],

    /** @param {import('./room.js').HandOver} what */
    give: what => take(room.take?.(store.state, what)),
    /** @param {string} key */
    press: key => take(room.keys?.[key]?.(store.state)),
    /** Notifies the room that the reader has scrolled past a part. @param {string} part */
    pass: part => take(room.pass?.(store.state, part)),
    /** Notifies the room that the reader leaves it, and returns the room's current sentence. */
    leave() {
      isEntered = false
      store.update(room.leave?.(store.state))
      store.ask() // requests are otherwise sent when drawing, which has stopped
      return room.sentence?.(store.state)
    },
  }
}
