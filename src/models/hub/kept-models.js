// Lists and deletes cached models: in a browser those of this site, in Node those in the cache of Python's huggingface_hub.

import { parseName } from './hub-name.js'
import { builtin, settingsOf } from './hub-settings.js'

/**
 * @typedef {object} KeptModel
 * @property {string} id owner/name
 * @property {string[]} revisions revisions by which it was opened
 * @property {string} commit
 * @property {number} bytes cached bytes; a file shared by two revisions counts for both
 * @property {Date} opened when it was last opened
 */

const diskCache = builtin('node:fs') && (() => import('./disk-cache.js'))
const privateFiles = () => import('./private-files.js')

/** @returns {Promise<KeptModel[]>} */
export async function listModels() {
  if (!diskCache) return (await privateFiles()).listPrivateFiles()
  return (await diskCache()).listDiskCache(String((await settingsOf({})).cache))
}

/**
 * Deletes a model, or one revision of it.
 * @param {string} name hf:owner/name, or hf:owner/name@revision
 * @returns {Promise<number>} the number of revisions deleted
 */
export async function deleteModel(name) {
  const { id, revision } = parseName(name, 'deleteKeptModel')
  const isAll = !name.includes('@')
  const models = (await listModels()).filter(
    model => model.id === id && (isAll || model.commit === revision || model.revisions.includes(revision)),
  )
  for (const model of models)
    if (diskCache) await (await diskCache()).deleteFromDiskCache(String((await settingsOf({})).cache), model)
    else await (await privateFiles()).deletePrivateFiles(model)
  return models.length
}
