// Converts the tensors of a GGUF file to Hugging Face's layout: blocks become float32 while they are read, and rows are reordered.

import { BLOCKS } from '../../layers/weight-blocks.js'
import { readExactly } from '../source/source.js'
import { BLOCK_TYPES } from './block-types.js'
import { dequantize } from './dequantize.js'

/** @import { StoredTensor } from '../weights/safetensors.js' */
/** @import { Change } from './architectures.js' */

/** Types stored as plain numbers, without blocks. */
const PLAIN = ['F32', 'F16', 'BF16']

/**
 * Converts a tensor of the file to Hugging Face's layout.
 * @param {StoredTensor} stored
 * @param {Change} change
 * @returns {StoredTensor}
 */
export function changed(stored, { name = '', row, rows, isTurned, isPlusOne }) {
  const { dtype, file, source } = stored
  const [all, ...rest] = stored.dims
  const perRow = (stored.to - stored.from) / all // rows are whole blocks, except for one-dimensional tensors
  const [first, count] = rows ?? [0, all]
  const from = stored.from + first * perRow
  const dims = [count, ...rest]
  const bytes = count * perRow
  const plain = { name, dtype, dims, file, source, from, to: from + bytes, bytes }
  if (PLAIN.includes(dtype) && !row && !isTurned && !isPlusOne) return plain
  const isWide = !PLAIN.includes(dtype) || isPlusOne
  const [, weights, size] = BLOCK_TYPES[dtype]
  const floats = 4 * rest.reduce((a, b) => a * b, 1) // bytes of a row as float32
  const raw = (/** @type {number} */ a, /** @type {number} */ b, /** @type {Uint8Array | undefined} */ buffer) =>
    readExactly(source, file, from + a * perRow, from + b * perRow, buffer)
  const isKept = Object.hasOwn(BLOCKS, dtype) && rest.length === 1 && !isPlusOne
  /** @type {import('../weights/safetensors.js').StoredBlocks | undefined} */
  const blocks = isKept
    ? {
        type: /** @type {import('../../layers/packed-linear.js').BlockType} */ (dtype),
        rows: count,
        columns: rest[0],
        width: perRow,
        source: { size: bytes, read: inRows(raw, perRow, row) },
        widen: bytes => dequantize(dtype, bytes),
      }
    : undefined
  const own = { ...plain, from: 0, dtype: isWide ? 'F32' : dtype, type: dtype, blocks }
  /** Reads rows a to b of the file, as float32 or as stored. @param {number} a @param {number} b @param {Uint8Array} [buffer] */
  const read = async (a, b, buffer) => {
    const stretch = await raw(a, b, undefined)
    if (!isWide) return stretch
    const count = (stretch.length / size) * weights
    const room = buffer && buffer.byteOffset % 4 === 0 && buffer.length >= count * 4
    const out = room ? new Float32Array(buffer.buffer, buffer.byteOffset, count) : undefined
    const values = dequantize(dtype, stretch, out)
    if (isPlusOne) for (let i = 0; i < values.length; i++) values[i] -= 1
    return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  }
  const width = isWide ? floats : perRow
  if (isTurned) {
    const columns = rest[0]
    return {
      ...own,
      dims: [columns, count],
      to: width * count,
      source: whole(async () => turned(await read(0, count), columns, width / columns)),
    }
  }
  return { ...own, to: width * count, source: { size: width * count, read: inRows(read, width, row) } }
}

/**
 * Returns a function that reads bytes of reordered rows.
 * @param {(a: number, b: number, buffer?: Uint8Array) => Promise<Uint8Array>} read
 * @param {number} width bytes of a row
 * @param {((n: number) => number) | undefined} row
 * @returns {import('../source/source.js').ByteSource['read']}
 */
const inRows = (read, width, row) => async (from, to, buffer) => {
  const [a, b] = [Math.floor(from / width), Math.ceil(to / width)]
  const cut = (/** @type {Uint8Array} */ bytes) => bytes.subarray(from - a * width, to - a * width)
  if (!row) return cut(await read(a, b, buffer))
  const places = Array.from({ length: b - a }, (_, n) => row(a + n))
  const [least, most] = places.reduce(([low, high], n) => [Math.min(low, n), Math.max(high, n)], [Infinity, 0])
  const span = await read(least, most + 1)
  const out = new Uint8Array(places.length * width)
  for (const [n, place] of places.entries())
    out.set(span.subarray((place - least) * width, (place - least + 1) * width), n * width)
  return cut(out)
}

/** Makes a source whose content is computed on first read and freed after its end was read. @param {() => Promise<Uint8Array>} make */
function whole(make) {
  /** @type {Promise<Uint8Array> | undefined} */
  let made
  return {
    read: async (/** @type {number} */ from, /** @type {number} */ to) => {
      made ??= make()
      const bytes = await made.catch(error => {
        made = undefined
        throw error
      })
      if (to === bytes.length) made = undefined
      return bytes.subarray(from, to)
    },
  }
}

/** Transposes a matrix of numbers of 2 or 4 bytes. @param {Uint8Array} bytes @param {number} columns @param {number} size bytes of a number */
function turned(bytes, columns, size) {
  const Numbers = size === 2 ? Uint16Array : Uint32Array
  const values = new Numbers(bytes.slice().buffer)
  const rows = values.length / columns
  const out = new Numbers(values.length)
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) out[c * rows + r] = values[r * columns + c]
  return new Uint8Array(out.buffer)
}
