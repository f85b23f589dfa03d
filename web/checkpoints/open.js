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
  if (location.protocol !== 'file:' && typeof Worker === 'function') {
    worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }) => receive(data)
    worker.onerror = () => {
      worker?.terminate()
      worker = undefined
      receive({ id, failure: 'the worker ended.' })
    }
  }
  return {
    ask(request) {
      id++
      const message = { ...request, id }
      if (worker) worker.postMessage(message)
      else onPage().then(session => session.ask(message))
      return id
    },
    close() {
      isClosed = true
      worker?.terminate()
      here?.then(session => session.close())
    },
  }
}
