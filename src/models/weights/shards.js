// Finds the files of a checkpoint without model.safetensors: shards with their index, a safetensors file with another name, or files of
// torch.save. Loaded if there is no model.safetensors.

import { describe } from '../../base/errors.js'
import { noWeights } from '../config/refusals.js'
import { INDEX, SINGLE } from './safetensors.js'

/** @import { Folder } from '../source/source.js' */

/** File names of torch.save: one file, and the index of several. */
const [TORCH, TORCH_INDEX] = ['pytorch_model.bin', 'pytorch_model.bin.index.json']

/**
 * Returns the file of each tensor, from the index.
 * @param {Folder} folder
 * @param {string | undefined} single a safetensors file to read if there is no index
 * @param {unknown} given the source, as given
 * @param {typeof import('../source/source.js').readJSON} readJSON passed instead of imported, so that this module stays a
 *   separate file in the package
 * @returns {Promise<{ index: string, files: Map<string, string> }>} files: the file of each tensor by name; without an index, one entry
 *   with the key ''
 */
export async function readIndex(folder, single, given, readJSON) {
  /** @type {[index: string, file: string | undefined][]} */
  const kinds = [
    [INDEX, single],
    [TORCH_INDEX, TORCH],
  ]
  for (const [index, file] of kinds) {
    const source = await folder.open(index)
    if (source)
      return {
        index,
        files: await readMap(source, index, readJSON),
      }
    if (file && (await folder.open(file))) return { index: '', files: new Map([['', file]]) }
  }
  throw await noWeights(folder, SINGLE, INDEX, given, readJSON)
}

/**
 * Reads an index, and returns the file of each tensor.
 * @param {import('../source/source.js').ByteSource} source
 * @param {string} name file name of the index
 * @param {typeof import('../source/source.js').readJSON} readJSON
 */
async function readMap(source, name, readJSON) {
  const index = /** @type {{ weight_map?: unknown } | null} */ (await readJSON(source, name))
  const map = index?.weight_map
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    throw new TypeError(`${name}: weight_map: expected an object of file names, got ${describe(map)}`)
  const files = new Map(Object.entries(map))
  const kind = name === INDEX ? 'safetensors' : 'bin'
  for (const file of new Set(files.values()))
    if (typeof file !== 'string' || !/^[^/\\]+$/.test(file) || !file.endsWith(`.${kind}`))
      throw new TypeError(`${name}: ${describe(file)} is no name of a ${kind} file in this folder`)
  return files
}
