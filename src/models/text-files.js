// Files that few uses of a model need: the modules of sentence-transformers, a chat template, generation_config.json.

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

const GENERATION = 'generation_config.json'

/**
 * What the folder says of the choice of ids. config.json says it where there is no generation_config.json.
 * @param {import('./source.js').Folder} folder
 * @param {CheckpointSource} source
 * @param {Record<string, unknown>} config
 * @param {number} vocab
 */
export async function settingsOf(folder, source, config, vocab) {
  const { readSettings } = await import('./generation-settings.js')
  /** @param {import('./source.js').Folder} from */
  const read = async from => {
    const file = await from.open(GENERATION)
    return file
      ? readSettings(await readJSON(file, GENERATION), GENERATION, vocab)
      : readSettings(config, 'config.json', vocab)
  }
  const later = folder.list ? undefined : await whenNeeded(folder, source, GENERATION, read)
  if (later) return later
  const settings = await read(folder)
  return async () => settings
}

/** @param {import('./source.js').Folder} folder @param {CheckpointSource} source */
export const readsOf = async (folder, source) => ({
  modules: await whenNeeded(folder, source, 'modules.json', readModules),
  template: await whenNeeded(folder, source, TEMPLATE, readTemplate),
})
