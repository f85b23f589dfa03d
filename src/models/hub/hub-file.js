// A file of a model on the hub. It is read in blocks while it is downloaded, checked against its hash, and cached.

import { blocksOf, inBlocks } from '../source/blocks.js'
import { checkOf } from './hash-check.js'
import { HubError } from './hub-error.js'

/** @import { HubFile } from './hub-answers.js' */
/** @import { StoredFile } from './hub-folder.js' */
/** @import { ByteSource } from '../source/source.js' */

/**
 * Context that all files of a model share.
 * @typedef {object} Reading
 * @property {string} text the name of the model, as requested
 * @property {import('./hub-settings.js').Settings} settings
 * @property {import('./requests.js').Requests} requests
 * @property {import('./hub-folder.js').Store} [store]
 * @property {string} commit
 * @property {boolean} isLoaded true if all weights will be read
 * @property {(bytes: number, path: string) => void} progress called when bytes of a file arrive, with their number
 * @property {StoredFile[]} kept cached files to close at the end
 * @property {(() => Promise<void>)[]} unfinished checks to run when all weights are read
 */

/** True if a file is read in one block. @param {HubFile} file */
export const isSmall = ({ size }) => size !== undefined && blocksOf(size).count <= 1

/**
 * Makes a handler that rethrows an error. If the disk is full, it throws a HubError instead.
 * @param {string} text the name of the model
 * @returns {(cause: any) => never}
 */
export const fullDisk = text => cause => {
  if (cause?.name !== 'QuotaExceededError' && cause?.code !== 'ENOSPC') throw cause
  throw new HubError(
    'DISK_FULL',
    `${text}: the disk is full: delete models with deleteKeptModel, or load it with { keep: false }`,
    { cause },
  )
}

/** @param {Reading} reading @param {HubFile} file @param {number} from @param {number} to */
function download({ text, settings, requests, progress }, file, from, to) {
  if (settings.isOffline)
    throw new HubError(
      'OFFLINE',
      `${text}: ${file.path} is not kept in ${settings.cache}, and HF_HUB_OFFLINE forbids requests`,
    )
  return requests.range(file, from, to, bytes => progress(bytes, file.path))
}

/** Opens a file of a model, from the store or from the hub. @param {Reading} reading @param {HubFile} file @returns {Promise<ByteSource>} */
export async function openFile(reading, file) {
  const { store, commit, isLoaded } = reading
  // If the list of files lacks size and hash, the response for the first block has them.
  const isKnown = (file.size !== undefined && file.hash) || (await store?.has(commit, file))
  const start = isKnown ? undefined : await download(reading, file, 0, blocksOf(Infinity).start(1))
  // If only headers are read, nothing is written.
  const kept = isLoaded || (await store?.has(commit, file)) ? await store?.open(commit, file) : undefined
  if (kept) reading.kept.push(kept)
  if (kept?.isWhole && kept.read) return { size: file.size, read: kept.read }
  const arriving = new ArrivingFile(reading, file, kept, kept?.isWhole ? undefined : await checkOf(file), start)
  const size = /** @type {number} */ (file.size)
  const source = inBlocks(size, (from, to, n) => arriving.block(from, to, n))
  if (isSmall(file) || file.hash?.length === 40) {
    // A small file or text is read whole, so that its hash is checked before it is used.
    const bytes = await source.read(0, size)
    await arriving.finish()
    return { size, read: async (from, to) => bytes.subarray(from, to) }
  }
  reading.unfinished.push(() => arriving.finish())
  return source
}

/** A file of which some blocks are cached. The others are downloaded and cached, and all are checked against the hash. */
class ArrivingFile {
  #reading
  #file
  #kept
  #check
  #start
  #isDone

  /**
   * @param {Reading} reading
   * @param {HubFile} file
   * @param {StoredFile | undefined} kept stores the blocks; undefined to cache nothing
   * @param {Awaited<ReturnType<typeof checkOf>>} check hasher of the blocks
   * @param {Uint8Array} [start] the first block, if already loaded
   */
  constructor(reading, file, kept, check, start) {
    this.#reading = reading
    this.#file = file
    this.#kept = kept
    this.#check = check
    this.#start = start
    this.#isDone = kept?.isWhole
  }

  /** Returns block n. @param {number} from @param {number} to @param {number} n */
  async block(from, to, n) {
    const { text, progress } = this.#reading
    const kept = this.#kept
    const first = n === 0 ? this.#start : undefined
    const found = first ?? (await kept?.get(n, from, to))
    const bytes = found ?? (await download(this.#reading, this.#file, from, to))
    if (found && n !== 0 && !kept?.isWhole) progress(found.length, this.#file.path)
    if (!found || first) await kept?.put(n, from, bytes).catch(fullDisk(text))
    this.#check?.take(n, bytes)
    return bytes
  }

  /** Reads the blocks that nobody requested, and checks the hash. */
  async finish() {
    if (this.#isDone) return
    this.#isDone = true
    if (this.#check) await this.#compareHash(this.#check)
    await this.#kept?.finish().catch(fullDisk(this.#reading.text))
  }

  /** Reads the remaining blocks and throws if the hash differs. @param {NonNullable<Awaited<ReturnType<typeof checkOf>>>} check */
  async #compareHash(check) {
    const { path, hash, size = 0 } = this.#file
    const { count, start } = blocksOf(size)
    while (check.next < count) await this.block(start(check.next), start(check.next + 1), check.next)
    const got = await check.digest()
    if (got === hash) return
    await this.#kept?.drop()
    throw new HubError(
      'DAMAGED',
      `${this.#reading.text}: the ${size} bytes of ${path} have the hash ${got}, the hub announced ${hash}: they were damaged on the way, and are not kept`,
    )
  }
}
