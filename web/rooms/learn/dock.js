// Train, pause, step, pace, and the result in a sentence.

import { html, nothing } from 'lit'
import { percent } from '../../files/number-format.js'
import { duration } from './bar.js'
import { secondsOf, usualSteps, writeLearn } from './check.js'
import { blocksOf, RECIPES } from './recipes.js'
import { story } from './story.js'
import { PACES } from './watch.js'

/** @typedef {import('./room.js').Context} Context */
/** @typedef {import('./room.js').InputEvent} InputEvent */

/** The stop of each story that looks at what success has made. */
const AFTER = 2

/** Which heads do it, in words. @param {Context} context @param {import('./recipes.js').LearnSettings} settings */
function found({ t, watch }, settings) {
  const { task, points } = watch
  const last = points[points.length - 1]
  if (!last) return ''
  const { scores, best } = last
  const answers = {
    layer: blocksOf(task === 'translation', settings.layers).length,
    head: best.induction + 1,
    share: percent(scores.induction),
  }
  const before = { layer: 1, head: best.previous + 1, share: percent(scores.previous) }
  if (task === 'text') return t('learnFoundBefore', before)
  const sentence = t(`learnFound.${task}`, answers)
  return task === 'induction' && settings.layers > 1 ? `${t('learnFoundBefore', before)} ${sentence}` : sentence
}

/** The run has left the scale: what to do. @param {Context} context @param {import('./session.js').Report} report */
function diverged({ t, watch }, { divergedAt, settings }) {
  const good =
    watch.points.filter(({ step, loss }) => step < Number(divergedAt) && Number.isFinite(loss)).at(-1)?.step ?? 0
  const rate = Number((settings.rate / 3).toPrecision(1))
  return html`<span class="learn-problem" id="learn-diverged">${t('learnDiverged', { step: Number(divergedAt) })}</span>
    <button type="button" class="tool" id="learn-good" @click=${() => watch.goTo(good)}>${t('learnGood', { step: good })}</button>
    <button type="button" class="tool" id="learn-lower" @click=${() => watch.link({ learn: writeLearn(watch.task, { ...watch.settings, rate }) })}>${t('learnLower', { rate })}</button>`
}

/** @param {Context} context */
export function dock(context) {
  const { t, watch } = context
  const { report, task, pace } = watch
  const isTraining = report?.isTraining ?? false
  const goal = percent(RECIPES[task].goal)
  const { steps = 0, settings, reachedAt = null, divergedAt = null, isOpened = false } = report ?? {}
  const isEnded = settings !== undefined && (steps >= settings.steps || divergedAt !== null || isOpened)
  const label = () => {
    if (isTraining) return t('learnPause')
    if (!report || steps > 0 || isOpened) return t('learnTrain')
    const { milliseconds } = report
    return t('learnTrainAbout', { time: duration(secondsOf(usualSteps(task, report.settings), milliseconds), t) })
  }
  const said = () => {
    if (watch.paused) return t(watch.paused === 'hidden' ? 'learnHidden' : 'learnLeft')
    if (!report || !settings) return ''
    if (divergedAt !== null) return diverged(context, report)
    if (reachedAt !== null) return `${t('learnReached', { goal, step: reachedAt })} ${found(context, settings)}`
    if (isEnded && !isOpened) return task === 'text' ? found(context, settings) : t('learnEnded', { steps, goal })
    return ''
  }
  return html`<div class="dock learn-dock">${watch.stop === null ? nothing : story(context)}<div class="dock-row">
    <button type="button" class="tool is-filled ${report && steps === 0 && !isTraining ? 'is-new' : ''}" id="learn-train" ?disabled=${!report || isEnded || watch.isLost} @click=${() => watch.train()}>${label()}</button>
    <button type="button" class="tool" id="learn-step" ?disabled=${!report || isEnded || watch.isLost} @click=${() => {
      watch.at = null
      watch.ask({ step: true, at: null })
    }}>${t('learnStep')}</button>
    <button type="button" class="tool" id="learn-restart" ?disabled=${!report && watch.failure === undefined} @click=${() => watch.restart()}>${t('learnRestart')}</button>
    <label>${t('learnPace')} <select id="learn-pace" @change=${(/** @type {InputEvent} */ { target }) => {
      watch.pace = /** @type {keyof typeof PACES} */ (target.value)
      watch.ask({ pace: PACES[watch.pace] })
    }}>${Object.keys(PACES).map(name => html`<option value=${name} ?selected=${name === pace}>${t(/** @type {any} */ (`learnPace.${name}`))}</option>`)}</select></label>
    <span class="learn-steps" id="learn-steps">${settings ? t('learnSteps', { step: steps, steps: settings.steps }) : nothing}</span>
    <span class="learn-said" role="status">${said()}</span>
    ${reachedAt !== null && !isTraining && watch.stop === null ? html`<button type="button" class="tool" id="learn-happened" @click=${() => context.tell(AFTER)}>${t('learnHappened')}</button>` : nothing}
  </div></div>`
}
