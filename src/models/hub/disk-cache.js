// The cache of Python's huggingface_hub, in Node. Each model has a folder models--owner--name/: blobs/HASH has the content of a file,
// snapshots/COMMIT/FILE is a link to it, and refs/REVISION contains the commit. https://huggingface.co/docs/hub/local-cache

import { HubError } from './hub-error.js'
import { builtin } from './hub-settings.js'

/** @import { Store, StoredFile } from './hub-folder.js' */
/** @import { HubFile } from './hub-answers.js' */
/** @import { FileHandle } from 'node:fs/promises' */

/** @type {typeof import('node:fs/promises')} */
const fs = builtin('node:fs/promises')
/** @type {typeof import('node:path')} */
const { dirname, join, relative, sep } = builtin('node:path')
/** @type {typeof import('node:os')} */
const { hostname } = builtin('node:os')

/** Milliseconds without a write after which a partial download of another computer is removed. */
const LEFT = 24 * 3600 * 1000

const none = () => undefined
const sizeOf = (/** @type {string} */ path) => fs.stat(path).then(({ size }) => size, none)
/** Lists the names in a folder, none if it does not exist. @param {string} path @returns {Promise<string[]>} */
const namesIn = path => fs.readdir(path).catch(() => [])

/** Lists all files below a folder, by relative path. @param {string} path */
async function filesIn(path) {
  const entries = await fs.readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter(entry => !entry.isDirectory()).map(entry => join(entry.parentPath, entry.name))
  return files.map(file => relative(path, file).split(sep).join('/'))
}

/** Makes the error for a cache that cannot be used. @param {string} path @param {string} why */
const unusable = (path, why) =>
  new HubError(
    'CACHE',
    `the cache ${path} ${why}; set HF_HUB_CACHE to a folder of your own, or load with { keep: false }`,
  )

/** True if a write failed because the cache is read-only; files are then loaded but not kept. @param {unknown} error of a write */
const isReadOnly = error => ['EACCES', 'EPERM', 'EROFS'].includes(Object(error).code)

/** Rethrows the error of a failed write, unless the cache is read-only. @param {unknown} error @returns {undefined} */
function unlessReadOnly(error) {
  if (isReadOnly(error)) return undefined
  const { code, path } = Object(error)
  if (code === 'ENOTDIR' || code === 'EEXIST') throw unusable(path, 'is a file; expected a folder')
  throw error
}

/**
 * Opens the cache of a model on disk.
 * @param {string} cache folder of the cache @param {string} id of the model, as requested @returns {Promise<Store>}
 */
export async function openDiskCache(cache, id) {
  const isFile = await fs.stat(cache).then(
    found => !found.isDirectory(),
    error => error.code === 'ENOTDIR',
  )
  if (isFile) throw unusable(cache, 'is a file, or below one; expected a folder')
  return new DiskCache(cache, id)
}

/** The cached files of one model. */
class DiskCache {
  #cache
  #id
  /** The folder of the model. */
  #base

  /** @param {string} cache @param {string} id */
  constructor(cache, id) {
    this.#cache = cache
    this.#id = id
    this.#base = join(cache, `models--${id.replaceAll('/', '--')}`)
  }

  /** @param {string} commit */
  #snapshot(commit) {
    return join(this.#base, 'snapshots', commit)
  }

  /** @param {string} hash */
  #blob(hash) {
    return join(this.#base, 'blobs', hash)
  }

  /** @type {Store['known']} */
  async known(revision) {
    const isKept = (await sizeOf(this.#snapshot(revision))) !== undefined
    const commit = isKept ? revision : await fs.readFile(join(this.#base, 'refs', revision), 'utf8').catch(none)
    if (!commit || !/^[0-9a-f]{40}$/.test(commit.trim())) return undefined
    const folder = this.#snapshot(commit.trim())
    const files = (await filesIn(folder)).map(async path => ({ path, size: await sizeOf(join(folder, path)) }))
    return { id: this.#id, commit: commit.trim(), files: await Promise.all(files), isGated: false, isPartial: true }
  }

  /** @type {Store['remember']} */
  async remember(revision, { commit }) {
    if (revision === commit) return
    const ref = join(this.#base, 'refs', revision)
    try {
      await fs.mkdir(dirname(ref), { recursive: true })
      await fs.writeFile(ref, commit)
    } catch (error) {
      unlessReadOnly(error)
    }
  }

  /** @type {Store['has']} */
  async has(commit, file) {
    return (await this.#whole(commit, file)) !== undefined
  }

  /**
   * Returns the path of a file if it is cached completely, as a blob or as a plain file in the snapshot; else undefined.
   * @param {string} commit
   * @param {HubFile} file
   */
  async #whole(commit, { path, size, hash }) {
    const paths = [...(hash ? [this.#blob(hash)] : []), join(this.#snapshot(commit), path)]
    if (size !== undefined) for (const each of paths) if ((await sizeOf(each)) === size) return each
    return undefined
  }

  /** @type {Store['open']} */
  async open(commit, file) {
    const { hash } = file
    const whole = await this.#whole(commit, file)
    if (whole) {
      if (hash && whole === this.#blob(hash)) await this.#link(commit, file, hash).catch(none)
      const handle = await fs.open(whole).catch(({ code }) => {
        throw unusable(whole, `cannot be read (${code})`)
      })
      return wholeFile(handle)
    }
    if (!hash) return undefined
    const blob = this.#blob(hash)
    // Another process may be downloading the same file. Each process writes its own part, and the last to finish replaces the blob.
    const writer = `${encodeURIComponent(hostname())}.${globalThis.process.pid}`
    const part = `${blob}.${writer}.${globalThis.crypto.randomUUID()}.incomplete`
    try {
      await fs.mkdir(dirname(part), { recursive: true })
      await removeLeft(dirname(part))
      return newFile(await fs.open(part, 'wx+'), part, async () => {
        await fs.rename(part, blob)
        await this.#link(commit, file, hash).catch(unlessReadOnly)
      })
    } catch (error) {
      return unlessReadOnly(error)
    }
  }

  /** @type {Store['free']} */
  async free() {
    for (let path = this.#cache; ; path = dirname(path)) {
      const facts = await fs.statfs(path).catch(none)
      const isWritten =
        facts &&
        (await fs.access(path, fs.constants.W_OK).then(
          () => true,
          error => !isReadOnly(error),
        ))
      if (facts) return isWritten ? { bytes: facts.bavail * facts.bsize, where: this.#cache } : undefined
      if (path === dirname(path)) return undefined
    }
  }

  /** Links snapshots/COMMIT/FILE to the blob, replacing a truncated file. @param {string} commit @param {HubFile} file @param {string} hash */
  async #link(commit, { path, size }, hash) {
    const pointer = join(this.#snapshot(commit), path)
    if ((await sizeOf(pointer)) === size) return
    await fs.mkdir(dirname(pointer), { recursive: true })
    const blob = this.#blob(hash)
    const made = `${pointer}.${globalThis.crypto.randomUUID()}`
    await fs.symlink(relative(dirname(pointer), blob), made).catch(() => fs.copyFile(blob, made)) // copies where symlinks are impossible
    await fs.rename(made, pointer)
  }
}

/**
 * Removes partial downloads whose process has ended, where permissions allow it. Keeps HASH.incomplete, which Python's library resumes.
 * @param {string} blobs
 */
async function removeLeft(blobs) {
  for (const name of await namesIn(blobs)) {
    const found = /^[0-9a-f]+\.(?:(.+)\.(\d+)\.)?[\w-]+\.incomplete$/.exec(name)
    if (!found) continue
    const [, host, pid] = found
    const path = join(blobs, name)
    const isLeft =
      host === encodeURIComponent(hostname())
        ? !isRunning(Number(pid))
        : Date.now() - ((await fs.stat(path).catch(none))?.mtimeMs ?? Infinity) > LEFT
    if (isLeft) await fs.rm(path, { force: true }).catch(none)
  }
}

/** True if a process with this id runs on this computer. @param {number} pid */
function isRunning(pid) {
  try {
    return globalThis.process.kill(pid, 0)
  } catch (error) {
    return Object(error).code === 'EPERM' // alive, but owned by another user
  }
}

/** @param {FileHandle} handle @param {number} from @param {number} to @param {Uint8Array} [buffer] */
async function readAt(handle, from, to, buffer) {
  const bytes = buffer?.subarray(0, to - from) ?? new Uint8Array(to - from)
  const { bytesRead } = await handle.read(bytes, 0, to - from, from)
  return bytes.subarray(0, bytesRead)
}

/** Makes the StoredFile of a complete file. @param {FileHandle} handle @returns {StoredFile} */
const wholeFile = handle => ({
  isWhole: true,
  read: (from, to, buffer) => readAt(handle, from, to, buffer),
  get: (_, from, to) => readAt(handle, from, to),
  put: async () => {},
  finish: () => handle.close(),
  close: () => handle.close().catch(none),
  drop: async () => {},
})

/**
 * Makes the StoredFile of a new file, which is written block by block.
 * @param {FileHandle} handle
 * @param {string} part path of the incomplete file
 * @param {() => Promise<void>} moveIn moves the complete file to its final path
 * @returns {StoredFile}
 */
function newFile(handle, part, moveIn) {
  /** The start offsets of the blocks written so far. @type {Set<number>} */
  const written = new Set()
  return {
    isWhole: false,
    get: async (_, from, to) => (written.has(from) ? readAt(handle, from, to) : undefined),
    async put(_, from, bytes) {
      // On a full disk a write may be short; the next one throws.
      for (let n = 0; n < bytes.length; ) n += (await handle.write(bytes, n, bytes.length - n, from + n)).bytesWritten
      written.add(from)
    },
    async finish() {
      await handle.close()
      const { mode } = await fs.stat(dirname(part))
      await fs.chmod(part, mode & 0o666).catch(none)
      await moveIn()
    },
    async close() {
      await handle.close().catch(none)
      await fs.rm(part, { force: true })
    },
    drop: async () => {},
  }
}

/** Lists the models in a cache. @param {string} cache @returns {Promise<import('./kept-models.js').KeptModel[]>} */
export async function listDiskCache(cache) {
  const models = (await namesIn(cache)).filter(name => name.startsWith('models--')).sort()
  const lists = models.map(async folder => {
    const id = folder.slice(8).replaceAll('--', '/')
    const base = join(cache, folder)
    const refs = await filesIn(join(base, 'refs'))
    const commits = await Promise.all(refs.map(ref => fs.readFile(join(base, 'refs', ref), 'utf8').catch(() => '')))
    return Promise.all(
      (await namesIn(join(base, 'snapshots'))).sort().map(async commit => {
        const path = join(base, 'snapshots', commit)
        const files = await filesIn(path)
        const stats = await Promise.all(files.map(file => fs.stat(join(path, file)).catch(none)))
        const bytes = stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0)
        const revisions = refs.filter((_, n) => commits[n].trim() === commit)
        const opened = Math.max(0, ...stats.map(stat => stat?.atimeMs ?? 0))
        return { id, revisions, commit, bytes, opened: new Date(opened) }
      }),
    )
  })
  return (await Promise.all(lists)).flat()
}

/**
 * Removes a revision: its snapshot, the refs to it, and the blobs that no other snapshot links to.
 * @param {string} cache
 * @param {import('./kept-models.js').KeptModel} model
 */
export async function deleteFromDiskCache(cache, { id, revisions, commit }) {
  const base = join(cache, `models--${id.replaceAll('/', '--')}`)
  await fs.rm(join(base, 'snapshots', commit), { recursive: true, force: true })
  for (const revision of revisions) await fs.rm(join(base, 'refs', revision), { force: true })
  const left = await namesIn(join(base, 'snapshots'))
  if (!left.length) return fs.rm(base, { recursive: true, force: true })
  /** @type {Set<string>} */
  const linked = new Set()
  for (const file of await filesIn(join(base, 'snapshots')))
    linked.add(await fs.realpath(join(base, 'snapshots', file)).catch(() => ''))
  for (const name of await namesIn(join(base, 'blobs'))) {
    const path = join(base, 'blobs', name)
    if (!linked.has(await fs.realpath(path)) && !name.endsWith('.incomplete')) await fs.rm(path, { force: true })
  }
}
