// A session for the page: in a worker, or where none can start (a page from a disk) in slices on the page.

import { load } from 'qkv'
import { createSession } from './session.js'

/** @typedef {import('./session.js').Request} Request */
/** @typedef {import('./session.js').Report} Report */
/** @typedef {{ ask: (request: Omit<Request, 'id'>) => void, close: () => void }} Session */

/**
 * @param {(report: Report | { failure: string }) => void} take reports of the newest run
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
  const receive = (/** @type {any} */ report) => {
    if (!isClosed && report.id >= first) take(report)
  }
  const onPage = () => {
    here ??= load().then(qkv => createSession(qkv, receive))
    return here
  }
  if (location.protocol !== 'file:' && typeof Worker === 'function') {
    worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }) => receive(data)
    worker.onerror = () => {
      worker?.terminate()
      worker = undefined
      take({ failure: 'the worker ended.' })
    }
  }
  return {
    ask(request) {
      id++
      if (request.open) first = id
      const message = { ...request, id }
      if (worker) worker.postMessage(message)
      else onPage().then(session => session.ask(message))
    },
    close() {
      isClosed = true
      worker?.terminate()
      here?.then(session => session.close())
    },
  }
}
