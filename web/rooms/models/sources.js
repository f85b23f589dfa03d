// Where models come from: files that are dropped or chosen, and an address of this site. No DOM but the address.

/** The folder of this site that the address names, ?model=. @returns {URL | undefined} */
export function addressOf() {
  const given = new URLSearchParams(globalThis.location?.search).get('model')
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

/** The folder that files were chosen from, '' where that is not known. @param {readonly File[]} files */
export const folderOf = files => files[0]?.webkitRelativePath?.split('/')[0] ?? ''

/**
 * A name and the beginning of a digest of its config, so that a link can ask for the same files.
 * @param {readonly File[]} files
 * @param {string} given the whole name, or the folder
 */
export async function nameOf(files, given) {
  if (given.includes('~')) return given
  const config = files.find(({ name }) => name === 'config.json')
  const name = String(given || (config && (await typeOf(config))) || files[0]?.name).slice(0, 60)
  if (!config || !crypto.subtle) return name
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await config.arrayBuffer()))
  return `${name}~${Array.from(bytes.subarray(0, 6), byte => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Bytes of memory that a model may take here: half of what the browser tells of, at most what a module can have. */
export function mostMemory() {
  const { deviceMemory = 8 } = /** @type {{ deviceMemory?: number }} */ (globalThis.navigator ?? {})
  return Math.min(3.5, deviceMemory / 2) * 2 ** 30
}

/** "1.2 MB". @param {number} bytes */
export const megabytes = bytes =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
