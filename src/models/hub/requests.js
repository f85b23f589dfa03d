// Requests to the hub: redirects, ranges, what is tried again and how it is said.

import { checkRange, factsOf, fail, refusal, seesRedirects } from './hub-answers.js'
import { HubError, Passing } from './hub-error.js'

/** @typedef {import('./hub-settings.js').Settings} Settings */
/** @typedef {import('./hub-name.js').HubName} HubName */
/** @typedef {import('./hub-answers.js').HubFile} HubFile */
/** @typedef {import('./hub-answers.js').Facts} Facts */

/** How often a request is made, the first pause in milliseconds (each one is twice as long), and the longest pause. */
const TRIES = 5
const PAUSE = 500
const LONGEST = 60_000

/** @param {number} time @param {AbortSignal} [signal] */
const sleep = (time, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve(undefined)
    }, time)
    signal?.addEventListener('abort', stop, { once: true })
  })

/**
 * A signal that ends a request by the caller's signal, or when no byte came for a time.
 * @param {AbortSignal | undefined} signal
 * @param {number} patience
 */
function watch(signal, patience) {
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const again = () => {
    clearTimeout(timer)
    const broken = new Passing('NETWORK', `no byte came for ${patience / 1000} s`)
    timer = setTimeout(() => controller.abort(broken), patience)
  }
  signal?.addEventListener('abort', stop, { once: true })
  again()
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
  return { signal: controller.signal, again, end }
}

/**
 * The requests of one model.
 * @param {Settings} settings
 * @param {HubName} name
 * @param {AbortSignal} [signal]
 */
export function requestsOf({ hub, token, headers, patience }, name, signal) {
  const { origin } = new URL(hub)
  const own = { ...headers, ...(token && { Authorization: `Bearer ${token}` }) }
  /** @type {Facts | undefined} */
  let known

  /**
   * The answer at the end of all redirects. The token and the caller's headers go to the hub alone.
   * @param {string} url
   * @param {Record<string, string>} range
   * @param {AbortSignal} ended
   */
  async function answerOf(url, range, ended) {
    /** The hash of a large file: the storage does not know it. @type {string | null} */
    let linked = null
    for (let hops = 0; hops < 10; hops++) {
      const isOwn = new URL(url).origin === origin
      const redirect = seesRedirects ? 'manual' : 'follow'
      // Without the cache of the browser, which would hold the files twice and sends ranges of a file one after the other.
      const options = /** @type {RequestInit} */ ({ redirect, signal: ended, cache: 'no-store' })
      const response = await fetch(url, { headers: { ...range, ...(isOwn && own) }, ...options })
      const location = response.status < 400 && response.headers.get('location')
      const last = response.url || url
      const ends = new URL(last).origin === origin
      linked ??= response.headers.get('x-linked-etag')
      if (!location) return { response, url: last, isOwn: ends, etag: linked ?? (ends && response.headers.get('etag')) }
      await response.body?.cancel()
      url = new URL(location, url).href
    }
    throw fail(name, 'ANSWER', `${hub} redirects more than ten times`)
  }

  /** @param {import('./hub-answers.js').Answer} answer @param {string} what */
  const refused = (answer, what) => refusal(answer, what, { hub, token, name, known })

  /** @param {string} url @param {string} what */
  const page = (url, what) =>
    fail(
      name,
      'ANSWER',
      `${url} answers with a page of HTML, ${what} expected: the address is not that of a hub, or the network asks for a login first`,
    )

  /**
   * Makes an attempt again while its error may pass, after growing pauses, or when the hub said.
   * @template T
   * @param {() => Promise<T>} attempt
   * @param {number} [tries]
   * @returns {Promise<T>}
   */
  async function repeatedly(attempt, tries = TRIES) {
    for (let n = 1; ; n++) {
      signal?.throwIfAborted()
      try {
        return await attempt()
      } catch (cause) {
        signal?.throwIfAborted()
        if (cause instanceof HubError) throw cause
        const text = /** @type {Error} */ (cause).message
        const error =
          cause instanceof Passing ? cause : new Passing('NETWORK', `${hub} cannot be reached: ${text}`, { cause })
        const pause = error.after === undefined ? PAUSE * 2 ** (n - 1) : 1000 * error.after
        if (pause > LONGEST) throw fail(name, error.code, `${error.message}; it asks to wait ${error.after} s`)
        if (n >= tries) throw fail(name, error.code, `${error.message}${n > 1 ? `, after ${n} requests` : ''}`)
        await sleep(pause, signal)
      }
    }
  }

  /** @param {HubFile} file */
  const resolveAddress = ({ path }) =>
    `${hub}/${known?.id ?? name.id}/resolve/${known?.commit ?? encodeURIComponent(name.revision)}/${path.split('/').map(encodeURIComponent).join('/')}`

  return {
    /**
     * Asks for the commit of the revision and its files.
     * @param {number} [tries]
     * @returns {Promise<Facts>}
     */
    facts: tries =>
      repeatedly(async () => {
        const seen = watch(signal, patience)
        try {
          const url = `${hub}/api/models/${name.id}/revision/${encodeURIComponent(name.revision)}?blobs=true`
          const answer = await answerOf(url, {}, seen.signal)
          if (answer.response.status !== 200) throw refused(answer, 'the list of files')
          const text = await answer.response.text()
          if (/^\s*</.test(text)) throw page(answer.url, 'the list of files as JSON')
          known = factsOf(text, name)
          return known
        } finally {
          seen.end()
        }
      }, tries),

    /** Facts that were kept, of a model that is read without asking again. @param {Facts} facts */
    use(facts) {
      known = facts
    },

    /**
     * Reads bytes from <= i < to of a file. A body that breaks off goes on where it ended. The size and the hash are taken
     * from the answer where the list of files did not have them.
     * @param {HubFile} file
     * @param {number} from
     * @param {number} to
     * @param {(count: number) => void} onBytes
     */
    async range(file, from, to, onBytes) {
      let bytes = new Uint8Array(to - from)
      let have = 0
      await repeatedly(async () => {
        if (!file.address) await file.resolving
        const used = file.address
        const seen = watch(signal, patience)
        let isResolved = () => {}
        if (!used)
          file.resolving = new Promise(resolve => {
            isResolved = () => resolve()
          })
        try {
          const range = { Range: `bytes=${from + have}-${to - 1}` }
          const answer = await answerOf(used ?? resolveAddress(file), range, seen.signal)
          const { response } = answer
          if (response.status !== 200 && response.status !== 206) {
            if (response.status !== 416 || from + have > 0 || file.size) throw refused(answer, file.path)
            file.size = 0
          }
          file.address = answer.url
          isResolved()
          if (response.headers.get('content-type')?.startsWith('text/html')) throw page(answer.url, file.path)
          file.hash ??= /^(?:W\/)?"([0-9a-f]{40}|[0-9a-f]{64})"$/.exec(answer.etag || '')?.[1]
          checkRange(response, name, file, from + have, to)
          const end = Math.min(to, file.size ?? to) - from
          let skip = response.status === 200 ? from + have : 0 // a hub without ranges sends the file from its start
          const reader = response.body?.getReader()
          for (; reader; ) {
            const { done, value } = await reader.read()
            if (done) break
            seen.again()
            const part = value.subarray(Math.min(skip, value.length))
            skip -= value.length - part.length
            if (have + part.length > end) {
              if (response.status === 206 || end + from === file.size)
                throw fail(
                  name,
                  'ANSWER',
                  `${file.path} is longer than ${file.size ?? to - from} bytes, which the hub announced`,
                )
              bytes.set(part.subarray(0, end - have), have)
              onBytes(end - have)
              have = end
              reader.cancel()
              break
            }
            bytes.set(part, have)
            have += part.length
            onBytes(part.length)
          }
          if (file.size === undefined) file.size = from + have // the answer says no size: this is all
          if (have < Math.min(to, file.size) - from)
            throw new Passing('NETWORK', `${file.path} ends after ${from + have} of ${file.size} bytes`)
          bytes = bytes.subarray(0, have)
        } catch (error) {
          if (file.address === used || !used) file.address = undefined
          throw seen.signal.aborted ? seen.signal.reason : error
        } finally {
          isResolved()
          file.resolving = undefined
          seen.end()
        }
      })
      return bytes
    },
  }
}
