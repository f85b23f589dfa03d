// The index of a checkpoint in shards. Loaded where there is no model.safetensors.

import { describe } from '../base/errors.js'
import { noWeights } from './refusals.js'
import { INDEX, SINGLE } from './safetensors.js'

/** @typedef {import('./source.js').Folder} Folder */

/**
 * The shard of each tensor, as the index names it.
 * @param {Folder} folder
 * @param {string | undefined} single a file that is read where there is no index
 * @param {unknown} given as the source
 * @param {typeof import('./source.js').readJSON} readJSON passed, so that this is a file of its own in the package
 * @returns {Promise<Map<string, string>>}
 */
export async function readIndex(folder, single, given, readJSON) {
  const source = await folder.open(INDEX)
  if (!source && single) return new Map([['', single]])
  if (!source) throw await noWeights(folder, SINGLE, INDEX, given)
  const index = /** @type {{ weight_map?: unknown } | null} */ (await readJSON(source, INDEX))
  const map = index?.weight_map
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    throw new TypeError(`${INDEX}: weight_map is ${describe(map)}, an object of file names expected`)
  const shards = new Map(Object.entries(map))
  for (const file of new Set(shards.values()))
    if (typeof file !== 'string' || !/^[^/\\]+\.safetensors$/.test(file))
      throw new TypeError(`${INDEX}: ${describe(file)} is no name of a safetensors file in this folder`)
  return shards
}
