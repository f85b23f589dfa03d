// Sends requests to the session of a room and reports its answers. The session runs in a worker, or on the page where no
// worker can start. When a worker ends or no longer answers, its open requests are lost; the next request starts another.

import { once } from './once.js'

/** @typedef {import('./room.js').Asks} Asks */
/** @template {Asks} A @typedef {import('./room.js').ToSession<A>} ToSession */
/** @template {Asks} A @typedef {import('./room.js').FromSession<A>} FromSession */

/** Milliseconds between two pings of a worker with open requests. */
const PING = 15_000
/** Pings without an answer after which a worker is lost. They are counted, because time also passes while a computer sleeps. */
const MOST_PINGS = 4

/** What is wrong, as a text: an error of ours names its text by `key`. @param {any} error @returns {import('./room.js').Problem} */
export const problemOf = error => ({
  key: error?.key ?? 'requestFailed',
  params: error?.params ?? { message: error instanceof Error ? error.message : String(error) },
  code: error?.code,
})

/**
 * Answers the messages of a port with the handlers of a session.
 * @template {Asks} A
 * @param {() => import('./room.js').Handlers<A> | Promise<import('./room.js').Handlers<A>>} make called for the first request, and
 *   for the next one if it failed
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
 * Serves a room's session in a worker: its whole worker.js is one call.
 * @template {Asks} A
 * @param {() => Promise<import('./room.js').Handlers<A>>} make
 */
export function serveWorker(make) {
  const answer = serve(make, (message, transfer = []) => postMessage(message, { transfer }))
  self.onmessage = ({ data }) => answer(data)
}

/** A timer of Node keeps its process alive unless it is told not to; one of a browser is a number. @param {any} timer */
export const keepNoProcess = timer => timer.unref?.()

/** Can this page start workers? One that was opened from a disk cannot. */
export const canWork = () => globalThis.location?.protocol !== 'file:' && typeof Worker === 'function'

/**
 * @template {Asks} A
 * @param {{ worker?: () => Worker, handlers: () => import('./room.js').Handlers<A> | Promise<import('./room.js').Handlers<A>> }} session
 *   worker: undefined where none can start
 * @param {(message: FromSession<A>) => void} take
 * @param {(problem: import('./room.js').Problem) => void} lost
 */
export function createPort({ worker: start, handlers }, take, lost) {
  /** @type {Worker | undefined} */
  let worker
  /** @type {((message: ToSession<A>) => void) | undefined} */
  let onPage
  /** The open requests, by their ids. @type {Map<number, ToSession<A>>} */
  const open = new Map()
  let hasAnswered = false
  /** Pings since the last message. */
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
      // It could not even start: the page does the work.
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
