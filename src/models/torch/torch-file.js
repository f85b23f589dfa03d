// Reads files of torch.save, such as pytorch_model.bin: a pickle that describes tensors and their storages, then the numbers of each
// storage, which are read by range. A pickle may call any Python function. Here a file is refused if it calls a function that is not in
// CALLS, so no file can run code. https://github.com/pytorch/pytorch/blob/main/torch/serialization.py

import { describe, shape as dimsText } from '../../base/errors.js'
import { BYTES } from '../weights/safetensors.js'
import { readStoredZip } from './stored-zip.js'
import { gathered } from './strided-source.js'

/** @import { ByteSource } from '../source/source.js' */
/** @import { StoredTensor } from '../weights/safetensors.js' */
/** @typedef {typeof import('../source/source.js').readExactly} ReadExactly */

/**
 * A storage: `size` numbers of one dtype, from byte `from` of the file. `from` is set when it is known.
 * @typedef {{ dtype: string, key: string, size: number, from?: number }} Storage
 */

const STORAGES = new Map(
  Object.entries({
    FloatStorage: 'F32',
    HalfStorage: 'F16',
    BFloat16Storage: 'BF16',
    DoubleStorage: 'F64',
    LongStorage: 'I64',
    IntStorage: 'I32',
    ShortStorage: 'I16',
    CharStorage: 'I8',
    ByteStorage: 'U8',
    BoolStorage: 'BOOL',
  }).map(([name, dtype]) => [`torch ${name}`, dtype]),
)

/** A tensor of the file: a strided view of a storage. */
class View {
  /** @param {Storage} storage @param {number} offset @param {number[]} dims @param {number[]} strides @param {unknown} [metadata] */
  constructor(storage, offset, dims, strides, metadata = null) {
    this.metadata = metadata
    this.storage = storage
    this.offset = offset
    this.dims = dims
    this.strides = strides
  }
}

const isPairs = (/** @type {unknown} */ list) =>
  Array.isArray(list) && list.every(pair => Array.isArray(pair) && pair.length === 2)

/** Functions that a file may call. @type {Record<string, (...given: any[]) => unknown>} */
const CALLS = {
  'collections OrderedDict': (pairs = []) => (isPairs(pairs) ? new Map(pairs) : undefined),
  'torch._utils _rebuild_tensor_v2': (storage, offset, dims, strides, _gradient, _hooks, metadata) =>
    new View(storage, offset, dims, strides, metadata),
  'torch._utils _rebuild_parameter': tensor => tensor,
}

const MOST_PICKLE = 100_000_000
/** The number at the start of a file in the older format. Every pickle protocol writes it in at most OLDER_BYTES bytes. */
const [OLDER, OLDER_BYTES] = [Number(0x1950a86a20f9469cfc6cn), 64]

/**
 * Reads the tensors of a state_dict.
 * @param {ByteSource} source
 * @param {string} file file name
 * @param {ReadExactly} readExactly passed instead of imported, so that this module stays a separate file in the package
 * @returns {Promise<StoredTensor[]>}
 * @throws {RangeError} if the file is truncated, of another format, needs code to run, or is inconsistent
 */
export async function readTorchFile(source, file, readExactly) {
  const { top, tensorOf } = await openTorchFile(source, file, readExactly)
  if (!(top instanceof Map))
    throw new RangeError(`${file}: expected a state_dict of tensors by name, got ${describe(top)}`)
  const inner = top.get('state_dict') // training checkpoints store it next to the epoch and the optimizer state
  return Array.from(inner instanceof Map ? inner : top, ([name, view]) => tensorOf(name, view))
}

/**
 * The contents of a file. `top` is what was saved: Maps for dicts, lists, numbers, texts and views. `tensorOf` converts a view to a tensor.
 * @typedef {{ top: unknown, isView: (value: unknown) => boolean, tensorOf: (name: unknown, view: unknown) => StoredTensor }} TorchFile
 */

/**
 * Opens a file of torch.save.
 * @param {ByteSource} source
 * @param {string} file file name
 * @param {ReadExactly} readExactly
 * @returns {Promise<TorchFile>}
 */
export async function openTorchFile(source, file, readExactly) {
  const fail = (/** @type {string} */ text) => new RangeError(`${file}: ${text}`)
  /** @type {Map<string, Storage>} */
  const storages = new Map()
  /** Resolves a persistent id to a storage. @param {unknown} id */
  const storageOf = id => {
    const [kind, type, key, , size, part = null] = Array.isArray(id) ? id : []
    const dtype = STORAGES.get(type?.name)
    if (kind === 'module')
      throw fail(
        `it is an object of ${String(type?.name).replace(' ', '.')}, and no code of a file is run: save its state_dict, or safetensors`,
      )
    if (kind !== 'storage' || !dtype || typeof key !== 'string' || !isSize(size))
      throw fail(`${describe(type?.name ?? id)} is no storage of numbers that is known`)
    if (part !== null) throw fail(`storage ${describe(key)} is a part of another one: save the model as safetensors`)
    const known = storages.get(key)
    if (known && (known.dtype !== dtype || known.size !== size))
      throw fail(`storage ${describe(key)} has two dtypes or sizes`)
    const storage = known ?? { dtype, key, size }
    storages.set(key, storage)
    return storage
  }
  const start = await readExactly(source, file, 0, Math.min(OLDER_BYTES, source.size ?? OLDER_BYTES))
  const isZip = start[0] === 0x50 && start[1] === 0x4b
  const { Pickle } = await import('./pickle.js') // a separate file in the package
  if (!isZip && !isOlder(start, Pickle)) {
    const other = (await import('../config/refusals.js')).otherFormat(start)
    throw fail(other ? `this is ${other}` : 'it is no file of torch.save')
  }
  const read = (/** @type {number} */ from, /** @type {number} */ to) => readExactly(source, file, from, to)
  const opened = { source, read, pickle: new Pickle(CALLS, storageOf, fail), storages, fail }
  const top = await (isZip ? readZip : readOlder)(opened)
  return {
    top,
    isView: value => value instanceof View,
    tensorOf: (name, view) => toTensor(name, view, file, opened),
  }
}

/**
 * True if the first pickle is the number OLDER.
 * @param {Uint8Array} start start of the file
 * @param {typeof import('./pickle.js').Pickle} Pickle
 */
function isOlder(start, Pickle) {
  try {
    return new Pickle({}, () => undefined, Error).read(start, 0).value === OLDER
  } catch {
    return false
  }
}

/**
 * @typedef {object} Opened
 * @property {ByteSource} source
 * @property {(from: number, to: number) => Promise<Uint8Array>} read
 * @property {import('./pickle.js').Pickle} pickle
 * @property {Map<string, Storage>} storages storages named by the pickle, by key
 * @property {(text: string) => Error} fail
 */

/** @param {unknown} n @returns {n is number} */
const isSize = n => Number.isSafeInteger(n) && Number(n) >= 0

/** @param {Storage} storage */
const bytesOf = ({ dtype, size }) => size * BYTES[dtype]

/**
 * Reads the format since PyTorch 1.6: a zip file with data.pkl, and a file data/KEY for each storage.
 * @param {Opened} opened
 */
async function readZip({ source, read, pickle, storages, fail }) {
  if (source.size === undefined)
    throw fail('its size is not known, which is needed for a file of torch.save: give bytes, a Blob or an address')
  const entries = await readStoredZip(source.size, read, fail)
  const main = [...entries].find(([name]) => /^[^/]+\/data\.pkl$/.test(name))
  if (!main) throw fail('it is a zip file without data.pkl, so no file of torch.save')
  const [name, { from, to }] = main
  const folder = name.slice(0, -'data.pkl'.length)
  const order = entries.get(`${folder}byteorder`)
  if (order && new TextDecoder().decode(await read(order.from, Math.min(order.to, order.from + 9))) !== 'little')
    throw fail('its numbers are big-endian: save the model as safetensors')
  if (to - from > MOST_PICKLE) throw fail(`data.pkl has ${to - from} bytes, at most ${MOST_PICKLE} are read`)
  const bytes = await read(from, to)
  const value = orCutOff(() => pickle.read(bytes, 0).value, fail)
  for (const storage of storages.values()) {
    const entry = entries.get(`${folder}data/${storage.key}`)
    if (!entry) throw fail(`storage ${describe(storage.key)} is missing`)
    if (entry.to - entry.from !== bytesOf(storage))
      throw fail(`storage ${describe(storage.key)}: expected ${bytesOf(storage)} bytes, got ${entry.to - entry.from}`)
    storage.from = entry.from
  }
  return value
}

/**
 * Calls `read`, which reads a pickle.
 * @template T
 * @param {() => T} read
 * @returns {T | undefined} its result; undefined if the bytes end before the pickle does
 */
function orNothing(read) {
  try {
    return read()
  } catch (error) {
    if (Object(error).isShort) return undefined
    throw error
  }
}

/** @template T @param {() => T} read @param {(text: string) => Error} fail @returns {T} */
function orCutOff(read, fail) {
  const found = orNothing(read)
  if (found === undefined) throw fail(`its pickle is cut off, or has more than ${MOST_PICKLE} bytes`)
  return found
}

/** @param {import('./pickle.js').Pickle} pickle @param {Uint8Array} bytes */
function fivePickles(pickle, bytes) {
  const values = []
  let at = 0
  while (values.length < 5) {
    const { value, end } = pickle.read(bytes, at)
    values.push(value)
    at = end
  }
  return { values, at }
}

/**
 * Reads the older format. It has five pickles (the number OLDER, the version, facts about the machine, the tensors, the keys of the
 * storages), then the length and the numbers of each storage.
 * @param {Opened} opened
 */
async function readOlder({ source, pickle, storages, fail }) {
  for (let length = 2 ** 20; ; length *= 2) {
    const bytes = await source.read(0, Math.min(length, source.size ?? length))
    storages.clear()
    const read = () => fivePickles(pickle, bytes)
    const found = bytes.length < length || length > MOST_PICKLE ? orCutOff(read, fail) : orNothing(read)
    if (!found) continue
    let { at } = found
    const [, version, machine, value, keys] = found.values
    if (version !== 1001) throw fail(`expected version 1001 of torch.save, got ${describe(version)}`)
    if (!(machine instanceof Map) || machine.get('little_endian') !== true)
      throw fail('its numbers are big-endian: save the model as safetensors')
    if (!Array.isArray(keys)) throw fail(`${describe(keys)} in the place of the keys of its storages`)
    for (const key of keys) {
      const storage = storages.get(key)
      if (!storage || storage.from !== undefined)
        throw fail(`storage ${describe(key)} belongs to no tensor, or is there twice`)
      storage.from = at + 8
      at += 8 + bytesOf(storage)
    }
    if (source.size !== undefined && source.size !== at)
      throw fail(`the storages need ${at} bytes, the file has ${source.size}`)
    return value
  }
}

/**
 * @param {unknown} name
 * @param {unknown} view
 * @param {string} file
 * @param {Opened} opened
 * @returns {StoredTensor}
 */
function toTensor(name, view, file, { source, read, fail }) {
  if (typeof name !== 'string' || !(view instanceof View))
    throw fail(
      `${describe(name)}: expected a tensor, as in a state_dict, got ${view instanceof Map ? 'a dict' : describe(view)}`,
    )
  const { storage, dims, strides, metadata } = view
  // PyTorch changes the numbers of a tensor with such a bit whenever it reads them. The bit neg changes their sign.
  const bits = metadata instanceof Map ? [...metadata].filter(([, isSet]) => isSet) : []
  if (bits.length)
    throw fail(`tensor ${describe(name)} is stored with the bit ${describe(bits[0][0])}: save its resolve_neg()`)
  const isList = (/** @type {unknown} */ list) => Array.isArray(list) && list.length <= 64 && list.every(isSize)
  const isPlain = metadata === null || metadata instanceof Map
  if (
    !storage?.dtype ||
    !isPlain ||
    !isSize(view.offset) ||
    !isList(dims) ||
    !isList(strides) ||
    dims.length !== strides.length
  )
    throw fail(`tensor ${describe(name)} is no view of a storage`)
  const size = dims.reduce((product, n) => product * n, 1)
  const offset = size === 0 ? 0 : view.offset // an empty view may begin beyond its storage
  let step = 1
  let isDense = true
  for (let i = dims.length - 1; i >= 0; i--) {
    isDense &&= dims[i] === 1 || size === 0 || strides[i] === step
    step *= dims[i]
  }
  const span = isDense ? size : 1 + dims.reduce((sum, n, i) => sum + (n - 1) * strides[i], 0)
  if (storage.from === undefined || offset + span > storage.size)
    throw fail(`tensor ${describe(name)} needs ${offset + span} numbers, its storage has ${storage.size}`)
  if (!isSize(step)) throw fail(`tensor ${describe(name)} of ${dimsText(dims)} has too many numbers`)
  const { dtype } = storage
  const from = storage.from + bytesOf({ ...storage, size: offset })
  const to = from + bytesOf({ ...storage, size: span })
  if (isDense) return { name, dtype, dims, file, source, from, to }
  const wide = BYTES[dtype]
  return {
    name,
    dtype,
    dims,
    file,
    source: gathered(() => read(from, to), dims, strides, wide),
    from: 0,
    to: size * wide,
  }
}
