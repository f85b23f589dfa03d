// The cache of Python's huggingface_hub, in Node: models--owner--name/ with blobs/HASH, snapshots/COMMIT/FILE, which are
// links to blobs, and refs/REVISION, which holds a commit. https://huggingface.co/docs/hub/local-cache

import { builtin } from './hub-settings.js'

/** @typedef {import('./hub-folder.js').Store} Store */

const fs = /** @type {typeof import('node:fs/promises')} */ (builtin('node:fs/promises'))
const { dirname, join, relative, sep } = /** @type {typeof import('node:path')} */ (builtin('node:path'))

const none = () => undefined
const sizeOf = (/** @type {string} */ path) => fs.stat(path).then(({ size }) => size, none)
/** The names in a folder, or none. @param {string} path */
const namesIn = path => fs.readdir(path).catch(() => /** @type {string[]} */ ([]))

/** All files below a folder, by their paths in it. @param {string} path */
async function filesIn(path) {
  const entries = await fs.readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter(entry => !entry.isDirectory()).map(entry => join(entry.parentPath, entry.name))
  return files.map(file => relative(path, file).split(sep).join('/'))
}

/**
 * @param {string} cache its folder
 * @param {string} id of the model, as it was asked for
 * @returns {Store}
 */
export function openDiskCache(cache, id) {
  const base = join(cache, `models--${id.replaceAll('/', '--')}`)
  const snapshot = (/** @type {string} */ commit) => join(base, 'snapshots', commit)
  const blob = (/** @type {string} */ hash) => join(base, 'blobs', hash)

  /** Makes snapshots/COMMIT/FILE, a link to the blob. @param {string} commit @param {string} path @param {string} hash */
  async function link(commit, path, hash) {
    const pointer = join(snapshot(commit), path)
    if ((await sizeOf(pointer)) !== undefined) return
    await fs.mkdir(dirname(pointer), { recursive: true })
    await fs.symlink(relative(dirname(pointer), blob(hash)), pointer).catch(async error => {
      if (error.code !== 'EEXIST') await fs.copyFile(blob(hash), pointer) // a file system without links
    })
  }

  return {
    async known(revision) {
      const isKept = (await sizeOf(snapshot(revision))) !== undefined
      const commit = isKept ? revision : await fs.readFile(join(base, 'refs', revision), 'utf8').catch(none)
      if (!commit || !/^[0-9a-f]{40}$/.test(commit.trim())) return undefined
      const folder = snapshot(commit.trim())
      const files = (await filesIn(folder)).map(async path => ({ path, size: await sizeOf(join(folder, path)) }))
      return { id, commit: commit.trim(), files: await Promise.all(files), isGated: false, isPartial: true }
    },

    async remember(revision, { commit }) {
      if (revision === commit) return
      const ref = join(base, 'refs', revision)
      await fs.mkdir(dirname(ref), { recursive: true })
      await fs.writeFile(ref, commit)
    },

    async has(commit, { path, size, hash }) {
      const found = await sizeOf(join(snapshot(commit), path))
      return (found ?? (hash && (await sizeOf(blob(hash))))) === size && size !== undefined
    },

    async open(commit, file) {
      const { path, size, hash } = file
      const isThere = await this.has(commit, file)
      if (isThere && hash && (await sizeOf(blob(hash))) === size) await link(commit, path, hash).catch(none)
      const pointer = join(snapshot(commit), path)
      if (isThere)
        return stored(
          await fs.open((await sizeOf(pointer)) === size ? pointer : blob(/** @type {string} */ (hash))),
          true,
        )
      if (!hash) return undefined
      // Others may load the same file now: each writes a file of its own, and the last one to be ready replaces the blob.
      const part = `${blob(hash)}.${globalThis.crypto.randomUUID()}.incomplete`
      try {
        await fs.mkdir(dirname(part), { recursive: true })
        return stored(await fs.open(part, 'wx+'), false)
      } catch (error) {
        if (['EACCES', 'EPERM', 'EROFS'].includes(/** @type {any} */ (error).code)) return undefined // it may only be read
        throw error
      }

      /** @param {import('node:fs/promises').FileHandle} handle @param {boolean} isWhole @returns {import('./hub-folder.js').StoredFile} */
      function stored(handle, isWhole) {
        /** The first bytes of the blocks that were written. @type {Set<number>} */
        const written = new Set()
        const read = async (
          /** @type {number} */ from,
          /** @type {number} */ to,
          /** @type {Uint8Array | undefined} */ buffer,
        ) => {
          const bytes = buffer?.subarray(0, to - from) ?? new Uint8Array(to - from)
          const { bytesRead } = await handle.read(bytes, 0, to - from, from)
          return bytes.subarray(0, bytesRead)
        }
        return {
          isWhole,
          read: isWhole ? read : undefined,
          get: async (_, from, to) =>
            isWhole || written.has(from) ? read(from, to, new Uint8Array(to - from)) : undefined,
          async put(_, from, bytes) {
            await handle.write(bytes, 0, bytes.length, from)
            written.add(from)
          },
          async finish() {
            await handle.close()
            const { mode } = await fs.stat(dirname(part))
            await fs.chmod(part, mode & 0o666).catch(none)
            await fs.rename(part, blob(/** @type {string} */ (hash)))
            await link(commit, path, /** @type {string} */ (hash))
          },
          async close() {
            await handle.close().catch(none)
            if (!isWhole) await fs.rm(part, { force: true })
          },
          drop: async () => {},
        }
      }
    },

    async free() {
      for (let path = cache; ; path = dirname(path)) {
        const facts = await fs.statfs(path).catch(none)
        if (facts) return { bytes: facts.bavail * facts.bsize, where: cache }
        if (path === dirname(path)) return undefined
      }
    },
  }
}

/** The models in a cache. @param {string} cache @returns {Promise<import('./kept-models.js').KeptModel[]>} */
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
