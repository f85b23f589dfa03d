// The run that the reader watches, and their changes. It outlives the room's element: whoever goes to another room
// and comes back finds it as it was, paused.

import { changeOf, paintCell, readChanges, withChange, writeChanges } from '../../head/cell-changes.js'
import { begin, record, redo, undo } from '../../shell/history.js'
import { checkLearn, touchIn, writeLearn } from './check.js'
import { openSession } from './open-session.js'
import { blocksOf } from './recipes.js'
import { charactersOf } from './tasks/text.js'

/** @typedef {import('./training-run.js').Task} Task */
/** @typedef {import('./session.js').Report} Report */
/** @typedef {import('./session.js').Weights} Weights */
/** @typedef {import('./curves.js').Point} Point */
/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('../../head/cell-changes.js').Change} Change */
/** @typedef {{ layer: number, head: number }} Head */

export const PACES = { full: Number.POSITIVE_INFINITY, ten: 10, one: 1 }
/** Characters that a text needs at least. */
export const LEAST_TEXT = 520

/** A, to compare with. @typedef {{ settings: LearnSettings, points: Point[], losses: number[], at: number | null }} Kept at: the moment, null: the whole run */

export class Watch {
  /** Called when anything changed. */
  onchange = () => {}
  /** Tells the page of other settings. @type {(patch: { task?: Task, learn?: string }) => void} */
  link = () => {}
  /** @type {Task} */
  task = 'induction'
  /** The settings and changes, as the link has them. */
  learn = ''
  /** @type {Report | undefined} */
  report = undefined
  /** @type {string | undefined} */
  failure = undefined
  /** Was the worker lost? */
  isLost = false
  /** @type {import('./open-session.js').Session | undefined} */
  session = undefined
  /** @type {Point[]} */
  points = []
  /** @type {number[]} */
  losses = []
  /** @type {import('../../shell/history.js').History<readonly Change[]>} */
  history = begin(/** @type {readonly Change[]} */ ([]))
  /** @type {Head} */
  selected = { layer: 0, head: 0 }
  /** @type {keyof typeof PACES} */
  pace = 'full'
  /** Why it is paused, if not by Pause. @type {'' | 'hidden' | 'left'} */
  paused = ''
  /** @type {number | null} */
  at = null
  probe = ''
  /** Which answer is explained. @type {number | null} */
  why = null
  /** Of the explanation: the token, and the head that is opened. */
  whyView = { chosen: 0, open: '' }
  /** @type {Kept | undefined} */
  kept = undefined
  /** @type {import('./session.js').Gradients | undefined} */
  gradients = undefined
  /** A model of a file. @type {{ state: Weights, step: number } | undefined} */
  given = undefined
  /** The stop of the story, from 0; null: none is told. @type {number | null} */
  stop = null
  #text = ''
  /** Of the text, by code point. @type {string[]} */
  characters = []
  /** How many characters the text has. */
  length = 0
  #opened = ''
  /** @type {((state: { state: Weights, step: number }) => void) | undefined} */
  #wanted = undefined
  /** @type {Watch['given']} */
  #adopted = undefined

  /** What the task 'text' learns. */
  get text() {
    return this.#text
  }

  set text(text) {
    this.#text = text
    Object.assign(this, charactersOf(text))
  }

  get changes() {
    return this.history.present
  }

  get settings() {
    return checkLearn(this.task, this.learn).settings
  }

  /** A task and settings, from the page. @param {Task} task @param {string} learn */
  show(task, learn) {
    const { settings } = checkLearn(task, learn)
    const key = `${task}?${writeLearn(task, settings)}`
    const isOther = key !== this.#opened
    const hasOtherChanges = touchIn(learn) !== writeChanges(this.changes)
    this.learn = learn
    if (isOther) {
      if (task !== this.task) {
        this.probe = ''
        this.kept = undefined
        this.stop = this.stop === null ? null : 0
      }
      this.task = task
      this.#opened = key
      this.given = this.#adopted
      this.#adopted = undefined
    }
    if (isOther || hasOtherChanges) this.history = begin(readChanges(touchIn(learn), this.#sizes()))
    if (isOther) this.open()
    else if (hasOtherChanges) this.session?.ask({ changes: this.changes })
  }

  #sizes() {
    const { layers, heads } = this.settings
    return { layers: blocksOf(this.task === 'translation', layers).length, heads }
  }

  /** A new run of these settings. */
  open() {
    this.session ??= openSession(report => this.#take(report))
    const { task, text, settings, given } = this
    Object.assign(this, { report: undefined, failure: undefined, isLost: false, points: [], losses: [], at: null })
    Object.assign(this, { paused: '', why: null, gradients: undefined })
    this.selected = { layer: this.#sizes().layers - 1, head: 0 }
    if (task === 'text' && this.length < LEAST_TEXT) return this.session.ask({ end: true, isTraining: false })
    this.session.ask({
      open: { task, settings, text, ...(given && { state: given.state, step: given.step }) },
      ...{ isTraining: false, at: null, why: null, layer: null },
      ...{ changes: this.changes, probe: this.probe, pace: PACES[this.pace] },
      isStill: matchMedia('(prefers-reduced-motion: reduce)').matches,
    })
  }

  /** Opens a model of a file. @param {{ task: Task, learn: string, text: string, given: NonNullable<Watch['given']> }} file */
  adopt({ task, learn, text, given }) {
    if (task === 'text') this.text = text
    this.#adopted = given
    this.#opened = ''
    this.kept = undefined
    this.link({ task, learn })
    this.show(task, learn)
    this.onchange()
  }

  restart() {
    this.given = undefined
    if (this.isLost) {
      this.session?.close()
      this.session = undefined
      this.kept = undefined
    }
    this.open()
    this.onchange()
  }

  /** @param {any} report */
  #take(report) {
    if ('failure' in report) {
      this.failure = report.failure
      this.isLost = report.isLost === true
      if (this.report) this.report = { ...this.report, isTraining: false }
    } else if ('gradients' in report) this.gradients = report.gradients
    else if ('state' in report) this.#wanted?.(report)
    else {
      this.points.push(...report.evaluations)
      this.losses.push(...report.losses)
      this.report = report
    }
    this.onchange()
  }

  /** @param {Omit<import('./session.js').Request, 'id'>} request */
  ask(request) {
    this.session?.ask(request)
    this.onchange()
  }

  train() {
    this.at = null
    this.paused = ''
    this.ask({ isTraining: !this.report?.isTraining, at: null, pace: PACES[this.pace] })
  }

  /** @param {'hidden' | 'left'} why */
  pause(why) {
    if (!this.report?.isTraining) return
    this.paused = why
    this.ask({ isTraining: false })
  }

  /** Goes on after the tab was hidden. */
  resume() {
    if (this.paused !== 'hidden') return
    this.paused = ''
    this.ask({ isTraining: true })
  }

  /** @param {number | null} at */
  goTo(at) {
    this.at = at
    this.ask({ at })
  }

  /** @param {readonly Change[]} changes @param {string} [mark] */
  change(changes, mark = '') {
    this.#set(record(this.history, changes, mark, mark ? performance.now() : Number.NEGATIVE_INFINITY))
  }

  undo() {
    this.#set(undo(this.history))
  }

  redo() {
    this.#set(redo(this.history))
  }

  /** @param {Watch['history']} history */
  #set(history) {
    this.history = history
    this.learn = writeLearn(this.task, this.settings, writeChanges(this.changes))
    this.link({ learn: this.learn })
    this.ask({ changes: this.changes })
  }

  /** Hides a cell of a head from it, or shows it again. @param {Head} head @param {number} row @param {number} column @param {boolean} isHidden */
  paint(head, row, column, isHidden) {
    this.change(paintCell(this.changes, head, row, column, isHidden), `paint ${head.layer}.${head.head}`)
  }

  /** Switches a head off, or on again. @param {Head} head */
  toggle({ layer, head }) {
    const change = changeOf(this.changes, layer, head)
    this.change(
      withChange(this.changes, change ? { ...change, isOn: !change.isOn } : { layer, head, kind: 'off', isOn: true }),
    )
  }

  /** @param {number | null} answer */
  explain(answer) {
    this.why = answer
    this.whyView = { chosen: 0, open: '' }
    this.ask({ why: answer })
  }

  /** @param {'run' | 'step' | null} what */
  keep(what) {
    const { report, points, losses } = this
    if (what && report)
      this.kept = {
        ...{ settings: report.settings, points: points.slice(), losses: losses.slice() },
        at: what === 'step' ? report.shownAt : null,
      }
    else this.kept = undefined
    this.ask({ keep: what })
  }

  /** The weights that are shown. @returns {Promise<{ state: Weights, step: number }>} */
  state() {
    return new Promise(resolve => {
      this.#wanted = resolve
      this.ask({ get: { state: null } })
    })
  }

  close() {
    this.session?.close()
    this.session = undefined
    this.#opened = ''
  }
}

/** The one of the page. */
export const watch = new Watch()
