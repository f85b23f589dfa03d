// Reads the tensors of a checkpoint by name: from one file, or from shards and their index.

import { describe } from '../../base/errors.js'
import { readExactly, readJSON } from '../source/source.js'
import { readHeader, SINGLE } from './safetensors.js'

/** @import { StoredTensor } from './safetensors.js' */
/** @import { Folder } from '../source/source.js' */

/**
 * Reads the headers of a checkpoint's files, and returns the tensors by name.
 * @param {Folder} folder
 * @param {unknown} source as given, for errors
 * @returns {Promise<Map<string, StoredTensor>>}
 */
export async function readCheckpoint(folder, source) {
  if (folder.tensors) return folder.tensors
  const [only, ...more] = folder.names().filter(name => name.endsWith('.safetensors'))
  const { index, files } = (await folder.open(SINGLE))
    ? { index: '', files: new Map([['', SINGLE]]) }
    : await (await import('./shards.js')).readIndex(folder, more.length ? undefined : only, source, readJSON)
  /** @type {Map<string, StoredTensor>} */
  const tensors = new Map()
  for (const file of new Set(files.values())) {
    const source = await folder.open(file)
    if (!source) throw new Error(`${index}: the shard ${describe(file)} is missing`)
    const isTorch = file.endsWith('.bin')
    const stored = isTorch
      ? await (await import('../torch/torch-file.js')).readTorchFile(source, file, readExactly)
      : await readHeader(source, file)
    for (const tensor of stored) {
      if (tensors.has(tensor.name))
        throw new RangeError(
          `tensor ${describe(tensor.name)} is in two files, ${tensors.get(tensor.name)?.file} and ${file}`,
        )
      tensors.set(tensor.name, tensor)
    }
  }
  for (const [name, file] of files) {
    const found = tensors.get(name)?.file
    if (name && found !== file)
      throw new RangeError(
        `${index}: tensor ${describe(name)} should be in ${file}, but it is in ${found ?? 'none of the shards'}`,
      )
  }
  return unwrapped(tensors)
}

/** The prefixes that DataParallel and torch.compile add to tensor names. */
const WRAPPED = /^((module|_orig_mod)\.)+/

/** Strips the prefixes of DataParallel and torch.compile, if every name has one. @param {Map<string, StoredTensor>} tensors */
function unwrapped(tensors) {
  if (!Array.from(tensors.keys()).every(name => WRAPPED.test(name))) return tensors
  return new Map(Array.from(tensors, ([name, tensor]) => [name.replace(WRAPPED, ''), tensor]))
}
