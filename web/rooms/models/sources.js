// Where models come from: files that are dropped or chosen, an address of this site, a name on the hub. No DOM but the address.

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

/** Is it the name of a model of the hub, hf:owner/name? @param {unknown} name @returns {name is `hf:${string}`} */
export const isOfHub = name => typeof name === 'string' && name.startsWith('hf:')

/** Owner and name of a model of the hub, without the hub's own parts. @param {string} name hf:owner/name@revision/sub/folder~digest */
export const idOf = name => /^(?:hf:)?([^@~:]*)/.exec(name)?.[1]?.replace(/\/[^/]*\.gguf$/i, '') ?? name

/** A name without the digest of its weights. @param {string} name */
export const bareName = name => name.replace(/~[0-9a-f]{12}$/, '')

/** Are two names of one model? They end in a digest of its weights. @param {string} a @param {string} b */
export const isOne = (a, b) => a === b || (/~[0-9a-f]{12}$/.test(a) && a.slice(-13) === b.slice(-13))

const PAGE_OF_HUB =
  /^(?:https?:\/\/)?(?:www\.)?(?:huggingface\.co|hf\.co)\/([^/?#]+\/[^/?#]+)(?:\/(?:tree|blob|resolve|commit)\/([^/?#]+)(\/[^?#]+\.gguf)?)?/i
const NAME_ON_HUB = /^[\w][\w.-]*\/[\w][\w.-]*(@\S+|:[\w.-]+|(\/[\w.-]+)*\/[\w.-]+\.gguf)?$/i

/** A part of an address as text; as it is where it cannot be decoded. @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * What a reader means by a text in the field "Model": a model of the hub, an address, or neither.
 * @param {string} text
 * @returns {{ hub?: string, address?: string }}
 */
export function meantBy(text) {
  const typed = text.trim()
  const [, id, revision, file = ''] = PAGE_OF_HUB.exec(typed) ?? []
  if (id) return { hub: `hf:${id}${revision && revision !== 'main' ? `@${decoded(revision)}` : ''}${decoded(file)}` }
  if (/^hf:\S+$/.test(typed)) return { hub: typed }
  if (NAME_ON_HUB.test(typed)) return { hub: `hf:${typed}` }
  if (/^(https?:|\.{0,2}\/)\S*$/.test(typed)) return { address: typed }
  return {}
}

/** The dtype with which a model keeps its heads in the least memory, as docs/models.md measures it. @param {{ stored: number, float16: number, int8: number }} bytes @param {number} most bytes of memory @returns {import('./models.js').SmallerDtype | ''} '': as stored */
export function usualDtype({ stored, float16 }, most) {
  const usual = float16 < stored ? 'float16' : ''
  return Math.min(stored, float16) <= most ? usual : 'int8'
}

/** Is it the name of a GGUF file? @param {string} name */
export const isGguf = name => /\.gguf$/i.test(name)

/** The folder that files were chosen from, or the GGUF file among them; '' where that is not known. @param {readonly File[]} files */
export const folderOf = files =>
  files[0]?.webkitRelativePath?.split('/')[0] || (files.find(({ name }) => isGguf(name))?.name ?? '')

/** What a model is called: its folder, else what its config says. @param {import('./models.js').OpenSource} source @param {string} given @param {Record<string, unknown>} config */
export function labelOf(source, given, config) {
  const { _name_or_path: path, model_type: type } = config
  if (isOfHub(source)) return source
  const address = typeof source === 'string' ? decodeURI(new URL(source).pathname) : ''
  const folder = address || given.split('~')[0] || (typeof path === 'string' ? path : '')
  return String(folder.split('/').filter(Boolean).at(-1) ?? type ?? 'model').slice(0, 60)
}

/**
 * A label and the beginning of a digest, so that a link can ask for the same files, and files, an address and a name on the hub
 * of one model are recognised as one.
 * @param {string} label
 * @param {Record<string, unknown>} config
 * @param {readonly Float32Array[]} numbers of its weights: models that were trained further have the same config. The name is made
 *   of the first ones, which are the same in memory for each dtype; older names were made of others
 * @param {readonly string[]} known names; the one of the same model is given, but a name of the hub counts for more
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

/** Bytes of memory that a model may take here: half of what the browser tells of, at most what a module can have. */
export function mostMemory() {
  const { deviceMemory = 8 } = /** @type {{ deviceMemory?: number }} */ (globalThis.navigator ?? {})
  return Math.min(3.5, deviceMemory / 2) * 2 ** 30
}

/** "1.2 MB", "560 KB". @param {number} bytes */
export function megabytes(bytes) {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
  return bytes >= 1e3 ? `${Math.round(bytes / 1e3)} KB` : `${bytes} bytes`
}
