// A run that somebody watches: it trains in slices, keeps snapshots, and shows any of them on a probe. No DOM: in a
// worker, or on a page without one.

import { probeOf } from './probe.js'
import { createRun } from './run.js'

/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('./run.js').Task} Task */
/** @typedef {import('./run.js').Evaluation} Evaluation */
/** @typedef {import('./probe.js').Shown} Shown */

/** Steps between evaluations and snapshots. */
export const EVERY = 20
/** Milliseconds of work between two looks at what was asked meanwhile, and between two pictures. */
const SLICE = 40
const PICTURE = 90

/**
 * What the page asks for.
 * @typedef {{ id: number, open?: { task: Task, settings: Partial<LearnSettings>, text?: string }, isTraining?: boolean,
 *   step?: boolean, pace?: number, probe?: string, at?: number | null, factors?: Record<string, number> }} Request
 *   pace: steps a second, Infinity as fast as it goes; at: the step to show, null the newest; factors: by 'layer.head',
 *   what the head's output is multiplied with
 */

/**
 * What it is told.
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
 * @property {{ accuracy: number, before: number }} [changed] with factors: the accuracy with and without them
 */

/**
 * @param {import('qkv').Qkv} qkv
 * @param {(report: Report | { id: number, failure: string }) => void} post
 */
export function createSession(qkv, post) {
  /** @type {ReturnType<typeof createRun> | undefined} */
  let run
  /** The same model, with the weights of the snapshot that is shown. @type {ReturnType<typeof createRun> | undefined} */
  let viewer
  /** @type {{ step: number, state: import('./model.js').Weights }[]} */
  let snapshots = []
  let pace = Number.POSITIVE_INFINITY
  let isTraining = false
  let id = 0
  let probe = ''
  /** @type {number | null} */
  let at = null
  /** @type {Record<string, number>} */
  let factors = {}
  /** @type {number | null} */
  let reachedAt = null
  /** @type {number | null} */
  let divergedAt = null
  /** @type {number[]} */
  let losses = []
  /** @type {({ step: number } & Evaluation)[]} */
  let evaluations = []
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let pictured = 0

  function close() {
    run?.dispose()
    viewer?.dispose()
    run = viewer = undefined
    snapshots = []
    losses = []
    evaluations = []
    reachedAt = divergedAt = at = null
    factors = {}
  }

  /** @param {NonNullable<Request['open']>} given */
  function open({ task, settings, text }) {
    close()
    run = createRun(qkv, task, settings, text)
    viewer = createRun(qkv, task, settings, text)
    evaluate()
  }

  function evaluate() {
    if (!run) return
    const evaluation = { step: run.steps, ...run.evaluate() }
    evaluations.push(evaluation)
    snapshots.push({ step: run.steps, state: run.parameters.stateDict() })
    const { measure, goal } = run.recipe
    if (reachedAt === null && evaluation[measure] >= goal) {
      reachedAt = run.steps
      isTraining = false
    }
  }

  /** One step; false: there is none left, or the numbers have left the scale. */
  function train() {
    if (!run || divergedAt !== null || run.steps >= run.settings.steps) return false
    const loss = run.step()
    losses.push(loss)
    if (!Number.isFinite(loss)) {
      divergedAt = run.steps
      return false
    }
    if (run.steps % EVERY === 0) evaluate()
    return true
  }

  /** Gives the viewer the weights to show: the newest, or those of a snapshot; heads scaled. @returns {number} the step */
  function load() {
    if (!run || !viewer) return 0
    const wanted = at
    const snapshot = wanted === null ? undefined : snapshots.filter(({ step }) => step <= wanted).at(-1)
    viewer.parameters.loadStateDict(snapshot?.state ?? run.parameters.stateDict())
    return snapshot?.step ?? run.steps
  }

  function report() {
    if (!run || !viewer) return
    const shownAt = load()
    const isChanged = Object.values(factors).some(factor => factor !== 1)
    let changed
    if (isChanged && !isTraining) {
      const before = viewer.evaluate().accuracy
      viewer.scaleHeads(factors)
      changed = { before, accuracy: viewer.evaluate().accuracy }
    } else if (isChanged) viewer.scaleHeads(factors)
    const shown = probeOf(viewer, probe)
    post({
      ...{ id, settings: run.settings, steps: run.steps, isTraining, losses, evaluations, reachedAt, divergedAt },
      ...{ shownAt, shown, changed },
    })
    losses = []
    evaluations = []
    pictured = performance.now()
  }

  function work() {
    timer = undefined
    if (!isTraining) return
    const start = performance.now()
    try {
      const isSlow = Number.isFinite(pace)
      do isTraining = train() && isTraining
      while (isTraining && !isSlow && performance.now() - start < SLICE)
      if (!isTraining || isSlow || performance.now() - pictured > PICTURE) report()
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
        if (request.open) open(request.open)
        if (request.pace !== undefined) pace = request.pace
        if (request.probe !== undefined) probe = request.probe
        if (request.at !== undefined) at = request.at
        if (request.factors) factors = request.factors
        if (request.isTraining !== undefined) isTraining = request.isTraining
        if (request.step) {
          isTraining = false
          train()
        }
        clearTimeout(timer)
        timer = undefined
        report()
        if (isTraining) timer = setTimeout(work)
      } catch (error) {
        isTraining = false
        post({ id, failure: /** @type {Error} */ (error).message })
      }
    },
    close,
  }
}
