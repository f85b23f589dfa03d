// Opens a folder without config.json: a GGUF file, or modules of sentence-transformers whose network is in a subfolder. Other folders are
// refused with a reason. Loaded if there is no config.json.

import { readJSON } from '../source/source.js'
import { readCheckpoint } from '../weights/checkpoint.js'
import { noConfig, refuseAdapter, refuseModules } from './refusals.js'

/**
 * Opens a folder without config.json.
 * @param {import('../source/source.js').Folder} folder
 * @param {import('../source/source.js').CheckpointSource} source
 * @param {Parameters<typeof import('../source/source.js').openFolder>[1]} options
 * @param {Parameters<typeof import('../source/source.js').openFolder>[2]} use
 * @returns {Promise<import('../source/source.js').Folder>} a folder that has config.json
 */
export async function openOther(folder, source, options, use) {
  const found =
    (await (await import('../gguf/open-gguf.js')).openOnly(folder, source, options, use)) ??
    (await (await import('../sentences/module-folder.js')).openNetwork(folder, source, options, use))
  if (found) return found
  await refuseAdapter(folder, readJSON)
  await refuseModules(folder, readJSON)
  await readCheckpoint(folder, source) // throws a more specific error for other formats
  throw noConfig()
}
