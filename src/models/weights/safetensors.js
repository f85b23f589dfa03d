// Reads the safetensors format: 8 bytes with the length of a JSON header, the header { name: { dtype, shape, data_offsets } }, then the
// numbers. At first only the header is read. Each tensor is read by its range. https://github.com/huggingface/safetensors

import { describe, shape as dimsText, messageOf } from '../../base/errors.js'
import { fromBfloat16, fromFloat16 } from '../../base/float16.js'
import { readExactly } from '../source/source.js'

/** File names: SINGLE of a checkpoint in one file, INDEX of the index of a sharded checkpoint. */
export const [SINGLE, INDEX] = ['model.safetensors', 'model.safetensors.index.json']

/** @import { ByteSource } from '../source/source.js' */

/**
 * A tensor in a file.
 * @typedef {object} StoredTensor
 * @property {string} name
 * @property {string} dtype
 * @property {readonly number[]} dims
 * @property {string} file
 * @property {ByteSource} source
 * @property {number} from offset of its first byte in the file
 * @property {number} to
 * @property {number} [bytes] size in the file, if the tensor is converted while it is read
 * @property {string} [type] block type in a GGUF file
 * @property {StoredBlocks} [blocks] present if kernels can use the blocks as stored
 * @typedef {{ type: import('../../layers/packed-linear.js').BlockType, rows: number, columns: number, width: number, source: ByteSource,
 *   widen: (bytes: Uint8Array) => Float32Array }} StoredBlocks width: bytes of a row; widen: converts rows to float32
 */

/** Bytes per number of each dtype of the format. @type {Record<string, number>} */
export const BYTES = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  F8_E5M2: 1,
  F8_E4M3: 1,
  F8_E8M0: 1,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U64: 8,
  U32: 4,
  U16: 2,
  U8: 1,
  BOOL: 1,
}
/** Dtypes that are converted to float32. */
export const FLOATS = ['F32', 'F16', 'BF16', 'F64']
const MOST_HEADER = 100_000_000 // as in the Rust library

/**
 * Counts the keys of the outermost object of a valid JSON text, including duplicates.
 * @param {string} text
 */
function countNames(text) {
  let depth = 0
  let names = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') {
      for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++
    } else if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') depth--
    else if (sign === ':' && depth === 1) names++
  }
  return names
}

/**
 * Reads the header of a file.
 * @param {ByteSource} source
 * @param {string} file file name
 * @returns {Promise<StoredTensor[]>}
 * @throws {Error} if the file is truncated, of another format, or has an inconsistent header
 */
export async function readHeader(source, file) {
  const fail = (/** @type {string} */ text) => new RangeError(`${file}: ${text}`)
  const start = await readExactly(source, file, 0, 8)
  const view = new DataView(start.buffer, start.byteOffset, 8)
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32
  const beyond = source.size !== undefined && length > source.size - 8
  if (beyond || length > MOST_HEADER || length < 2) {
    const other = (await import('../config/refusals.js')).otherFormat(start)
    if (other) throw fail(`this is ${other}`)
    throw fail(
      `not a safetensors file: its header would be ${length} bytes long, ` +
        (beyond ? `the file has ${source.size} bytes` : `expected 2 to ${MOST_HEADER}`),
    )
  }
  const text = new TextDecoder().decode(await readExactly(source, file, 8, 8 + length))
  /** @type {unknown} */
  let header
  try {
    header = JSON.parse(text)
  } catch (cause) {
    throw fail(`its header is no JSON: ${messageOf(cause)}`)
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    throw fail(`its header: expected an object of tensors, got ${describe(header)}`)
  const entries = Object.entries(header)
  if (countNames(text) !== entries.length) throw fail('a name occurs twice in its header')
  const tensors = entries
    .filter(([name]) => name !== '__metadata__')
    .map(([name, entry]) => toTensor(name, entry, file, source, 8 + length))
  checkRanges(tensors, 8 + length, source.size, fail)
  return tensors
}

/**
 * Validates an entry of the header.
 * @param {string} name
 * @param {unknown} entry
 * @param {string} file
 * @param {ByteSource} source
 * @param {number} data offset of the numbers
 * @returns {StoredTensor}
 */
function toTensor(name, entry, file, source, data) {
  const fail = (/** @type {string} */ text) => new RangeError(`${file}: tensor ${describe(name)}: ${text}`)
  if (typeof entry !== 'object' || entry === null)
    throw fail(`expected an object in the header, got ${describe(entry)}`)
  const { dtype, shape: dims, data_offsets: offsets } = /** @type {Record<string, unknown>} */ (entry)
  if (typeof dtype !== 'string' || !Object.hasOwn(BYTES, dtype)) throw fail(`dtype ${describe(dtype)} is not known`)
  const isSize = (/** @type {number} */ n) => Number.isSafeInteger(n) && n >= 0
  if (!Array.isArray(dims) || dims.length > 64 || !dims.every(isSize))
    throw fail(`shape ${describe(dims)} is no list of sizes`)
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isSize) || offsets[0] > offsets[1])
    throw fail(`data_offsets ${JSON.stringify(offsets)?.slice(0, 40)} are no range of bytes`)
  const bytes = dims.reduce((product, size) => product * size, BYTES[dtype])
  if (bytes !== offsets[1] - offsets[0])
    throw fail(`${offsets[1] - offsets[0]} bytes, but ${dtype} ${dimsText(dims)} are ${bytes}`)
  return { name, dtype, dims, file, source, from: data + offsets[0], to: data + offsets[1] }
}

/**
 * Checks that the ranges fill the file without gaps or overlaps.
 * @param {StoredTensor[]} tensors
 * @param {number} start
 * @param {number | undefined} size size of the file
 * @param {(text: string) => Error} fail
 */
function checkRanges(tensors, start, size, fail) {
  let end = start
  for (const { name, from, to } of [...tensors].sort((a, b) => a.from - b.from || a.to - b.to)) {
    if (from < end) throw fail(`tensor ${describe(name)} overlaps the one before it`)
    if (from > end) throw fail(`${from - end} bytes before tensor ${describe(name)} belong to no tensor`)
    end = to
  }
  if (size !== undefined && end !== size)
    throw fail(
      end > size
        ? `the tensors need ${end} bytes, the file has ${size}: it is cut off`
        : `${size - end} bytes at its end belong to no tensor`,
    )
}

/**
 * Reads the numbers of a stored tensor, or of a range of its bytes. F32 and F64 become float32; F16 and BF16 stay 16 bits.
 * @param {StoredTensor} tensor with a dtype of FLOATS
 * @param {number} [start] offset in the file
 * @param {number} [end]
 * @param {Uint8Array} [buffer] memory to read into; the result may be a view of it, so it must be used before the next read
 * @returns {Promise<Float32Array | Uint16Array>}
 */
export async function readNumbers({ dtype, file, source, from, to }, start = from, end = to, buffer) {
  const bytes = await readExactly(source, file, start, end, buffer)
  const size = BYTES[dtype]
  const fits = buffer ? bytes.byteOffset % size === 0 : bytes.byteLength === bytes.buffer.byteLength
  const own = fits ? bytes : new Uint8Array(bytes) // an aligned copy
  if (size === 8) return Float32Array.from(new Float64Array(own.buffer, own.byteOffset, own.length / 8))
  const Type = dtype === 'F32' ? Float32Array : Uint16Array
  return new Type(/** @type {ArrayBuffer} */ (own.buffer), own.byteOffset, own.length / Type.BYTES_PER_ELEMENT)
}

/**
 * Converts to float32.
 * @param {Float32Array | Uint16Array} numbers result of readNumbers
 * @param {string} dtype
 */
export function widen(numbers, dtype) {
  if (numbers instanceof Float32Array) return numbers
  return dtype === 'F16' ? fromFloat16(numbers) : fromBfloat16(numbers)
}

/** Reads a tensor as float32. @param {StoredTensor} tensor */
export const readFloats = async tensor => widen(await readNumbers(tensor), tensor.dtype)
