// "Make an exercise": the present state of the room becomes the start, with a task, what may change and one of six checks. The
// check is run before a link is offered.

import { html, nothing } from 'lit'
import { textsLater } from '../shell/texts-later.js'
import { barHeight } from './bar-height.js'
import { CHECKS, numbersIn, ownExercise, readMade, writeMade } from './own-exercise.js'

/** The numbers that each check asks for. @type {Record<string, readonly string[]>} */
const PARTS = {
  cell: ['matrix', 'head', 'row', 'column', 'least', 'most'],
  weight: ['head', 'row', 'column', 'least'],
  output: ['row', 'tolerance', 'values'],
  mask: ['rows'],
  top: ['word'],
  accuracy: ['least'],
}
/** Parts that are words, and the usual values of the others. */
const TEXTS = ['matrix', 'rows', 'word']
/** @type {Record<string, string>} */
const USUAL = { matrix: 'weights', head: '1', row: '1', column: '1', least: '0.9', most: '1', tolerance: '0.05' }

/** @param {import('../shell/shell.js').Shell} shell @returns {import('../shell/companions.js').Companion} */
export function companion(shell) {
  let isOpen = false
  let task = ''
  let kind = ''
  /** @type {Record<string, string>} */
  let values = { ...USUAL }
  /** @type {string[]} */
  let may = []
  /** What was made last: its link, and what is said about it. @type {{ key: string, got: string, link?: string } | undefined} */
  let result
  /** @type {import('../shell/texts-later.js').Later<import('../shell/room.js').Translate>} */
  const textsOf = textsLater(['shell', 'exercises', 'exercise-pages'])

  /** The room whose state is taken. @returns {keyof typeof CHECKS | undefined} */
  const roomOf = () => (Object.hasOwn(CHECKS, shell.state.room) ? /** @type {'layer'} */ (shell.state.room) : undefined)

  /** The check that is chosen, or the first one of the room. @param {keyof typeof CHECKS} room */
  const kindOf = room => (CHECKS[room].includes(kind) ? kind : CHECKS[room][0])

  function redraw() {
    result = undefined
    shell.schedule()
  }

  async function run() {
    const room = roomOf()
    const store = room && shell.rooms.store(room)
    if (!room || !store) return
    if (!store.canLink()) {
      result = { key: 'linkLarge', got: '' }
      return shell.schedule()
    }
    const own = kindOf(room)
    const parts = PARTS[own].flatMap(
      /** @returns {(string | number)[]} */ part => {
        const text = values[part] ?? ''
        return TEXTS.includes(part) ? text.trim().split(part === 'rows' ? /\s+/ : /$/) : numbersIn(text)
      },
    )
    const made = readMade(writeMade({ room, start: store.link(), may, task, check: [own, ...parts] }))
    const exercise = made && (await ownExercise(made))
    const verdict = exercise?.check({ state: store.state, answer: '', memory: undefined, qkv: await shell.load() })
    const got = String(verdict?.params.got ?? '')
    if (!made || Object.keys(store.state.problems).length) result = { key: 'makeCannot', got }
    else if (!verdict) result = { key: 'exerciseWait', got }
    else if (verdict.passed) result = { key: 'makePasses', got }
    else {
      const page = new URLSearchParams({ exercise: 'own', made: writeMade(made) })
      result = { key: 'makeGood', got, link: `${location.href.split('#')[0]}#2&${page}` }
    }
    shell.schedule()
  }

  /** @typedef {Event & { target: HTMLInputElement }} InputEvent */

  return {
    open() {
      isOpen = true
      result = undefined
    },
    link: () => ({}),
    /** Another address: what was being made belongs to the one before. */
    follow() {
      isOpen = false
    },
    draw() {
      const room = roomOf()
      const texts = textsOf(shell.state.language, room && shell.rooms.store(room)?.room.texts)
      const t = texts.module
      if (isOpen) texts.ask(() => shell.schedule())
      const store = room && shell.rooms.store(room)
      if (!isOpen || !t) return nothing
      const say = t
      if (!room || !store)
        return html`<section class="exercise" id="make" aria-label=${t(/** @type {any} */ ('companion.make'))} data-made="makeNoRoom">
          <p class="exercise-says" role="status">${say('makeNoRoom')}</p></section>`
      const own = kindOf(room)
      const fields = Object.entries(store.room.fields).filter(
        ([, { history }]) => room === 'learn' || history === 'undo',
      )
      return html`<section class="exercise" id="make" aria-label=${t(/** @type {any} */ ('companion.make'))}>
        <div class="exercise-task"><label>${say('makeTask')} <input type="text" id="make-task" .value=${task} @input=${(
          /** @type {InputEvent} */ { target },
        ) => {
          task = target.value
          redraw()
        }} /></label>
          <details><summary>${say('makeMay')}: ${may.join(', ') || '–'}</summary><div class="exercise-marks">${fields.map(
            ([field]) =>
              html`<label><input type="checkbox" data-may=${field} .checked=${may.includes(field)} @change=${() => {
                may = may.includes(field) ? may.filter(each => each !== field) : [...may, field]
                redraw()
              }} /> ${field}</label>`,
          )}</div></details></div>
        <div class="exercise-tools">
          <label class="exercise-control">${say('makeCheck')} <select id="make-check" @change=${(
            /** @type {InputEvent} */ { target },
          ) => {
            kind = target.value
            redraw()
          }}>${CHECKS[room].map(each => html`<option value=${each} ?selected=${each === own}>${say(`make.${each}`)}</option>`)}</select></label>
          ${PARTS[own].map(
            part =>
              html`<label class="exercise-control">${say(`makePart.${part}`)} <input type="text" data-part=${part} .value=${values[part] ?? ''} @input=${(
                /** @type {InputEvent} */ { target },
              ) => {
                values = { ...values, [part]: target.value }
                redraw()
              }} /></label>`,
          )}
          <button type="button" class="tool is-filled" id="make-try" @click=${run}>${say('makeTry')}</button>
          <button type="button" class="tool" id="make-close" @click=${() => {
            isOpen = false
            shell.schedule()
          }}>${say('makeClose')}</button>
        </div>
        <p class="exercise-says" role="status" data-made=${result?.key ?? nothing}>${result ? say(result.key, { got: result.got }) : ''}
          ${result?.link ? html`<a id="make-link" href=${result.link}>${say('makeLink')}</a>` : nothing}</p>
      </section>`
    },
    drawn: barHeight('make'),
  }
}
