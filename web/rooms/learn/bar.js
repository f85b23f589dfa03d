// Draws the choice of the task and its settings, with problems and warnings.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { retry } from '../../shell/retry.js'
import { MOST_BYTES, MOST_SECONDS, smaller } from './cost.js'
import { fields, fieldsOf, POSITIONS, runSettings } from './fields.js'
import { costOf, failureOf, runOf, shortText, sizesOf } from './run-state.js'
import { storyStart } from './task-story.js'
import { TASK_NAMES, TASKS } from './tasks/index.js'

/** @import { Context, Settings } from './learn.js' */
/** @import { Chosen } from '../../shell/room.js' */
/** @import { LearnSettings } from './tasks/task.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** Formats settings for a button: "Width d 64, Sequences per step 16". @param {Context['t']} t @param {object} patch */
const named = (t, patch) =>
  Object.entries(patch)
    .map(([field, value]) => `${t(/** @type {'learn.d'} */ (`learn.${field}`))} ${value}`)
    .join(', ')

/** @param {number} seconds @param {Context['t']} t */
export const duration = (seconds, t) =>
  seconds < 90
    ? t('learnSeconds', { n: Math.max(1, Math.round(seconds)) })
    : t('learnMinutes', { n: Math.round(seconds / 60) })

/** Formats a count with its noun. @param {Context['t']} t @param {'layers' | 'heads'} of @param {number} n */
const counted = (t, of, n) => t(`learnCount.${of}.${n === 1 ? 'one' : 'many'}`, { n })

/** @param {Context} context */
export function bar(context) {
  const { t, settings, view, act } = context
  const { task } = settings
  const own = runSettings(settings)
  const { layers, heads, d, seed } = own
  const summary = t('learnSummary', {
    layers: counted(t, 'layers', layers),
    heads: counted(t, 'heads', heads),
    d,
    seed,
  })
  const run = runOf(context)
  const failed = failureOf(context)
  return html`<div class="learn-bar">
      <label><span class="learn-task">${t('learnTask')}</span> <select id="learn-task"
        @change=${(/** @type {Chosen<Settings['task']>} */ { target }) => act.choose(target.value)}>
        ${TASK_NAMES.map(name => html`<option value=${name} ?selected=${name === task}>${t(`task.${name}`)}</option>`)}
      </select></label>
      <details class="learn-settings"><summary>${t('learnSettings')}
        <span class="learn-summary">${summary}</span></summary>${controls(context)}</details>
      ${view.stop === null ? storyStart(context) : nothing}
    </div>
    ${problems(context)}
    ${large(context)}
    <p class="learn-text">${t(`task.${task}.text`)}</p>
    ${TASKS[task].hasText ? ownText(context) : nothing}
    ${view.isRepeating ? html`<p class="note" id="learn-repeating">${t('learnRepeating', { step: view.until ?? 0 })}</p>` : nothing}
    ${run?.isOpened ? html`<p class="note" id="learn-opened">${t('learnOpened', { step: view.steps })}</p>` : nothing}
    ${
      run?.isOpened && !Number.isFinite(view.points[0]?.loss)
        ? html`<p class="learn-problem" role="alert" id="learn-not-finite">${t('learnNotFinite')}</p>`
        : nothing
    }
    ${failed ? retry(t, failed.problem, context.act.restart) : nothing}`
}

/** @param {Context} context */
function problems({ t, settings, problems, act }) {
  return fieldsOf(settings.task).flatMap(field => {
    const problem = problems[field]
    if (!problem) return []
    const [offer] = problem.offers ?? []
    return html`<p class="learn-problem" role="alert" data-problem=${field}>${t(`learn.${field}`)}
      ${String(settings[field]).slice(0, 20)}: ${t(problem.key, problem.params)}
      ${
        offer
          ? html`<button type="button" class="tool" data-nearest=${field}
            @click=${() => act.set(offer)}>${t('learnUse', { what: named(t, offer) })}</button>`
          : nothing
      }</p>`
  })
}

/** Warns of a run that would take minutes or much memory, and offers a smaller one. @param {Context} context */
function large(context) {
  const { t, act } = context
  const { seconds, bytes } = costOf(context)
  if (seconds <= MOST_SECONDS && bytes <= MOST_BYTES) return nothing
  const patch = smaller(sizesOf(context))
  return html`<p class="learn-problem" id="learn-large"
    role="status">${t('learnLarge', { time: duration(seconds, t), megabytes: Math.round(bytes / 2 ** 20) })}
    ${
      patch
        ? html`<button type="button" class="tool" id="learn-smaller"
          @click=${() => act.set(patch)}>${t('learnUse', { what: named(t, patch) })}</button>`
        : nothing
    }</p>`
}

/** @param {Context} context */
function controls({ t, settings, act }) {
  const { hasCross } = TASKS[settings.task]
  return html`<div class="learn-fields">${fieldsOf(settings.task).map(field => {
    const label = t(field === 'layers' && hasCross ? 'learn.layers.encoder' : `learn.${field}`)
    const { type, least, most } = fields[field].kind
    if (type === 'flag')
      return html`<label><input type="checkbox" id="learn-norm" .checked=${live(settings.norm)}
        @change=${(/** @type {InputEvent} */ { target }) => act.set({ norm: target.checked })} /> ${label}</label>`
    if (type === 'choice')
      return html`<label>${label} <select id="learn-positions"
        @change=${(/** @type {Chosen<LearnSettings['positions']>} */ { target }) => act.set({ positions: target.value })}>
        ${POSITIONS.map(
          each =>
            html`<option value=${each} ?selected=${each === settings.positions}>${t(`learn.positions.${each}`)}</option>`,
        )}
      </select></label>`
    return html`<label>${label} <input type="number" id="learn-set-${field}" min=${least ?? 0} max=${most ?? 0}
      step=${type === 'whole' ? 1 : 'any'} .value=${String(settings[field])}
      @change=${(/** @type {InputEvent} */ { target }) => act.set({ [field]: target.value })} /></label>`
  })}</div>`
}

/** @param {Context} context */
function ownText(context) {
  const { t, view, act, settings } = context
  const short = shortText(context)
  // A pasted text is used at once. Typed letters are used when the field loses focus, since each would restart the run. While the text is
  // too short for a run, typed letters are used at once, too.
  const input = (/** @type {InputEvent & { inputType?: string }} */ { target, inputType = '' }) =>
    (short || !/^(insert(Text|Comp)|delete)/.test(inputType)) && act.type(target.value)
  return html`<label class="learn-own">${t('learnText')}
    <textarea id="learn-own" rows="4" @input=${input}
      @change=${(/** @type {InputEvent} */ { target }) => act.type(target.value)}
      .value=${view.text}></textarea></label>
    ${
      short
        ? html`<p class="note"><span id="learn-short">${t('learnTextOwn', short)}</span> <button type="button" class="tool" id="learn-sample"
            @click=${async () => act.type((await import('./tasks/sample.js')).SAMPLE)}>${t('learnSample')}</button></p>`
        : nothing
    }
    ${
      short && settings.trained > 0
        ? html`<p class="note" id="learn-no-text">${t('learnLinkNoText', { step: settings.trained })}</p>`
        : nothing
    }`
}
