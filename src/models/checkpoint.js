// The tensors of a checkpoint by name: one safetensors file, or shards with their index.

import { describe } from '../base/errors.js'
import { readHeader } from './safetensors.js'
import { readJSON } from './source.js'

/** @typedef {import('./safetensors.js').StoredTensor} StoredTensor */
/** @typedef {import('./source.js').Folder} Folder */

const SINGLE = 'model.safetensors'
const INDEX = 'model.safetensors.index.json'

/**
 * @param {Folder} folder
 * @returns {Promise<Map<string, StoredTensor>>}
 */
export async function readCheckpoint(folder) {
  const [only, ...more] = folder.names().filter(name => name.endsWith('.safetensors'))
  const files = (await folder.open(SINGLE)) ? [SINGLE] : await readIndex(folder, more.length ? undefined : only)
  /** @type {Map<string, StoredTensor>} */
  const tensors = new Map()
  for (const file of files) {
    const source = await folder.open(file)
    if (!source) throw new Error(`${INDEX}: the shard ${describe(file)} is missing`)
    for (const tensor of await readHeader(source, file)) {
      if (tensors.has(tensor.name))
        throw new RangeError(
          `tensor ${describe(tensor.name)} is in two files, ${tensors.get(tensor.name)?.file} and ${file}`,
        )
      tensors.set(tensor.name, tensor)
    }
  }
  return tensors
}

/**
 * The shards that an index names.
 * @param {Folder} folder
 * @param {string | undefined} single
 */
async function readIndex(folder, single) {
  const source = await folder.open(INDEX)
  if (!source && single) return [single]
  if (!source) throw await (await import('./refusals.js')).noWeights(folder, SINGLE, INDEX)
  const index = /** @type {{ weight_map?: unknown } | null} */ (await readJSON(source, INDEX))
  const map = index?.weight_map
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    throw new TypeError(`${INDEX}: weight_map is ${describe(map)}, an object of file names expected`)
  const files = [...new Set(Object.values(map))]
  for (const file of files)
    if (typeof file !== 'string' || !/^[^/\\]+\.safetensors$/.test(file))
      throw new TypeError(`${INDEX}: ${describe(file)} is no name of a safetensors file in this folder`)
  return /** @type {string[]} */ (files)
}
