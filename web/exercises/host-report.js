// Reports to the host, the page that embeds an exercise, and handles its requests.

import { createSplice } from './splice.js'

/** Milliseconds during which changes are collected into one report. */
const REPORT_PAUSE = 5000

/**
 * @param {object} exercise
 * @param {() => { score: number, tries: number }} exercise.stateOf returns the state that a host stores
 * @param {() => void} exercise.check
 * @param {(stored: unknown) => void} exercise.restore
 * @param {(isSilent: boolean) => void} exercise.silent called with true when the host does not answer, with false when it answers late
 */
export function createHostReport({ stateOf, check, restore, silent }) {
  /** @type {import('./splice.js').Splice | undefined} */
  let splice
  /** The last report as text, and the timer of the next. */
  let reported = ''
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let reporting

  const isReported = () => JSON.stringify(stateOf()) === reported

  /** Reports score and state to the host. */
  function report() {
    clearTimeout(reporting)
    reporting = undefined
    reported = JSON.stringify(stateOf())
    splice?.report(stateOf().score, stateOf())
  }

  /** Handles a request of the host. @param {{ subject: string, state?: unknown }} message */
  function hear({ subject, state }) {
    if (subject === 'qkv.check') check()
    else if (subject === 'qkv.setState') restore(state)
  }

  /**
   * Asks the host for an earlier attempt. A late answer does not overwrite an attempt that the reader has begun.
   * @param {import('./splice.js').Splice} host
   */
  async function ask(host) {
    const fresh = reported
    let isLate = false
    const stored = await host.getState(() => {
      isLate = true
      if (!stateOf().tries) silent(true)
    })
    if (host !== splice) return
    silent(false)
    const hasBegun = JSON.stringify(stateOf()) !== fresh
    if (stored !== undefined && !(isLate && hasBegun)) restore(stored)
  }

  return {
    report,
    /** Connects to the host. @param {string} id id of the exercise @param {string} fresh its initial state, as JSON */
    connect(id, fresh) {
      reported = fresh
      splice = createSplice(window, `qkv.${id}`, hear)
      ask(splice)
    },
    /** @param {string} name @param {object} data */
    event: (name, data) => splice?.event(name, data),
    /** Reports a change together with those that follow soon. */
    reportSoon() {
      if (splice && !reporting && !isReported()) reporting = setTimeout(report, REPORT_PAUSE)
    },
    /** Sends a pending report at once, before another exercise begins. */
    flush() {
      if (reporting) report()
    },
    close() {
      clearTimeout(reporting)
      splice?.close()
      splice = reporting = undefined
    },
  }
}
