// The numbers of the settings: computed at once, or for many tokens in a worker. While the settings stay they are compared with
// float64, and a batch is run.

import { check } from '../check-settings.js'
import { DEFAULTS } from '../fields.js'
import { signature } from '../settings.js'
import { createArithmetic } from './arithmetic.js'
import { createBaseline } from './baseline.js'
import { isLarge } from './large-trace.js'
import { createTracer } from './layer-trace.js'
import { difference } from './reference64.js'
import { createJobs } from './scheduler.js'
import { spreadOf } from './score-distribution.js'

/** @typedef {import('../fields.js').Settings} Settings */
/** @typedef {import('../check-settings.js').Checked} Checked */
/** @typedef {import('../check-settings.js').Problems} Problems */
/** @typedef {import('./layer-trace.js').Result} Result */
/** @typedef {import('./scheduler.js').Message} Message */

/** Milliseconds without a change until the comparison with float64 begins, and how long one slice of it may take. */
const [REST, SLICE] = [300, 8]

/** @typedef {ReturnType<typeof createResults>} Results */

/**
 * @param {import('qkv').Qkv} qkv
 * @param {() => void} changed there is something new to show
 * @param {() => void} arrived the result of a large trace is there: it has been waited for
 * @param {(error: unknown) => void} failed a large trace threw
 */
export function createResults(qkv, changed, arrived, failed) {
  const trace = createTracer(qkv)
  const jobs = createJobs(trace, onJobMessage)
  /** The last valid settings. @type {Checked | undefined} */
  let checked
  /** Their signature, once a trace of them was asked for. */
  let traced = ''
  /** The head whose steps a large trace is asked to keep. @type {number | undefined} */
  let detailHead
  /** @type {(import('./score-distribution.js').Spread & { seed: bigint }) | undefined} */
  let spread
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const results = {
    /** Of the last valid settings. @type {Result | undefined} */
    result: undefined,
    /** How far a large trace is, from 0 to 1. @type {number | undefined} */
    progress: undefined,
    /** From float64. @type {import('./reference64.js').Difference | undefined} */
    difference: undefined,
    /** @type {import('./batch-statistics.js').Batch | undefined} */
    batch: undefined,
    baseline: createBaseline(qkv, changed),
    arithmetic: createArithmetic(qkv),

    /**
     * Computes what the settings ask for, unless it is there.
     * @param {Settings} settings
     * @returns {Problems}
     */
    update(settings) {
      const name = signature(settings)
      if (name === traced && (detailHead === undefined || detailHead === settings.head)) return {}
      const { checked: fresh, problems } = check(settings)
      checked = fresh ?? checked ?? check(DEFAULTS).checked // a link with problems has something to show beside them
      if (!checked || (results.result && !fresh)) return problems
      clearTimeout(timer) // the processors are for the new numbers
      traced = fresh ? name : ''
      detailHead = isLarge(checked) ? settings.head : undefined
      if (isLarge(checked)) jobs.run(checked, settings.head)
      else {
        jobs.cancel()
        results.progress = undefined
        show(trace(checked))
      }
      return problems
    },

    /** The spread of random scores of a size, with the seed of the settings. @param {number} d */
    spread(d) {
      const seed = checked?.seed ?? 0n
      if (spread?.d !== d || spread.seed !== seed) spread = { ...spreadOf(qkv, d, seed), seed }
      return spread
    },

    /** Computes the last settings again when they are asked for again. */
    forget() {
      traced = ''
      detailHead = undefined
    },
  }

  /** @param {Result} result */
  function show(result) {
    Object.assign(results, { result, difference: undefined, batch: undefined })
    clearTimeout(timer)
    const comparison = difference(result)
    const go = () => {
      const end = performance.now() + SLICE
      let step = comparison.next()
      while (!step.done && performance.now() < end) step = comparison.next()
      if (!step.done) {
        timer = setTimeout(go)
        return
      }
      results.difference = step.value
      results.batch = trace.batch(result)
      changed()
    }
    timer = setTimeout(go, REST)
  }

  /** @param {Omit<Message, 'id'>} message */
  function onJobMessage({ progress, result, failure }) {
    results.progress = progress
    if (result) {
      show(result)
      arrived()
    } else if (failure === undefined) changed()
    else failed(failure)
  }

  return results
}
