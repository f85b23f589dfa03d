// Where models come from: those that ship with the page, files that are dropped or chosen, an address of this site.

/// <reference types="vite/client" />

/** @type {Record<string, string>} */
const files = import.meta.glob(['../../trained/*/*.json', '../../trained/*/*.safetensors'], {
  query: '?url', // Vite reads this as it is written
  import: 'default',
  eager: true,
})

/** @typedef {{ name: string, urls: Record<string, string> }} Shipped the address of each file */

/** By the name of their folder. @type {Shipped[]} */
export const SHIPPED = []
for (const [path, url] of Object.entries(files)) {
  const [, folder, file] = /([^/]+)\/([^/]+)$/.exec(path) ?? []
  let own = SHIPPED.find(({ name }) => name === folder)
  if (!own) {
    own = { name: folder, urls: {} }
    SHIPPED.push(own)
  }
  own.urls[file] = new URL(url, document.baseURI).href
}
// The stories come first: the room opens with them.
SHIPPED.sort((a, b) => Number(b.name === 'stories') - Number(a.name === 'stories') || a.name.localeCompare(b.name))

/** The folder of this site that the address names, ?model=. @returns {URL | undefined} */
export function addressOf() {
  const given = new URLSearchParams(location.search).get('model')
  if (!given) return undefined
  try {
    return new URL(given, document.baseURI)
  } catch {
    return new URL(`invalid:${encodeURIComponent(given)}`) // its origin is no site's
  }
}

/** What a config calls itself. @param {File} config @returns {Promise<unknown>} */
async function typeOf(config) {
  try {
    const { _name_or_path: path, model_type: type } = JSON.parse(await config.text())
    return path || type
  } catch {
    return undefined // opening it says what is wrong
  }
}

/**
 * A name and the beginning of a digest of its config, so that a link can ask for the same files.
 * @param {readonly File[]} files
 */
export async function nameOf(files) {
  const config = files.find(({ name }) => name === 'config.json')
  const folder = files[0]?.webkitRelativePath?.split('/')[0]
  const name = String(folder || (config && (await typeOf(config))) || files[0]?.name).slice(0, 60)
  if (!config || !crypto.subtle) return name
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await config.arrayBuffer()))
  return `${name}~${Array.from(bytes.subarray(0, 6), byte => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Bytes of memory that a model may take here: half of what the browser tells of, at most what a module can have. */
export function mostMemory() {
  const { deviceMemory = 8 } = /** @type {Navigator & { deviceMemory?: number }} */ (navigator)
  return Math.min(3.5, deviceMemory / 2) * 2 ** 30
}

/** "1.2 MB". @param {number} bytes */
export const megabytes = bytes =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
