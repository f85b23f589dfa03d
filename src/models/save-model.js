// Writes a model as a folder in Hugging Face's layout, and reads a safetensors file. Loaded on first use.

import { describe } from '../base/errors.js'
import { toFloats } from '../base/operand.js'
import { Config } from './config/config.js'
import { familyOf } from './families/index.js'
import { Model } from './model.js'
import { FLOATS, readFloats, readHeader } from './weights/safetensors.js'
import { ModelWeights } from './weights/weights.js'
import { writeSafetensors } from './weights/write-safetensors.js'

/** @import { FloatTensor, TensorLike } from '../base/tensor.js' */

/**
 * Reads the tensors of a safetensors file as float32.
 * @param {Uint8Array} bytes
 * @returns {Promise<Record<string, FloatTensor>>}
 */
export async function readTensors(bytes) {
  if (!(bytes instanceof Uint8Array))
    throw new TypeError(`readSafetensors: expected the bytes of a file, got ${describe(bytes)}`)
  const source = {
    size: bytes.length,
    read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.slice(from, to),
  }
  const tensors = await readHeader(source, 'readSafetensors')
  const other = tensors.find(({ dtype }) => !FLOATS.includes(dtype))
  if (other)
    throw new TypeError(
      `readSafetensors: tensor ${describe(other.name)} is ${other.dtype}; ${FLOATS.join(', ')} are covered`,
    )
  const read = tensors.map(async tensor => [
    tensor.name,
    toFloats({ data: await readFloats(tensor), dims: tensor.dims }, tensor.name),
  ])
  return Object.fromEntries(await Promise.all(read))
}

/**
 * Returns the files of a model by name: config.json and model.safetensors.
 * @param {Model | { config: Record<string, unknown>, tensors: Record<string, TensorLike> }} model a loaded model; or a config with all
 *   tensors of its family by name
 * @param {readonly unknown[]} [more] further arguments, which are not allowed
 * @returns {Promise<Record<'config.json' | 'model.safetensors', Uint8Array<ArrayBuffer>>>}
 */
export async function filesOf(model, more = []) {
  if (more.length)
    throw new TypeError(
      `saveModel: expected the model alone, got also ${describe(more[0])}: it writes nothing, but returns the bytes of each file by name`,
    )
  const file = (/** @type {unknown} */ json) => new TextEncoder().encode(`${JSON.stringify(json, null, 2)}\n`)
  if (!(model instanceof Model)) {
    const { config, tensors } = Object(model)
    if (typeof config !== 'object' || typeof tensors !== 'object')
      throw new TypeError(`saveModel: expected a model or { config, tensors }, got ${describe(model)}`)
    const family = await familyOf(new Config(config))
    const list = Object.entries(Object(tensors)).map(([name, value]) => {
      const { dims } = toFloats(value, `saveModel: ${name}`)
      return { name, dtype: 'F32', dims, file: '', source: { read: async () => new Uint8Array(0) }, from: 0, to: 0 }
    })
    await new ModelWeights().plan(family, new Map(list.map(tensor => [tensor.name, tensor]))) // throws if the tensors do not fit
    return {
      'config.json': file(config),
      'model.safetensors': writeSafetensors(tensors),
    }
  }
  const { weights } = Model.parts(model)
  const narrow = ['int8', 'int4'].find(dtype => weights.dtypes.has(dtype))
  if (narrow)
    throw new TypeError(
      `saveModel: the weights are in memory as ${narrow}, which is not what the file held: load the model with another dtype`,
    )
  /** @type {Record<string, FloatTensor>} */
  const tensors = {}
  for (const { name } of weights.used) tensors[name] = await model.weight(name)
  const dtypes = Object.fromEntries(weights.used.map(({ name, dtype }) => [name, dtype]))
  return { 'config.json': file(model.config), 'model.safetensors': writeSafetensors(tensors, dtypes) }
}
