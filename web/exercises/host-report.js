// What the page around an embedded exercise is told, and what it asks for.

import { createSplice } from './splice.js'

/** Milliseconds of changes that a host is told together. */
const REPORT_PAUSE = 5000

/**
 * @param {object} exercise
 * @param {() => { score: number, tries: number }} exercise.stateOf what a host keeps of an attempt
 * @param {() => void} exercise.check
 * @param {(stored: unknown) => void} exercise.restore
 * @param {(isSilent: boolean) => void} exercise.silent the host does not answer, or has answered after all
 */
export function createHostReport({ stateOf, check, restore, silent }) {
  /** @type {import('./splice.js').Splice | undefined} */
  let splice
  /** What was reported last, as a text; and the report that waits. */
  let reported = ''
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let reporting

  const isReported = () => JSON.stringify(stateOf()) === reported

  /** Tells the host score and state. */
  function report() {
    clearTimeout(reporting)
    reporting = undefined
    reported = JSON.stringify(stateOf())
    splice?.report(stateOf().score, stateOf())
  }

  /** The page around the frame asks for something. @param {{ subject: string, state?: unknown }} message */
  function hear({ subject, state }) {
    if (subject === 'qkv.check') check()
    else if (subject === 'qkv.setState') restore(state)
  }

  /** Asks the host for an earlier attempt. A late answer takes nothing away that the reader has begun. @param {import('./splice.js').Splice} host */
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
    /** @param {string} id of the exercise @param {string} fresh its attempt before anything was done, as JSON */
    connect(id, fresh) {
      reported = fresh
      splice = createSplice(window, `qkv.${id}`, hear)
      ask(splice)
    },
    /** @param {string} name @param {object} data */
    event: (name, data) => splice?.event(name, data),
    /** Reports a change with those that follow it. */
    reportSoon() {
      if (splice && !reporting && !isReported()) reporting = setTimeout(report, REPORT_PAUSE)
    },
    /** Another exercise follows: what waits is reported. */
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
