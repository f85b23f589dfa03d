// Writes files as torch.save does: a zip file of a pickle and the numbers of each tensor. The pickle has dicts, lists, numbers, texts and
// tensors. The files open in PyTorch with weights_only=True.

import { toFloat16 } from '../../base/float16.js'

/** @typedef {[key: string | number, write: () => void]} Entry */

/** Writes a pickle of protocol 2, https://docs.python.org/3/library/pickletools.html, and the tensors that it refers to. */
export class TorchFileWriter {
  #folder
  #dtype
  /** @type {number[]} */
  #out = [0x80, 2]
  /** @type {Uint8Array[]} */
  #storages = []

  /** @param {string} folder name of the folder in the file @param {'float16' | 'float32'} dtype of the tensors */
  constructor(folder, dtype) {
    this.#folder = folder
    this.#dtype = dtype
  }

  /** @param {...(number | string)} parts bytes, or characters */
  #put(...parts) {
    for (const part of parts)
      if (typeof part === 'number') this.#out.push(part)
      else for (const byte of new TextEncoder().encode(part)) this.#out.push(byte)
  }

  /** @param {number} value */
  #u32(value) {
    this.#put(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24)
  }

  /** @param {string} value */
  text(value) {
    this.#put('X')
    this.#u32(new TextEncoder().encode(value).length)
    this.#put(value)
  }

  /** Writes an integer. @param {number} value 31-bit integer */
  number(value) {
    this.#put('J')
    this.#u32(value)
  }

  /** @param {readonly number[]} values */
  list(values) {
    this.#put(']', '(')
    for (const value of values) this.number(value)
    this.#put('e')
  }

  /** @param {readonly Entry[]} entries */
  dict(entries) {
    this.#put('}', '(')
    for (const [key, write] of entries) {
      if (typeof key === 'number') this.number(key)
      else this.text(key)
      write()
    }
    this.#put('u')
  }

  /** Writes a contiguous tensor with a separate storage. @param {Float32Array} data @param {readonly number[]} dims */
  tensor(data, dims) {
    const numbers = this.#dtype === 'float16' ? toFloat16(data) : data
    const key = this.#storages.push(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)) - 1
    const tuple = (/** @type {readonly number[]} */ values) => {
      this.#put('(')
      for (const value of values) this.number(value)
      this.#put('t')
    }
    this.#put('ctorch._utils\n_rebuild_tensor_v2\n', '(', '(')
    this.text('storage')
    this.#put(`ctorch\n${this.#dtype === 'float16' ? 'Half' : 'Float'}Storage\n`)
    this.text(String(key))
    this.text('cpu')
    this.number(data.length)
    this.#put('tQ')
    this.number(0)
    tuple(dims)
    tuple(dims.map((_, n) => dims.slice(n + 1).reduce((a, b) => a * b, 1)))
    this.#put(0x89, 'ccollections\nOrderedDict\n', ')R', 'tR')
  }

  /** Returns the bytes of the file. */
  bytes() {
    const text = (/** @type {string} */ value) => new TextEncoder().encode(value)
    return storedZip(
      /** @type {[string, Uint8Array][]} */ ([
        ['data.pkl', Uint8Array.from([...this.#out, 0x2e])],
        ['byteorder', text('little')],
        ...this.#storages.map((bytes, n) => [`data/${n}`, bytes]),
        ['version', text('3\n')],
      ]).map(([name, bytes]) => [`${this.#folder}/${name}`, bytes]),
    )
  }
}

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = -1
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

/**
 * Returns a zip file of uncompressed files, each aligned to 64 bytes as by torch.save.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 * @param {readonly [string, Uint8Array][]} files
 */
function storedZip(files) {
  /** @type {{ name: Uint8Array, bytes: Uint8Array, crc: number, header: number, padding: number }[]} */
  const placed = []
  let at = 0
  for (const [path, bytes] of files) {
    const name = new TextEncoder().encode(path)
    const padding = 4 + ((60 - ((at + 30 + name.length) % 64) + 64) % 64) // bytes of an extra field: 4, plus what aligns the file
    placed.push({ name, bytes, crc: crc32(bytes), header: at, padding })
    at += 30 + name.length + padding + bytes.length
  }
  const start = at
  const size = placed.reduce((sum, { name }) => sum + 46 + name.length, 0)
  if (start + size + 22 > 0xffffffff) throw new RangeError('expected a file below 4 GB: use float16')
  const out = new Uint8Array(start + size + 22)
  const view = new DataView(out.buffer)
  /** Writes the fields common to both headers. @param {number} from @param {typeof placed[0]} file */
  const common = (from, { name, bytes, crc }) => {
    view.setUint32(from + 10, crc, true)
    view.setUint32(from + 14, bytes.length, true)
    view.setUint32(from + 18, bytes.length, true)
    view.setUint16(from + 22, name.length, true)
  }
  for (const file of placed) {
    const { name, bytes, header, padding } = file
    view.setUint32(header, 0x04034b50, true)
    common(header + 4, file)
    view.setUint16(header + 28, padding, true)
    out.set(name, header + 30)
    view.setUint16(header + 30 + name.length, 0x4246, true)
    view.setUint16(header + 32 + name.length, padding - 4, true)
    out.set(bytes, header + 30 + name.length + padding)
    view.setUint32(at, 0x02014b50, true)
    common(at + 6, file)
    view.setUint32(at + 42, header, true)
    out.set(name, at + 46)
    at += 46 + name.length
  }
  view.setUint32(at, 0x06054b50, true)
  view.setUint16(at + 8, placed.length, true)
  view.setUint16(at + 10, placed.length, true)
  view.setUint32(at + 12, size, true)
  view.setUint32(at + 16, start, true)
  return out
}
