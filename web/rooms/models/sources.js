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

/** The folder that files were chosen from, '' where that is not known. @param {readonly File[]} files */
export const folderOf = files => files[0]?.webkitRelativePath?.split('/')[0] ?? ''

/** What a model is called: its folder, else what its config says. @param {import('./models.js').OpenSource} source @param {string} given @param {Record<string, unknown>} config */
export function labelOf(source, given, config) {
  const { _name_or_path: path, model_type: type } = config
  const address = typeof source === 'string' ? decodeURI(new URL(source).pathname) : ''
  const folder = address || given.split('~')[0] || (typeof path === 'string' ? path : '')
  return String(folder.split('/').filter(Boolean).at(-1) ?? type ?? 'model').slice(0, 60)
}

/**
 * A label and the beginning of a digest, so that a link can ask for the same files, and files and an address of one model are
 * recognised as one.
 * @param {string} label
 * @param {Record<string, unknown>} config
 * @param {Float32Array} numbers of its weights: models that were trained further have the same config
 * @param {readonly string[]} known names; the one of the same model is given
 */
export async function nameOf(label, config, numbers, known) {
  if (!crypto.subtle) return label
  const text = new TextEncoder().encode(JSON.stringify([config, ...numbers]))
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  const digest = Array.from(bytes.subarray(0, 6), byte => byte.toString(16).padStart(2, '0')).join('')
  return known.find(name => name.endsWith(`~${digest}`)) ?? `${label}~${digest}`
}

/** Bytes of memory that a model may take here: half of what the browser tells of, at most what a module can have. */
export function mostMemory() {
  const { deviceMemory = 8 } = /** @type {{ deviceMemory?: number }} */ (globalThis.navigator ?? {})
  return Math.min(3.5, deviceMemory / 2) * 2 ** 30
}

/** "1.2 MB". @param {number} bytes */
export const megabytes = bytes =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
