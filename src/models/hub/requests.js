// Requests to the hub, with redirects, ranges, retries and errors.

import { whyOf } from '../../base/fetch-error.js'
import { checkRange, checkVersion, factsOf, fail, refusal, seesRedirects, shown } from './hub-answers.js'
import { HubError, Passing } from './hub-error.js'
import { urlOf } from './hub-settings.js'

/** @import { Settings } from './hub-settings.js' */
/** @import { HubName } from './hub-name.js' */
/** @import { Answer, Facts, HubFile } from './hub-answers.js' */

/** Maximum number of attempts per request. */
const TRIES = 5
/** The first pause between attempts in milliseconds; each pause is twice the one before. */
const PAUSE = 500
/** The maximum pause in milliseconds. If the hub requests a longer one, the request fails. */
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
 * Makes the abort signal of one request. It fires with the caller's signal, or after `patience` milliseconds without a byte, or when
 * `end` is called because the rest of a body is not needed.
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
  if (signal?.aborted) stop() // aborted while the request waited for the file's resolved address
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    controller.abort()
  }
  return { signal: controller.signal, again, end }
}

/** Encodes the path of a file for an address. @param {HubFile} file */
const pathOf = ({ path }) => path.split('/').map(encodeURIComponent).join('/')

/**
 * A buffer for the bytes of a file from `from` on; the first `have` of them have arrived.
 * @typedef {{ bytes: Uint8Array, from: number, have: number }} Arriving
 */

/** The requests of one model. */
export class Requests {
  #hub
  #token
  #headers
  #patience
  #name
  #signal
  /** @type {Facts | undefined} */
  #known
  /**
   * True if text files are requested directly at the address to which the hub would redirect. False with a token, because the model may be
   * private.
   */
  #isDirect

  /**
   * @param {Settings} settings
   * @param {HubName} name
   * @param {AbortSignal} [signal]
   */
  constructor({ hub, token, headers, patience }, name, signal) {
    this.#hub = hub
    this.#token = token
    this.#headers = { ...headers, ...(token && { Authorization: `Bearer ${token}` }) }
    this.#patience = patience
    this.#name = name
    this.#signal = signal
    this.#isDirect = !token
  }

  /** Sets the facts of the revision, which the store had or the hub sent. @param {Facts} facts */
  use(facts) {
    this.#known = facts
  }

  /**
   * Requests the commit of the revision and the list of its files.
   * @param {number} [tries]
   * @returns {Promise<Facts>}
   */
  facts(tries) {
    const { id, revision } = this.#name
    const url = `${this.#hub}/api/models/${id}/revision/${encodeURIComponent(revision)}?blobs=true`
    return this.#repeatedly(async () => {
      const seen = watch(this.#signal, this.#patience)
      try {
        const answer = await this.#answerOf(url, {}, seen.signal)
        if (answer.response.status !== 200) throw this.#refused(answer, 'the list of files')
        const text = await answer.response.text()
        if (/^\s*</.test(text)) throw this.#page(answer.url, 'the list of files as JSON')
        this.#known = factsOf(text, this.#name)
        return this.#known
      } finally {
        seen.end()
      }
    }, tries)
  }

  /**
   * Reads the bytes `from` to `to` (exclusive) of a file. A broken download is resumed where it ended. Size and hash are taken from the
   * response if the list of files lacks them.
   * @param {HubFile} file
   * @param {number} from
   * @param {number} to
   * @param {(count: number) => void} onBytes
   */
  async range(file, from, to, onBytes) {
    const arriving = { bytes: new Uint8Array(to - from), from, have: 0 }
    await this.#repeatedly(() => this.#rest(file, arriving, onBytes))
    return arriving.bytes.subarray(0, arriving.have)
  }

  /**
   * Requests the bytes that have not arrived yet. While the resolved address of a file is unknown, one request resolves it and the others
   * wait.
   * @param {HubFile} file
   * @param {Arriving} arriving
   * @param {(count: number) => void} onBytes
   */
  async #rest(file, arriving, onBytes) {
    while (!file.address && file.resolving) await file.resolving
    const used = file.address
    const seen = watch(this.#signal, this.#patience)
    /** @type {(value?: undefined) => void} */
    let settle = () => {}
    const own = used
      ? undefined
      : new Promise(resolve => {
          settle = resolve
        })
    file.resolving ??= own
    const isResolved = () => {
      if (file.resolving === own) file.resolving = undefined
      settle()
    }
    try {
      const start = arriving.from + arriving.have
      const to = arriving.from + arriving.bytes.length
      const answer = await this.#ask(file, { Range: `bytes=${start}-${to - 1}` }, seen.signal)
      const { response } = answer
      if (response.status !== 200 && response.status !== 206) {
        if (response.status !== 416 || start > 0 || file.size) throw this.#refused(answer, file.path)
        file.size = 0
      }
      file.address = answer.url
      isResolved()
      if (response.headers.get('content-type')?.startsWith('text/html')) throw this.#page(answer.url, file.path)
      checkVersion(response, this.#name, file)
      file.hash ??= /^(?:W\/)?"([0-9a-f]{40}|[0-9a-f]{64})"$/.exec(answer.etag || '')?.[1]
      checkRange(response, this.#name, file, start, to)
      await this.#readBody(response, file, arriving, count => {
        seen.again()
        onBytes(count)
      })
      const end = arriving.from + arriving.have
      file.size ??= end // a response without a size contains the whole file
      if (end < Math.min(to, file.size))
        throw new Passing('NETWORK', `${file.path} ends after ${end} of ${file.size} bytes`)
    } catch (error) {
      if (file.address === used || !used) file.address = undefined
      throw seen.signal.aborted ? seen.signal.reason : error
    } finally {
      isResolved()
      seen.end()
    }
  }

  /**
   * Reads the body of a response until it ends or all requested bytes have arrived.
   * @param {Response} response
   * @param {HubFile} file
   * @param {Arriving} arriving
   * @param {(count: number) => void} onPart called with the number of new bytes
   */
  async #readBody({ status, body }, file, arriving, onPart) {
    const { bytes, from } = arriving
    const end = Math.min(bytes.length, (file.size ?? Infinity) - from)
    let skip = status === 200 ? from + arriving.have : 0 // a hub without ranges sends the file from its start
    const reader = body?.getReader()
    for (; reader; ) {
      const { done, value } = await reader.read()
      if (done) return
      const part = value.subarray(Math.min(skip, value.length))
      skip -= value.length - part.length
      const isBeyond = arriving.have + part.length > end
      if (isBeyond && (status === 206 || end + from === file.size))
        throw fail(
          this.#name,
          'ANSWER',
          `${file.path} is longer than ${file.size ?? bytes.length} bytes, which the hub announced`,
        )
      const own = isBeyond ? part.subarray(0, end - arriving.have) : part
      bytes.set(own, arriving.have)
      arriving.have += own.length
      onPart(own.length)
      if (isBeyond) return
    }
  }

  /**
   * Requests a file. A text file of a public model is requested directly at the address to which the hub would redirect, which saves one
   * request. If that address does not exist, as on a mirror, redirects are followed from then on.
   * @param {HubFile} file
   * @param {Record<string, string>} range
   * @param {AbortSignal} ended
   */
  async #ask(file, range, ended) {
    if (file.address) return this.#answerOf(file.address, range, ended)
    const hub = this.#hub
    const known = this.#known
    if (this.#isDirect && known && !known.isGated && file.hash?.length === 40) {
      const url = `${hub}/api/resolve-cache/models/${known.id}/${known.commit}/${pathOf(file)}`
      const answer = await this.#answerOf(url, range, ended).catch(() => undefined)
      ended.throwIfAborted()
      const { status = 0, headers, body } = answer?.response ?? {}
      const isText = !headers?.get('content-type')?.startsWith('text/html')
      if (answer && isText && (status === 200 || status === 206 || status === 429 || status >= 500)) return answer
      this.#isDirect = false
      await body?.cancel()
    }
    const revision = known?.commit ?? encodeURIComponent(this.#name.revision)
    return this.#answerOf(`${hub}/${known?.id ?? this.#name.id}/resolve/${revision}/${pathOf(file)}`, range, ended)
  }

  /**
   * Follows redirects and returns the last response. The token and the caller's headers are sent only to the hub.
   * @param {string} url
   * @param {Record<string, string>} range
   * @param {AbortSignal} ended
   * @returns {Promise<Answer>}
   */
  async #answerOf(url, range, ended) {
    const { origin } = new URL(this.#hub)
    /** The hash of a large file, which is only in the hub's redirect. @type {string | null} */
    let linked = null
    for (let hops = 0; hops < 10; hops++) {
      const isOwn = new URL(url).origin === origin
      const redirect = seesRedirects ? 'manual' : 'follow'
      // Bypasses the browser's cache, which would store files twice and serialise range requests.
      /** @type {RequestInit} */
      const options = { redirect, signal: ended, cache: 'no-store' }
      const response = await fetch(url, { headers: { ...range, ...(isOwn && this.#headers) }, ...options })
      const location = response.status < 400 && response.headers.get('location')
      const last = response.url || url
      const ends = new URL(last).origin === origin
      linked ??= response.headers.get('x-linked-etag')
      if (!location) return { response, url: last, isOwn: ends, etag: linked ?? (ends && response.headers.get('etag')) }
      await response.body?.cancel()
      const next = urlOf(location, url)
      if (!next) throw fail(this.#name, 'ANSWER', `${shown(url)} redirects to no address`)
      url = next.href
    }
    throw fail(this.#name, 'ANSWER', `${this.#hub} redirects more than ten times`)
  }

  /**
   * Retries after each transient error, with growing pauses or with the pause that the hub requests.
   * @template T
   * @param {() => Promise<T>} attempt
   * @param {number} [tries]
   * @returns {Promise<T>}
   */
  async #repeatedly(attempt, tries = TRIES) {
    const signal = this.#signal
    for (let n = 1; ; n++) {
      signal?.throwIfAborted()
      try {
        return await attempt()
      } catch (cause) {
        signal?.throwIfAborted()
        if (cause instanceof HubError) throw cause
        const text = whyOf(cause)
        const error =
          cause instanceof Passing
            ? cause
            : new Passing('NETWORK', `${this.#hub} cannot be reached: ${text}`, { cause })
        // fetch always rejects an address with a bad port or credentials, so a retry is useless.
        if (/bad port|includes credentials/.test(text)) tries = n
        const pause = error.after === undefined ? PAUSE * 2 ** (n - 1) : 1000 * error.after
        if (pause > LONGEST) throw fail(this.#name, error.code, `${error.message}; it asks to wait ${error.after} s`)
        if (n >= tries) throw fail(this.#name, error.code, `${error.message}${n > 1 ? `, after ${n} requests` : ''}`)
        await sleep(pause, signal)
      }
    }
  }

  /** @param {Answer} answer @param {string} what */
  #refused(answer, what) {
    return refusal(answer, what, { hub: this.#hub, token: this.#token, name: this.#name, known: this.#known })
  }

  /** @param {string} url @param {string} what */
  #page(url, what) {
    return fail(
      this.#name,
      'ANSWER',
      `expected ${what} from ${shown(url)}, got an HTML page; the address is not that of a hub, or the network requires a login first`,
    )
  }
}
