// Writes arrays as numpy.savez does: a zip of uncompressed .npy files, with 64-bit sizes.

import { crc32 } from 'node:zlib'

/** @import { FileHandle } from 'node:fs/promises' */
/**
 * @typedef {{ name: string, type: string, dims: readonly number[], chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> }} NamedArray
 *   type: name of the typed array's constructor; chunks: its bytes
 */

/** The type in numpy of each typed array. @type {Record<string, string>} */
const TYPES = { Float32Array: '<f4', Float64Array: '<f8', Int32Array: '<i4', Uint8Array: '|u1' }

/** Returns the header of a .npy file, version 1.0, whose length is a multiple of 64. @param {string} type @param {readonly number[]} dims */
function npyHead(type, dims) {
  const shape = dims.length === 1 ? `(${dims[0]},)` : `(${dims.join(', ')})`
  const text = `{'descr': '${TYPES[type]}', 'fortran_order': False, 'shape': ${shape}, }`
  const length = Math.ceil((10 + text.length + 1) / 64) * 64
  const bytes = Buffer.alloc(length, ' ')
  bytes.write('\x93NUMPY\x01\x00', 'latin1')
  bytes.writeUInt16LE(length - 10, 8)
  bytes.write(`${text.padEnd(length - 11)}\n`, 10, 'latin1')
  return bytes
}

/**
 * @param {FileHandle} file
 * @param {AsyncIterable<NamedArray> | Iterable<NamedArray>} arrays
 */
export async function writeNpz(file, arrays) {
  let at = 0
  const put = async (/** @type {Uint8Array} */ bytes) => {
    for (let from = 0; from < bytes.length; )
      from += (await file.write(bytes, from, bytes.length - from, at + from)).bytesWritten
    at += bytes.length
  }
  /** @type {Buffer[]} */
  const directory = []
  for await (const { name, type, dims, chunks } of arrays) {
    const start = at
    const fileName = Buffer.from(`${name}.npy`)
    const head = Buffer.alloc(50 + fileName.length) // local file header with an extra field for 64-bit sizes
    await put(head) // a placeholder, overwritten when the sizes are known
    let [size, crc] = [0, 0]
    const add = async (/** @type {Uint8Array} */ bytes) => {
      crc = crc32(bytes, crc)
      size += bytes.length
      await put(bytes)
    }
    await add(npyHead(type, dims))
    for await (const chunk of chunks) await add(chunk)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(45, 4) // version 4.5: 64-bit sizes
    head.writeUInt16LE(0x0800, 6) // names are UTF-8
    head.writeUInt16LE(0x21, 12) // 1980-01-01
    head.writeUInt32LE(crc, 14)
    head.writeUInt32LE(0xffffffff, 18)
    head.writeUInt32LE(0xffffffff, 22)
    head.writeUInt16LE(fileName.length, 26)
    head.writeUInt16LE(20, 28)
    fileName.copy(head, 30)
    const extra = 30 + fileName.length
    head.writeUInt16LE(1, extra)
    head.writeUInt16LE(16, extra + 2)
    head.writeBigUInt64LE(BigInt(size), extra + 4)
    head.writeBigUInt64LE(BigInt(size), extra + 12)
    await file.write(head, 0, head.length, start)
    const entry = Buffer.alloc(46 + fileName.length + 28)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(45, 4)
    entry.writeUInt16LE(45, 6)
    head.copy(entry, 8, 6, 30) // the fields from flags to extra-field length
    entry.writeUInt16LE(28, 30)
    entry.writeUInt32LE(0xffffffff, 42)
    fileName.copy(entry, 46)
    head.copy(entry, 46 + fileName.length, extra)
    entry.writeUInt16LE(24, 46 + fileName.length + 2)
    entry.writeBigUInt64LE(BigInt(start), 46 + fileName.length + 20)
    directory.push(entry)
  }
  const [start, count] = [at, BigInt(directory.length)]
  for (const entry of directory) await put(entry)
  const size = at - start
  const end = Buffer.alloc(56 + 20 + 22)
  end.writeUInt32LE(0x06064b50, 0) // zip64 end of central directory
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(45, 12)
  end.writeUInt16LE(45, 14)
  end.writeBigUInt64LE(count, 24)
  end.writeBigUInt64LE(count, 32)
  end.writeBigUInt64LE(BigInt(size), 40)
  end.writeBigUInt64LE(BigInt(start), 48)
  end.writeUInt32LE(0x07064b50, 56) // locator of the zip64 end
  end.writeBigUInt64LE(BigInt(at), 64)
  end.writeUInt32LE(1, 72)
  end.writeUInt32LE(0x06054b50, 76) // end of central directory
  end.fill(0xff, 84, 96)
  await put(end)
}
