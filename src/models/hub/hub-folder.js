// A model on the Hugging Face hub as a folder. The list of its files is requested once; large files are read in blocks while they are
// downloaded, checked and cached. This module is loaded only for names that begin with hf:.

import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'
import { meter } from './download-rate.js'
import { HubError } from './hub-error.js'
import { fullDisk, isSmall, openFile } from './hub-file.js'
import { isCommit, parseName } from './hub-name.js'
import { settingsOf } from './hub-settings.js'
import { Requests } from './requests.js'

/** @import { Facts, HubFile } from './hub-answers.js' */
/** @import { ByteSource } from '../source/source.js' */

/**
 * A store for downloaded files.
 * @typedef {object} Store
 * @property {(revision: string) => Promise<(Facts & { isPartial?: boolean }) | undefined>} known stored facts of a revision; isPartial:
 *   true if only cached files are listed
 * @property {(revision: string, facts: Facts) => Promise<void>} remember
 * @property {(commit: string, file: HubFile) => Promise<boolean>} has true if the complete file is cached
 * @property {(commit: string, file: HubFile) => Promise<StoredFile | undefined>} open returns undefined if the file cannot be cached
 * @property {() => Promise<{ bytes: number, where: string } | undefined>} free returns the free space, if known
 *
 * A cached file, or one that is being written. Blocks are those of blocks.js.
 * @typedef {object} StoredFile
 * @property {boolean} isWhole
 * @property {ByteSource['read']} [read] reads any range of a complete file; absent if reading blocks is faster
 * @property {(n: number, from: number, to: number) => Promise<Uint8Array | undefined>} get returns block n; undefined if it is not stored
 * @property {(n: number, from: number, bytes: Uint8Array) => Promise<void>} put
 * @property {() => Promise<void>} finish called when all blocks are written and checked
 * @property {() => Promise<void>} drop called when the blocks do not match the hash
 * @property {() => Promise<void>} close
 *
 * @typedef {object} HubProgress
 * @property {number} loaded bytes
 * @property {number} total bytes of the files that were not cached
 * @property {string} name of the file
 * @property {number} rate bytes per second, over the last seconds
 * @property {number} secondsLeft
 *
 * @typedef {object} HubOptions
 * @property {string} [token] of an account that may read the model
 * @property {string | URL} [hub] the address of the hub; default: the public one, in Node HF_ENDPOINT
 * @property {Record<string, string>} [headers] sent to the hub, or to the server if the model is a URL; browsers also send them to the
 *   targets of redirects
 * @property {boolean} [keep] false to cache nothing
 */

/** Text files requested in addition to the weights. */
const [CONFIG, TOKENIZER, TOKENIZER_CONFIG] = ['config.json', 'tokenizer.json', 'tokenizer_config.json']
/** Files that a tokenizer is made of if there is no tokenizer.json: Marian's, and BERT's. */
const [PIECES, WORDS] = [['source.spm', 'vocab.json'], ['vocab.txt']]

/**
 * Opens a model on the hub as a folder.
 * @param {string} text hf:owner/name[@revision][/sub/folder]
 * @param {HubOptions} options
 * @param {{ isLoaded: boolean, hasTokenizer: boolean, choose?: (names: string[]) => readonly string[], signal?: AbortSignal,
 *   onProgress?: (progress: HubProgress) => void }} use isLoaded: all weights will be read
 * @returns {Promise<import('../source/source.js').Folder>}
 */
export async function openHub(text, { token, hub, headers, keep = true }, { signal, ...use }) {
  const name = parseName(text)
  if (typeof keep !== 'boolean') throw new TypeError(`loadModel: keep: expected true or false, got ${describe(keep)}`)
  const settings = await settingsOf({ token, hub, headers })
  signal?.throwIfAborted()
  const ended = new AbortController() // aborts when the caller aborts, when the folder is closed, or if it cannot be opened
  const stop = () => ended.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  const end = () => {
    signal?.removeEventListener('abort', stop)
    ended.abort()
  }
  try {
    const requests = new Requests(settings, name, ended.signal)
    const store = keep ? await openStore(settings.cache, name.id) : undefined
    return await openModel(name, { settings, requests, store, signal, end, ...use })
  } catch (error) {
    end()
    throw error
  }
}

/**
 * Opens a model with its settings, requests and store.
 * @param {import('./hub-name.js').HubName} name
 * @param {object} parts
 * @param {import('./hub-settings.js').Settings} parts.settings
 * @param {Requests} parts.requests
 * @param {Store | undefined} parts.store
 * @param {() => void} parts.end ends all requests
 * @param {boolean} parts.isLoaded
 * @param {boolean} parts.hasTokenizer
 * @param {(names: string[]) => readonly string[]} [parts.choose] chooses the files to read; default: those of a checkpoint
 * @param {AbortSignal} [parts.signal]
 * @param {(progress: HubProgress) => void} [parts.onProgress]
 * @returns {Promise<import('../source/source.js').Folder>}
 */
async function openModel(name, { settings, requests, store, end, isLoaded, hasTokenizer, choose, signal, onProgress }) {
  const { text } = name
  const facts = await readFacts(text, name.revision, settings, store, requests, signal)
  requests.use(facts)

  const files = filesIn(facts, name.folder)
  if (!files.size && facts.isPartial) throw notKept(text, settings)
  if (!facts.files.length)
    throw new HubError('NOT_FOUND', `${text}: ${name.id} is an empty repository: it has no files`)
  if (!files.size)
    throw new HubError(
      'NOT_FOUND',
      `${text}: ${name.id} has no ${name.folder ? `folder ${name.folder.slice(0, -1)}` : 'files outside of folders'}`,
    )
  /** Finds a file of this folder or of a subfolder. @param {string} path */
  const find = path => files.get(path) ?? facts.files.find(file => file.path === name.folder + path)
  const own = facts.files.flatMap(({ path }) => (path.startsWith(name.folder) ? path.slice(name.folder.length) : []))
  const read = (choose?.(own) ?? filesToRead(files, hasTokenizer)).map(
    path => /** @type {[string, HubFile]} */ ([path, find(path)]),
  )
  /** Files to read that are not cached yet. @type {HubFile[]} */
  const missing = []
  for (const [, file] of read) if (!(await store?.has(facts.commit, file))) missing.push(file)
  const download = missing.reduce((sum, { size = 0 }) => sum + size, 0)
  const progress = meter(download, onProgress)
  if (isLoaded && store) {
    await checkSpace(text, store, download)
    await store.remember(name.revision, facts).catch(fullDisk(text))
  }

  /** @type {import('./hub-file.js').Reading} */
  const reading = {
    text,
    settings,
    requests,
    store,
    commit: facts.commit,
    isLoaded,
    progress,
    kept: [],
    unfinished: [],
  }
  /** @type {Map<string, Promise<ByteSource>>} */
  const sources = new Map()
  /** @param {string} path */
  const source = path => {
    const found = sources.get(path) ?? openFile(reading, present(find(path)))
    sources.set(path, found)
    return found
  }
  // The small files are requested in parallel, because all will be read.
  if (isLoaded) for (const [path, file] of read) if (isSmall(file)) source(path).catch(() => {})

  return {
    names: () => [...files.keys(), ...templatesIn(facts, name.folder)],
    list: async () => own,
    open: async path => (find(path) ? source(path) : undefined),
    async close() {
      end()
      await Promise.allSettled(sources.values())
      for (const file of reading.kept) await file.close()
    },
    async finish() {
      for (const finish of reading.unfinished) await finish()
    },
    isDownloaded: missing.length > 0,
    facts: {
      id: facts.id,
      revision: name.revision,
      commit: facts.commit,
      isGated: facts.isGated,
      license: facts.license,
      download,
      files: read.map(([path, { size }]) => ({ name: path, bytes: size })),
    },
  }
}

/** @param {string | undefined} cache @param {string} id @returns {Promise<Store | undefined>} */
async function openStore(cache, id) {
  if (cache !== undefined) return (await import('./disk-cache.js')).openDiskCache(cache, id)
  return (await import('./private-files.js')).openPrivateFiles(id)
}

/**
 * Returns the facts of a revision, from the hub or from the store.
 * @param {string} text
 * @param {string} revision
 * @param {import('./hub-settings.js').Settings} settings
 * @param {Store | undefined} store
 * @param {Requests} requests
 * @param {AbortSignal} [signal]
 * @returns {Promise<Facts & { isPartial?: boolean }>}
 */
async function readFacts(text, revision, settings, store, requests, signal) {
  const known = await store?.known(revision)
  if (settings.isOffline) {
    if (known) return known
    throw notKept(text, settings)
  }
  if (known && isCommit(revision) && !known.isPartial) return known
  try {
    return await requests.facts(known && 1)
  } catch (error) {
    signal?.throwIfAborted()
    if (known && error instanceof HubError && ['NETWORK', 'BUSY'].includes(error.code)) return known
    throw error
  }
}

/** @param {string} text @param {import('./hub-settings.js').Settings} settings */
const notKept = (text, { cache, isOffline }) =>
  new HubError(
    'OFFLINE',
    `${text}: no file of it is kept in ${cache}, and ${isOffline ? 'HF_HUB_OFFLINE forbids requests' : 'the hub cannot be reached'}`,
  )

/** Returns the files of a folder by name, without subfolders. @param {Facts} facts @param {string} folder */
function filesIn({ files }, folder) {
  const own = files.filter(({ path }) => path.startsWith(folder) && !path.includes('/', folder.length))
  return new Map(own.map(file => [file.path.slice(folder.length), file]))
}

/** Lists the named chat templates in additional_chat_templates/. @param {Facts} facts @param {string} folder */
function templatesIn({ files }, folder) {
  const own = `${folder}additional_chat_templates/`
  return files.filter(({ path }) => path.startsWith(own)).map(({ path }) => path.slice(folder.length))
}

/** Lists the files to read, texts before weights. @param {Map<string, HubFile>} files @param {boolean} hasTokenizer */
function filesToRead(files, hasTokenizer) {
  const all = [...files.keys()]
  const shards = (/** @type {string} */ kind) =>
    all.filter(
      path => path.endsWith(`.${kind}.index.json`) || (/-\d+-of-\d+\./.test(path) && path.endsWith(`.${kind}`)),
    )
  const weights = [
    ['model.safetensors'].filter(path => files.has(path)),
    shards('safetensors'),
    ['pytorch_model.bin'].filter(path => files.has(path)),
    shards('bin'),
  ].find(({ length }) => length)
  const instead = files.has(PIECES[0]) ? PIECES : WORDS
  const ofTokenizer = [...(files.has(TOKENIZER) ? [TOKENIZER] : instead), TOKENIZER_CONFIG]
  const texts = [CONFIG, 'generation_config.json', ...(hasTokenizer ? ofTokenizer : [])]
  return [...texts.filter(path => files.has(path)), ...(weights ?? [])]
}

/** Throws if a download does not fit on the disk. @param {string} text @param {Store} store @param {number} download bytes */
async function checkSpace(text, store, download) {
  const free = download ? await store.free() : undefined
  if (!free || download <= free.bytes) return
  const size = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1)} MB`
  throw new HubError(
    'DISK_FULL',
    `${text}: ${size(download)} are to be downloaded and kept, ${free.where} has room for ${size(Math.max(0, free.bytes))}: ` +
      'delete models with deleteKeptModel, or load it with { keep: false }',
  )
}
