// Cached files of models in a browser, in the origin private file system. A file is stored by its hash, in blocks, so that a cancelled
// download can be resumed. Each block is written atomically, whichever tab writes it.

/** @import { Store } from './hub-folder.js' */
/** @import { Facts } from './hub-answers.js' */

const FOLDER = 'qkv-models'
/** Name of the empty file that marks a file as complete and checked against its hash. */
const WHOLE = 'whole'

/** @returns {Promise<FileSystemDirectoryHandle | undefined>} undefined if the browser lacks or forbids private files */
async function rootOf() {
  try {
    const root = await navigator.storage.getDirectory()
    return await root.getDirectoryHandle(FOLDER, { create: true })
  } catch {
    return undefined
  }
}

/** @param {FileSystemDirectoryHandle} folder @param {...string} names @returns {Promise<FileSystemDirectoryHandle>} */
async function inside(folder, ...names) {
  for (const name of names) folder = await folder.getDirectoryHandle(name, { create: true })
  return folder
}

/** @param {FileSystemDirectoryHandle} folder @param {string} name @param {Uint8Array | string} content */
async function write(folder, name, content) {
  const handle = await folder.getFileHandle(name, { create: true })
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  if ('createWritable' in handle) {
    const writable = await handle.createWritable()
    await writable.truncate(bytes.length) // throws if the disk is full; without it Chromium's write may throw an AbortError
    await writable.write(/** @type {any} */ (bytes))
    return writable.close()
  }
  // Older versions of Safari can write only in workers, by this handle.
  const access = await /** @type {any} */ (handle).createSyncAccessHandle()
  try {
    access.truncate(0)
    for (let at = 0; at < bytes.length; ) {
      const count = access.write(bytes.subarray(at), { at })
      if (!count) throw new DOMException('no byte was written', 'QuotaExceededError')
      at += count
    }
    access.flush()
  } finally {
    access.close()
  }
}

/** @param {FileSystemDirectoryHandle} folder @param {string} name @returns {Promise<File | undefined>} */
const read = async (folder, name) => {
  try {
    return await (await folder.getFileHandle(name)).getFile()
  } catch {
    return undefined
  }
}

/** @param {FileSystemDirectoryHandle} folder @returns {Promise<[string, FileSystemHandle][]>} */
const entriesOf = async folder => {
  const entries = []
  for await (const entry of folder.entries()) entries.push(entry)
  return entries
}

/** Encodes the name of a model or a revision, which may contain slashes, as a file name. */
const nameOf = encodeURIComponent

/**
 * Opens the store of a model in the origin private file system.
 * @param {string} id of the model, as requested
 * @returns {Promise<Store | undefined>}
 */
export async function openPrivateFiles(id) {
  const root = await rootOf()
  if (!root) return undefined
  const notes = () => inside(root, 'models', nameOf(id))
  return {
    async known(revision) {
      for (const [name] of await entriesOf(await notes())) {
        const facts = await noteOf(await notes(), name)
        if (facts && (name === nameOf(revision) || facts.commit === revision)) return facts
      }
      return undefined
    },

    async remember(revision, facts) {
      const { isGated, license, commit, files } = facts
      const kept = files.map(({ path, size, hash }) => ({ path, size, hash }))
      const note = { id: facts.id, commit, isGated, license, opened: Date.now(), files: kept }
      await write(await notes(), nameOf(revision), JSON.stringify(note))
    },

    async has(_, { hash }) {
      const folder = hash && (await inside(root, 'files', hash))
      return Boolean(folder && (await read(folder, WHOLE)))
    },

    async open(_, { hash }) {
      if (!hash) return undefined
      const folder = await inside(root, 'files', hash)
      return {
        isWhole: (await read(folder, WHOLE)) !== undefined,
        async get(n, from, to) {
          const file = await read(folder, String(n))
          return file?.size === to - from ? new Uint8Array(await file.arrayBuffer()) : undefined
        },
        put: (n, _, bytes) => write(folder, String(n), bytes),
        finish: () => write(folder, WHOLE, ''),
        drop: async () => (await inside(root, 'files')).removeEntry(hash, { recursive: true }),
        close: async () => {},
      }
    },

    async free() {
      const { quota, usage } = await navigator.storage.estimate()
      return quota === undefined ? undefined : { bytes: quota - (usage ?? 0), where: 'this browser, for this site' }
    },
  }
}

/** @param {FileSystemDirectoryHandle} folder @param {string} name @returns {Promise<Facts & { opened: number } | undefined>} */
async function noteOf(folder, name) {
  try {
    return JSON.parse(String(await (await read(folder, name))?.text()))
  } catch {
    return undefined
  }
}

/** Returns the two folders of the cache, the facts stored for each model and revision, and the cached bytes of each file by hash. */
async function all() {
  const root = await rootOf()
  if (!root) return undefined
  const files = await inside(root, 'files')
  const models = await inside(root, 'models')
  /** @type {Map<string, number>} */
  const sizes = new Map()
  for (const [hash, folder] of await entriesOf(files)) {
    let bytes = 0
    for (const [, handle] of await entriesOf(/** @type {FileSystemDirectoryHandle} */ (folder)))
      bytes += (await /** @type {FileSystemFileHandle} */ (handle).getFile()).size
    sizes.set(hash, bytes)
  }
  const notes = []
  for (const [folder, handle] of await entriesOf(models))
    for (const [name] of await entriesOf(/** @type {FileSystemDirectoryHandle} */ (handle))) {
      const facts = await noteOf(/** @type {FileSystemDirectoryHandle} */ (handle), name)
      if (facts) notes.push({ id: decodeURIComponent(folder), revision: decodeURIComponent(name), facts })
    }
  return { files, models, sizes, notes }
}

/** @returns {Promise<import('./kept-models.js').KeptModel[]>} */
export async function listPrivateFiles() {
  const { sizes, notes } = (await all()) ?? { sizes: new Map(), notes: [] }
  /** @type {Map<string, import('./kept-models.js').KeptModel>} */
  const models = new Map()
  for (const { id, revision, facts } of notes) {
    const { commit, files, opened } = facts
    const bytes = files.reduce((sum, { hash = '' }) => sum + (sizes.get(hash) ?? 0), 0)
    const found = models.get(`${id}@${commit}`)
    const model = found ?? { id, revisions: [], commit, bytes, opened: new Date(0) }
    if (revision !== commit) model.revisions.push(revision)
    model.opened = new Date(Math.max(opened, model.opened.getTime()))
    models.set(`${id}@${commit}`, model)
  }
  return [...models.values()]
}

/** Removes a commit of a model, and the files that no other commit uses. @param {import('./kept-models.js').KeptModel} model */
export async function deletePrivateFiles({ id, commit }) {
  const kept = await all()
  if (!kept) return
  const { files, models, sizes, notes } = kept
  const isGone = (/** @type {typeof notes[0]} */ note) => note.id === id && note.facts.commit === commit
  const folder = await inside(models, nameOf(id))
  for (const { revision } of notes.filter(isGone)) await folder.removeEntry(nameOf(revision))
  if (!(await entriesOf(folder)).length) await models.removeEntry(nameOf(id))
  const needed = new Set(
    notes.filter(note => !isGone(note)).flatMap(({ facts }) => facts.files.map(({ hash }) => hash)),
  )
  for (const hash of sizes.keys()) if (!needed.has(hash)) await files.removeEntry(hash, { recursive: true })
}
