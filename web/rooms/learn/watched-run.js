// A run watched by a reader: evaluated while it trains, with snapshots. It ends after its last step or when it diverges.

import { createSnapshots, EVERY, snapshotAt } from './snapshots.js'
import { createRun } from './training-run.js'

/** @import { Snapshot } from './snapshots.js' */
/** @import { Weights } from './training-run.js' */
/** @typedef {{ step: number } & import('./evaluation.js').Evaluation} Point */
/** @typedef {{ task: string, settings: Partial<import('./tasks/task.js').LearnSettings>, text?: string, file?: { step: number, state: Weights } }} RunGiven file: a model saved at that step */

/**
 * Progress of a run.
 * @typedef {object} Progress
 * @property {number} steps number of steps done
 * @property {readonly number[]} losses one per step
 * @property {readonly Point[]} points evaluations
 * @property {number | null} reachedAt step at which the goal was reached
 * @property {number | null} divergedAt step at which the run diverged
 * @property {boolean} isEnded True if nothing is left to train
 */

/** A run counts as diverged when its loss exceeds the first loss by this factor. */
const MOST_LOSS = 4

/**
 * Creates a function that loads snapshots with the reader's changes.
 * @param {ReturnType<typeof createRun>} viewer a model that receives the weights of the displayed snapshot
 */
function createShow(viewer) {
  /** Cache: held-out accuracy of a snapshot without changes. @type {{ of: Weights, accuracy: number } | undefined} */
  let unchanged

  /**
   * Loads a snapshot and the changes into the viewer.
   * @param {Snapshot} snapshot
   * @param {readonly import('../../attention-head/head.js').Change[]} changes
   * @param {boolean} isMeasured
   * @returns {{ before: number, accuracy: number } | undefined} held-out accuracy without and with the changes; undefined if not measured
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

  /** Evaluates the run. @returns {boolean} true if the goal was reached here */
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
  // The first evaluation includes compilation. A held-out accuracy is half an evaluation, so twice its time is another estimate.
  const evaluation = Math.min(cold - start, 2 * (performance.now() - again))
  /** Times a step on the viewer, which is safe since its weights are reloaded before each picture. */
  const timed = () => {
    const before = performance.now()
    viewer.step()
    return performance.now() - before
  }
  /** Milliseconds of a step and of an evaluation. Takes the faster of two steps, since the first includes compilation. */
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
    /** Performs a training step. @returns {boolean} true if it reached the goal */
    step() {
      const loss = run.step()
      losses.push(loss)
      if (run.steps === 1) firstLoss = loss
      if (!(loss <= MOST_LOSS * firstLoss)) divergedAt = run.steps
      else if (run.steps % EVERY === 0) return evaluate()
      return false
    },
    /** Returns the progress beyond a known number of losses and points. @param {{ losses: number, points: number }} known @returns {Progress} */
    progress: known => ({
      steps: run.steps,
      losses: losses.slice(known.losses),
      points: points.slice(known.points),
      reachedAt,
      divergedAt,
      isEnded: isEnded(),
    }),
    /** Returns the last snapshot up to step `at`; the current weights if `at` is null or the latest step. @param {number | null} at @returns {Snapshot} */
    snapshot(at) {
      const { all } = snapshots
      if (at !== null && at < run.steps && all.length) return snapshotAt(all, at)
      // After divergence, use the last snapshot with finite numbers.
      if (divergedAt !== null && all.length) return all[all.length - 1]
      return { step: run.steps, state: run.parameters.stateDict() }
    },
    /** Returns the snapshots up to the displayed one, for comparison. @param {Snapshot} newest @returns {readonly Snapshot[]} */
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
