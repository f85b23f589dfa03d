// Helpers for exercises in "Models": the run of the current text and changes.

import { factorOf, withFactor } from '../attention-head/changes.js'
import { besideOf, shownOf } from '../rooms/models/shown.js'

/** @import { ModelsTypes, Settings, State } from '../rooms/models/models.js' */
/** @import { Run } from '../rooms/models/run/model-run.js' */
/** An exercise in "Models". @template [M=unknown] @typedef {import('./exercise.js').Exercise<ModelsTypes, M>} ModelsExercise */

/** Returns the run of the current settings; undefined while it is computed. @param {State} state @returns {Run | undefined} */
export function runOf(state) {
  const { active, request, changed, runBefore, runAfter } = shownOf(state)
  const run = active.length ? runAfter : runBefore
  return run && JSON.stringify(run.request) === JSON.stringify(active.length ? changed : request) ? run : undefined
}

/** Returns the run of the second text; undefined while it is computed. @param {State} state */
export function besideRunOf(state) {
  const { beside } = state.got
  const run = beside?.is === 'here' ? beside.value : undefined
  return run && JSON.stringify(run.request) === JSON.stringify(besideOf(state)) ? run : undefined
}

/** Returns the probability that a word is next; 0 if it is not among the most likely. @param {Pick<Run, 'top'>} run @param {string} word */
export const probabilityOf = (run, word) => run.top.find(({ token }) => token === word)?.probability ?? 0

/** Lists the names of the heads that are switched off, such as "1.2". @param {Settings} settings */
export const headsOff = ({ changes }) =>
  changes.flatMap(change =>
    change.isOn && change.kind === 'head' && change.how === 0 ? [`${change.layer + 1}.${change.head + 1}`] : [],
  )

/** Makes a switch for a head. @param {string} name such as "1.2" @returns {import('./exercise.js').Control<Settings>} */
export const headSwitch = name => {
  const [layer, head] = name.split('.').map(Number)
  /** @type {import('../attention-head/head.js').HeadAt} */
  const at = { stack: '', layer: layer - 1, head: head - 1 }
  return {
    name,
    isSwitch: true,
    read: ({ changes }) => (factorOf(changes, at) === 0 ? 0 : 1),
    write: ({ changes }, isOn) => ({ changes: withFactor(changes, at, Number(isOn)) }),
  }
}

/** True if the changes do nothing but switch heads off. @param {Settings} settings */
export const isSwitching = ({ changes }) => changes.every(change => change.kind === 'head' && change.how === 0)
