// Draws the bar of an exercise at the bottom of the page: the task, controls of settings, the input for the answer, and the verdict.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { counted } from '../i18n/counted.js'
import { menu, menuItem } from '../shell/menu.js'
import { canShow, isOver, TRIES } from './attempt.js'

/** @import { Exercise } from './exercise.js' */
/** @import { Attempt } from './attempt.js' */
/** @import { Translate } from '../shell/room.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/**
 * @typedef {object} Bar
 * @property {Translate} t
 * @property {Exercise} exercise
 * @property {Attempt} attempt
 * @property {import('./attempt.js').Rules} rules
 * @property {import('../shell/room.js').State<any>} state state of the room
 * @property {import('./exercise.js').Params} [measured]
 * @property {string} said text key of a message shown instead of the verdict, or ''
 * @property {{ at: number, of: number }} place position in the link's list of exercises
 * @property {boolean} isEmbedded
 * @property {boolean} isFolded
 * @property {BarActions} act
 */

/**
 * @typedef {object} BarActions
 * @property {() => void} check
 * @property {(answer: unknown) => void} answer
 * @property {(set: object, mark: string) => void} set
 * @property {(set: string) => void} part
 * @property {() => void} again
 * @property {() => void} showSolution
 * @property {() => void} look scrolls to the part of the room that explains the answer
 * @property {(by: 1 | -1) => void} go
 * @property {() => void} leave
 * @property {() => void} fold
 */

/** Returns the text of a key, or the key itself if it has no text, such as the name q1. @param {Translate} t @param {string} key @param {import('./exercise.js').Params} [params] */
const named = (t, key, params) => {
  try {
    return t(key, params)
  } catch {
    return key
  }
}

/** @param {Translate} t @param {string} id @param {string} name */
const choiceOf = (t, id, name) => {
  const own = named(t, `${id}.choice.${name}`)
  return own.includes('.choice.') ? named(t, `${id}.choice`, { name }) : own
}

/** @param {Bar} bar */
export function exerciseBar(bar) {
  const { t, exercise, attempt, measured, isFolded, place, act } = bar
  const { id } = exercise
  const state = attempt.isPassed ? 'passed' : attempt.verdict ? 'failed' : 'open'
  const isCovering = exercise.isCovered && state !== 'passed' && !attempt.isShown
  return html`<section class="exercise ${isFolded ? 'is-folded' : ''}" id="exercise"
    role=${isCovering ? 'main' : nothing} tabindex="-1" aria-labelledby="exercise-title" data-exercise=${id}
    data-state=${state} data-hint=${attempt.verdict?.hint ?? nothing}>
    <div class="exercise-task">
      <h2 id="exercise-title"><button type="button" class="exercise-fold" aria-expanded=${!isFolded}
        aria-controls="exercise-task" @click=${act.fold}>${t(`${id}.title`)}</button>
        <span class="note">${place.of > 1 ? t('exerciseOf', { at: place.at + 1, of: place.of }) : ''}</span></h2>
      <p id="exercise-task">${exercise.task ?? t(`${id}.task`)}</p>
    </div>
    <div class="exercise-tools">
      ${exercise.parts?.map(
        ({ name, set, isOn }) =>
          html`<button type="button" class="plain" data-part=${name} aria-pressed=${isOn(bar.state.settings)}
            @click=${() => act.part(set)}>${named(t, `${id}.part.${name}`)}</button>`,
      )}
      ${exercise.controls?.map(control => controlOf(bar, control))}
      ${answerOf(bar)}
      ${buttons(bar)}
    </div>
    ${isCovering && exercise.bars ? barsOf(exercise.bars(bar.state)) : nothing}
    <div class="exercise-says" role="status" aria-live="polite">
      ${exercise.pair ? pairOf(exercise.pair(bar.state)) : nothing}
      ${measured ? html`<p class="exercise-measured">${t(`${id}.measured`, measured)}</p>` : nothing}
      ${says(bar)}
    </div>
  </section>`
}

/** Draws bars, each labelled with its value. @param {readonly { name: string, value: number }[]} bars */
function barsOf(bars) {
  const most = Math.max(...bars.map(({ value }) => value), 1)
  return html`<ol class="exercise-bars">${bars.map(
    ({ name, value }) =>
      html`<li><span>${name}</span><span class="bar-track"><span
        .style=${`inline-size: ${(100 * value) / most}%`}></span></span><span
          class="number">${value}</span><span>→ ?</span></li>`,
  )}</ol>`
}

/** Draws texts side by side, each with the model's predictions for its next word. @param {readonly import('./exercise.js').Saying[]} pair */
const pairOf = pair =>
  html`<ul class="exercise-pair">${pair.map(
    ({ text, says }) =>
      html`<li><bdi>${text}</bdi> →
        <span class="exercise-guesses">${
          says ? says.map(({ word, share }, i) => (i ? html`, ${word} ${share}` : html`<b>${word}</b> ${share}`)) : '…'
        }</span></li>`,
  )}</ul>`

/** Draws the control of a setting. @param {Bar} bar @param {import('./exercise.js').Control} control */
function controlOf({ t, exercise, state: { settings }, act }, control) {
  const { name, least, most, step, isSlider, choices, read, write, applies } = control
  if (applies && !applies(settings)) return nothing
  const value = read(settings)
  if (control.isSwitch)
    return html`<button type="button" role="switch" class="plain" data-control=${name} aria-checked=${value === 1}
      @click=${() => act.set(write(settings, 1 - Number(value)), name)}>${t(value === 1 ? 'exerciseOn' : 'exerciseOff', { name })}</button>`
  const set = (/** @type {InputEvent} */ { target }) => act.set(write(settings, target.value), `${exercise.id} ${name}`)
  return html`<label class="exercise-control">${
    named(t, `${exercise.id}.${name}`) === `${exercise.id}.${name}` ? named(t, name) : t(`${exercise.id}.${name}`)
  }
    ${
      choices
        ? html`<select data-control=${name} .value=${live(String(value))}
          @change=${set}>${choices.map(
            ([each, key]) => html`<option value=${each} ?selected=${each === value}>${named(t, key)}</option>`,
          )}</select>`
        : html`<input data-undo="room" data-control=${name} type=${isSlider ? 'range' : 'number'}
          min=${least ?? nothing} max=${most ?? nothing} step=${step ?? 'any'} .value=${live(String(value))}
          @input=${set} />${isSlider ? html`<output>${value}</output>` : nothing}`
    }</label>`
}

/** Draws the input for the answer. @param {Bar} bar */
function answerOf({ t, exercise, attempt, state, act }) {
  const { id, answer } = exercise
  const label = html`<span class="exercise-label">${named(t, answer ? `${id}.answer` : '')}</span>`
  if (answer?.type === 'number') {
    const press = (/** @type {KeyboardEvent} */ event) => event.key === 'Enter' && act.check()
    return html`<label class="exercise-control">${label}
      <input id="exercise-answer" type="text" inputmode="decimal" autocomplete="off"
        .value=${live(String(attempt.answer))}
        @input=${(/** @type {InputEvent} */ { target }) => act.answer(target.value)} @keydown=${press} /></label>`
  }
  if (answer?.type === 'choice')
    return html`<label class="exercise-control">${label}
      <select id="exercise-answer" .value=${live(String(attempt.answer))}
        @change=${(/** @type {InputEvent} */ { target }) => act.answer(target.value)}>
        <option value="">${t('exerciseChoose')}</option>
        ${answer.choices.map(name => html`<option value=${name} ?selected=${name === attempt.answer}>${choiceOf(t, id, name)}</option>`)}
      </select></label>`
  if (answer?.type === 'marks') {
    const marked = Array.isArray(attempt.answer) ? attempt.answer : []
    return html`<fieldset class="exercise-marks"
      id="exercise-answer"><legend class="exercise-label">${named(t, `${id}.answer`)}</legend>${answer.words(state).map(
        (word, i) =>
          html`<label><input type="checkbox" .checked=${live(marked.includes(i))}
            @change=${() => act.answer(marked.includes(i) ? marked.filter(each => each !== i) : [...marked, i].sort((a, b) => a - b))} />
            <bdi>${word}</bdi></label>`,
      )}</fieldset>`
  }
  return nothing
}

/** @param {Bar} bar */
function buttons({ t, exercise, attempt, rules, place, isEmbedded, act }) {
  const isLast = place.at + 1 >= place.of
  const { isPassed } = attempt
  const canLook = isPassed && exercise.answer && exercise.solution.set
  return html`<span class="exercise-buttons"><button type="button" class="tool ${isPassed ? '' : 'is-filled'}"
    id="exercise-check" ?disabled=${isOver(attempt, rules)} @click=${act.check}>${t('exerciseCheck')}</button>
    ${
      canShow(attempt, rules) && !exercise.task
        ? html`<button type="button" class="plain" id="exercise-solution" @click=${act.showSolution}>${t('exerciseSolution')}</button>`
        : nothing
    }
    ${canLook ? html`<button type="button" class="plain" id="exercise-look" @click=${act.look}>${t('exerciseLook')}</button>` : nothing}
    ${
      isPassed && !isLast
        ? html`<button type="button" class="tool is-filled" id="exercise-next" @click=${() => act.go(1)}>${t('exerciseNext')}</button>`
        : nothing
    }
    ${menu(
      { id: 'exercise-menu', label: '⋯', title: t('exerciseMore') },
      html`${menuItem('exercise-again', t('exerciseAgain'), act.again)}
        ${place.at > 0 ? menuItem('exercise-before', t('exerciseBefore'), () => act.go(-1)) : nothing}
        ${isLast ? nothing : menuItem('exercise-skip', t('exerciseSkip'), () => act.go(1))}
        ${isEmbedded ? nothing : html`<a class="tool" href="#2&room=exercises">${t('room.exercises')}</a>`}
        ${isEmbedded ? nothing : menuItem('exercise-leave', t('exerciseLeave'), act.leave)}`,
    )}</span>`
}

/** Draws the verdict with its hint; before the first check, lists the fields that may be changed. @param {Bar} bar */
function says({ t, exercise, attempt, rules, said }) {
  const { id } = exercise
  const { verdict, isPassed, isShown, tries } = attempt
  const most = Math.min(TRIES, rules.most)
  if (said) return html`<p data-said=${said}>${t(said)}</p>`
  if (!verdict) return html`<p class="note">${t(`${id}.may`, { fields: exercise.may.join(', ') || '–' })}</p>`
  if (verdict.passed)
    return html`<p class="exercise-passed"><b>${t(isShown ? 'exerciseShown' : 'exercisePassed')}</b> ${t(`${id}.done`, verdict.params)}</p>`
  const hint = verdict.hint === 'notYet' ? `${id}.notYet` : `${id}.hint.${verdict.hint}`
  const { count } = verdict.params
  const text = !rules.hints
    ? t('exerciseNo')
    : typeof count === 'number'
      ? counted(t, hint, count, verdict.params)
      : t(hint, verdict.params)
  const left = isOver(attempt, rules)
    ? t('exerciseNoTry')
    : rules.solution && tries < most && !isPassed && !isShown && !exercise.task
      ? counted(t, 'exerciseTries', most - tries)
      : ''
  return html`<p class="exercise-hint">${text} <span class="note">${left}</span></p>`
}
