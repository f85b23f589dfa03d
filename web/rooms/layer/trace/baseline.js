// The trace of the baseline, the settings to compare with: on the page, or of many tokens in a worker of its own.

import { check } from '../check-settings.js'
import { fromHash } from '../layer-link.js'
import { isLarge } from './large-trace.js'
import { createTracer } from './layer-trace.js'
import { createJobs } from './scheduler.js'

/** @typedef {import('./layer-trace.js').Result} Result */

/**
 * Without a result or a failure it is being computed.
 * @typedef {{ result?: Result, failure?: unknown }} Baseline
 */

/**
 * @param {import('qkv').Qkv} qkv
 * @param {() => void} changed there is a result now, or a failure
 */
export function createBaseline(qkv, changed) {
  const trace = createTracer(qkv)
  let made = ''
  /** @type {Baseline} */
  let state = {}
  const jobs = createJobs(trace, ({ result, failure }) => {
    if (!result && failure === undefined) return
    state = { result, failure }
    changed()
  })

  return {
    /**
     * @param {string} link of the settings, without #
     * @param {number} head
     * @returns {Baseline}
     */
    of(link, head) {
      const { checked } = check(fromHash(link).settings)
      if (!checked) return { failure: new RangeError('the settings of this link make no sense') }
      const isBig = isLarge(checked)
      const name = isBig ? `${head} ${link}` : link
      if (name === made) return state
      made = name
      state = {}
      if (isBig) jobs.run(checked, head)
      else
        try {
          state = { result: trace(checked) }
        } catch (failure) {
          state = { failure }
        }
      return state
    },
    /** A baseline that failed is computed again when it is asked for again. */
    forget() {
      if (state.failure !== undefined) made = ''
    },
  }
}
