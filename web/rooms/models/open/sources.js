// Sources of models: dropped or chosen files, an address of this site, a name on the hub. Uses no DOM except the page's address.

/** Returns the URL in the parameter ?model= of the page's address, which names a folder of model files. @returns {URL | undefined} */
export function addressOf() {
  const given = new URLSearchParams(globalThis.location?.search).get('model')
  if (!given) return undefined
  try {
    return new URL(given, document.baseURI)
  } catch {
    return new URL(`invalid:${encodeURIComponent(given)}`) // an invalid address, whose origin matches no site
  }
}

/** True for the name of a hub model, hf:owner/name. @param {unknown} name @returns {name is `hf:${string}`} */
export const isOfHub = name => typeof name === 'string' && name.startsWith('hf:')

/** Strips revision, path and digest from a hub name. @param {string} name hf:owner/name@revision/sub/folder~digest */
export const idOf = name => /^(?:hf:)?([^@~:]*)/.exec(name)?.[1]?.replace(/\/[^/]*\.gguf$/i, '') ?? name

/** Strips the digest from a name. @param {string} name */
export const bareName = name => name.replace(/~[0-9a-f]{12}$/, '')

/** True if both names mean the same model: they are equal, or have the same digest. @param {string} a @param {string} b */
export const isOne = (a, b) => a === b || (/~[0-9a-f]{12}$/.test(a) && a.slice(-13) === b.slice(-13))

const PAGE_OF_HUB =
  /^(?:https?:\/\/)?(?:www\.)?(?:huggingface\.co|hf\.co)\/([^/?#]+\/[^/?#]+)(?:\/(?:tree|blob|resolve|commit)\/([^/?#]+)(\/[^?#]+\.gguf)?)?(?:\?show_file_info=([^&#]+))?/i
const NAME_ON_HUB = /^[\w][\w.-]*\/[\w][\w.-]*(@\S+|:[\w.-]+|(\/[\w.-]+)*\/[\w.-]+\.gguf)?$/i

/** Decodes a part of an address; returns it unchanged if it cannot be decoded. @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * Interprets the text in the field "Model": a hub model, an address, or neither.
 * @param {string} text
 * @returns {{ hub?: string, address?: string }}
 */
export function meantBy(text) {
  const typed = text.trim()
  const [, id, revision, path, shown] = PAGE_OF_HUB.exec(typed) ?? []
  const file = path ?? (shown ? `/${shown}` : '')
  if (id) return { hub: `hf:${id}${revision && revision !== 'main' ? `@${decoded(revision)}` : ''}${decoded(file)}` }
  if (/^hf:\S+$/.test(typed)) return { hub: typed }
  if (NAME_ON_HUB.test(typed)) return { hub: `hf:${typed}` }
  if (/^(https?:|\.{0,2}\/)\S*$/.test(typed)) return { address: typed }
  return {}
}

/**
 * Returns the default dtype: stored or float16, whichever is smaller; int8, which changes heads a little (docs/models.md), if neither fits.
 * @param {{ stored: number, float16: number, int8: number }} bytes
 * @param {number} most maximum bytes of memory
 * @returns {import('../models.js').SmallerDtype | ''} '': as stored
 */
export function usualDtype({ stored, float16 }, most) {
  const usual = float16 < stored ? 'float16' : ''
  return Math.min(stored, float16) <= most ? usual : 'int8'
}

/** True for the name of a GGUF file. @param {string} name */
export const isGguf = name => /\.gguf$/i.test(name)

/** Returns the folder that files were chosen from, or the GGUF file among them; '' if unknown. @param {readonly File[]} files */
export const folderOf = files =>
  files[0]?.webkitRelativePath?.split('/')[0] || (files.find(({ name }) => isGguf(name))?.name ?? '')

/**
 * Returns the label of a model: its hub name; else the last part of its address, of `given` or of the path in its config; else its type.
 * @param {import('../models.js').OpenSource} source
 * @param {string} given
 * @param {Record<string, unknown>} config
 */
export function labelOf(source, given, config) {
  const { _name_or_path: path, model_type: type } = config
  if (isOfHub(source)) return source
  const address = typeof source === 'string' ? decodeURI(new URL(source).pathname) : ''
  const folder = address || given.split('~')[0] || (typeof path === 'string' ? path : '')
  return String(folder.split('/').filter(Boolean).at(-1) ?? type ?? 'model').slice(0, 60)
}

/**
 * Returns the name of a model: its label with the start of a digest of its config and some weights. The digest lets a link request the same
 * files. It also identifies a model regardless of its source: files, an address or the hub.
 * @param {string} label
 * @param {Record<string, unknown>} config
 * @param {readonly Float32Array[]} numbers some weights, since fine-tuned models share their config. A new name has the digest of the first
 *   array, whose bits are the same for each dtype; a name in an old link may have the digest of another array
 * @param {readonly string[]} known earlier names. A known name with a digest of this model is returned instead of a new name, unless only
 *   the new name is a hub name
 */
export async function nameOf(label, config, numbers, known) {
  if (!crypto.subtle) return label
  const digests = await Promise.all(
    numbers.map(async each => {
      const text = new TextEncoder().encode(JSON.stringify([config, ...each]))
      const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
      return Array.from(bytes.subarray(0, 6), byte => byte.toString(16).padStart(2, '0')).join('')
    }),
  )
  const found = known.find(name => digests.some(digest => name.endsWith(`~${digest}`)))
  return found && (isOfHub(found) || !isOfHub(label)) ? found : `${label}~${digests[0]}`
}

/** Returns the maximum bytes of memory for a model: half of what the browser reports, at most 3.5 GiB. */
export function mostMemory() {
  const { deviceMemory = 8 } = /** @type {{ deviceMemory?: number }} */ (globalThis.navigator ?? {})
  return Math.min(3.5, deviceMemory / 2) * 2 ** 30
}

/** Formats a size, such as "1.2 MB" or "560 KB". @param {number} bytes */
export function megabytes(bytes) {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
  return bytes >= 1e3 ? `${Math.round(bytes / 1e3)} KB` : `${bytes} bytes`
}
