// The companion that runs exercises: opens their room, locks settings, checks answers, and stores scores.

import { html, nothing } from 'lit'
import { LANGUAGES } from '../i18n/languages.js'
import { isIn } from '../shell/known.js'
import { textsLater } from '../shell/texts-later.js'
import { rulesOf } from './attempt.js'
import { barHeight } from './bar-height.js'
import { exerciseBar } from './exercise-bar.js'
import { createExerciseRoom } from './exercise-room.js'
import { exerciseOf, groupOf, idsOf } from './index.js'
import { createReaderAttempt } from './reader-attempt.js'
import { book, createScoreBook } from './score-book.js'

/** @import { Shell } from '../shell/shell.js' */

/** Id that all exercises made by teachers share. */
const OWN = 'own'

/**
 * Creates the connection to the page that embeds the exercise. host-report.js is loaded with the first embedded exercise.
 * @param {ReturnType<typeof createReaderAttempt>} attempt
 * @param {() => import('../shell/room.js').Translate | undefined} texts
 */
function createHost(attempt, texts) {
  /** @type {ReturnType<typeof import('./host-report.js').createHostReport> | undefined} */
  let report
  return {
    get report() {
      return report
    },
    /** Connects to the parent page. @param {string} id id of the exercise @param {() => boolean} isCurrent returns false if another exercise was requested meanwhile */
    async connect(id, isCurrent) {
      if (window.parent === window) return
      const fresh = JSON.stringify(attempt.state())
      const { createHostReport } = await import('./host-report.js')
      if (!isCurrent()) return
      report ??= createHostReport(attempt, texts)
      report.connect(id, fresh)
    },
  }
}

/** Returns the exercise of an id; for 'own', the one made by a teacher that `text` contains as JSON. @param {string} id @param {string} [text] */
async function found(id, text = '') {
  if (id !== OWN) return exerciseOf(id)
  const { ownExercise, readMade } = await import('./own-exercise.js')
  const made = readMade(text)
  return made && ownExercise(made)
}

/**
 * Draws a note about unknown exercises.
 * @param {import('../shell/room.js').Translate} t
 * @param {readonly string[]} unknown ids in the link that match no exercise
 * @param {boolean} isEmbedded True in an iframe, where the note does not link to other pages
 */
const unknownNote = (t, unknown, isEmbedded) =>
  html`<section class="exercise" id="exercise" aria-label=${t('room.exercises')}
    data-state="unknown"><p class="exercise-says" role="status">${t('exerciseUnknown', { ids: unknown.join(', ') })}
    ${isEmbedded ? nothing : html`<a href="#2&room=exercises">${t('exerciseAll')}</a>`}</p></section>`

/** Applies the theme and language of a link. @param {Shell} shell @param {Record<string, string>} page */
async function setAppearance(shell, { theme, lang = '' }) {
  if (theme === 'light' || theme === 'dark') shell.setTheme(theme, false)
  if (isIn(LANGUAGES, lang)) await shell.setLanguage(lang, false)
}

/**
 * An exercise link. page: its parameters; known, unknown: the exercise ids in it; at: index of the open exercise in `known`.
 * @typedef {{ page: Record<string, string>, known: readonly string[], unknown: readonly string[], at: number }} ExerciseLink
 */

/** @param {Record<string, string>} parameters @returns {ExerciseLink} */
function readLink({ nr, ...page }) {
  const { known, unknown } = page.exercise === OWN ? { known: [OWN], unknown: [] } : idsOf(page.exercise ?? '')
  return { page, known, unknown, at: Math.max(0, Math.min(Number(nr) || 1, known.length) - 1) }
}

/**
 * Returns a function that loads the texts of the open exercise and its room, passes them to `place`, and returns them once loaded.
 * @param {Shell} shell
 * @param {ReturnType<typeof createExerciseRoom>} place
 */
function createTexts(shell, place) {
  /** @type {import('../shell/texts-later.js').Later<import('../shell/room.js').Translate>} */
  const textsOf = textsLater(['shell', 'exercises'])
  return () => {
    const { exercise } = place
    const group = exercise && groupOf(exercise.id)
    const own = exercise ? [...(place.store()?.room.texts ?? []), ...(group ? [group.texts] : [])] : []
    const texts = textsOf(shell.state.language, own)
    texts.ask(() => shell.schedule())
    place.speak(texts.module)
    return texts.module
  }
}

/** @param {Shell} shell @returns {import('../shell/companions.js').Companion} */
export function companion(shell) {
  const { rooms } = shell
  const place = createExerciseRoom(rooms)
  let link = readLink({})
  /** Incremented by each link, switch of exercise or exit, so that results of older requests are ignored. */
  let turn = 0
  /** True while the next or previous exercise is loading. */
  let isGoing = false
  /** Where scores are stored: in this browser, or for embedded exercises only in memory, since the host stores them. */
  let scores = book

  const speak = createTexts(shell, place)
  const leaveFree = barHeight('exercise')
  const isEmbedded = () => link.page.embed === '1'

  const attempt = createReaderAttempt(shell, place, {
    rules: () => rulesOf(link.page),
    scores: () => scores,
    turn: () => turn,
    tell(name, data) {
      host.report?.event(name, data)
      if (name === 'check') host.report?.report()
    },
  })
  const host = createHost(attempt, speak)

  /** Opens an exercise. @param {number} at index in the list @param {boolean} isKept true to keep the settings of the link */
  async function open(at, isKept) {
    const own = ++turn
    const id = link.known[at]
    const next = await found(id, link.page.made)
    if (!next || own !== turn) return
    await rooms.open(next.room)
    if (own !== turn) return
    await shell.enter(next.room)
    if (own !== turn) return
    host.report?.flush()
    host.report?.close()
    place.take(next)
    link.at = at
    attempt.begin()
    speak()
    if (isKept) place.lock()
    else place.start()
    if (isEmbedded()) await host.connect(id, () => own === turn)
  }

  /** Ends the exercises and unlocks the rooms. @param {boolean} isBack True to restore what the rooms showed before */
  function end(isBack) {
    turn++
    place.end(isBack)
    host.report?.close()
    isGoing = false
    link = readLink({})
  }

  /** @type {import('./exercise-bar.js').BarActions} */
  const act = {
    ...attempt.act,
    async go(by) {
      if (isGoing || !link.known[link.at + by]) return
      isGoing = true
      try {
        await open(link.at + by, false)
      } finally {
        isGoing = false
      }
      shell.schedule()
    },
    leave() {
      end(true)
      shell.schedule()
    },
  }

  return {
    draw() {
      const t = speak()
      const { exercise } = place
      const { at, known, unknown } = link
      if (!t) return ''
      if (!exercise) return unknown.length ? unknownNote(t, unknown, isEmbedded()) : ''
      const own = place.store()
      if (!own) return ''
      const { state } = own
      const position = { at, of: known.length }
      return exerciseBar({ ...attempt.shown(own), t, exercise, state, place: position, isEmbedded: isEmbedded(), act })
    },
    link() {
      if (!place.exercise) return {}
      return link.at ? { ...link.page, nr: String(link.at + 1) } : link.page
    },
    async follow(next, links) {
      end(!Object.keys(links).length)
      const own = turn
      link = readLink(next)
      const { page, known, at } = link
      scores = isEmbedded() ? createScoreBook(() => undefined) : book
      await setAppearance(shell, next)
      if (!known.length || own !== turn) return
      const first = await found(known[at], page.made)
      if (own !== turn) return
      if (first) await open(at, Object.hasOwn(links, first.room))
      else link = { page, known: [], unknown: known, at }
    },
    drawn() {
      const { classList } = document.documentElement
      leaveFree()
      classList.toggle('has-exercise', place.exercise !== undefined || link.unknown.length > 0)
      classList.toggle('is-covered', attempt.isCovered())
      if (place.isElsewhere()) return end(false)
      host.report?.reportSoon()
      attempt.watch()
    },
  }
}
