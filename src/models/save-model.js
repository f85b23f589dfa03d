// Writes a model as a folder in Hugging Face's layout, and tensors as a safetensors file.

import { describe } from '../base/errors.js'
import { fromBfloat16, fromFloat16, toFloat16 } from '../base/float16.js'
import { toFloats } from '../base/operand.js'
import { Config } from './config.js'
import { familyOf } from './families/index.js'
import { Model } from './model.js'
import { readFloats, readHeader } from './safetensors.js'
import { ModelWeights } from './weights.js'

/** @typedef {import('../base/tensor.js').TensorLike} TensorLike */
/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */

/** The bits of float16 or bfloat16, if they are these numbers exactly. @param {Float32Array} data @param {string} dtype */
function narrow(data, dtype) {
  const words = new Uint32Array(data.buffer, data.byteOffset, data.length)
  const bits = dtype === 'F16' ? toFloat16(data) : Uint16Array.from(words, word => word >>> 16)
  const back = dtype === 'F16' ? fromFloat16(bits) : fromBfloat16(bits)
  return back.every((value, n) => Object.is(value, data[n])) ? bits : undefined
}

/**
 * The bytes of a safetensors file.
 * @param {Record<string, TensorLike>} tensors by name, as float32
 * @param {Record<string, string>} [dtypes] F16 or BF16 for tensors that are written so if they lose nothing by it
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeSafetensors(tensors, dtypes = {}) {
  if (typeof tensors !== 'object' || tensors === null || Array.isArray(tensors))
    throw new TypeError(`writeSafetensors: ${describe(tensors)} given, an object of tensors by name expected`)
  let end = 0
  const parts = Object.entries(tensors).map(([name, value]) => {
    const { data, dims } = toFloats(value, `writeSafetensors: ${name}`)
    const small = ['F16', 'BF16'].includes(dtypes[name]) ? narrow(data, dtypes[name]) : undefined
    const numbers = small ?? data
    const from = end
    end += numbers.byteLength
    return {
      name,
      numbers,
      entry: { dtype: small ? dtypes[name] : 'F32', shape: [...dims], data_offsets: [from, end] },
    }
  })
  const entries = parts.map(({ name, entry }) => [name, entry])
  const json = new TextEncoder().encode(
    JSON.stringify({ __metadata__: { format: 'pt' }, ...Object.fromEntries(entries) }),
  )
  const start = 8 + Math.ceil(json.length / 8) * 8
  const bytes = new Uint8Array(start + end)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(start - 8), true)
  bytes.fill(32, 8, start)
  bytes.set(json, 8)
  for (const { numbers, entry } of parts)
    bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), start + entry.data_offsets[0])
  return bytes
}

/**
 * The tensors of a safetensors file as float32.
 * @param {Uint8Array} bytes
 * @returns {Promise<Record<string, FloatTensor>>}
 */
export async function readSafetensors(bytes) {
  if (!(bytes instanceof Uint8Array))
    throw new TypeError(`readSafetensors: ${describe(bytes)} given, the bytes of a file expected`)
  const source = {
    size: bytes.length,
    read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.slice(from, to),
  }
  const tensors = await readHeader(source, 'readSafetensors')
  const other = tensors.find(({ dtype }) => !['F32', 'F16', 'BF16'].includes(dtype))
  if (other)
    throw new TypeError(
      `readSafetensors: tensor ${describe(other.name)} is ${other.dtype}; F32, F16 and BF16 are covered`,
    )
  const read = tensors.map(async tensor => [
    tensor.name,
    toFloats({ data: await readFloats(tensor), dims: tensor.dims }, tensor.name),
  ])
  return Object.fromEntries(await Promise.all(read))
}

/**
 * The files of a model, by name: config.json and model.safetensors.
 * @param {Model | { config: Record<string, unknown>, tensors: Record<string, TensorLike> }} model a loaded model; or a config, and all tensors that
 *   its family has by their names
 * @returns {Promise<Record<'config.json' | 'model.safetensors', Uint8Array<ArrayBuffer>>>}
 */
export async function saveModel(model) {
  const file = (/** @type {unknown} */ json) => new TextEncoder().encode(`${JSON.stringify(json, null, 2)}\n`)
  if (!(model instanceof Model)) {
    const { config, tensors } = Object(model)
    const family = await familyOf(new Config(config))
    const list = Object.entries(Object(tensors)).map(([name, value]) => {
      const { dims } = toFloats(value, `saveModel: ${name}`)
      return { name, dtype: 'F32', dims, file: '', source: { read: async () => new Uint8Array(0) }, from: 0, to: 0 }
    })
    await new ModelWeights().plan(family, new Map(list.map(tensor => [tensor.name, tensor]))) // refuses what does not fit
    return {
      'config.json': file(config),
      'model.safetensors': writeSafetensors(/** @type {Record<string, TensorLike>} */ (tensors)),
    }
  }
  const { weights } = Model.parts(model)
  if (weights.dtype === 'int8')
    throw new TypeError(
      'saveModel: the weights are in memory as int8, which is not what the file held: load the model with another dtype',
    )
  /** @type {Record<string, FloatTensor>} */
  const tensors = {}
  for (const { name } of weights.used) tensors[name] = await model.weight(name)
  const dtypes = Object.fromEntries(weights.used.map(({ name, dtype }) => [name, dtype]))
  return { 'config.json': file(model.config), 'model.safetensors': writeSafetensors(tensors, dtypes) }
}
