// The task and its settings, with what is wrong or large about them.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import {
  checkLearn,
  estimate,
  fieldsOf,
  MOST_BYTES,
  MOST_SECONDS,
  POSITIONS,
  RANGES,
  secondsOf,
  smaller,
  writeLearn,
} from './check.js'
import { blocksOf, RECIPES } from './recipes.js'
import { LEAST_TEXT } from './watch.js'

/** @typedef {import('./room.js').Context} Context */
/** @typedef {import('./room.js').InputEvent} InputEvent */
/** @typedef {import('./training-run.js').Task} Task */
/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */

/** What a phone begins with, where the recipe's own takes long. @type {Partial<Record<Task, Partial<LearnSettings>>>} */
const ON_PHONE = { text: { d: 32, mlp: 64, batch: 8 } }

/** Settings that a task begins with, as text. @param {Task} task */
const firstSettings = task => (matchMedia('(max-width: 899px)').matches ? writeLearn(task, ON_PHONE[task] ?? {}) : '')

const TASKS = /** @type {Task[]} */ (Object.keys(RECIPES))

/** @param {Context} context @param {Partial<Record<import('./check.js').Field, unknown>>} patch */
const set = ({ watch }, patch) => watch.link({ learn: writeLearn(watch.task, { ...watch.settings, ...patch }) })

/** Settings as a text for a button: "d 64, batch 16". @param {Context} context @param {object} patch */
const named = ({ t }, patch) =>
  Object.entries(patch)
    .map(([field, value]) => `${t(/** @type {any} */ (`learn.${field}`))} ${value}`)
    .join(', ')

/** @param {number} seconds @param {Context['t']} t */
export const duration = (seconds, t) =>
  seconds < 90
    ? t('learnSeconds', { n: Math.max(1, Math.round(seconds)) })
    : t('learnMinutes', { n: Math.round(seconds / 60) })

/** @param {Context} context */
export function bar(context) {
  const { t, watch } = context
  const { task, learn } = watch
  const { settings, problems } = checkLearn(task, learn)
  const summary = settings.layers === 1 ? 'learnSummaryOne' : 'learnSummary'
  return html`<div class="learn-bar">
      <label>${t('learnTask')} <select id="learn-task" @change=${(/** @type {InputEvent} */ { target }) => {
        const task = /** @type {Task} */ (target.value)
        watch.link({ task, learn: firstSettings(task) })
      }}>
        ${TASKS.map(name => html`<option value=${name} ?selected=${name === task}>${t(`task.${name}`)}</option>`)}
      </select></label>
      <details class="learn-settings"><summary>${t('learnSettings')} ${t(summary, /** @type {any} */ (settings))}</summary>${fields(context, settings)}</details>
    </div>
    ${problems.map(problem => html`<p class="learn-problem" role="alert">${complaint(context, problem, settings)}</p>`)}
    ${large(context, settings)}
    <p class="learn-text">${t(`task.${task}.text`)}</p>
    ${task === 'text' ? ownText(context) : nothing}
    ${watch.report?.isOpened ? html`<p class="note" id="learn-opened">${t('learnOpened', { step: watch.report.steps })}</p>` : nothing}
    ${
      watch.failure === undefined
        ? nothing
        : html`<p class="learn-problem" role="alert" id="learn-failure">${t(watch.isLost ? 'learnLost' : 'learnFailed', { message: watch.failure })}
          <button type="button" class="tool" id="learn-again" @click=${() => watch.restart()}>${t('learnRestart')}</button></p>`
    }`
}

/** @param {Context} context @param {import('./check.js').Problem} problem @param {LearnSettings} settings */
function complaint(context, { field, given, least = 0, most = 0, whole, divides, nearest }, settings) {
  const { t } = context
  const expected = divides
    ? t('learnDivides', { d: settings.d })
    : t(whole ? 'learnWhole' : 'learnRange', { least, most })
  return html`${t('learnBad', { field: t(/** @type {any} */ (`learn.${field}`)), given, expected })}
    ${nearest ? html`<button type="button" class="tool" data-nearest=${field} @click=${() => set(context, nearest)}>${t('learnUse', { what: named(context, nearest) })}</button>` : nothing}`
}

/** Warns of a run that takes minutes or much memory, and offers a smaller one. @param {Context} context @param {LearnSettings} settings */
function large(context, settings) {
  const { t, watch } = context
  const outputs = settings.V || watch.characters.length || 96
  const sizes = { ...settings, layers: blocksOf(watch.task === 'translation', settings.layers).length }
  const { seconds, bytes } = estimate(sizes, outputs)
  const { milliseconds = 0 } = watch.report ?? {}
  const known = milliseconds > 0 ? secondsOf(settings.steps, milliseconds) : seconds
  if (known <= MOST_SECONDS && bytes <= MOST_BYTES) return nothing
  const patch = smaller(sizes)
  return html`<p class="learn-problem" id="learn-large" role="status">${t('learnLarge', { time: duration(known, t), megabytes: Math.round(bytes / 2 ** 20) })}
    ${patch ? html`<button type="button" class="tool" id="learn-smaller" @click=${() => set(context, patch)}>${t('learnUse', { what: named(context, patch) })}</button>` : nothing}</p>`
}

/** @param {Context} context @param {LearnSettings} settings */
function fields(context, settings) {
  const { t, watch } = context
  return html`<div class="learn-fields">${fieldsOf(watch.task).map(field => {
    const isEncoder = field === 'layers' && watch.task === 'translation'
    const label = t(isEncoder ? 'learn.layers.encoder' : /** @type {any} */ (`learn.${field}`))
    const range = RANGES[field]
    if (range)
      return html`<label>${label} <input type="number" id="learn-set-${field}" min=${range.least} max=${range.most} step=${range.whole ? 1 : 'any'} .value=${String(settings[field])} @change=${(/** @type {InputEvent} */ { target }) => set(context, { [field]: target.value })} /></label>`
    if (field === 'norm')
      return html`<label><input type="checkbox" id="learn-norm" .checked=${live(settings.norm)} @change=${(/** @type {InputEvent} */ { target }) => set(context, { norm: target.checked })} /> ${label}</label>`
    return html`<label>${label} <select id="learn-positions" @change=${(/** @type {InputEvent} */ { target }) => set(context, { positions: target.value })}>
      ${POSITIONS.map(each => html`<option value=${each} ?selected=${each === settings.positions}>${t(`learn.positions.${each}`)}</option>`)}
    </select></label>`
  })}</div>`
}

/** @param {Context} context */
function ownText({ t, watch }) {
  return html`<label class="learn-own">${t('learnText')}
    <textarea id="learn-own" rows="4" @change=${(/** @type {InputEvent} */ { target }) => {
      watch.text = target.value
      watch.open()
      watch.onchange()
    }} .value=${watch.text}></textarea></label>${watch.length < LEAST_TEXT ? html`<p class="note" id="learn-short">${t('learnTextOwn', { least: LEAST_TEXT, length: watch.length })}</p>` : nothing}`
}
