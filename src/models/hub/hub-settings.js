// Where the hub is and who asks. In Node the variables of the environment are those of Python's huggingface_hub.

import { describe } from '../../base/errors.js'

/**
 * @typedef {object} Settings
 * @property {string} hub the address of the hub
 * @property {string} [token]
 * @property {Record<string, string>} headers sent to the hub
 * @property {boolean} isOffline no request is made
 * @property {number} patience milliseconds without a byte until a request counts as broken off
 * @property {string} [cache] the folder of the cache, in Node
 */

const PUBLIC = 'https://huggingface.co'
const isTrue = (/** @type {string | undefined} */ value) => /^(1|on|yes|true)$/i.test(value ?? '')

/** The module of Node, or undefined elsewhere. @param {string} name @returns {any} */
export const builtin = name => globalThis.process?.getBuiltinModule?.(name)

/**
 * @param {{ token?: string, hub?: string | URL, headers?: Record<string, string> }} options
 * @returns {Promise<Settings>}
 */
export async function settingsOf({ token, hub, headers = {} }) {
  if (token !== undefined && (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)))
    throw new TypeError(`loadModel: token: ${typeof token} given, a text such as 'hf_...' expected`)
  if (
    typeof headers !== 'object' ||
    headers === null ||
    Object.values(headers).some(value => typeof value !== 'string')
  )
    throw new TypeError(`loadModel: headers: ${describe(headers)} given, an object of texts by name expected`)
  const fs = builtin('node:fs/promises')
  const env = (fs && globalThis.process.env) || {}
  const given = hub ?? env.HF_ENDPOINT ?? PUBLIC
  if (!((typeof given === 'string' || given instanceof URL) && /^https?:\/\/[^/]/.test(String(given))))
    throw new TypeError(`loadModel: hub: ${describe(given)} given, the address of a hub such as ${PUBLIC} expected`)
  const address = new URL(given).href.replace(/\/+$/, '')
  const patience = 1000 * (Number(env.HF_HUB_DOWNLOAD_TIMEOUT) || 10)
  if (!fs) return { hub: address, token, headers, isOffline: false, patience }
  const home = builtin('node:os')?.homedir() ?? '.'
  const full = (/** @type {string} */ path) => path.replace(/^~(?=\/|$)/, home)
  const own = full(env.HF_HOME ?? `${env.XDG_CACHE_HOME ?? `${home}/.cache`}/huggingface`)
  const isSilent = isTrue(env.HF_HUB_DISABLE_IMPLICIT_TOKEN)
  const stored = isSilent ? undefined : fs.readFile(full(env.HF_TOKEN_PATH ?? `${own}/token`), 'utf8').catch(() => '')
  return {
    hub: address,
    token:
      (token ?? (isSilent ? '' : env.HF_TOKEN || env.HUGGING_FACE_HUB_TOKEN || (await stored)))?.trim() || undefined,
    headers,
    isOffline: isTrue(env.HF_HUB_OFFLINE || env.TRANSFORMERS_OFFLINE),
    patience,
    cache: full(env.HF_HUB_CACHE ?? env.HUGGINGFACE_HUB_CACHE ?? `${own}/hub`),
  }
}
