// A guided story for each task: stops that wait for the state of the run. The texts are in i18n/TAG/learn.js.

import { html, nothing } from 'lit'
import { percent } from '../../files/number-format.js'
import { changeOf, headName } from '../../head/cell-changes.js'
import { jumpOf } from './curves.js'

/** @typedef {import('./room.js').Context} Context */
/** @typedef {import('./watch.js').Watch} Watch */
/** @typedef {import('./watch.js').Head} Head */
/** @typedef {import('./training-run.js').Task} Task */
/** @typedef {import('./texts.js').LearnKey} LearnKey */

/**
 * What a stop may ask of the run.
 * @typedef {object} State
 * @property {Watch} watch
 * @property {number} steps
 * @property {number | null} jump
 * @property {number | null} reachedAt
 * @property {number} shownAt
 * @property {Head} previous the first layer's best head for the token before
 * @property {Head} answer the last layer's best head for the position that answers
 */

/** @typedef {{ target: (state: State) => string, isDone: (state: State) => boolean }} Stop target: selector of what the reader is to look at or to press */

const isSelected = (/** @type {Watch} */ { selected }, /** @type {Head} */ { layer, head }) =>
  selected.layer === layer && selected.head === head
/** Is it switched off, and is it known what that costs? */
const isOff = (/** @type {Watch} */ { changes, report }, /** @type {Head} */ { layer, head }) => {
  const change = changeOf(changes, layer, head)
  return change?.isOn === true && change.kind !== 'scale' && report?.changed !== undefined
}
const hasRun = (/** @type {State} */ { steps }) => steps > 0
const isReached = (/** @type {State} */ { reachedAt }) => reachedAt !== null
const at = (/** @type {string} */ selector) => () => selector
const TRAIN = at('#learn-train')
const PROBE = at('.learn-probe label')
/** All heads of the layer of a head. @param {Head} head */
const layerOf = ({ layer }) => `[data-layer="${layer + 1}"] qkv-heads:not(.is-kept)`
/** The switch of a head. @param {Head} head */
const switchOf = head => `[data-switch="${headName(head)}"]`
const train = { target: TRAIN, isDone: hasRun }
const wait = { target: at('[data-name="accuracy"]'), isDone: isReached }

/** @type {Record<Task, Stop[]>} */
export const STORIES = {
  induction: [
    train,
    { target: at('[data-name="accuracy"]'), isDone: ({ jump }) => jump !== null },
    {
      target: ({ previous }) => layerOf(previous),
      isDone: ({ watch, previous, reachedAt }) => reachedAt !== null && isSelected(watch, previous),
    },
    {
      target: ({ answer }) => layerOf(answer),
      isDone: ({ watch, answer, reachedAt }) => reachedAt !== null && isSelected(watch, answer),
    },
    { target: at('.learn-at'), isDone: ({ jump, shownAt }) => jump !== null && shownAt < jump },
    { target: ({ previous }) => switchOf(previous), isDone: ({ watch, previous }) => isOff(watch, previous) },
    {
      target: ({ watch }) => (watch.settings.layers === 1 ? '#learn-train' : '#learn-one-layer'),
      isDone: ({ watch, steps }) => watch.settings.layers === 1 && steps >= 300,
    },
  ],
  translation: [
    train,
    wait,
    { target: at('#learn-map'), isDone: ({ watch, answer }) => isSelected(watch, answer) },
    { target: at('#learn-answer'), isDone: ({ watch }) => watch.why !== null },
    { target: PROBE, isDone: ({ watch }) => watch.probe !== '' },
    { target: ({ answer }) => switchOf(answer), isDone: ({ watch, answer }) => isOff(watch, answer) },
  ],
  sort: [
    train,
    wait,
    { target: at('#learn-answer'), isDone: ({ watch }) => watch.why !== null },
    { target: at('.learn-at'), isDone: ({ reachedAt, shownAt }) => reachedAt !== null && shownAt < reachedAt },
    { target: PROBE, isDone: ({ watch }) => watch.probe !== '' },
  ],
  reverse: [
    train,
    wait,
    { target: ({ answer }) => switchOf(answer), isDone: ({ watch, answer }) => isOff(watch, answer) },
    { target: at('.learn-gradients'), isDone: ({ watch }) => watch.gradients !== undefined },
    {
      target: ({ watch }) => (watch.settings.positions === 'none' ? '#learn-train' : '.learn-settings'),
      isDone: ({ watch, steps }) => watch.settings.positions === 'none' && steps >= 60,
    },
  ],
  text: [
    { target: at('.learn-own'), isDone: ({ watch }) => watch.report !== undefined },
    train,
    { target: at('[data-name="loss"]'), isDone: ({ steps }) => steps >= 200 },
    { target: PROBE, isDone: ({ watch }) => watch.probe !== '' },
    {
      target: ({ previous }) => layerOf(previous),
      isDone: ({ watch, previous, steps }) => steps >= 200 && isSelected(watch, previous),
    },
  ],
}

/** @param {Watch} watch @returns {State} */
export function stateOf(watch) {
  const { report, points } = watch
  const { steps = 0, shownAt = 0, reachedAt = null } = report ?? {}
  const last = points.at(-1)
  const heads = last?.heads ?? [[]]
  return {
    ...{ watch, steps, shownAt, reachedAt, jump: jumpOf(points) },
    previous: { layer: 0, head: last?.best.previous ?? 0 },
    answer: { layer: heads.length - 1, head: last?.best.induction ?? 0 },
  }
}

/** The numbers that the texts speak of. @param {State} state */
function params({ watch, steps, jump, reachedAt, previous, answer }) {
  const last = watch.points.at(-1)
  const first = watch.points[0]
  const [best] = watch.report?.shown?.next ?? []
  return {
    ...{ previous: headName(previous), answer: headName(answer), steps, jump: jump ?? '…', reached: reachedAt ?? '…' },
    previousShare: percent(last?.scores.previous ?? 0),
    answerShare: percent(last?.scores.induction ?? 0),
    accuracy: percent(last?.heldOutAccuracy ?? 0),
    first: percent(first?.heldOutAccuracy ?? 0),
    nowhere: percent(watch.report?.nowhere ?? 0),
    alignment: percent(last?.alignment ?? 0),
    bits: ((last?.heldOutLoss ?? 0) / Math.LN2).toFixed(2),
    says: best?.token ?? '…',
    changed: watch.report?.changed ? percent(watch.report.changed.accuracy) : '…',
  }
}

/** What the stop that is told speaks of carries its badge; no other element does. @param {ParentNode} room @param {Watch} watch @returns {Element | null} */
export function markTarget(room, watch) {
  const stop =
    watch.stop === null ? undefined : STORIES[watch.task][Math.min(watch.stop, STORIES[watch.task].length - 1)]
  const target = stop ? room.querySelector(stop.target(stateOf(watch))) : null
  for (const marked of room.querySelectorAll('[data-tour]')) if (marked !== target) marked.removeAttribute('data-tour')
  target?.setAttribute('data-tour', '1')
  return target
}

/** @param {Context} context */
export const storyStart = ({ t, tell }) =>
  html`<button type="button" class="tool" id="story-start" @click=${() => tell(0)}>${t('storyStart')}</button>`

/** The stop that is told. @param {Context} context */
export function story(context) {
  const { t, watch } = context
  const stops = STORIES[watch.task]
  const n = Math.min(watch.stop ?? 0, stops.length - 1)
  const state = stateOf(watch)
  const isDone = stops[n].isDone(state)
  const text = (/** @type {string} */ part) =>
    t(/** @type {LearnKey} */ (`story.${watch.task}.${n + 1}${part}`), params(state))
  return html`<section class="story" id="story" tabindex="-1" aria-label=${t('story')} data-stop=${n + 1} data-done=${isDone}>
    <div class="story-says"><p class="story-text">${text('')}</p>
    <p class="story-do ${isDone ? 'is-done' : ''}" role="status"><span class="tour-badge" aria-hidden="true">${isDone ? '✓' : '1'}</span> ${text('.do')}${isDone ? html` <span class="note">${t('storyDone')}</span>` : nothing}</p></div>
    <div class="learn-buttons"><button type="button" class="tool" id="story-back" ?disabled=${n === 0} @click=${() => context.tell(n - 1)}>${t('storyBack')}</button>
      <span class="note">${t('storyPlace', { at: n + 1, count: stops.length })}</span>
      ${
        n + 1 < stops.length
          ? html`<button type="button" class="tool ${isDone ? 'is-filled' : ''}" id="story-next" @click=${() => context.tell(n + 1)}>${t('storyNext')}</button>`
          : nothing
      }
      <button type="button" class="tool" id="story-end" @click=${() => context.tell(null)}>${t('storyEnd')}</button></div>
  </section>`
}
