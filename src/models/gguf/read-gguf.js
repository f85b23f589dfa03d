// Reads the metadata and the list of tensors of a GGUF file, versions 2 and 3. Input is not trusted: counts and lengths are compared with
// the file size before memory is allocated. https://github.com/ggml-org/ggml/blob/master/docs/gguf.md

import { describe, shape } from '../../base/errors.js'
import { BLOCK_TYPES, typeName } from './block-types.js'

/** @import { ByteSource } from '../source/source.js' */
/** @import { StoredTensor } from '../weights/safetensors.js' */
/**
 * A value of the metadata. 64-bit integers become numbers, except those of general.* that a number cannot hold.
 * @typedef {number | bigint | boolean | string | string[] | boolean[] | bigint[] | NumberArray} GgufValue
 */
/** @typedef {Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array | Float64Array} NumberArray */
/** @typedef {Map<string, GgufValue>} GgufMetadata */
/** Tensors have dims outermost first, and a dtype of BLOCK_TYPES. @typedef {{ metadata: GgufMetadata, tensors: StoredTensor[] }} GgufHeader */

const START = 2 ** 20
const MOST_HEADER = 2 ** 28
const MOST_NAME = 2 ** 16
const MOST_DIMS = 4

/** Number types: size in bytes, array class, and method that reads one. @type {readonly [bytes: number, type: any, read: 'getUint8' | 'getInt8' | 'getUint16' | 'getInt16' | 'getUint32' | 'getInt32' | 'getFloat32'][]} */
const NUMBERS = [
  [1, Uint8Array, 'getUint8'],
  [1, Int8Array, 'getInt8'],
  [2, Uint16Array, 'getUint16'],
  [2, Int16Array, 'getInt16'],
  [4, Uint32Array, 'getUint32'],
  [4, Int32Array, 'getInt32'],
  [4, Float32Array, 'getFloat32'],
]
const [BOOL, STRING, ARRAY, UINT64, INT64, FLOAT64] = [7, 8, 9, 10, 11, 12]

const DAMAGED = ': the file is cut off or damaged, download it again'
const OTHER = ': it is another kind of file, perhaps an error page or a Git LFS pointer; download it again'

/** Thrown if the bytes end before a value does. */
const SHORT = Symbol('short')

class Cursor {
  at = 0

  /**
   * Reads values one after another.
   * @param {Uint8Array} bytes from the start of the file
   * @param {number} size maximum size of the header
   * @param {(text: string) => Error} fail
   */
  constructor(bytes, size, fail) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.size = size
    this.fail = fail
  }

  /** Skips bytes, and returns the position where they start. @param {number} count @param {string} what */
  take(count, what) {
    const { at } = this
    if (count > this.size - at)
      throw this.fail(`${what} needs ${count} bytes from byte ${at} on, ${this.size - at} are there${DAMAGED}`)
    if (count > this.bytes.length - at) throw SHORT
    this.at += count
    return at
  }

  /** @param {string} what */
  uint32(what) {
    return this.view.getUint32(this.take(4, what), true)
  }

  /** Reads a 64-bit integer, as a bigint if a number cannot hold it. @param {string} what @param {boolean} isSigned */
  whole(what, isSigned) {
    const at = this.take(8, what)
    const value = isSigned ? this.view.getBigInt64(at, true) : this.view.getBigUint64(at, true)
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  }

  /** Reads a 64-bit integer, and throws if a number cannot hold it. @param {string} what @param {boolean} [isSigned] */
  integer(what, isSigned = false) {
    const value = this.whole(what, isSigned)
    if (typeof value === 'number') return value
    throw this.fail(`${what} is ${value}, whole numbers up to 2^53 are covered`)
  }

  /** Reads the count of items that take at least `least` bytes each. @param {string} what @param {number} least */
  count(what, least) {
    const count = this.integer(what)
    if (count * least > this.size - this.at)
      throw this.fail(`${what} is ${count}, which the ${this.size - this.at} bytes that follow cannot hold${DAMAGED}`)
    return count
  }

  /** Reads a text. @param {string} what @param {boolean} isStrict True to throw for invalid UTF-8 @param {number} [most] */
  text(what, isStrict, most = Number.POSITIVE_INFINITY) {
    const length = this.integer(`the length of ${what}`)
    if (length > most) throw this.fail(`${what} has ${length} bytes, at most ${most} are read`)
    const at = this.take(length, what)
    try {
      return (isStrict ? STRICT : LENIENT).decode(this.bytes.subarray(at, at + length))
    } catch {
      throw this.fail(`${what} is no UTF-8`)
    }
  }
}

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const LENIENT = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Reads the header of a file.
 * @param {ByteSource} source
 * @param {string} file file name
 * @returns {Promise<GgufHeader>}
 * @throws {RangeError} if the file is truncated, big-endian, or inconsistent
 */
export async function readGguf(source, file) {
  const fail = (/** @type {string} */ text) => new RangeError(`${file}: ${text}`)
  const size = Math.min(source.size ?? MOST_HEADER, MOST_HEADER)
  let bytes = new Uint8Array(0)
  for (let length = Math.min(START, size); ; length = Math.min(2 * length, size)) {
    const more = await source.read(bytes.length, length)
    const isAll = more.length < length - bytes.length || length === size
    const joined = new Uint8Array(bytes.length + more.length)
    joined.set(bytes)
    joined.set(more, bytes.length)
    bytes = joined
    try {
      const header = readHeader(new Cursor(bytes, isAll ? bytes.length : size, fail))
      return { metadata: header.metadata, tensors: toStored(header, file, source, fail) }
    } catch (error) {
      if (error !== SHORT) throw error
    }
  }
}

/** @typedef {{ name: string, dims: number[], type: string, bytes: number, offset: number }} Info */

/** @param {Cursor} c */
function readHeader(c) {
  const { fail } = c
  const magic = String.fromCharCode(...c.bytes.subarray(0, 4))
  if (magic !== 'GGUF') throw fail(`it begins with ${describe(magic)}, a GGUF file with "GGUF"${OTHER}`)
  c.take(4, 'the magic')
  const version = c.uint32('the version')
  if (version && !(version & 0xffff)) throw fail('it is big-endian: convert it for little-endian machines')
  if (version !== 2 && version !== 3) throw fail(`version ${version} of GGUF is not covered; covered: 2, 3`)
  const tensors = c.count('the number of tensors', 24)
  const pairs = c.count('the number of metadata keys', 13)
  /** @type {GgufMetadata} */
  const metadata = new Map()
  for (let n = 0; n < pairs; n++) {
    const key = c.text(`metadata key ${n}`, true, MOST_NAME)
    if (metadata.has(key)) throw fail(`the metadata key ${describe(key)} is there twice`)
    metadata.set(key, readValue(c, key))
  }
  /** @type {Map<string, Info>} */
  const infos = new Map()
  for (let n = 0; n < tensors; n++) {
    const info = readInfo(c, n)
    if (infos.has(info.name)) throw fail(`tensor ${describe(info.name)} is there twice`)
    infos.set(info.name, info)
  }
  return { metadata, infos, end: c.at }
}

/** @param {Cursor} c @param {string} key @returns {GgufValue} */
function readValue(c, key) {
  const type = c.uint32(`the type of ${key}`)
  if (type !== ARRAY) return readOne(c, type, key)
  const of = c.uint32(`the type of ${key}`)
  const what = `the length of ${key}`
  if (of < NUMBERS.length) {
    const [bytes, Type] = NUMBERS[of]
    const count = c.count(what, bytes)
    const at = c.take(count * bytes, key)
    return new Type(c.bytes.slice(at, c.at).buffer)
  }
  if (of === UINT64 || of === INT64 || of === FLOAT64) {
    const values = []
    for (let left = c.count(what, 8); left > 0; left--) values.push(readOne(c, of, key))
    const isSafe = values.every(value => typeof value === 'number')
    return isSafe ? Float64Array.from(values) : /** @type {bigint[]} */ (values)
  }
  if (of !== STRING && of !== BOOL)
    throw c.fail(`${key}: expected an array of numbers, booleans or texts, got one of type ${of}`)
  const count = c.count(what, of === STRING ? 8 : 1)
  const values = []
  for (let i = 0; i < count; i++) values.push(readOne(c, of, key))
  return /** @type {string[]} */ (values)
}

/** @param {Cursor} c @param {number} type @param {string} key */
function readOne(c, type, key) {
  if (type < NUMBERS.length) {
    const [bytes, , read] = NUMBERS[type]
    return c.view[read](c.take(bytes, key), true)
  }
  if (type === STRING) return c.text(key, key.startsWith('tokenizer.'))
  if (type === UINT64 || type === INT64)
    return key.startsWith('general.') ? c.whole(key, type === INT64) : c.integer(key, type === INT64)
  if (type === FLOAT64) return c.view.getFloat64(c.take(8, key), true)
  if (type !== BOOL) throw c.fail(`${key}: type ${type} of a value is not known`)
  const byte = c.bytes[c.take(1, key)]
  if (byte > 1) throw c.fail(`${key}: expected 0 or 1 for a boolean, got ${byte}`)
  return byte === 1
}

/** @param {Cursor} c @param {number} n @returns {Info} */
function readInfo(c, n) {
  const name = c.text(`the name of tensor ${n}`, true, MOST_NAME)
  const fail = (/** @type {string} */ text) => c.fail(`tensor ${describe(name)}: ${text}`)
  const what = `tensor ${describe(name)}`
  const rank = c.uint32(what)
  if (rank < 1 || rank > MOST_DIMS) throw fail(`expected 1 to ${MOST_DIMS} dimensions, got ${rank}`)
  /** @type {number[]} */
  const dims = []
  for (let i = 0; i < rank; i++) dims.unshift(c.integer(`a size of ${what}`))
  const type = typeName(c.uint32(what), fail)
  const offset = c.integer(`the offset of ${what}`)
  const [, weights, bytes] = BLOCK_TYPES[type]
  const columns = dims[rank - 1]
  const size = dims.reduce((product, each) => product * each, 1)
  if (!Number.isSafeInteger(size * bytes) || !size) throw fail(`${shape(dims)} is no shape of weights`)
  if (columns % weights) throw fail(`${type} has blocks of ${weights} weights, which do not divide rows of ${columns}`)
  return { name, dims, type, bytes: (size / weights) * bytes, offset }
}

/**
 * Returns the tensors, after checking that they are stored one after another, each aligned.
 * @param {ReturnType<typeof readHeader>} header
 * @param {string} file
 * @param {ByteSource} source
 * @param {(text: string) => Error} fail
 * @returns {StoredTensor[]}
 */
function toStored({ metadata, infos, end }, file, source, fail) {
  const alignment = metadata.get('general.alignment') ?? 32
  if (
    typeof alignment !== 'number' ||
    !(alignment >= 1 && alignment <= 2 ** 20) ||
    2 ** Math.floor(Math.log2(alignment)) !== alignment
  )
    throw fail(`general.alignment: expected a power of 2 up to 2^20, got ${describe(alignment)}`)
  const aligned = (/** @type {number} */ n) => Math.ceil(n / alignment) * alignment
  const start = aligned(end)
  let [next, last] = [0, 0]
  const stored = Array.from(infos.values(), ({ name, dims, type, bytes, offset }) => {
    if (offset !== next)
      throw fail(
        `tensor ${describe(name)}: expected it to begin at ${next} of the data, the end of the previous tensor, got ${offset}`,
      )
    last = offset + bytes
    next = aligned(last)
    const to = start + last
    if (source.size !== undefined && to > source.size)
      throw fail(
        `tensor ${describe(name)} ends at byte ${to}, the file has ${source.size}: it is cut off, download it again`,
      )
    return { name, dtype: type, dims, file, source, from: start + offset, to }
  })
  // More bytes after the last tensor than its padding mean that the file was written with a larger alignment than it states. The tensors
  // would be read from wrong places.
  const rest = (source.size ?? start + last) - start - last
  if (infos.size && rest && rest !== next - last)
    throw fail(
      `${rest} bytes follow the last tensor, expected ${next > last ? `none or ${next - last}` : 'none'}: general.alignment, ${alignment}, is not that of the tensors, or the file is damaged`,
    )
  return stored
}
