// Sends requests to the session of a room and reports its answers. The session runs in a worker, or on the main thread if none can be
// started. When a worker dies or stops answering, its open requests are lost; the next request starts another worker.

import { messageOf } from '../files/trouble.js'
import { once } from './once.js'

/** @import { Asks } from './room.js' */
/** @template {Asks} A @typedef {import('./room.js').ToSession<A>} ToSession */
/** @template {Asks} A @typedef {import('./room.js').FromSession<A>} FromSession */

/** Milliseconds between pings to a worker with open requests. */
const PING = 15_000
/** Unanswered pings after which a worker counts as lost. Pings are counted instead of time, which passes even while a computer sleeps. */
const MOST_PINGS = 4

/** Converts an error to a problem. Errors that the page itself throws have the `key` of their text. @param {unknown} error @returns {import('./room.js').Problem} */
export function problemOf(error) {
  const { key = 'requestFailed', params = { message: messageOf(error) }, code } = Object(error)
  return { key, params, code }
}

/**
 * Returns a function that answers the messages of a port with the handlers of a session.
 * @template {Asks} A
 * @param {() => import('./room.js').Handlers<A> | Promise<import('./room.js').Handlers<A>>} make creates the handlers on the first request,
 *   and again if that failed
 * @param {(message: FromSession<A>, transfer?: Transferable[]) => void} post
 * @returns {(message: ToSession<A>) => Promise<void>}
 */
export function serve(make, post) {
  const prepared = once(make)
  /** @type {Map<number, AbortController>} */
  const running = new Map()
  return async message => {
    if (message.type === 'ping') return post({ type: 'pong' })
    if (message.type === 'cancel') return running.get(message.id)?.abort()
    const { id, request } = message
    const controller = new AbortController()
    const { signal } = controller
    running.set(id, controller)
    /** @type {import('./room.js').Run<any>} */
    const run = {
      signal,
      progress(progress) {
        if (!signal.aborted) post({ type: 'progress', id, progress })
      },
      emit(value, transfer) {
        if (!signal.aborted) post({ type: 'value', id, value, isLast: false }, transfer)
      },
      transfer: [],
    }
    try {
      const handlers = await prepared()
      signal.throwIfAborted()
      const value = await handlers[request.type](request, run)
      if (signal.aborted) post({ type: 'cancelled', id })
      else post({ type: 'value', id, value, isLast: true }, run.transfer)
    } catch (error) {
      post(signal.aborted ? { type: 'cancelled', id } : { type: 'failed', id, problem: problemOf(error) })
    } finally {
      running.delete(id)
    }
  }
}

/**
 * Serves a room's session in a worker: a worker.js consists of this call.
 * @template {Asks} A
 * @param {() => Promise<import('./room.js').Handlers<A>>} make
 */
export function serveWorker(make) {
  const answer = serve(make, (message, transfer = []) => postMessage(message, { transfer }))
  self.onmessage = ({ data }) => answer(data)
}

/** Lets Node exit while a timer is pending; timers of browsers have no `unref`. @param {number | { unref?: () => unknown }} timer */
export const keepNoProcess = timer => Object(timer).unref?.()

/** True if this page can start workers. A page opened from disk cannot. */
export const canWork = () => globalThis.location?.protocol !== 'file:' && typeof Worker === 'function'

/**
 * @template {Asks} A
 * @param {{ worker?: () => Worker, handlers: () => import('./room.js').Handlers<A> | Promise<import('./room.js').Handlers<A>> }} session
 * worker: starts the worker; undefined if it cannot be started
 * @param {(message: FromSession<A>) => void} take handles each message of the session
 * @param {(problem: import('./room.js').Problem) => void} lost called when a worker is lost together with its open requests
 */
export function createPort({ worker: start, handlers }, take, lost) {
  /** @type {Worker | undefined} */
  let worker
  /** @type {((message: ToSession<A>) => void) | undefined} */
  let onPage
  /** Open requests by id. @type {Map<number, ToSession<A>>} */
  const open = new Map()
  let hasAnswered = false
  /** Number of pings since the last message. */
  let unanswered = 0
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let pings

  /** @param {FromSession<A>} message */
  function receive(message) {
    hasAnswered = true
    unanswered = 0
    if (message.type === 'pong') return
    if (message.type !== 'progress' && !(message.type === 'value' && !message.isLast)) open.delete(message.id)
    if (!open.size) stopPings()
    take(message)
  }

  function stopPings() {
    clearInterval(pings)
    pings = undefined
  }

  function end() {
    stopPings()
    worker?.terminate()
    worker = undefined
  }

  /** @param {import('./room.js').Problem} problem */
  function lose(problem) {
    end()
    if (!hasAnswered) {
      // The worker could not start, so run the session on the main thread.
      start = undefined
      for (const message of open.values()) send(message)
      return
    }
    open.clear()
    lost(problem)
  }

  function startWorker() {
    const made = /** @type {() => Worker} */ (start)()
    hasAnswered = false
    made.onmessage = ({ data }) => receive(data)
    made.onerror = ({ message }) => lose({ key: 'workerLost', params: { message: message ?? '' } })
    return made
  }

  function ping() {
    if (unanswered === MOST_PINGS) {
      hasAnswered = true
      return lose({ key: 'workerSilent', params: { seconds: (PING * MOST_PINGS) / 1000 } })
    }
    unanswered++
    worker?.postMessage({ type: 'ping' })
  }

  /** @param {ToSession<A>} message */
  function send(message) {
    if (message.type === 'ask') open.set(message.id, message)
    if (start) {
      if (message.type === 'cancel' && !worker) return
      worker ??= startWorker()
      if (pings === undefined && open.size) {
        unanswered = 0
        pings = setInterval(ping, PING)
        keepNoProcess(pings)
      }
      worker.postMessage(message)
    } else {
      onPage ??= serve(handlers, receive)
      onPage(message)
    }
  }

  return { send, close: end }
}
