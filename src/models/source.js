// Where the files of a checkpoint come from: a folder's URL, dropped files, an object of bytes, a path in Node. Each
// becomes a function from a file's name to a reader of byte ranges, so that no file is in memory twice.

import { isBytes } from '../base/buffers.js'
import { describe } from '../base/errors.js'

/**
 * Reads bytes from <= i < to, into `buffer` if it is given. `size` is undefined if only reading can tell it.
 * @typedef {{ size?: number, read: (from: number, to: number, buffer?: Uint8Array) => Promise<Uint8Array>, close?: () => Promise<void> }} ByteSource
 * @typedef {(from: number, to: number) => Promise<ArrayBuffer | ArrayBufferView>} RangeReader
 * @typedef {ArrayBuffer | ArrayBufferView | Blob | RangeReader} FileContent
 */
/**
 * A folder's URL, or in Node its path; a model on the hub, hf:owner/name; files (of an input or a drop); an object of contents by file name.
 * @typedef {string | URL | ArrayLike<File> | Record<string, FileContent> | Blob | ArrayBuffer | ArrayBufferView} CheckpointSource
 */
/**
 * @typedef {object} Folder
 * @property {(name: string) => Promise<ByteSource | undefined>} open undefined: there is no such file
 * @property {() => readonly string[]} names of the known files; a URL cannot be listed, so those opened so far
 * @property {() => Promise<string[]>} [list] all files of a folder on the disk, with those of the folders in it that are known
 * @property {() => Promise<void>} close
 * @property {() => Promise<void>} [finish] all weights were read: what was downloaded is checked and kept
 * @property {boolean} [isDownloaded] does it tell its progress itself?
 * @property {Map<string, import('./safetensors.js').StoredTensor>} [tensors] by name, of a GGUF file
 * @property {Record<string, number>} [types] of its blocks, with the bytes of their tensors
 * @property {import('./read-types.js').NumberOptions['loadKernels']} [loadKernels] those of its blocks
 * @property {HubFacts} [facts] of a model on the hub
 * @property {Folder} [outside] the folder that was given, where the network lies in a folder of it
 * @property {import('./gguf/read-gguf.js').GgufMetadata} [metadata] of a GGUF file: its vocabulary is there
 */
/**
 * What the hub says of a model, and how much is to be downloaded.
 * @typedef {object} HubFacts
 * @property {string} id the present name of the model
 * @property {string} revision
 * @property {string} commit
 * @property {boolean} isGated must its terms be accepted before it can be read?
 * @property {string} [license]
 * @property {number} download bytes that are not kept yet
 * @property {{ name: string, bytes?: number }[]} files that are read
 */

/** @param {ArrayBuffer | ArrayBufferView} bytes */
const toBytes = bytes =>
  ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes)

/** @param {unknown} content @param {string} name @returns {Promise<ByteSource>} */
async function fromContent(content, name) {
  if (isBytes(content)) {
    const bytes = toBytes(content)
    return { size: bytes.length, read: async (from, to) => bytes.subarray(from, to) }
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
        throw new TypeError(`loadModel: the function of ${name} gave ${describe(bytes)}, bytes expected`)
      },
    }
  throw new TypeError(
    `loadModel: ${name} is ${describe(content)}; bytes, a Blob or (start, end) => Promise of bytes expected`,
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
 * @param {unknown} source
 * @param {import('./hub/hub-folder.js').HubOptions & { signal?: AbortSignal, onProgress?: (progress: any) => void }} options
 * @param {{ isLoaded: boolean, hasTokenizer: boolean, choose?: (names: string[]) => readonly string[] }} use choose: the files that are
 *   read of those of a model on the hub, in place of those of a checkpoint
 * @returns {Promise<Folder>}
 */
export async function openFolder(source, { signal, onProgress, ...hub }, use) {
  if (typeof source === 'string' || source instanceof URL) {
    const text = String(source)
    if (text.startsWith('hf:'))
      return (await import('./hub/hub-folder.js')).openHub(text, hub, { ...use, signal, onProgress })
    if (!text.trim()) throw (await import('./wrong-source.js')).nothing()
    const isAddress = source instanceof URL || /^[a-z][a-z0-9+.-]+:\/\//i.test(text)
    const isFile = isAddress ? /^file:/i.test(text) : !globalThis.location
    const folder = isFile ? await (await import('./path.js')).fromPath(isAddress ? new URL(text) : text) : undefined
    return folder ?? (await import('./url.js')).fromURL(text, fromContent, signal)
  }
  if (typeof source !== 'object' || source === null)
    throw new TypeError(
      `loadModel: ${describe(source)} given; a folder's path or URL, hf:owner/name, an array of files or an object of contents by name expected`,
    )
  const files = /** @type {ArrayLike<File>} */ (source)
  if (typeof files.length === 'number')
    return fromMap(
      new Map(
        Array.from(files, file => {
          if (typeof file?.name !== 'string')
            throw new TypeError(`loadModel: ${describe(file)} given among the files, a File expected`)
          // What lies in a folder of the chosen folder has the same name as what lies beside it.
          return [file.webkitRelativePath?.replace(/^[^/]*\//, '') || file.name, file]
        }),
      ),
    )
  return fromMap(new Map(Object.entries(source)))
}

/**
 * Reads a range, and throws unless all of its bytes are there.
 * @param {ByteSource} source
 * @param {string} name
 * @param {number} from
 * @param {number} to
 * @param {Uint8Array} [buffer] with room for them
 */
export async function readExactly(source, name, from, to, buffer) {
  const end = source.size !== undefined && to > source.size ? source.size : to
  const bytes = end > from ? await source.read(from, end, buffer) : new Uint8Array(0)
  if (bytes.length !== to - from)
    throw new RangeError(
      `${name}: bytes ${from} to ${to} are needed, ${bytes.length} of them are there: the file is cut off`,
    )
  return bytes
}

const MOST_TEXT = 64 * 2 ** 20

/**
 * A file of JSON, whole.
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
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return JSON.parse(text)
  } catch (cause) {
    const { noJSON, pythonJSON } = await import('./refusals.js')
    if (/NaN|Infinity/.test(text)) return pythonJSON(name, bytes, text)
    throw noJSON(name, bytes, /** @type {Error} */ (cause))
  }
}

/** The size of a source that does not tell it: reads up to the limit. @param {ByteSource} source */
async function sizeOf(source) {
  const bytes = await source.read(0, MOST_TEXT)
  return bytes.length
}
