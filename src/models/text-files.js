// Files of texts that few uses of a model need: the modules of sentence-transformers, a chat template. Loaded with a tokenizer.

import { openFolder, readJSON } from './source.js'

/** @typedef {import('./source.js').CheckpointSource} CheckpointSource */

/**
 * Reads a file that few uses of a model need: now, if the folder lists it, else when it is asked for, because a folder
 * that cannot be listed would be asked in vain.
 * @template T
 * @param {import('./source.js').Folder} folder
 * @param {CheckpointSource} source
 * @param {string} name
 * @param {(from: import('./source.js').Folder) => Promise<T>} read
 */
async function whenNeeded(folder, source, name, read) {
  if (folder.names().includes(name)) {
    const found = await read(folder)
    return async () => found
  }
  if (!(typeof source === 'string' || source instanceof URL) || String(source).startsWith('hf:')) return undefined
  const open = async () => {
    const again = await openFolder(source, {}, { isLoaded: true, hasTokenizer: false })
    return read(again).finally(() => again.close())
  }
  /** @type {Promise<T> | undefined} */
  let found
  return () => {
    found ??= open().catch(error => {
      found = undefined // the next call asks again
      throw error
    })
    return found
  }
}

/** The modules of sentence-transformers. @param {import('./source.js').Folder} from */
const readModules = async from => (await import('./sentence-modules.js')).readModules(from, readJSON)

const TEMPLATE = 'chat_template.jinja'

/** A chat template beside the config. @param {import('./source.js').Folder} from */
const readTemplate = async from => {
  const file = await from.open(TEMPLATE)
  return file && new TextDecoder().decode(await file.read(0, file.size ?? 2 ** 24))
}

/** @param {import('./source.js').Folder} folder @param {CheckpointSource} source */
export const readsOf = async (folder, source) => ({
  modules: await whenNeeded(folder, source, 'modules.json', readModules),
  template: await whenNeeded(folder, source, TEMPLATE, readTemplate),
})
