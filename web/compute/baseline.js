// The trace of the settings that the reader kept: on the page, or of many tokens in a worker of its own.

import { check } from '../settings/check.js'
import { fromHash } from '../settings/link.js'
import { isLarge } from './large.js'
import { createJobs } from './scheduler.js'
import { createTracer } from './trace.js'

/** @typedef {import('./trace.js').Result} Result */

/**
 * @param {import('qkv').Qkv} qkv
 * @param {() => void} changed there is a result now
 */
export function createKept(qkv, changed) {
  const trace = createTracer(qkv)
  let made = ''
  /** @type {Result | undefined} */
  let result
  const jobs = createJobs(trace, message => {
    if (!message.result) return
    result = message.result
    changed()
  })

  /**
   * @param {string} link of the settings, without #
   * @param {number} head
   * @returns {Result | undefined} undefined while it is computed, or if the link makes no sense
   */
  return (link, head) => {
    const { checked } = check(fromHash(link).settings)
    if (!checked) return undefined
    const isBig = isLarge(checked)
    const name = isBig ? `${head} ${link}` : link
    if (name === made) return result
    made = name
    result = isBig ? undefined : trace(checked)
    if (isBig) jobs.run(checked, head)
    return result
  }
}
