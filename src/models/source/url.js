// Reads a folder on a server. This module is loaded for URLs only.

import { whyOf } from '../../base/fetch-error.js'
import { FIRST, inBlocks } from './blocks.js'
import { checkHeaders } from './headers.js'

/**
 * Returns the address of a folder. Its query string, such as a signature, is added to the address of each file.
 * @param {string} text
 */
async function addressOf(text) {
  /** @type {URL | undefined} */
  let url
  try {
    url = new URL(text, globalThis.location?.href)
  } catch {}
  const { protocol, username, password } = url ?? {}
  const isTaken = protocol === 'http:' || protocol === 'https:' || protocol === globalThis.location?.protocol
  if (!url || !isTaken || username || password) throw (await import('./wrong-source.js')).wrongAddress(text, url)
  url.hash = ''
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

/** Returns an address without its query, which may be secret. @param {URL} url */
const shown = ({ href }) => href.replace(/\?.*/s, '')

/** Returns the ETag of a file, or else its date (CORS hides only the ETag), to notice when the file changes. @param {Response} response */
const versionOf = ({ headers }) => headers.get('etag')?.replace(/^W\//, '') ?? headers.get('last-modified')

/** Returns advice on how to send the credentials that a server requires. @param {string | undefined} token */
const withToken = token =>
  `; what it asks for is sent by { headers: { authorization: 'Bearer ...' } }${token === undefined ? '' : ', token goes to a hub alone'}`

/**
 * Opens a folder on a server. Files are requested by range; a server without ranges sends each file once.
 * @param {string} text address of the folder
 * @param {(content: unknown, name: string) => Promise<import('./source.js').ByteSource>} fromContent
 * @param {AbortSignal} [signal]
 * @param {{ headers?: Record<string, string>, token?: string }} [options] headers: sent with each request
 * @returns {Promise<import('./source.js').Folder>}
 */
export async function fromURL(text, fromContent, signal, { headers: given = {}, token } = {}) {
  checkHeaders(given)
  const base = await addressOf(text)
  /** @type {Set<string>} */
  const found = new Set()
  return {
    async open(name) {
      const url = new URL(name, base)
      url.search = base.search
      const file = shown(url)
      /** @param {unknown} cause @returns {never} */
      const failed = cause => {
        signal?.throwIfAborted()
        throw new Error(`loadModel: ${file} cannot be fetched: ${whyOf(cause)}`, { cause })
      }
      const bytesOf = async (/** @type {Response} */ response) =>
        new Uint8Array(await response.arrayBuffer().catch(failed))
      /** Size of the file, if the server reports it. @type {number | undefined} */
      let size
      /** @type {string | null | undefined} */
      let version
      /** Sends a request. @param {number} from @param {number} to @param {readonly number[]} [covered] accepted status codes besides 200 and 206 */
      const get = async (from, to, covered = []) => {
        const headers = { ...given, Range: `bytes=${from}-${to - 1}` }
        const response = await fetch(url, { signal, headers }).catch(cause => {
          // In an extension, fetching a missing file fails without a status code.
          const isMissing = covered.includes(404) && !/^https?:$/.test(url.protocol) && !signal?.aborted
          return isMissing ? new Response(null, { status: 404 }) : failed(cause)
        })
        const { status, statusText } = response
        if (status === 206) size = checkRange(response, file, from, to, size)
        else if (status !== 200 && !covered.includes(status))
          throw new Error(`loadModel: ${file} answers ${status} ${statusText}${status === 401 ? withToken(token) : ''}`)
        const got = versionOf(response)
        version ??= got
        if (got && got !== version)
          throw new Error(
            `loadModel: ${file} was changed while it was read: its version was ${version} and is ${got}; load the model again`,
          )
        return response
      }
      const first = await get(0, FIRST, [404, 416])
      if (first.status === 404) return undefined
      found.add(name)
      if (first.status === 416) return fromContent(new ArrayBuffer(0), name)
      const start = await bytesOf(first)
      if (first.status === 200) return fromContent(start, name)
      if (start.length < FIRST) size ??= start.length
      /** @param {number} from @param {number} to */
      const read = async (from, to) => {
        if (to <= start.length) return start.subarray(from, to)
        const response = await get(from, to)
        const bytes = await bytesOf(response)
        if (response.status === 206) return bytes
        if (size !== undefined && bytes.length !== size)
          throw new Error(
            `loadModel: ${file} answers ${bytes.length} bytes as the whole file, which has ${size}: ` +
              'the server, or a cache before it, gives other bytes',
          )
        return bytes.subarray(from, to) // a part of the whole file
      }
      return size === undefined ? { read } : inBlocks(size, read)
    },
    names: () => [...found],
    close: async () => {},
  }
}

/**
 * Checks that a response with status 206 has the requested bytes. A server of another origin may hide content-range.
 * @param {Response} response
 * @param {string} file address of the file, for errors
 * @param {number} from
 * @param {number} to
 * @param {number | undefined} known size of the file in an earlier response
 * @returns {number | undefined} size of the file
 */
function checkRange({ headers }, file, from, to, known) {
  const range = headers.get('content-range')
  if (range === null) return known
  const [, first, last, all] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(range) ?? []
  const size = all === undefined || all === '*' ? known : Number(all)
  const end = Math.min(to, size ?? to)
  if (Number(first) !== from || Number(last) !== end - 1 || (known !== undefined && size !== known))
    throw new Error(
      `loadModel: ${file} answers "${range}" to a request for bytes ${from}-${to - 1}` +
        `${known === undefined ? '' : ` of ${known}`}: the server, or a cache before it, gives other bytes`,
    )
  return size
}
