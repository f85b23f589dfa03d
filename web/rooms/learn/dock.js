// The controls of training: train, pause, step, pace, and the result in a sentence.

import { html, nothing } from 'lit'
import { percent } from '../../files/number-format.js'
import { duration } from './bar.js'
import { jumpOf } from './curves.js'
import { runSettings } from './fields.js'
import { costOf, failureOf, isRunning, runOf } from './run-state.js'
import { AFTER_GOAL, story } from './task-story.js'
import { TASKS } from './tasks/index.js'

/** @import { Context, Pace } from './learn.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** @type {Pace[]} */
const PACES = ['full', 'ten', 'one']

/** Describes which heads solve the task. @param {Context} context */
function found({ t, settings, view }) {
  const { task } = settings
  const last = view.points.at(-1)
  if (!last) return ''
  const { scores, best, heads } = last
  const before = { layer: 1, head: best.previous + 1, share: percent(scores.previous) }
  const answers = { layer: heads.length, head: best.induction + 1, share: percent(scores.induction) }
  return TASKS[task]
    .finds(runSettings(settings))
    .map(kind =>
      kind === 'previous'
        ? t('learnFoundBefore', before)
        : t(/** @type {`learnFound.${Exclude<typeof task, 'text'>}`} */ (`learnFound.${task}`), answers),
    )
    .join(' ')
}

/** Reports that the run has diverged, and offers ways to continue. @param {Context} context @param {number} divergedAt */
function diverged({ t, settings, view, act }, divergedAt) {
  const good = view.points.filter(({ step, loss }) => step < divergedAt && Number.isFinite(loss)).at(-1)?.step ?? 0
  const rate = Number((runSettings(settings).rate / 3).toPrecision(1))
  return html`<span class="learn-problem" id="learn-diverged" data-step=${divergedAt}>${t('learnDiverged', { step: divergedAt })}</span>
    <button type="button" class="tool" id="learn-good" @click=${() => act.goTo(good)}>${t('learnGood', { step: good })}</button>
    <button type="button" class="tool" id="learn-lower" @click=${() => act.set({ rate })}>${t('learnLower', { rate })}</button>`
}

/** Reports the step at which the goal was reached, the measure at this step, and the step at which the held-out accuracy jumped. @param {Context} context @param {number} step */
function reached({ t, settings, view }, step) {
  const { measure, least } = TASKS[settings.task].goal
  const jump = jumpOf(view.points)
  const isJump = jump !== null && measure === 'heldOutAccuracy'
  const measured = view.points.find(point => point.step === step)?.[measure] ?? least
  const params = { goal: percent(least), measured: percent(measured), step, jump: jump ?? 0 }
  return t(isJump ? 'learnReached.jump' : `learnReached.${measure}`, params)
}

/** Describes the state of the run. @param {Context} context */
function stateOf(context) {
  const { t, settings, view, around } = context
  const { task } = settings
  const { goal, hasText } = TASKS[task]
  const run = runOf(context)
  if (view.isTraining && around.isHidden) return t('learnHidden')
  if (view.hasLeft) return t('learnLeft')
  if (!run) return ''
  if (view.divergedAt !== null) return diverged(context, view.divergedAt)
  const least = percent(goal.least)
  if (view.reachedAt !== null)
    return html`${reached(context, view.reachedAt)}
      ${found(context)}${
        hasStopped(context)
          ? html` <span class="learn-goes-on">${t('learnGoesOn', { steps: run.settings.steps })}</span>`
          : ''
      }`
  if (!view.isEnded || run.isOpened) return ''
  return hasText ? found(context) : t(`learnEnded.${goal.measure}`, { steps: view.steps, goal: least })
}

/** True if training stopped because its goal was reached. @param {import('./learn.js').State} state */
export const hasStopped = ({ view: { reachedAt, steps, isTraining, isEnded } }) =>
  reachedAt === steps && !isTraining && !isEnded

/** @param {Context} context */
export function dock(context) {
  const { t, view, act } = context
  const { steps, reachedAt, isEnded } = view
  const run = context.got.run?.is === 'here' ? runOf(context) : undefined
  const isTraining = isRunning(context)
  const failed = failureOf(context)
  const cannotTrain = !run || isEnded || failed?.isLost === true
  const label = () => {
    if (isTraining) return t('learnPause')
    if (steps > 0 && !isEnded) return t('learnTrainOn')
    if (!run || steps > 0 || run.isOpened) return t('learnTrain')
    return t('learnTrainAbout', { time: duration(costOf(context).seconds, t) })
  }
  return html`<div class="dock learn-dock"
    data-training=${isTraining}>${view.stop === null ? nothing : story(context)}<div class="dock-row">
    <button type="button" class="tool is-filled ${run && steps === 0 && !isTraining ? 'is-new' : ''}" id="learn-train"
      ?disabled=${cannotTrain} @click=${() => act.train()}>${label()}</button>
    <button type="button" class="tool" id="learn-step" ?disabled=${cannotTrain} @click=${() => act.step()}>${t('learnStep')}</button>
    <button type="button" class="tool" id="learn-restart" ?hidden=${steps === 0 && !isTraining && !failed}
      ?disabled=${!run && !failed} @click=${() => act.restart()}>${t('learnRestart')}</button>
    <label>${t('learnPace')} <select id="learn-pace"
      @change=${(/** @type {import('../../shell/room.js').Chosen<Pace>} */ { target }) => act.show({ pace: target.value })}>${PACES.map(
        name => html`<option value=${name} ?selected=${name === view.pace}>${t(`learnPace.${name}`)}</option>`,
      )}</select></label>
    <span class="learn-steps ${steps === 0 ? 'is-first' : ''}" id="learn-steps"
      data-step=${steps}>${
        run
          ? t(hasStopped(context) ? 'learnSteps.reached' : 'learnSteps', { step: steps, steps: run.settings.steps })
          : nothing
      }</span>
    <span class="learn-said" role="status" data-reached=${reachedAt ?? nothing}>${stateOf(context)}</span>
    ${
      reachedAt !== null && !isTraining && view.stop === null
        ? html`<button type="button" class="tool" id="learn-happened" @click=${() => act.tell(AFTER_GOAL)}>${t('learnHappened')}</button>`
        : nothing
    }
  </div></div>`
}
