// Interprets responses of the hub: facts of a model, ranges of bytes, refusals.

import { HubError, Passing } from './hub-error.js'
import { builtin } from './hub-settings.js'

/** @import { HubName } from './hub-name.js' */
/**
 * @typedef {object} Answer
 * @property {Response} response
 * @property {string} url
 * @property {boolean} isOwn true if it comes from the hub itself, not from its storage
 * @property {string | false | null} etag the hash of a file, in quotation marks; null or false if the hub did not send it
 */

/**
 * A file of a repository.
 * @typedef {object} HubFile
 * @property {string} path in the repository
 * @property {number} [size] in bytes, as the hub announced it
 * @property {string} [hash] the hub's ETag: SHA-256 of a large file, git's SHA-1 of any other
 * @property {string | null} [version] ETag of the first response, for a file without a hash
 * @property {string} [address] the last signed address that the hub redirected to; it expires
 * @property {Promise<unknown>} [resolving] set while a request finds `address`; settles when the response arrives
 *
 * @typedef {object} Facts of a revision, from the hub
 * @property {string} id current name of the model, which may have been renamed
 * @property {string} commit
 * @property {HubFile[]} files
 * @property {boolean} isGated
 * @property {string} [license]
 */

/** True if fetch can return a redirect instead of following it, as in Node. */
export const seesRedirects = builtin('node:fs') !== undefined

/** @param {HubName} name @param {HubError['code']} code @param {string} text */
export const fail = (name, code, text) => new HubError(code, `${name.text}: ${text}`)

/** Parses the hub's response about a revision. @param {string} text @param {HubName} name @returns {Facts} */
export function factsOf(text, name) {
  /** @type {any} */
  let json
  try {
    json = JSON.parse(text)
  } catch {}
  if (!/^[0-9a-f]{40}$/.test(json?.sha) || !Array.isArray(json.siblings))
    throw fail(name, 'ANSWER', "the hub's answer has no commit and no list of files: is this a hub?")
  const files = json.siblings.flatMap((/** @type {any} */ file) => {
    const { rfilename: path, size, blobId, lfs } = file ?? {}
    if (typeof path !== 'string' || /\\|^\/|(^|\/)\.\.?(\/|$)/.test(path)) return []
    const bytes = lfs?.size ?? size
    const hash = lfs?.sha256 ?? blobId
    return {
      path,
      size: Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : undefined,
      hash: /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(hash) ? hash : undefined,
    }
  })
  const tag = json.tags?.find?.((/** @type {unknown} */ each) => String(each).startsWith('license:'))
  const present = /^[\w.-]+(\/[\w.-]+)?$/.test(json.id) ? json.id : name.id
  return { id: present, commit: json.sha, files, isGated: Boolean(json.gated), license: tag?.slice(8) }
}

/**
 * Checks that a response has the requested bytes, and records the size of the file from its headers.
 * @param {Response} response
 * @param {HubName} name
 * @param {HubFile} file
 * @param {number} from
 * @param {number} to
 */
export function checkRange({ status, headers: given }, name, file, from, to) {
  const range = status === 206 ? given.get('content-range') : null
  if (range === null) return // the whole file, or a header hidden by CORS
  const [, first, last, all] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(range) ?? []
  if (all !== undefined && all !== '*') {
    file.size ??= Number(all)
    if (file.size !== Number(all))
      throw fail(name, 'ANSWER', `${file.path} has ${all} bytes, the hub announced ${file.size}`)
  }
  if (Number(first) !== from || Number(last) !== Math.min(to, file.size ?? to) - 1)
    throw fail(
      name,
      'ANSWER',
      `${file.path}: the answer to a request for bytes ${from}-${to - 1} has "${range}": the hub, or a cache before it, gives other bytes`,
    )
}

/**
 * Throws if a file without a known hash has changed since the first response: its ETag or its date differs.
 * @param {Response} response
 * @param {HubName} name
 * @param {HubFile} file
 */
export function checkVersion({ headers }, name, file) {
  if (file.hash && !file.version) return // the hash of the whole file is checked instead
  const version = headers.get('etag')?.replace(/^W\//, '') ?? headers.get('last-modified')
  file.version ??= version
  if (version && version !== file.version)
    throw fail(
      name,
      'ANSWER',
      `${file.path} was changed while it was read: its version was ${file.version} and is ${version}; load the model again`,
    )
}

/**
 * Returns how long the hub asks to wait, by Retry-After (seconds, or a future date) or RateLimit.
 * @param {Headers} headers
 * @returns {number | undefined} seconds; undefined if neither header has them
 */
function secondsToWait(headers) {
  const after = headers.get('retry-after') ?? ''
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after)
  const left = /^[a-z]{3}/i.test(after) ? Math.ceil((Date.parse(after) - Date.now()) / 1000) : Number.NaN
  if (left > 0) return left
  const limit = /(?:^|;) *t=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]
  return limit === undefined ? undefined : Number(limit)
}

/** Returns an address without its query, which may hold a signature. @param {string} url */
export const shown = url => url.replace(/[?#].*/s, '')

/**
 * Returns the error for a failed response.
 * @param {Answer} answer
 * @param {string} what was requested
 * @param {{ hub: string, token?: string, name: HubName, known?: Facts }} asked known: facts of the model, if already loaded
 */
export function refusal({ response, url, isOwn }, what, { hub, token, name, known }) {
  const { status } = response
  const code = response.headers.get('x-error-code')
  const said = response.headers.get('x-error-message')
  const tail = said ? ` ("${said}")` : ''
  if (!isOwn && status >= 400 && status < 500 && status !== 429)
    return new Passing('NETWORK', `the signed address of ${what} answers ${status}`)
  if (status === 429 || status === 408 || status >= 500) {
    const after = secondsToWait(response.headers)
    return new Passing('BUSY', `${new URL(url).origin} answers ${status} for ${what}${tail}`, { after })
  }
  const howToGive = `a token: { token: 'hf_...' }${seesRedirects ? ' or the variable HF_TOKEN' : ''}`
  const terms = `${hub}/${known?.id ?? name.id}`
  if (code === 'GatedRepo' || ((status === 401 || status === 403) && known?.isGated))
    return fail(
      name,
      'GATED',
      token
        ? `the model is gated, and the account of the token has no access to it: accept the terms at ${terms}`
        : `the model is gated: accept its terms at ${terms}, then give ${howToGive}`,
    )
  if (code === 'RevisionNotFound') return fail(name, 'NOT_FOUND', `${name.id} has no revision ${name.revision}`)
  if (code === 'EntryNotFound') return fail(name, 'NOT_FOUND', `${name.id} has no file ${what}`)
  if (status === 401 && token && code !== 'RepoNotFound') return fail(name, 'TOKEN', `${hub} refuses the token${tail}`)
  if (status === 401 || status === 403 || code === 'RepoNotFound')
    return fail(
      name,
      'NOT_FOUND',
      token
        ? `${hub} has no model ${name.id} that the account of the token can read: check the name and the token`
        : `${hub} has no model ${name.id}, or it is private: check the name, or give ${howToGive}`,
    )
  if (status === 404)
    return fail(name, 'NOT_FOUND', `${shown(url)} answers 404: check the name, and that ${hub} is a hub`)
  return fail(name, 'ANSWER', `expected status 200 or 206 from ${shown(url)}, got ${status}${tail}`)
}
