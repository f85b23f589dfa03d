// Opens the sources of a checkpoint's files: a folder's URL, dropped files, an object of bytes, a path in Node. Each becomes a Folder. Its
// files are read by byte ranges, so that no file is in memory twice.

import { isBytes, isShared } from '../../base/buffers.js'
import { describe } from '../../base/errors.js'

/**
 * A file to read from. `read` returns the bytes `from` to `to` (exclusive), in `buffer` if given. `size` is undefined if it is known only
 * after reading.
 * @typedef {{ size?: number, read: (from: number, to: number, buffer?: Uint8Array) => Promise<Uint8Array>, close?: () => Promise<void> }} ByteSource
 * @typedef {(from: number, to: number) => Promise<ArrayBuffer | ArrayBufferView>} RangeReader
 * @typedef {ArrayBuffer | SharedArrayBuffer | ArrayBufferView | Blob | RangeReader} FileContent
 */
/**
 * What a checkpoint is opened from: the URL of a folder, or in Node its path; hf:owner/name, a model on the hub; files of an input element
 * or a drop; an object of contents by file name.
 * @typedef {string | URL | ArrayLike<File> | Record<string, FileContent> | Blob | ArrayBuffer | SharedArrayBuffer | ArrayBufferView} CheckpointSource
 */
/**
 * @typedef {object} Folder
 * @property {(name: string) => Promise<ByteSource | undefined>} open returns undefined if the file does not exist
 * @property {() => readonly string[]} names known files: for a URL, which cannot be listed, the files opened so far
 * @property {() => Promise<string[]>} [list] lists all files of a folder on disk or on the hub, including those in known subfolders
 * @property {() => Promise<void>} close
 * @property {() => Promise<void>} [finish] called when all weights were read: checks and caches what was downloaded
 * @property {boolean} [isDownloaded] true if the folder reports the progress of its download itself
 * @property {Map<string, import('../weights/safetensors.js').StoredTensor>} [tensors] of a GGUF file, by name
 * @property {Record<string, number>} [types] of a GGUF file: for each block type, the bytes of its tensors
 * @property {import('../weights/read-types.js').NumberOptions['loadKernels']} [loadKernels] of a GGUF file: loads the kernels for its block
 *   types
 * @property {HubFacts} [facts] facts of a hub model
 * @property {Folder} [outside] the folder with modules.json, if this one is the network's subfolder
 * @property {import('../gguf/read-gguf.js').GgufMetadata} [metadata] of a GGUF file, including its vocabulary
 * @property {{ isYesOrNo: boolean, template?: string }} [ranking] of a GGUF file with classes. isYesOrNo: true if the score is the logit
 *   of the first class minus the logit of the second; template: the text of a pair, with {query} and {document}
 */
/**
 * Facts of the hub about a model, and the size of the download.
 * @typedef {object} HubFacts
 * @property {string} id current name of the model
 * @property {string} revision
 * @property {string} commit
 * @property {boolean} isGated true if its terms must be accepted before it can be read
 * @property {string} [license]
 * @property {number} download bytes that are not cached yet
 * @property {{ name: string, bytes?: number }[]} files files that would be read
 */

/** @param {ArrayBufferLike | ArrayBufferView} bytes */
const toBytes = bytes =>
  ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes)

/** @param {unknown} content @param {string} name @returns {Promise<ByteSource>} */
async function fromContent(content, name) {
  if (isBytes(content) || isShared(content)) {
    const bytes = toBytes(content)
    // Browsers do not decode text from shared memory.
    const cut = isShared(bytes.buffer) ? 'slice' : 'subarray'
    return { size: bytes.length, read: async (from, to) => bytes[cut](from, to) }
  }
  if (typeof Blob !== 'undefined' && content instanceof Blob) {
    const { fromBlob } = await import('./blob-source.js')
    return fromBlob(content, name)
  }
  if (typeof content === 'function')
    return {
      read: async (from, to) => {
        const bytes = await content(from, to)
        if (isBytes(bytes)) return toBytes(bytes)
        throw new TypeError(`loadModel: the function of ${name}: expected it to return bytes, got ${describe(bytes)}`)
      },
    }
  throw new TypeError(
    `loadModel: ${name}: expected bytes, a Blob or (start, end) => Promise of bytes, got ${describe(content)}`,
  )
}

/** @param {Map<string, unknown>} contents @returns {Folder} */
function fromMap(contents) {
  /** @type {ByteSource[]} */
  const sources = []
  return {
    async open(name) {
      if (!contents.has(name)) return undefined
      const source = await fromContent(contents.get(name), name)
      sources.push(source)
      return source
    },
    names: () => [...contents.keys()],
    async close() {
      for (const source of sources.splice(0)) await source.close?.()
    },
  }
}

/**
 * Opens a source.
 * @param {unknown} source
 * @param {import('../hub/hub-folder.js').HubOptions & { signal?: AbortSignal, onProgress?: (progress: any) => void }} options
 * @param {{ isLoaded: boolean, hasTokenizer: boolean, choose?: (names: string[]) => readonly string[] }} use choose: selects the files of
 *   a hub model to read; default: those of a checkpoint
 * @returns {Promise<Folder>}
 */
export async function openFolder(source, { signal, onProgress, ...hub }, use) {
  if (typeof source === 'string' || source instanceof URL) {
    const text = String(source)
    if (text.startsWith('hf:'))
      return (await import('../hub/hub-folder.js')).openHub(text, hub, { ...use, signal, onProgress })
    if (/^(https?:\/\/)?(www\.)?(huggingface|hf)\.co\//i.test(text)) {
      const page = (await import('./wrong-source.js')).pageOfHub(text)
      if (page) throw page
    }
    if (!text.trim()) throw (await import('./wrong-source.js')).nothing()
    const isAddress = source instanceof URL || /^[a-z][a-z0-9+.-]+:\/\//i.test(text)
    const isFile = isAddress ? /^file:/i.test(text) : !globalThis.location
    const folder = isFile ? await (await import('./path.js')).fromPath(isAddress ? new URL(text) : text) : undefined
    return folder ?? (await import('./url.js')).fromURL(text, fromContent, signal, hub)
  }
  if (typeof source !== 'object' || source === null)
    throw new TypeError(
      `loadModel: expected a folder's path or URL, hf:owner/name, an array of files or an object of contents by name, got ${describe(source)}`,
    )
  const files = /** @type {ArrayLike<File>} */ (source)
  if (typeof files.length === 'number')
    return fromMap(
      new Map(
        Array.from(files, file => {
          if (typeof file?.name !== 'string')
            throw new TypeError(`loadModel: among the files: expected a File, got ${describe(file)}`)
          // The name of a file in a subfolder is its path within the chosen folder.
          return [file.webkitRelativePath?.replace(/^[^/]*\//, '') || file.name, file]
        }),
      ),
    )
  return fromMap(new Map(Object.entries(source)))
}

/**
 * Reads a range, and throws if bytes are missing.
 * @param {ByteSource} source
 * @param {string} name
 * @param {number} from
 * @param {number} to
 * @param {Uint8Array} [buffer] large enough for the range
 */
export async function readExactly(source, name, from, to, buffer) {
  const end = source.size !== undefined && to > source.size ? source.size : to
  const bytes = end > from ? await source.read(from, end, buffer) : new Uint8Array(0)
  if (bytes.length !== to - from)
    throw new RangeError(`${name}: expected bytes ${from} to ${to}, got ${bytes.length} of them: the file is cut off`)
  return bytes
}

const MOST_TEXT = 64 * 2 ** 20

/**
 * Reads a JSON file.
 * @param {ByteSource} source
 * @param {string} name
 * @returns {Promise<unknown>}
 */
export async function readJSON(source, name) {
  const size = source.size ?? (await sizeOf(source))
  if (size > MOST_TEXT) throw new RangeError(`${name}: ${size} bytes of JSON, at most ${MOST_TEXT} are read`)
  const bytes = await readExactly(source, name, 0, size)
  let text = ''
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) // JSON.parse refuses a byte order mark, like Python
    return JSON.parse(text)
  } catch (cause) {
    const { noJSON, pythonJSON } = await import('../config/refusals.js')
    if (name !== 'tokenizer.json' && /NaN|Infinity/.test(text)) return pythonJSON(name, bytes, text)
    throw noJSON(name, bytes, cause)
  }
}

/** Finds the size of a source by reading it, up to the limit for JSON. @param {ByteSource} source */
async function sizeOf(source) {
  const bytes = await source.read(0, MOST_TEXT)
  return bytes.length
}
