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
 * @param {unknown} source that was given, for errors
 * @returns {Promise<Map<string, StoredTensor>>}
 */
export async function readCheckpoint(folder, source) {
  const [only, ...more] = folder.names().filter(name => name.endsWith('.safetensors'))
  const index = (await folder.open(SINGLE))
    ? undefined
    : await readIndex(folder, more.length ? undefined : only, source)
  const files = index ? new Set(index.values()) : [SINGLE]
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
  for (const [name, file] of index ?? []) {
    const found = tensors.get(name)?.file
    if (name && found !== file)
      throw new RangeError(
        `${INDEX}: tensor ${describe(name)} should be in ${file}, but it is in ${found ?? 'none of the shards'}`,
      )
  }
  return tensors
}

/**
 * The shard of each tensor, as the index names it.
 * @param {Folder} folder
 * @param {string | undefined} single a file that is read where there is no index
 * @param {unknown} given as the source
 * @returns {Promise<Map<string, string>>}
 */
async function readIndex(folder, single, given) {
  const source = await folder.open(INDEX)
  if (!source && single) return new Map([['', single]])
  if (!source) throw await (await import('./refusals.js')).noWeights(folder, SINGLE, INDEX, given)
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
