// The companion of the page that runs exercises: it opens their room, locks what they keep, checks, and keeps scores.

import { html } from 'lit'
import { LANGUAGES } from '../i18n/languages.js'
import { textsLater } from '../shell/texts-later.js'
import {
  answerOf,
  attemptFrom,
  begun,
  begunAgain,
  guardOf,
  isOver,
  judged,
  rulesOf,
  startOf,
  withParameters,
} from './attempt.js'
import { barHeight } from './bar-height.js'
import { exerciseBar } from './exercise-bar.js'
import { exerciseOf, groupOf, idsOf } from './index.js'
import { book, createScoreBook } from './score-book.js'

/** @typedef {import('../shell/shell.js').Shell} Shell */
/** @typedef {import('./exercise.js').Exercise} Exercise */

/** Orders that a seed can draw. */
const MOST_SEED = 2 ** 16
/** Milliseconds of changes that a host is told together. */
const REPORT_PAUSE = 5000

/** The id of an exercise that a teacher made. */
const OWN = 'own'

/** Does the room show another model than that of the exercise? @param {import('../shell/store.js').Store<any>} store @param {Exercise} exercise */
function isElsewhere({ state }, exercise) {
  if (exercise.room !== 'models') return false
  const wanted = new URLSearchParams(startOf(exercise, 0)).get('checkpoint') ?? ''
  return state.settings.checkpoint !== wanted
}

/** @param {Shell} shell @returns {import('../shell/companions.js').Companion} */
export function companion(shell) {
  const { rooms } = shell
  /** The parameters of the link. @type {Record<string, string>} */
  let page = {}
  let { known, unknown } = idsOf('')
  let nr = 0
  /** @type {Exercise | undefined} */
  let exercise
  let attempt = begun()
  let said = ''
  let isFolded = false
  /** What was asked for last: a link, the next exercise, or to leave. What was asked for before must not open any more. */
  let turn = 0
  /** Is the next exercise or the one before on its way? */
  let isGoing = false
  /** What the rooms showed before the exercises. @type {Map<import('../shell/store.js').Store<any>, any>} */
  const before = new Map()
  /** @type {import('../shell/texts-later.js').Later<import('../shell/room.js').Translate>} */
  const textsOf = textsLater(['shell', 'exercises'])
  /** @type {import('../shell/room.js').Translate | undefined} */
  let t
  /** An embedded exercise keeps no score here: its host does. */
  let scores = book

  const leaveFree = barHeight('exercise')

  /** The page around the frame, of an embedded exercise. @type {import('./splice.js').Splice | undefined} */
  let splice
  /** What was reported last, as a text; and the report that waits. */
  let reported = ''
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let reporting

  const isEmbedded = () => page.embed === '1'
  const rules = () => rulesOf(page)
  const store = () => (exercise ? rooms.store(exercise.room) : undefined)

  /** The texts of the exercises and of their room, when they are here. */
  function speak() {
    const group = exercise && groupOf(exercise.id)
    const own = exercise ? [...(store()?.room.texts ?? []), ...(group ? [group.texts] : [])] : []
    const texts = textsOf(shell.state.language, own)
    texts.ask(() => shell.schedule())
    if (t === texts.module) return
    t = texts.module
    lock()
  }

  /** What the exercise does not name stays as it is. */
  function lock() {
    const own = store()
    if (!own || !exercise) return
    const may = t?.(/** @type {any} */ (`${exercise.id}.may`), { fields: exercise.may.join(', ') || '–' }) ?? ''
    own.restrict(guardOf(exercise, own.room.fields, { key: 'locked', params: { may } }))
  }

  /** The room no longer shows what it shows for the exercise. */
  function hideOwn() {
    const own = store()
    const names = Object.keys(exercise?.view ?? {})
    if (own && names.length) own.update({ view: Object.fromEntries(names.map(name => [name, own.room.view[name]])) })
  }

  /** Other settings of the room, as a link has them. @param {string} link */
  function show(link) {
    const own = store()
    own?.restrict()
    own?.follow(link)
    lock()
  }

  /** An exercise of the page, or that of the link. @param {string} id */
  async function found(id) {
    if (id !== OWN) return exerciseOf(id)
    const { ownExercise, readMade } = await import('./own-exercise.js')
    const made = readMade(page.made ?? '')
    return made && ownExercise(made)
  }

  /** @param {number} at its place in the list @param {boolean} isKept does the room stay as the link says? */
  async function open(at, isKept) {
    const own = ++turn
    const id = known[at]
    const next = await found(id)
    if (!next || own !== turn) return
    await rooms.open(next.room)
    if (own !== turn) return
    await shell.enter(next.room)
    if (own !== turn) return
    if (reporting) report()
    store()?.restrict()
    hideOwn()
    splice?.close()
    splice = undefined
    nr = at
    exercise = next
    if (next.view) store()?.update({ view: next.view })
    attempt = begun()
    said = ''
    speak()
    if (isKept) lock()
    else start()
    reported = JSON.stringify(stateOf())
    if (!isEmbedded() || window.parent === window) return
    const { createSplice } = await import('./splice.js')
    if (own !== turn) return
    splice = createSplice(window, `qkv.${id}`, hear)
    splice.getState().then(stored => own !== turn || stored === undefined || restore(stored))
  }

  /** What a host keeps of an attempt. */
  const stateOf = () => {
    const { answer, tries, isShown, isPassed, score } = attempt
    return { exercise: exercise?.id, link: store()?.link() ?? '', answer, tries, isShown, isPassed, score }
  }

  /** Goes on from a state that a host has kept; what is none is refused. @param {unknown} stored */
  function restore(stored) {
    const own = store()
    const kept = own && exercise ? attemptFrom(stored, exercise.id) : undefined
    try {
      if (!own || !kept) throw new Error('no state of this exercise')
      own.restrict()
      own.follow(kept.link)
      attempt = { ...attempt, ...kept.attempt }
    } catch {
      say('exerciseStateRefused')
      splice?.event('error', { message: t?.('exerciseStateRefused') ?? '' })
    }
    lock()
    shell.schedule()
  }

  /** The page around the frame asks for something. @param {{ subject: string, state?: unknown }} message */
  function hear({ subject, state }) {
    if (subject === 'qkv.check') check()
    else if (subject === 'qkv.setState') restore(state)
  }

  /** Tells the host score and state. */
  function report() {
    clearTimeout(reporting)
    reporting = undefined
    reported = JSON.stringify(stateOf())
    splice?.report(attempt.score, stateOf())
  }

  /** The settings that the exercise begins with. */
  function start() {
    const own = store()
    if (!exercise || !own) return
    if (!before.has(own)) before.set(own, own.state.settings)
    show(startOf(exercise, Math.floor(Math.random() * MOST_SEED)))
    own.update({ begins: true })
  }

  /** The rooms are the reader's again. @param {boolean} isBack do they show again what they showed before? */
  function end(isBack) {
    turn++
    store()?.restrict()
    hideOwn()
    if (isBack) for (const [own, settings] of before) own.show(settings)
    before.clear()
    clearTimeout(reporting)
    splice?.close()
    exercise = splice = reporting = undefined
    isGoing = false
    known = unknown = []
    page = {}
  }

  /** What the exercise reads, but for the core. @param {import('../shell/store.js').Store<any>} own @returns {import('./exercise.js').Given} */
  const givenBy = ({ state }) => ({
    state,
    answer: attempt.answer,
    memory: attempt.memory,
    qkv: /** @type {any} */ (undefined),
  })

  async function check() {
    const asked = turn
    const qkv = await shell.load()
    const own = store()
    if (!exercise || !own || asked !== turn || isOver(attempt, rules())) return
    if (exercise.answer?.type !== 'marks' && exercise.answer && attempt.answer === '') return say('exerciseNoAnswer')
    const verdict = exercise.check({ ...givenBy(own), qkv })
    if (!verdict) return say('exerciseWait')
    attempt = judged(attempt, verdict)
    scores.note(exercise.id, attempt.score, own.link())
    splice?.event('check', { passed: verdict.passed, score: attempt.score, hint: verdict.hint, tries: attempt.tries })
    if (splice) report()
    said = ''
    isFolded = false
    shell.schedule()
  }

  /** @param {string} key */
  function say(key) {
    said = key
    shell.schedule()
  }

  /** @type {import('./exercise-bar.js').BarActions} */
  const act = {
    check,
    answer(answer) {
      attempt = { ...attempt, answer }
      said = ''
      shell.schedule()
    },
    set(set, mark) {
      // In Learn another setting is another run.
      if (exercise?.room === 'learn') store()?.act.set(set)
      else store()?.update({ set, mark })
    },
    part: set => show(withParameters(store()?.link() ?? '', set)),
    again() {
      attempt = begunAgain(attempt)
      said = ''
      start()
    },
    showSolution() {
      if (!exercise) return
      const { set } = exercise.solution
      const own = store()
      const answer = own && answerOf(exercise.solution, givenBy(own))
      attempt = { ...attempt, isShown: true, answer: answer ?? attempt.answer }
      splice?.event('solution', { tries: attempt.tries })
      if (own && set !== undefined) show(withParameters(own.link(), set))
      shell.schedule()
    },
    look: () => exercise?.solution.set && show(withParameters(store()?.link() ?? '', exercise.solution.set)),
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
    fold() {
      isFolded = !isFolded
      shell.schedule()
    },
  }

  return {
    draw() {
      speak()
      if (!t) return ''
      if (!exercise)
        return unknown.length
          ? html`<section class="exercise" id="exercise" aria-label=${t('room.exercises')} data-state="unknown"><p class="exercise-says" role="status">${t('exerciseUnknown', { ids: unknown.join(', ') })}
            <a href="#2&room=exercises">${t('exerciseAll')}</a></p></section>`
          : ''
      const own = store()
      if (!own) return ''
      return exerciseBar({
        t,
        exercise,
        attempt,
        rules: rules(),
        state: own.state,
        measured: exercise.measured?.(givenBy(own)),
        said,
        place: { at: nr, of: known.length },
        isEmbedded: isEmbedded(),
        isFolded,
        act,
      })
    },
    link() {
      if (!exercise) return {}
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
      if (next.theme === 'light' || next.theme === 'dark') shell.setTheme(next.theme, false)
      if (Object.hasOwn(LANGUAGES, next.lang ?? '')) await shell.setLanguage(/** @type {any} */ (next.lang), false)
      if (!known.length || own !== turn) return
      const place = Math.min(Math.max(0, Number(at) - 1 || 0), known.length - 1)
      const first = await found(known[place])
      if (own !== turn) return
      if (!first) {
        unknown = known
        known = []
        return
      }
      await open(place, Object.hasOwn(links, first.room))
    },
    drawn() {
      const root = document.documentElement
      leaveFree()
      root.classList.toggle('has-exercise', exercise !== undefined || unknown.length > 0)
      root.classList.toggle('is-covered', exercise?.isCovered === true && !attempt.isPassed && !attempt.isShown)
      const own = store()
      if (own && exercise && isElsewhere(own, exercise)) return end(false)
      if (splice && !reporting && JSON.stringify(stateOf()) !== reported) reporting = setTimeout(report, REPORT_PAUSE)
      if (!exercise?.watch || !own) return
      const memory = exercise.watch(own.state, attempt.memory)
      if (memory === attempt.memory) return
      attempt = { ...attempt, memory }
      shell.schedule()
    },
  }
}
