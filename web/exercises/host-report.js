// Reports to the host, the page that embeds an exercise, and handles its requests.

import { createSplice } from './splice.js'

/** Milliseconds during which changes are collected into one report. */
const REPORT_PAUSE = 5000

/**
 * @param {ReturnType<typeof import('./reader-attempt.js').createReaderAttempt>} attempt
 * @param {() => import('../shell/room.js').Translate | undefined} texts
 */
export function createHostReport(attempt, texts) {
  /** @type {import('./splice.js').Splice | undefined} */
  let splice
  /** The last report as text, and the timer of the next. */
  let reported = ''
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let reporting

  const stateText = () => JSON.stringify(attempt.state())

  /** Reports score and state to the host. */
  function report() {
    clearTimeout(reporting)
    reporting = undefined
    reported = stateText()
    splice?.report(attempt.state().score, attempt.state())
  }

  /** Continues from a state that the host stored, or says why not. @param {unknown} stored */
  function restore(stored) {
    if (attempt.restore(stored)) return
    attempt.say('exerciseStateRefused')
    splice?.event('error', { message: texts()?.('exerciseStateRefused') ?? '' })
  }

  /** Handles a request of the host. @param {{ subject: string, state?: unknown }} message */
  function hear({ subject, state }) {
    if (subject === 'qkv.check') attempt.act.check()
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
      if (!attempt.state().tries) attempt.say('exerciseHostSilent')
    })
    if (host !== splice) return
    if (attempt.said === 'exerciseHostSilent') attempt.say('')
    const hasBegun = stateText() !== fresh
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
      if (splice && !reporting && stateText() !== reported) reporting = setTimeout(report, REPORT_PAUSE)
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
