// A model on the Hugging Face hub as a folder: the list of its files is asked for once, large files are read in blocks while
// they are downloaded, checked and kept. This module is loaded for names that begin with hf: only.

import { describe } from '../../base/errors.js'
import { blocksOf, inBlocks } from '../blocks.js'
import { meter } from './download-rate.js'
import { checkOf } from './hash-check.js'
import { HubError } from './hub-error.js'
import { isCommit, parseName } from './hub-name.js'
import { settingsOf } from './hub-settings.js'
import { requestsOf } from './requests.js'

/** @typedef {import('./hub-answers.js').Facts} Facts */
/** @typedef {import('./hub-answers.js').HubFile} HubFile */
/** @typedef {import('../source.js').ByteSource} ByteSource */

/**
 * Where files are kept.
 * @typedef {object} Store
 * @property {(revision: string) => Promise<(Facts & { isPartial?: boolean }) | undefined>} known what is remembered of a
 *   revision; isPartial: only files that are kept are listed
 * @property {(revision: string, facts: Facts) => Promise<void>} remember
 * @property {(commit: string, file: HubFile) => Promise<boolean>} has is the whole file kept?
 * @property {(commit: string, file: HubFile) => Promise<StoredFile | undefined>} open undefined: it cannot be kept
 * @property {() => Promise<{ bytes: number, where: string } | undefined>} free how many more bytes can be kept
 *
 * A file that is kept, or that is becoming so. Blocks are those of blocks.js.
 * @typedef {object} StoredFile
 * @property {boolean} isWhole
 * @property {ByteSource['read']} [read] of a whole file, where ranges are as quick as blocks
 * @property {(n: number, from: number, to: number) => Promise<Uint8Array | undefined>} get block n
 * @property {(n: number, from: number, bytes: Uint8Array) => Promise<void>} put
 * @property {() => Promise<void>} finish all blocks are there and were checked
 * @property {() => Promise<void>} drop the blocks do not fit the hash
 * @property {() => Promise<void>} close
 *
 * @typedef {object} HubProgress
 * @property {number} loaded bytes
 * @property {number} total bytes of the files that were not kept
 * @property {string} name of the file
 * @property {number} rate bytes a second, of the last seconds
 * @property {number} secondsLeft
 *
 * @typedef {object} HubOptions
 * @property {string} [token] of an account that may read the model
 * @property {string | URL} [hub] the address of the hub; default: the public one, in Node HF_ENDPOINT
 * @property {Record<string, string>} [headers] that are sent to the hub, and in browsers also to where it redirects
 * @property {boolean} [keep] false: nothing is kept
 */

/** Files of texts that are asked for beside the weights. */
const [CONFIG, TOKENIZER, TOKENIZER_CONFIG] = ['config.json', 'tokenizer.json', 'tokenizer_config.json']
/** What becomes a tokenizer where there is no tokenizer.json: of Marian, and of BERT. */
const [PIECES, WORDS] = [['source.spm', 'vocab.json'], ['vocab.txt']]

/**
 * @param {string} text hf:owner/name[@revision][/sub/folder]
 * @param {HubOptions} options
 * @param {{ isLoaded: boolean, hasTokenizer: boolean, signal?: AbortSignal, onProgress?: (progress: HubProgress) => void }} use
 *   isLoaded: all weights will be read
 * @returns {Promise<import('../source.js').Folder>}
 */
export async function openHub(
  text,
  { token, hub, headers, keep = true },
  { isLoaded, hasTokenizer, signal, onProgress },
) {
  const name = parseName(text)
  if (typeof keep !== 'boolean') throw new TypeError(`loadModel: keep: ${describe(keep)} given, true or false expected`)
  const settings = await settingsOf({ token, hub, headers })
  const ended = new AbortController() // by the caller, or when the folder is closed
  const stop = () => ended.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  const requests = requestsOf(settings, name, ended.signal)
  const store = keep ? await openStore(settings.cache, name.id) : undefined
  const facts = await readFacts()
  requests.use(facts)
  const own = facts.files.filter(({ path }) => path.startsWith(name.folder) && !path.includes('/', name.folder.length))
  const files = new Map(own.map(file => [file.path.slice(name.folder.length), file]))
  /** A file of this folder, or of one in it. @param {string} path */
  const find = path => files.get(path) ?? facts.files.find(file => file.path === name.folder + path)
  if (!files.size && !facts.isPartial)
    throw new HubError('NOT_FOUND', `${text}: ${name.id} has no folder ${name.folder.slice(0, -1)}`)

  const weights = files.has('model.safetensors')
    ? ['model.safetensors']
    : [...files.keys()].filter(file => /-\d+-of-\d+\.safetensors$|^model\.safetensors\.index\.json$/.test(file))
  const instead = files.has(PIECES[0]) ? PIECES : WORDS
  const ofTokenizer = [...(files.has(TOKENIZER) ? [TOKENIZER] : instead), TOKENIZER_CONFIG]
  const texts = [CONFIG, ...(hasTokenizer ? ofTokenizer : [])].filter(file => files.has(file))
  /** Files that are not kept yet, and are read. @type {HubFile[]} */
  const missing = []
  for (const each of [...texts, ...weights]) {
    const file = /** @type {HubFile} */ (files.get(each))
    if (!(await store?.has(facts.commit, file))) missing.push(file)
  }
  const download = missing.reduce((sum, { size = 0 }) => sum + size, 0)
  const progress = meter(download, onProgress)
  if (isLoaded && store) {
    await checkSpace(store)
    await store.remember(name.revision, facts).catch(fullDisk)
  }

  /** @type {Map<string, Promise<ByteSource>>} */
  const sources = new Map()
  /** What is to be done when all weights are read. @type {(() => Promise<void>)[]} */
  const unfinished = []
  /** @type {Set<StoredFile>} */
  const open = new Set()
  /** @param {string} file */
  const source = file => {
    const found = sources.get(file) ?? openFile(/** @type {HubFile} */ (find(file)))
    sources.set(file, found)
    return found
  }
  // What is surely read is requested side by side.
  if (isLoaded) for (const each of [...texts, ...weights]) if (isSmall(files.get(each))) source(each).catch(() => {})

  return {
    names: () => [...files.keys()],
    open: async file => (find(file) ? source(file) : undefined),
    async close() {
      signal?.removeEventListener('abort', stop)
      ended.abort()
      await Promise.allSettled(sources.values())
      for (const file of open) await file.close()
    },
    async finish() {
      for (const finish of unfinished) await finish()
    },
    isDownloaded: missing.length > 0,
    facts: {
      id: facts.id,
      revision: name.revision,
      commit: facts.commit,
      isGated: facts.isGated,
      license: facts.license,
      download,
      files: [...texts, ...weights].map(file => ({ name: file, bytes: files.get(file)?.size })),
    },
  }

  /** What the hub says of the revision, or what is kept of it. */
  async function readFacts() {
    const known = await store?.known(name.revision)
    if (settings.isOffline) {
      if (known) return known
      throw new HubError(
        'OFFLINE',
        `${text}: no file of it is kept in ${settings.cache}, and HF_HUB_OFFLINE forbids requests`,
      )
    }
    if (known && isCommit(name.revision) && !known.isPartial) return known
    try {
      /** @type {Facts & { isPartial?: boolean }} */
      const facts = await requests.facts(known && 1)
      return facts
    } catch (error) {
      signal?.throwIfAborted()
      if (known && error instanceof HubError && ['NETWORK', 'BUSY'].includes(error.code)) return known
      throw error
    }
  }

  /** Throws before a download that the disk has no room for. @param {Store} store */
  async function checkSpace(store) {
    const free = download ? await store.free() : undefined
    if (!free || download <= free.bytes) return
    const size = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1)} MB`
    throw new HubError(
      'DISK_FULL',
      `${text}: ${size(download)} are to be downloaded and kept, ${free.where} has room for ${size(Math.max(0, free.bytes))}: ` +
        'delete models with deleteKeptModel, or load it with { keep: false }',
    )
  }

  /** @param {any} cause */
  function fullDisk(cause) {
    if (cause?.name !== 'QuotaExceededError' && cause?.code !== 'ENOSPC') throw cause
    throw new HubError(
      'DISK_FULL',
      `${text}: the disk is full: delete models with deleteKeptModel, or load it with { keep: false }`,
      { cause },
    )
  }

  /** @param {HubFile} file @returns {Promise<ByteSource>} */
  async function openFile(file) {
    /** The first block, which tells a size that the list of files does not have. @type {Uint8Array | undefined} */
    let start
    if (file.size === undefined) start = await fetchBlock(0, blocksOf(Infinity).start(1))
    // Nothing is written for a look at the headers.
    const kept = isLoaded || (await store?.has(facts.commit, file)) ? await store?.open(facts.commit, file) : undefined
    if (kept) open.add(kept)
    if (kept?.isWhole && kept.read) return { size: file.size, read: kept.read }
    const size = /** @type {number} */ (file.size)
    const { count, start: startOf } = blocksOf(size)
    const check = kept?.isWhole ? undefined : await checkOf(file)
    const source = inBlocks(size, block)
    let isDone = kept?.isWhole
    if (isSmall(file) || file.hash?.length === 40) {
      // Text, which is parsed whole: it is checked before it is used.
      const bytes = await source.read(0, size)
      await finish()
      return { size, read: async (from, to) => bytes.subarray(from, to) }
    }
    unfinished.push(finish)
    return source

    /** @param {number} from @param {number} to */
    function fetchBlock(from, to) {
      if (settings.isOffline)
        throw new HubError(
          'OFFLINE',
          `${text}: ${file.path} is not kept in ${settings.cache}, and HF_HUB_OFFLINE forbids requests`,
        )
      return requests.range(file, from, to, count => progress(count, file.path))
    }

    /** @param {number} from @param {number} to @param {number} n */
    async function block(from, to, n) {
      const found = (n === 0 && start) || (await kept?.get(n, from, to))
      const bytes = found ?? (await fetchBlock(from, to))
      if (found && n !== 0 && !kept?.isWhole) progress(found.length, file.path)
      if (found !== bytes || found === start) await kept?.put(n, from, bytes).catch(fullDisk)
      check?.take(n, bytes)
      return bytes
    }

    /** Reads what nobody asked for, and compares the hash. */
    async function finish() {
      if (isDone) return
      isDone = true
      if (check) {
        while (check.next < count) await block(startOf(check.next), startOf(check.next + 1), check.next)
        const got = await check.digest()
        if (got !== file.hash) {
          await kept?.drop()
          throw new HubError(
            'DAMAGED',
            `${text}: the ${size} bytes of ${file.path} have the hash ${got}, the hub announced ${file.hash}: they were damaged on the way, and are not kept`,
          )
        }
      }
      await kept?.finish().catch(fullDisk)
    }
  }
}

/** @param {HubFile | undefined} file one that is read in one block, or undefined: not known */
const isSmall = file => file?.size !== undefined && blocksOf(file.size).count <= 1

/** @param {string | undefined} cache @param {string} id @returns {Promise<Store | undefined>} */
async function openStore(cache, id) {
  if (cache !== undefined) return (await import('./disk-cache.js')).openDiskCache(cache, id)
  return (await import('./private-files.js')).openPrivateFiles(id)
}
