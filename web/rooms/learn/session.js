// Trains a run in slices, keeps snapshots, and shows any of them on a probe. No DOM: in a
// worker, or on a page without one.

import { probeOf } from './probe.js'
import { createRun } from './training-run.js'

/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('./training-run.js').Task} Task */
/** @typedef {import('./training-run.js').Evaluation} Evaluation */
/** @typedef {import('./probe.js').Shown} Shown */
/** @typedef {import('../../head/cell-changes.js').Change} Change */
/** Weights by name, as they travel and are saved. @typedef {Record<string, { data: Float32Array, dims: readonly number[] }>} Weights */
/** @typedef {ReturnType<typeof createRun>} Run */
/** @typedef {{ step: number, state: Weights }} Snapshot */

/** Steps between evaluations and snapshots. */
export const EVERY = 20
/** Milliseconds of work between two looks at what was asked meanwhile, and between two pictures. */
const SLICE = 40
const PICTURE = 90
/** Characters that the model of a text goes on with. */
const WRITTEN = 60
/** A loss of so many times the first one has left the scale. */
const MOST_LOSS = 4
/** Numbers of all snapshots of a run: beyond, every second one is dropped. */
const MOST_NUMBERS = 2 ** 24

/**
 * What the page asks for.
 * @typedef {object} Request
 * @property {number} id
 * @property {{ task: Task, settings: Partial<LearnSettings>, text?: string, state?: Weights, step?: number }} [open] with
 *   `state`: a model that was saved at that step
 * @property {boolean} [end] the run is over, and there is no other
 * @property {boolean} [isTraining]
 * @property {boolean} [step] one step of training
 * @property {number} [pace] steps a second, Infinity as fast as it goes
 * @property {boolean} [isStill] pictures after evaluations only: the reader asks for less motion
 * @property {string} [probe]
 * @property {number | null} [at] the step to show, null the newest
 * @property {readonly Change[]} [changes] of heads
 * @property {number | null} [why] which answer to explain
 * @property {number | null} [layer] whose matrices are wanted
 * @property {'run' | 'step' | null} [keep] as A: this run, of which the same step is shown as of B; or the step that is
 *   shown now; null: nothing any more
 * @property {{ gradient: number } | { state: number | null }} [get] an answer of its own: gradients of a step, the weights
 */

/**
 * What the page is told.
 * @typedef {object} Report
 * @property {number} id of the newest request that this answers
 * @property {LearnSettings} settings
 * @property {number} steps done
 * @property {boolean} isTraining
 * @property {readonly number[]} losses since the last report
 * @property {readonly ({ step: number } & Evaluation)[]} evaluations since the last report
 * @property {number | null} reachedAt
 * @property {number | null} divergedAt
 * @property {number} shownAt the step of what is shown
 * @property {Shown} [shown]
 * @property {{ accuracy: number, before: number }} [changed] with changes: the accuracy on held-out data with and without
 * @property {{ shownAt: number, shown: Shown }} [kept] the same of A
 * @property {number} nowhere accuracy of a model that looks nowhere
 * @property {number} milliseconds that an evaluation took: how fast this machine is
 * @property {boolean} isOpened was the model saved before?
 */

/** @typedef {{ step: number } & ReturnType<Run['gradients']>} Gradients */
/** @typedef {{ id: number, gradients: Gradients } | { id: number, state: Weights, step: number }} Got */

/**
 * @param {import('qkv').Qkv} qkv
 * @param {(report: Report | Got | { id: number, failure: string }) => void} post
 */
export function createSession(qkv, post) {
  /** @type {Run | undefined} */
  let run
  /** The same model, with the weights of the snapshot that is shown. @type {Run | undefined} */
  let viewer
  /** A, to compare with. @type {{ viewer: Run, snapshots: Snapshot[], at: number | null } | undefined} */
  let kept
  /** @type {Snapshot[]} */
  let snapshots = []
  let every = EVERY
  let pace = Number.POSITIVE_INFINITY
  let isTraining = false
  let isOpened = false
  let isStill = false
  let id = 0
  let probe = ''
  /** @type {import('./probe.js').Asked} */
  let asked = {}
  /** The text that the task 'text' learns. @type {string | undefined} */
  let words
  /** @type {number | null} */
  let at = null
  /** @type {readonly Change[]} */
  let changes = []
  /** @type {number | null} */
  let reachedAt = null
  /** @type {number | null} */
  let divergedAt = null
  let firstLoss = Number.NaN
  /** @type {number[]} */
  let losses = []
  /** @type {({ step: number } & Evaluation)[]} */
  let evaluations = []
  let nowhere = 0
  let milliseconds = 0
  /** Held-out accuracy of the snapshot that is shown, without changes. @type {{ of: Weights, accuracy: number } | undefined} */
  let unchanged
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let pictured = 0
  let pictureTime = 0

  /** Ends the run; A stays. */
  function end() {
    run?.dispose()
    viewer?.dispose()
    run = viewer = unchanged = undefined
    snapshots = []
    losses = []
    evaluations = []
    reachedAt = divergedAt = at = null
    changes = []
    every = EVERY
    isOpened = false
    asked = {}
  }

  function release() {
    kept?.viewer.dispose()
    kept = undefined
  }

  /** @param {NonNullable<Request['open']>} given */
  function open({ task, settings, text, state, step = 0 }) {
    if (kept?.viewer.task !== task) release()
    end()
    words = text
    run = createRun(qkv, task, settings, text)
    viewer = createRun(qkv, task, settings, text)
    if (state) run.resume(state, step)
    isOpened = state !== undefined
    const start = performance.now()
    evaluate()
    const cold = performance.now()
    nowhere = run.looksNowhere()
    const again = performance.now()
    run.heldOutAccuracy()
    // The first evaluation compiles, the second is half of one.
    milliseconds = Math.min(cold - start, 2 * (performance.now() - again))
  }

  function evaluate() {
    if (!run) return
    const evaluation = { step: run.steps, ...run.evaluate() }
    evaluations.push(evaluation)
    const state = run.parameters.stateDict()
    if (run.steps % every === 0 && Number.isFinite(evaluation.loss)) snapshots.push({ step: run.steps, state })
    const n = Object.values(state).reduce((sum, { data }) => sum + data.length, 0)
    if (snapshots.length > 2 && snapshots.length * n > MOST_NUMBERS) {
      every *= 2
      snapshots = snapshots.filter(({ step }) => step % every === 0)
    }
    const { measure, goal } = run.recipe
    if (reachedAt === null && evaluation[measure] >= goal && !isOpened) {
      reachedAt = run.steps
      isTraining = false
    }
  }

  /** One step; false: there is none left, or the numbers have left the scale. */
  function train() {
    if (!run || isOpened || divergedAt !== null || run.steps >= run.settings.steps) return false
    const loss = run.step()
    losses.push(loss)
    if (run.steps === 1) firstLoss = loss
    if (!(loss <= MOST_LOSS * firstLoss)) {
      divergedAt = run.steps
      return false
    }
    if (run.steps % EVERY === 0) evaluate()
    return true
  }

  /** The snapshot of a step, or the last one before it. @param {readonly Snapshot[]} all @param {number} step */
  const snapshotOf = (all, step) => all.filter(each => each.step <= step).at(-1) ?? all[0]

  /** Gives the viewer the weights to show: the newest, or those of a snapshot. @returns {Snapshot} */
  function shownSnapshot() {
    const { parameters, steps } = /** @type {Run} */ (run)
    if (at !== null && at < steps && snapshots.length) return snapshotOf(snapshots, at)
    // After the numbers have left the scale, the last ones that were on it.
    if (divergedAt !== null && snapshots.length) return snapshots[snapshots.length - 1]
    return { step: steps, state: parameters.stateDict() }
  }

  function report() {
    if (!run || !viewer) return
    const start = performance.now()
    const snapshot = shownSnapshot()
    viewer.parameters.loadStateDict(snapshot.state)
    viewer.touch([])
    let changed
    if (changes.some(({ isOn }) => isOn)) {
      if (!isTraining && unchanged?.of !== snapshot.state)
        unchanged = { of: snapshot.state, accuracy: viewer.heldOutAccuracy() }
      viewer.touch(changes)
      if (!isTraining && unchanged) changed = { before: unchanged.accuracy, accuracy: viewer.heldOutAccuracy() }
    }
    const shown = probeOf(qkv, viewer, probe, { ...asked, write: isTraining ? 0 : WRITTEN })
    let other
    if (kept) {
      const { step, state } = snapshotOf(kept.snapshots, kept.at ?? snapshot.step)
      kept.viewer.parameters.loadStateDict(state)
      other = { shownAt: step, shown: probeOf(qkv, kept.viewer, probe) }
    }
    post({
      ...{ id, settings: run.settings, steps: run.steps, isTraining, losses, evaluations, reachedAt, divergedAt },
      ...{ shownAt: snapshot.step, shown, changed, kept: other, nowhere, milliseconds, isOpened },
    })
    losses = []
    evaluations = []
    pictured = performance.now()
    pictureTime = pictured - start
  }

  /** @param {NonNullable<Request['keep']>} what */
  function keep(what) {
    if (!run || !viewer) return
    const { step, state } = shownSnapshot()
    release()
    const { task, settings } = run
    const copy = createRun(qkv, task, settings, words)
    kept =
      what === 'step'
        ? { viewer: copy, snapshots: [{ step, state }], at: step }
        : {
            viewer: copy,
            snapshots: snapshots.at(-1)?.step === step ? snapshots : [...snapshots, { step, state }],
            at: null,
          }
  }

  /** @param {NonNullable<Request['get']>} what */
  function get(what) {
    if (!run) return
    if ('gradient' in what) {
      const { step, state } = snapshotOf(snapshots, what.gradient)
      post({ id, gradients: { step, ...run.gradients(state, step) } })
    } else {
      const { step, state } = shownSnapshot()
      post({
        id,
        state: Object.fromEntries(
          Object.entries(state).map(([name, { data, dims }]) => [name, { data, dims: [...dims] }]),
        ),
        step,
      })
    }
  }

  function work() {
    timer = undefined
    if (!isTraining) return
    const start = performance.now()
    try {
      const isSlow = Number.isFinite(pace)
      do isTraining = train() && isTraining
      while (isTraining && !isSlow && performance.now() - start < SLICE)
      // A picture takes a third of the time at most.
      const pause = Math.max(PICTURE, 3 * pictureTime)
      const isDue = isSlow || performance.now() - pictured > pause
      if (!isTraining || (isDue && (!isStill || evaluations.length))) report()
      if (isTraining) timer = setTimeout(work, isSlow ? 1000 / pace : 0)
    } catch (error) {
      isTraining = false
      post({ id, failure: /** @type {Error} */ (error).message })
    }
  }

  return {
    /** @param {Request} request */
    ask(request) {
      id = request.id
      try {
        if (request.end) end()
        if (request.open) open(request.open)
        if (request.pace !== undefined) pace = request.pace
        if (request.isStill !== undefined) isStill = request.isStill
        if (request.probe !== undefined) probe = request.probe
        if (request.at !== undefined) at = request.at
        if (request.changes) changes = request.changes
        if (request.why !== undefined) asked.why = request.why
        if (request.layer !== undefined) asked.layer = request.layer
        if (request.keep === null) release()
        else if (request.keep) keep(request.keep)
        if (request.isTraining !== undefined) isTraining = request.isTraining
        if (request.step) {
          isTraining = false
          train()
        }
        clearTimeout(timer)
        timer = undefined
        report()
        if (request.get) get(request.get)
        if (isTraining) timer = setTimeout(work)
      } catch (error) {
        isTraining = false
        post({ id, failure: /** @type {Error} */ (error).message })
      }
    },
    close() {
      clearTimeout(timer)
      end()
      release()
    },
  }
}
