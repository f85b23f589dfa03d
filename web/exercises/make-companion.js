// Draws the form "Make an exercise". The exercise starts with the current state of the room, and has a task, editable fields and one of six
// checks. A link is offered only if the start does not pass the check.

import { html, nothing } from 'lit'
import { isIn } from '../shell/known.js'
import { textsLater } from '../shell/texts-later.js'
import { barHeight } from './bar-height.js'
import { CHECKS, numbersIn, ownExercise, readMade, writeMade } from './own-exercise.js'

/** Names of the form's fields for each check. @type {Record<string, readonly string[]>} */
const PARTS = {
  cell: ['matrix', 'head', 'row', 'column', 'least', 'most'],
  weight: ['head', 'row', 'column', 'least'],
  output: ['row', 'tolerance', 'values'],
  mask: ['rows'],
  top: ['word'],
  accuracy: ['least'],
}
/** Fields parsed as text; the others are numbers. */
const TEXTS = ['matrix', 'rows', 'word']
/** @type {Record<string, string>} */
const USUAL = { matrix: 'weights', head: '1', row: '1', column: '1', least: '0.9', most: '1', tolerance: '0.05' }

/** The result of making an exercise. key: of a message; got: what the check found at the start; link: undefined on failure. @typedef {{ key: string, got: string, link?: string }} Result */

/**
 * Returns the parameters of a check, parsed from the form's fields.
 * @param {string} kind
 * @param {Record<string, string>} values
 * @returns {(string | number)[]}
 */
const partsOf = (kind, values) =>
  PARTS[kind].flatMap(
    /** @returns {(string | number)[]} */ part => {
      const text = values[part] ?? ''
      return TEXTS.includes(part) ? text.trim().split(part === 'rows' ? /\s+/ : /$/) : numbersIn(text)
    },
  )

/**
 * Makes an exercise that starts with the current state of a room, and makes sure that this state does not pass.
 * @param {Omit<import('./own-exercise.js').Made, 'start'>} draft
 * @param {import('../shell/store.js').Store<any>} store of the room
 * @param {() => Promise<import('qkv').Qkv>} load
 * @returns {Promise<Result>}
 */
async function makeExercise(draft, store, load) {
  if (!store.canLink()) return { key: 'linkLarge', got: '' }
  const { state } = store
  const made = readMade(writeMade({ ...draft, start: store.link() }))
  const exercise = made && (await ownExercise(made))
  const verdict = exercise?.check({ state, answer: '', memory: undefined, qkv: await load() })
  const got = String(verdict?.params.got ?? '')
  if (!made || Object.keys(state.problems).length) return { key: 'makeCannot', got }
  if (!verdict) return { key: 'exerciseWait', got }
  if (verdict.passed) return { key: 'makePasses', got }
  const page = new URLSearchParams({ exercise: 'own', made: writeMade(made) })
  return { key: 'makeGood', got, link: `${location.href.split('#')[0]}#2&${page}` }
}

/** @param {import('../shell/shell.js').Shell} shell @returns {import('../shell/companions.js').Companion} */
export function companion(shell) {
  let isOpen = false
  let task = ''
  let kind = ''
  /** @type {Record<string, string>} */
  let values = { ...USUAL }
  /** @type {string[]} */
  let may = []
  /** @type {Result | undefined} */
  let result
  /** Incremented by each edit of the form, so that the result for an older form is ignored. */
  let turn = 0
  /** @type {import('../shell/texts-later.js').Later<import('../shell/room.js').Translate>} */
  const textsOf = textsLater(['shell', 'exercises', 'exercise-pages'])

  /** Returns the open room if exercises can be made in it, else undefined. */
  const roomOf = () => (isIn(CHECKS, shell.state.room) ? shell.state.room : undefined)

  /** Returns the chosen check, or the first one of the room. @param {keyof typeof CHECKS} room */
  const kindOf = room => (CHECKS[room].includes(kind) ? kind : CHECKS[room][0])

  function redraw() {
    turn++
    result = undefined
    shell.schedule()
  }

  async function run() {
    const room = roomOf()
    const store = room && shell.rooms.store(room)
    if (!room || !store) return
    const asked = ++turn
    const own = kindOf(room)
    const made = await makeExercise({ room, may, task, check: [own, ...partsOf(own, values)] }, store, shell.load)
    if (asked !== turn) return
    result = made
    shell.schedule()
  }

  /** @type {FormActions} */
  const act = {
    run,
    setTask(text) {
      task = text
      redraw()
    },
    setKind(name) {
      kind = name
      redraw()
    },
    setValue(part, text) {
      values = { ...values, [part]: text }
      redraw()
    },
    allow(field) {
      may = may.includes(field) ? may.filter(each => each !== field) : [...may, field]
      redraw()
    },
    close() {
      isOpen = false
      redraw()
    },
  }

  return {
    open() {
      isOpen = true
      redraw()
    },
    close() {
      isOpen = false
    },
    link: () => ({}),
    /** Closes the form when the address changes, since its content belongs to the previous address. */
    follow() {
      isOpen = false
      turn++
    },
    draw() {
      const room = roomOf()
      const store = room && shell.rooms.store(room)
      const texts = textsOf(shell.state.language, store?.room.texts)
      const t = texts.module
      if (isOpen) texts.ask(() => shell.schedule())
      if (!isOpen || !t) return nothing
      const label = t('companion.make')
      if (!room || !store)
        return html`<section class="exercise" id="make" aria-label=${label} data-made="makeNoRoom">
          <p class="exercise-says" role="status">${t('makeNoRoom')}</p></section>`
      const all = Object.entries(store.room.fields)
      const fields = all.filter(([, { history }]) => room === 'learn' || history === 'undo').map(([name]) => name)
      return html`<section class="exercise" id="make"
        aria-label=${label}>${form({ t, room, fields, kind: kindOf(room), task, may, values, result, act })}</section>`
    },
    drawn: barHeight('make'),
  }
}

/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/**
 * @typedef {object} FormActions
 * @property {() => void} run makes the exercise and verifies its start
 * @property {(text: string) => void} setTask
 * @property {(name: string) => void} setKind
 * @property {(part: string, text: string) => void} setValue
 * @property {(field: string) => void} allow allows a field to change, or locks it again
 * @property {() => void} close
 */

/**
 * @param {object} given
 * @param {import('../shell/room.js').Translate} given.t
 * @param {keyof typeof CHECKS} given.room
 * @param {readonly string[]} given.fields of the room
 * @param {string} given.kind of check
 * @param {string} given.task
 * @param {readonly string[]} given.may fields that may change
 * @param {Record<string, string>} given.values
 * @param {Result} [given.result]
 * @param {FormActions} given.act
 */
const form = ({ t, room, fields, kind, task, may, values, result, act }) =>
  html`<div class="exercise-task"><label>${t('makeTask')} <input type="text" id="make-task" size="40" .value=${task}
    @input=${(/** @type {InputEvent} */ { target }) => act.setTask(target.value)} /></label>
      <details><summary>${t('makeMay')}: ${may.join(', ') || '–'}</summary><div class="exercise-marks">${fields.map(
        field =>
          html`<label><input type="checkbox" data-may=${field} .checked=${may.includes(field)}
            @change=${() => act.allow(field)} /> ${field}</label>`,
      )}</div></details></div>
    <div class="exercise-tools">
      <label class="exercise-control">${t('makeCheck')} <select id="make-check"
        @change=${(/** @type {InputEvent} */ { target }) => act.setKind(target.value)}>${CHECKS[room].map(
          each => html`<option value=${each} ?selected=${each === kind}>${t(`make.${each}`)}</option>`,
        )}</select></label>
      ${PARTS[kind].map(
        part =>
          html`<label class="exercise-control">${t(`makePart.${part}`)} <input type="text" size="8" data-part=${part}
            .value=${values[part] ?? ''}
            @input=${(/** @type {InputEvent} */ { target }) => act.setValue(part, target.value)} /></label>`,
      )}
      <button type="button" class="tool is-filled" id="make-try" @click=${act.run}>${t('makeTry')}</button>
      <button type="button" class="tool" id="make-close" @click=${act.close}>${t('close')}</button>
    </div>
    <p class="exercise-says" role="status" data-made=${result?.key ?? nothing}>${result ? t(result.key, { got: result.got }) : ''}
      ${result?.link ? html`<a id="make-link" href=${result.link}>${t('makeLink')}</a>` : nothing}</p>`
