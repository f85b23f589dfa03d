// Reads and writes NumPy's .npy files, versions 1 to 3: a header with type, order and shape, then the numbers.

import { tensor } from 'qkv'
import { Trouble } from './trouble.js'

/** @typedef {{ dims: number[], data: number[] }} Numbers */

/** Maximum number of axes in NumPy. */
const MOST_AXES = 64
const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]

/** @typedef {(view: DataView, at: number, isLittle: boolean) => number} Read */
/** Functions that read one number, by the name of its type in the header. @type {Record<string, Read>} */
const READERS = {
  f2: (view, at, isLittle) => view.getUint16(at, isLittle), // bits of a float16
  f4: (view, at, isLittle) => view.getFloat32(at, isLittle),
  f8: (view, at, isLittle) => view.getFloat64(at, isLittle),
  i1: (view, at) => view.getInt8(at),
  i2: (view, at, isLittle) => view.getInt16(at, isLittle),
  i4: (view, at, isLittle) => view.getInt32(at, isLittle),
  i8: (view, at, isLittle) => Number(view.getBigInt64(at, isLittle)),
  u1: (view, at) => view.getUint8(at),
  u2: (view, at, isLittle) => view.getUint16(at, isLittle),
  u4: (view, at, isLittle) => view.getUint32(at, isLittle),
  u8: (view, at, isLittle) => Number(view.getBigUint64(at, isLittle)),
  b1: (view, at) => (view.getUint8(at) ? 1 : 0),
}

/** @param {Uint8Array} bytes */
export const isNpy = bytes => MAGIC.every((byte, i) => bytes[i] === byte)

/**
 * @param {Uint8Array} bytes
 * @returns {Numbers} row-major, regardless of the order in the file
 * @throws {Trouble}
 */
export function readNpy(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { descr, isFortran, dims, start } = readHeader(bytes, view)
  const read = READERS[descr.slice(1)]
  if (!/^[<>|=]/.test(descr) || !read) throw new Trouble('npyType', { type: descr.slice(0, 40) })
  const size = Number(descr.slice(2))
  const count = dims.reduce((a, b) => a * b, 1)
  // Check the size before allocating, since a header can claim any shape.
  const held = Math.floor((bytes.length - start) / size)
  if (count * size !== bytes.length - start) throw new Trouble('npySize', { dims: dims.join(', '), count, held })
  const isLittle = descr[0] !== '>'
  const values = Array.from({ length: count }, (_, i) => read(view, start + i * size, isLittle))
  const data = descr.endsWith('f2') ? Array.from(tensor(Uint16Array.from(values)).float().data) : values
  return { dims, data: isFortran ? toRowMajor(data, dims) : data }
}

/** @param {Uint8Array} bytes @param {DataView} view */
function readHeader(bytes, view) {
  if (!isNpy(bytes)) throw new Trouble('npyNone')
  if (bytes.length < 12) throw new Trouble('npyShort')
  const version = bytes[6]
  if (version < 1 || version > 3) throw new Trouble('npyVersion', { version })
  const [length, from] = version === 1 ? [view.getUint16(8, true), 10] : [view.getUint32(8, true), 12]
  if (from + length > bytes.length) throw new Trouble('npyShort')
  const header = new TextDecoder('latin1').decode(bytes.subarray(from, from + length))
  const descr = /'descr':\s*'([^']*)'/.exec(header)?.[1]
  const order = /'fortran_order':\s*(True|False)/.exec(header)?.[1]
  const shape = /'shape':\s*\(([\d\s,L]*)\)/.exec(header)?.[1]
  if (!/'descr':\s*'/.test(header) && /'descr':\s*\[/.test(header)) throw new Trouble('npyType', { type: 'struct' })
  if (descr === undefined || order === undefined || shape === undefined) throw new Trouble('npyHeader')
  const dims = (shape.match(/\d+/g) ?? []).map(Number)
  if (dims.length > MOST_AXES)
    throw new Trouble('importAxes', { name: '.npy', dims: `${dims.slice(0, 12).join(', ')}, …` })
  return { descr, isFortran: order === 'True', dims, start: from + length }
}

/** Converts Fortran order to row-major. @param {number[]} data first axis innermost @param {number[]} dims */
function toRowMajor(data, dims) {
  const index = dims.map(() => 0)
  const strides = dims.map((_, axis) => dims.slice(0, axis).reduce((a, b) => a * b, 1))
  return data.map(() => {
    const at = index.reduce((sum, i, axis) => sum + i * strides[axis], 0)
    for (let axis = dims.length - 1; axis >= 0 && ++index[axis] === dims[axis]; axis--) index[axis] = 0
    return data[at]
  })
}

/**
 * Writes float32 in row-major order.
 * @param {{ dims: readonly number[], data: ArrayLike<number> }} tensor
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeNpy({ dims, data }) {
  const shape = dims.length === 1 ? `${dims[0]},` : dims.join(', ')
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape}), }`
  const padded = `${text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11)}\n` // aligns the numbers to 64 bytes
  const bytes = new Uint8Array(10 + padded.length + 4 * data.length)
  bytes.set([...MAGIC, 1, 0])
  const view = new DataView(bytes.buffer)
  view.setUint16(8, padded.length, true)
  bytes.set(new TextEncoder().encode(padded), 10)
  for (let i = 0; i < data.length; i++) view.setFloat32(10 + padded.length + 4 * i, data[i], true)
  return bytes
}
