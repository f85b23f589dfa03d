// Values that views and stories derive from the state of the room.

import { headChange } from '../../attention-head/changes.js'
import { shown } from '../../shell/slots.js'
import { estimate, secondsOf } from './cost.js'
import { jumpOf } from './curves.js'
import { runSettings, usualSteps } from './fields.js'
import { TASKS } from './tasks/index.js'
import { leastCharacters } from './tasks/text.js'

/** @import { State } from './learn.js' */
/** @import { Head } from './tasks/task.js' */

/** Converts a head to the place that changes use. All attentions of the model are in one stack, whose name is ''. @param {Head} head @returns {import('../../attention-head/head.js').HeadAt} */
export const headAt = ({ layer, head }) => ({ stack: '', layer, head })

/** Returns the run; undefined while it is being opened. @param {State} state */
export const runOf = ({ got }) => shown(got.run)

/** Returns the displayed picture. @param {State} state */
export const pictureOf = ({ got }) => shown(got.show)

/** True while the run trains; a hidden tab pauses it. @param {State} state */
export const isRunning = ({ view, around, got }) =>
  view.isTraining &&
  !around.isHidden &&
  got.run?.is === 'here' &&
  got.train?.is !== 'failed' &&
  got.train?.is !== 'lost'

/** Returns the problem of the run, its training or its picture, if one failed. @param {State} state */
export function failureOf({ got }) {
  for (const own of [got.run, got.train, got.show]) {
    if (own?.is === 'failed' || own?.is === 'lost') return { isLost: own.is === 'lost', problem: own.problem }
  }
  return undefined
}

/** Returns the selected head. @param {State} state @param {number} layers @param {number} heads @returns {Head} */
export function selectedOf({ settings }, layers, heads) {
  const [layer, head = 0] = (settings.head || `${layers}.1`).split('.').map(part => Math.max(0, Number(part) - 1 || 0))
  return { layer: Math.min(layer, layers - 1), head: Math.min(head, heads - 1) }
}

/** @param {State} state @returns {import('./tasks/task.js').StoryState} */
export function storyState(state) {
  const { settings, view, got } = state
  const last = view.points.at(-1)
  const layers = last?.heads.length ?? 1
  const run = runOf(state)
  const picture = pictureOf(state)
  const own = runSettings(settings)
  const selected = selectedOf(state, layers, own.heads)
  return {
    settings: own,
    steps: view.steps,
    shownAt: picture?.shownAt ?? 0,
    reachedAt: view.reachedAt,
    jump: jumpOf(view.points),
    previous: { layer: 0, head: last?.best.previous ?? 0 },
    answer: { layer: layers - 1, head: last?.best.induction ?? 0 },
    hasRun: run !== undefined,
    hasProbe: settings.probe !== '',
    hasWhy: settings.why !== null,
    hasGradients: got.gradients?.is === 'here',
    isSelected: ({ layer, head }) => selected.layer === layer && selected.head === head,
    isOff(head) {
      const change = headChange(settings.changes, headAt(head))
      return change?.isOn === true && (change.how === 0 || change.how === 'mean') && picture?.changed !== undefined
    },
  }
}

/** Returns the sizes of the run, where each attention counts as a layer. @param {State} state */
export function sizesOf({ settings }) {
  const own = runSettings(settings)
  return { ...own, layers: own.layers + Number(TASKS[settings.task].hasCross === true) }
}

/** Returns the estimated time and memory of the whole run; zeros once it is done. @param {State} state */
export function costOf(state) {
  const { settings, view, got } = state
  if (view.isEnded || view.reachedAt !== null || view.divergedAt !== null) return { seconds: 0, bytes: 0 }
  const run = runOf(state)
  const steps = usualSteps(settings.task, runSettings(settings))
  const { seconds, bytes } = estimate({ ...sizesOf(state), steps }, run?.shape.outputs)
  return { seconds: run && got.run?.is === 'here' ? secondsOf(steps, run.milliseconds) : seconds, bytes }
}

/** Returns the required and the current number of characters if the text is too short; else undefined. @param {State} state */
export function shortText({ settings, view }) {
  const least = leastCharacters(runSettings(settings).T)
  if (!TASKS[settings.task].hasText || view.text.length >= 4 * least) return undefined
  const { length } = Array.from(view.text)
  return length < least ? { least, length } : undefined
}
