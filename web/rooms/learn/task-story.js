// A guided story for each task, whose stops wait for the run. Texts are in i18n/TAG/learn.js.

import { html } from 'lit'
import { headName } from '../../attention-head/changes.js'
import { percent } from '../../files/number-format.js'
import { guide } from '../../shell/guide.js'
import { pictureOf, runOf, storyState } from './run-state.js'
import { TASKS } from './tasks/index.js'

/** @import { Context } from './learn.js' */

/** Returns the open stop. @param {import('./learn.js').State} state */
function stopOf({ settings: { task }, view }) {
  const { story } = TASKS[task]
  const n = Math.min(view.stop ?? 0, story.length - 1)
  return { n, stop: story[n], count: story.length }
}

/** Index of the stop about the trained model in each story. */
export const AFTER_GOAL = 2

/**
 * Returns the stop at which a story opens: the first stop that is not done, but none after the one about the trained model.
 * @param {import('./learn.js').State} state
 */
export function firstStop(state) {
  const { settings, view } = state
  if (view.steps === 0) return 0
  const known = storyState(state)
  const open = TASKS[settings.task].story.findIndex(({ isDone }) => !isDone(known))
  return open < 0 ? AFTER_GOAL : Math.min(open, AFTER_GOAL)
}

/** Returns the numbers of the texts; undefined if not known yet. @param {Context} context @returns {Record<string, string | number | undefined>} */
function numbersOf(context) {
  const { view } = context
  const { previous, answer, jump } = storyState(context)
  const last = view.points.at(-1)
  const untrained = view.points.find(({ step }) => step === 0)
  const picture = pictureOf(context)
  const share = (/** @type {number | undefined} */ value) => (value === undefined ? undefined : percent(value))
  return {
    previous: headName(previous),
    answer: headName(answer),
    jump: jump ?? undefined,
    previousShare: share(last?.scores.previous),
    answerShare: share(last?.scores.induction),
    accuracy: share(last?.heldOutAccuracy),
    first: share(untrained?.heldOutAccuracy),
    baseline: share(runOf(context)?.baseline),
    alignment: share(last?.alignment),
    bits: last && (last.heldOutLoss / Math.LN2).toFixed(2),
    /** The answer of the initial random weights, while these are displayed. */
    says: picture?.shownAt === 0 ? picture.shown.next[0]?.token : undefined,
    changed: share(picture?.changed?.accuracy),
  }
}

/** Names of numbers that refer to the latest step, even if an earlier one is displayed. */
const OF_NEWEST = ['previousShare', 'answerShare', 'accuracy', 'alignment', 'bits']

/** Returns a note with the step that the numbers of a text refer to, if another step is displayed. @param {Context} context @param {string} text */
function stepNote(context, text) {
  const { t, settings, view } = context
  const { step = 0 } = view.points.at(-1) ?? {}
  const shown = pictureOf(context)?.shownAt ?? step
  if (settings.at === null || shown === step || !OF_NEWEST.some(name => text.includes(`{${name}}`))) return ''
  return t('storyStep', { step, shown })
}

/** Returns a note that a head named in the text is off, except at stops whose text already describes the effect. @param {Context} context @param {string} text */
function offNote(context, text) {
  const { previous, answer, isOff } = storyState(context)
  const off = Object.entries({ previous, answer }).find(([name, head]) => text.includes(`{${name}}`) && isOff(head))
  return off && !text.includes('{changed}') ? context.t('storyOff', { name: headName(off[1]) }) : ''
}

/** Returns a text without the sentences whose numbers are not known yet. @param {string} text @param {Record<string, unknown>} numbers */
export const knownSentences = (text, numbers) =>
  text
    .split(/(?<=[.?!] )|(?<=[。？！])/)
    .filter(sentence => [...sentence.matchAll(/\{(\w+)\}/g)].every(([, name]) => numbers[name] !== undefined))
    .join('')
    .replace(/\{(\w+)\}/g, (_, name) => String(numbers[name]))
    .trim()

/** True if the reader may go to the next stop, which may depend on results of the run. @param {import('./learn.js').State} state */
export function mayGoOn(state) {
  const { stop } = stopOf(state)
  return !stop.waits || state.view.isEnded || stop.isDone(storyState(state))
}

/** Returns the selector of the element that the open stop refers to. @param {import('./learn.js').State} state */
export const targetsOf = state => (state.view.stop === null ? [] : [stopOf(state).stop.target(storyState(state))])

/** @param {Context} context */
export const storyStart = context =>
  html`<button type="button" class="tool" id="story-start"
    @click=${() => context.act.tell(firstStop(context))}>${context.t('storyStart')}</button>`

/** Draws the open stop. @param {Context} context */
export function story(context) {
  const { t, settings, act } = context
  const { n, stop, count } = stopOf(context)
  const isDone = stop.isDone(storyState(context))
  const numbers = numbersOf(context)
  /** Parameters that replace each placeholder by itself, so that the text keeps its placeholders. */
  const blanks = Object.fromEntries(Object.keys(numbers).map(name => [name, `{${name}}`]))
  const blank = (/** @type {string} */ part) =>
    t(/** @type {`story.${typeof settings.task}.1`} */ (`story.${settings.task}.${n + 1}${part}`), blanks)
  const text = (/** @type {string} */ part) => knownSentences(blank(part) + stepNote(context, blank(part)), numbers)
  return guide({
    t,
    id: 'story',
    label: t('story'),
    at: n + 1,
    of: count,
    text: text('') + offNote(context, blank('')),
    task: text('.do'),
    isDone,
    waits: mayGoOn(context) ? undefined : t('storyWaits'),
    go: at => act.tell(at === null ? null : at - 1),
  })
}
