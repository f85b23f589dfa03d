// A session for the page: in a worker, or where none can start (a page from a disk) on the page itself.

/** @typedef {import('./session.js').Request} Request */
/** @typedef {import('./session.js').Report} Report */
/** @typedef {{ ask: (request: Omit<Request, 'id'>) => number, close: () => void }} Session */

/**
 * @param {(report: Report) => void} take
 * @returns {Session}
 */
export function openSession(take) {
  let id = 0
  let isClosed = false
  /** @type {Worker | undefined} */
  let worker
  /** A page from a disk has none; nor has one whose first worker never answered. */
  let canWork = location.protocol !== 'file:' && typeof Worker === 'function'
  /** @type {Promise<ReturnType<typeof import('./session.js').createSession>> | undefined} */
  let here
  const receive = (/** @type {Report} */ report) => {
    if (!isClosed) take(report)
  }
  const onPage = () => {
    here ??= Promise.all([import('qkv'), import('./session.js'), import('@huggingface/tokenizers')]).then(
      async ([{ load }, { createSession }, { Tokenizer }]) => createSession(await load(), Tokenizer, receive),
    )
    return here
  }
  /** Its model ends with a worker: the room is told, and what it asks next starts another. */
  const start = () => {
    const made = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
    let hasAnswered = false
    made.onmessage = ({ data }) => {
      hasAnswered = true
      receive(data)
    }
    made.onerror = ({ message }) => {
      made.terminate()
      worker = undefined
      canWork = hasAnswered
      receive({ id, failure: message || 'the worker could not start.', isLost: true })
    }
    return made
  }
  return {
    ask(request) {
      id++
      const message = { ...request, id }
      if (canWork) worker ??= start()
      if (worker) worker.postMessage(message)
      else
        onPage().then(
          session => session.ask(message),
          error => receive({ id: message.id, failure: error.message }),
        )
      return id
    },
    close() {
      isClosed = true
      worker?.terminate()
      here?.then(
        session => session.close(),
        () => {},
      )
    },
  }
}
