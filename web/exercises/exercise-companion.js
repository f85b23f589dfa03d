// The companion of the page that runs exercises: it opens their room, locks what they keep, checks, and keeps scores.

import { html } from 'lit'
import { LANGUAGES } from '../i18n/languages.js'
import { textsLater } from '../shell/texts-later.js'
import { rulesOf } from './attempt.js'
import { barHeight } from './bar-height.js'
import { exerciseBar } from './exercise-bar.js'
import { createExerciseRoom } from './exercise-room.js'
import { exerciseOf, groupOf, idsOf } from './index.js'
import { createReaderAttempt } from './reader-attempt.js'
import { book, createScoreBook } from './score-book.js'

/** @typedef {import('../shell/shell.js').Shell} Shell */

/** The id of an exercise that a teacher made. */
const OWN = 'own'

/**
 * The page around the frame of an embedded exercise. Its code is loaded with the first one.
 * @param {ReturnType<typeof createReaderAttempt>} attempt
 * @param {() => import('../shell/room.js').Translate | undefined} texts
 */
function createHost(attempt, texts) {
  /** @type {ReturnType<typeof import('./host-report.js').createHostReport> | undefined} */
  let report
  /** @type {Parameters<typeof import('./host-report.js').createHostReport>[0]} */
  const exercise = {
    stateOf: attempt.state,
    check: attempt.act.check,
    restore(stored) {
      if (attempt.restore(stored)) return
      attempt.say('exerciseStateRefused')
      report?.event('error', { message: texts()?.('exerciseStateRefused') ?? '' })
    },
    silent(isSilent) {
      if (isSilent) attempt.say('exerciseHostSilent')
      else if (attempt.said === 'exerciseHostSilent') attempt.say('')
    },
  }
  return {
    get report() {
      return report
    },
    /** @param {string} id of the exercise @param {() => boolean} isCurrent was nothing else asked for since? */
    async connect(id, isCurrent) {
      if (window.parent === window) return
      const fresh = JSON.stringify(attempt.state())
      const { createHostReport } = await import('./host-report.js')
      if (!isCurrent()) return
      report ??= createHostReport(exercise)
      report.connect(id, fresh)
    },
  }
}

/** An exercise of the page, or the one that a link holds. @param {string} id @param {string} [text] what a teacher made */
async function found(id, text = '') {
  if (id !== OWN) return exerciseOf(id)
  const { ownExercise, readMade } = await import('./own-exercise.js')
  const made = readMade(text)
  return made && ownExercise(made)
}

/** @param {import('../shell/room.js').Translate} t @param {readonly string[]} unknown ids of a link that name no exercise */
const unknownNote = (t, unknown) =>
  html`<section class="exercise" id="exercise" aria-label=${t('room.exercises')} data-state="unknown"><p class="exercise-says" role="status">${t('exerciseUnknown', { ids: unknown.join(', ') })}
    <a href="#2&room=exercises">${t('exerciseAll')}</a></p></section>`

/** Theme and language of a link. @param {Shell} shell @param {Record<string, string>} page */
async function setAppearance(shell, { theme, lang = '' }) {
  if (theme === 'light' || theme === 'dark') shell.setTheme(theme, false)
  if (Object.hasOwn(LANGUAGES, lang)) await shell.setLanguage(/** @type {any} */ (lang), false)
}

/** @param {Shell} shell @returns {import('../shell/companions.js').Companion} */
export function companion(shell) {
  const { rooms } = shell
  const place = createExerciseRoom(rooms)
  const { store } = place
  /** The parameters of the link. @type {Record<string, string>} */
  let page = {}
  let { known, unknown } = idsOf('')
  let nr = 0
  /** What was asked for last: a link, the next exercise, or to leave. What was asked for before must not open any more. */
  let turn = 0
  /** Is the next exercise or the one before on its way? */
  let isGoing = false
  /** @type {import('../shell/texts-later.js').Later<import('../shell/room.js').Translate>} */
  const textsOf = textsLater(['shell', 'exercises'])
  /** @type {import('../shell/room.js').Translate | undefined} */
  let t
  /** An embedded exercise keeps no score here: its host does. */
  let scores = book

  const leaveFree = barHeight('exercise')
  const isEmbedded = () => page.embed === '1'

  const attempt = createReaderAttempt(shell, place, {
    rules: () => rulesOf(page),
    scores: () => scores,
    turn: () => turn,
    tell(name, data) {
      host.report?.event(name, data)
      if (name === 'check') host.report?.report()
    },
  })
  const host = createHost(attempt, () => t)

  /** The texts of the exercises and of their room, when they are here. */
  function speak() {
    const { exercise } = place
    const group = exercise && groupOf(exercise.id)
    const own = exercise ? [...(store()?.room.texts ?? []), ...(group ? [group.texts] : [])] : []
    const texts = textsOf(shell.state.language, own)
    texts.ask(() => shell.schedule())
    t = texts.module
    place.speak(t)
  }

  /** @param {number} at its place in the list @param {boolean} isKept does the room stay as the link says? */
  async function open(at, isKept) {
    const own = ++turn
    const id = known[at]
    const next = await found(id, page.made)
    if (!next || own !== turn) return
    await rooms.open(next.room)
    if (own !== turn) return
    await shell.enter(next.room)
    if (own !== turn) return
    host.report?.flush()
    host.report?.close()
    place.take(next)
    nr = at
    attempt.begin()
    speak()
    if (isKept) place.lock()
    else place.start()
    if (isEmbedded()) await host.connect(id, () => own === turn)
  }

  /** The rooms are the reader's again. @param {boolean} isBack do they show again what they showed before? */
  function end(isBack) {
    turn++
    place.end(isBack)
    host.report?.close()
    isGoing = false
    known = unknown = []
    page = {}
  }

  /** @type {import('./exercise-bar.js').BarActions} */
  const act = {
    ...attempt.act,
    async go(by) {
      if (isGoing || !known[nr + by]) return
      isGoing = true
      try {
        await open(nr + by, false)
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
      speak()
      const { exercise } = place
      if (!t) return ''
      if (!exercise) return unknown.length ? unknownNote(t, unknown) : ''
      const own = store()
      if (!own) return ''
      const position = { at: nr, of: known.length }
      return exerciseBar({
        ...attempt.shown(own),
        t,
        exercise,
        state: own.state,
        place: position,
        isEmbedded: isEmbedded(),
        act,
      })
    },
    link() {
      if (!place.exercise) return {}
      return nr ? { ...page, nr: String(nr + 1) } : page
    },
    async follow(next, links) {
      const { nr: at, ...rest } = next
      end(!Object.keys(links).length)
      const own = turn
      page = rest
      const ids = next.exercise === OWN ? { known: [OWN], unknown: [] } : idsOf(next.exercise ?? '')
      known = ids.known
      unknown = ids.unknown
      scores = isEmbedded() ? createScoreBook(() => undefined) : book
      await setAppearance(shell, next)
      if (!known.length || own !== turn) return
      const place = Math.min(Math.max(0, Number(at) - 1 || 0), known.length - 1)
      const first = await found(known[place], page.made)
      if (own !== turn) return
      if (!first) {
        unknown = known
        known = []
        return
      }
      await open(place, Object.hasOwn(links, first.room))
    },
    drawn() {
      const { classList } = document.documentElement
      leaveFree()
      classList.toggle('has-exercise', place.exercise !== undefined || unknown.length > 0)
      classList.toggle('is-covered', attempt.isCovered())
      if (place.isElsewhere()) return end(false)
      host.report?.reportSoon()
      attempt.watch()
    },
  }
}
