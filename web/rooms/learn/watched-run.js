// A run that a reader watches: it is evaluated as it trains, keeps snapshots, and ends at its goal or where it diverges.

import { createSnapshots, EVERY, snapshotAt } from './snapshots.js'
import { createRun } from './training-run.js'

/** @import { Snapshot } from './snapshots.js' */
/** @import { Weights } from './training-run.js' */
/** @typedef {{ step: number } & import('./evaluation.js').Evaluation} Point */
/** @typedef {{ task: string, settings: Partial<import('./tasks/task.js').LearnSettings>, text?: string, file?: { step: number, state: Weights } }} RunGiven file: a model that was saved at that step */

/**
 * What has happened in a run.
 * @typedef {object} Progress
 * @property {number} steps done
 * @property {readonly number[]} losses one each step
 * @property {readonly Point[]} points evaluations
 * @property {number | null} reachedAt the step at which the goal was reached
 * @property {number | null} divergedAt the step at which the run diverged
 * @property {boolean} isEnded there is nothing more to train
 */

/** A run has diverged when its loss is more than so many times the first loss. */
const MOST_LOSS = 4

/**
 * Shows snapshots of a run with the reader's changes.
 * @param {ReturnType<typeof createRun>} viewer the same model, with the weights of the snapshot that is shown
 */
function createShow(viewer) {
  /** Held-out accuracy of a snapshot, without changes. @type {{ of: Weights, accuracy: number } | undefined} */
  let unchanged

  /**
   * Gives the viewer the weights of a snapshot and the changes.
   * @param {Snapshot} snapshot
   * @param {readonly import('../../head/head.js').Change[]} changes
   * @param {boolean} isMeasured
   * @returns {{ before: number, accuracy: number } | undefined} accuracy on held-out data without and with the changes
   */
  return ({ state }, changes, isMeasured) => {
    viewer.parameters.loadStateDict(state)
    viewer.intervene([])
    if (!changes.some(({ isOn }) => isOn)) return undefined
    if (isMeasured && unchanged?.of !== state) unchanged = { of: state, accuracy: viewer.heldOutAccuracy() }
    viewer.intervene(changes)
    if (!isMeasured || !unchanged) return undefined
    return { before: unchanged.accuracy, accuracy: viewer.heldOutAccuracy() }
  }
}

/**
 * @param {import('qkv').Qkv} qkv
 * @param {RunGiven} given
 */
export function createWatchedRun(qkv, { task, settings, text, file }) {
  const run = createRun(qkv, task, settings, text)
  const viewer = createRun(qkv, task, settings, text)
  const snapshots = createSnapshots()
  const isOpened = file !== undefined
  /** @type {number | null} */
  let reachedAt = null
  /** @type {number | null} */
  let divergedAt = null
  let firstLoss = Number.NaN
  /** @type {number[]} */
  const losses = []
  /** @type {Point[]} */
  const points = []

  /** @returns {boolean} Was the goal reached here? */
  function evaluate() {
    const point = { step: run.steps, ...run.evaluate() }
    points.push(point)
    if (Number.isFinite(point.loss)) snapshots.add({ step: run.steps, state: run.parameters.stateDict() })
    const { measure, least } = run.task.goal
    if (reachedAt !== null || isOpened || !(point[measure] >= least)) return false
    reachedAt = run.steps
    return true
  }

  if (file) run.resume(file.state, file.step)
  const start = performance.now()
  evaluate()
  const cold = performance.now()
  const baseline = run.baselineAccuracy()
  const again = performance.now()
  run.heldOutAccuracy()
  // The first evaluation compiles, the second is half of one.
  const evaluation = Math.min(cold - start, 2 * (performance.now() - again))
  /** One of the viewer, whose weights are loaded before each picture. */
  const timed = () => {
    const before = performance.now()
    viewer.step()
    return performance.now() - before
  }
  /** How long a step and an evaluation take here; the first step compiles. */
  const milliseconds = { step: isOpened ? 0 : Math.min(timed(), timed()), evaluation }

  const isEnded = () => isOpened || divergedAt !== null || run.steps >= run.settings.steps

  return {
    run,
    viewer,
    show: createShow(viewer),
    baseline,
    milliseconds,
    isOpened,
    isEnded,
    /** One step of training. @returns {boolean} Was the goal reached by it? */
    step() {
      const loss = run.step()
      losses.push(loss)
      if (run.steps === 1) firstLoss = loss
      if (!(loss <= MOST_LOSS * firstLoss)) divergedAt = run.steps
      else if (run.steps % EVERY === 0) return evaluate()
      return false
    },
    /** What has happened since so many losses and points. @param {{ losses: number, points: number }} known @returns {Progress} */
    progress: known => ({
      steps: run.steps,
      losses: losses.slice(known.losses),
      points: points.slice(known.points),
      reachedAt,
      divergedAt,
      isEnded: isEnded(),
    }),
    /** What is shown of a step: the newest weights, or the last snapshot before it. @param {number | null} at @returns {Snapshot} */
    snapshot(at) {
      const { all } = snapshots
      if (at !== null && at < run.steps && all.length) return snapshotAt(all, at)
      // After the run has diverged, the last snapshot with finite numbers.
      if (divergedAt !== null && all.length) return all[all.length - 1]
      return { step: run.steps, state: run.parameters.stateDict() }
    },
    /** Snapshots up to the one that is shown, to compare with. @param {Snapshot} newest @returns {readonly Snapshot[]} */
    snapshotsTo(newest) {
      const { all } = snapshots
      return all.at(-1)?.step === newest.step ? all : [...all, newest]
    },
    /** @param {number} step */
    gradients(step) {
      const found = snapshotAt(snapshots.all, step)
      return { step: found.step, ...run.gradients(found.state, found.step) }
    },
    dispose() {
      run.dispose()
      viewer.dispose()
    },
  }
}
