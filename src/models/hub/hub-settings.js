// The address of the hub, the token and the cache. In Node the environment variables are those of Python's huggingface_hub.

import { describe } from '../../base/errors.js'
import { checkHeaders } from '../source/headers.js'

/**
 * @typedef {object} Settings
 * @property {string} hub the address of the hub
 * @property {string} [token]
 * @property {Record<string, string>} headers sent to the hub
 * @property {boolean} isOffline true if no request may be made
 * @property {number} patience milliseconds without a byte after which a request is aborted
 * @property {string} [cache] the folder of the cache, in Node
 */

const PUBLIC = 'https://huggingface.co'
const isTrue = (/** @type {string | undefined} */ value) => /^(1|on|yes|true)$/i.test(value ?? '')

/** Returns a built-in module of Node, or undefined elsewhere. @param {string} name @returns {any} */
export const builtin = name => globalThis.process?.getBuiltinModule?.(name)

/** Parses an address; undefined if it is invalid. @param {string} text @param {string} [base] */
export function urlOf(text, base) {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** Maximum delay of a timer, in seconds. */
const MOST_SECONDS = (2 ** 31 - 1) / 1000

/** Checks the address of a hub. Errors do not show it, because it may hold a password. @param {unknown} given @param {string} from */
function addressOf(given, from) {
  const isText = typeof given === 'string' || given instanceof URL
  const url = isText ? urlOf(String(given)) : undefined
  const expected = `expected the address of a hub such as ${PUBLIC}`
  if (!url)
    throw new TypeError(
      `loadModel: ${from}: ${expected}, got ${isText && /[@?]/.test(String(given)) ? 'no address' : describe(given)}`,
    )
  if (!/^https?:$/.test(url.protocol))
    throw new TypeError(`loadModel: ${from}: ${expected}, got an address of ${url.protocol}`)
  if (url.username || url.password)
    throw new TypeError(
      `loadModel: ${from}: expected an address without a name and a password, which fetch rejects; give { headers: { Authorization: 'Basic ...' } }`,
    )
  if (url.search || url.hash) throw new TypeError(`loadModel: ${from}: ${expected}, got an address with ? or #`)
  return url.href.replace(/\/+$/, '')
}

/** Converts a timeout in seconds to milliseconds. @param {string | undefined} seconds */
function patienceOf(seconds) {
  const given = Number(seconds || 0) // 0 is the default, as in Python
  if (given >= 0 && given <= MOST_SECONDS) return 1000 * (given || 10)
  throw new RangeError(
    `loadModel: HF_HUB_DOWNLOAD_TIMEOUT: expected a number of seconds from 0 to ${Math.floor(MOST_SECONDS)}, got ${describe(seconds)}`,
  )
}

/** @param {string | undefined} token @param {string} from */
function checkToken(token, from) {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return
  throw new TypeError(
    `loadModel: ${from}: expected a text such as hf_..., got one with spaces, line breaks or other characters that no token has`,
  )
}

/**
 * Returns the token given by the program, the environment or the token file, and where it came from.
 * @param {string | undefined} given
 * @param {Record<string, string | undefined>} env
 * @param {() => Promise<string>} stored
 */
async function tokenOf(given, env, stored) {
  if (given !== undefined) return { token: given, from: 'token' }
  if (isTrue(env.HF_HUB_DISABLE_IMPLICIT_TOKEN)) return { token: undefined, from: '' }
  for (const name of ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN']) if (env[name]) return { token: env[name], from: name }
  return { token: await stored(), from: 'the file of the token (HF_TOKEN_PATH)' }
}

/**
 * Returns the settings from the options and the environment.
 * @param {{ token?: string, hub?: string | URL, headers?: Record<string, string> }} options
 * @returns {Promise<Settings>}
 */
export async function settingsOf({ token, hub, headers = {} }) {
  if (token !== undefined && typeof token !== 'string')
    throw new TypeError(`loadModel: token: expected a text such as 'hf_...', got ${describe(token)}`)
  checkToken(token, 'token')
  checkHeaders(headers, token)
  const fs = builtin('node:fs/promises')
  /** @type {Record<string, string | undefined>} */
  const env = (fs && globalThis.process.env) || {}
  const address = addressOf(
    hub ?? (env.HF_ENDPOINT || PUBLIC),
    hub === undefined && env.HF_ENDPOINT ? 'HF_ENDPOINT' : 'hub',
  )
  const patience = patienceOf(env.HF_HUB_DOWNLOAD_TIMEOUT)
  if (!fs) return { hub: address, token, headers, isOffline: false, patience }
  const home = builtin('node:os')?.homedir() ?? '.'
  const full = (/** @type {string} */ path) => path.replace(/^~(?=\/|$)/, home)
  const own = full(env.HF_HOME || `${env.XDG_CACHE_HOME || `${home}/.cache`}/huggingface`)
  const stored = () => fs.readFile(full(env.HF_TOKEN_PATH || `${own}/token`), 'utf8').catch(() => '')
  const found = await tokenOf(token, env, stored)
  const trimmed = found.token?.trim() || undefined
  checkToken(trimmed, found.from)
  return {
    hub: address,
    token: trimmed,
    headers,
    isOffline: isTrue(env.HF_HUB_OFFLINE || env.TRANSFORMERS_OFFLINE),
    patience,
    cache: full(env.HF_HUB_CACHE || env.HUGGINGFACE_HUB_CACHE || `${own}/hub`),
  }
}
