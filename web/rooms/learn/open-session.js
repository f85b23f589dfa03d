// A session for the page: in a worker, or where none can start (a page from a disk) in slices on the page.

import { load } from 'qkv'
import { createSession } from './session.js'

/** @typedef {import('./session.js').Request} Request */
/** @typedef {import('./session.js').Report} Report */
/** Seconds after which a worker that trains and says nothing is lost. */
const PATIENCE = 60

/** @typedef {{ ask: (request: Omit<Request, 'id'>) => void, close: () => void }} Session */

/**
 * @param {(report: Report | import('./session.js').Got | { failure: string, isLost?: boolean }) => void} take reports of the newest run;
 *   isLost: no worker answers any more
 * @returns {Session}
 */
export function openSession(take) {
  let id = 0
  let first = 0
  let isClosed = false
  /** @type {Worker | undefined} */
  let worker
  /** @type {Promise<ReturnType<typeof createSession>> | undefined} */
  let here
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let watchdog
  const lose = (/** @type {string} */ failure) => {
    clearTimeout(watchdog)
    worker?.terminate()
    worker = undefined
    if (!isClosed) take({ failure, isLost: true })
  }
  const receive = (/** @type {any} */ report) => {
    clearTimeout(watchdog)
    if (worker && report.isTraining) watchdog = setTimeout(lose, 1000 * PATIENCE, `no answer for ${PATIENCE} s.`)
    if (!isClosed && report.id >= first) take(report)
  }
  const onPage = () => {
    here ??= load().then(qkv => createSession(qkv, receive))
    return here
  }
  const isOnPage = location.protocol === 'file:' || typeof Worker !== 'function'
  if (!isOnPage) {
    worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }) => receive(data)
    worker.onerror = ({ message }) => lose(message || 'the worker could not start.')
  }
  return {
    ask(request) {
      id++
      if (request.open || request.end) first = id
      const message = { ...request, id }
      if (worker) worker.postMessage(message)
      else if (!isOnPage)
        return // it is lost
      else
        onPage().then(
          session => session.ask(message),
          error => take({ failure: error.message }),
        )
    },
    close() {
      isClosed = true
      clearTimeout(watchdog)
      worker?.terminate()
      here?.then(
        session => session.close(),
        () => {},
      )
    },
  }
}
