// The tensors of a checkpoint by name: one safetensors file, or shards with their index.

import { describe } from '../base/errors.js'
import { INDEX, readHeader, SINGLE } from './safetensors.js'
import { readJSON } from './source.js'

/** @typedef {import('./safetensors.js').StoredTensor} StoredTensor */
/** @typedef {import('./source.js').Folder} Folder */

/**
 * @param {Folder} folder
 * @param {unknown} source that was given, for errors
 * @returns {Promise<Map<string, StoredTensor>>}
 */
export async function readCheckpoint(folder, source) {
  const [only, ...more] = folder.names().filter(name => name.endsWith('.safetensors'))
  const index = (await folder.open(SINGLE))
    ? undefined
    : await (await import('./shards.js')).readIndex(folder, more.length ? undefined : only, source, readJSON)
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
