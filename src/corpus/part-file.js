// Encodes the results of a part as bytes (a JSON header, then the arrays), and reads and writes part files.

import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * An array of a part. With the kind 'rows', its first axis is the text.
 * @typedef {object} PartArray
 * @property {string} name
 * @property {'rows' | 'sums' | 'top'} kind
 * @property {Float32Array | Float64Array | Int32Array | Uint8Array} data
 * @property {readonly number[]} dims
 *
 * @typedef {object} PartHead
 * @property {string} id hash of the settings and the texts
 * @property {number} texts number of texts
 * @property {Record<string, number>} counts number of rows in the sums of each place
 * @property {string[]} [lines] the texts, if largest activations were listed
 *
 * @typedef {PartHead & { arrays: PartArray[] }} PartResult
 */

const MAGIC = 'QKVPART1'
/** @type {Record<string, any>} */
const TYPES = { Float32Array, Float64Array, Int32Array, Uint8Array }
const whole = (/** @type {number} */ bytes) => Math.ceil(bytes / 8) * 8

/** @param {PartResult} part @returns {Uint8Array} */
export function encodePart({ arrays, ...head }) {
  let size = 0
  const list = arrays.map(({ name, kind, data, dims }) => {
    const at = size
    size = whole(size + data.byteLength)
    return { name, kind, type: data.constructor.name, dims, at, length: data.length }
  })
  const json = new TextEncoder().encode(JSON.stringify({ ...head, arrays: list, size }))
  const start = whole(16 + json.length)
  const bytes = new Uint8Array(start + size)
  bytes.set(new TextEncoder().encode(MAGIC))
  new DataView(bytes.buffer).setUint32(8, json.length, true)
  bytes.set(json, 16)
  for (const [n, { data }] of arrays.entries())
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), start + list[n].at)
  return bytes
}

/** Parses the bytes of a part. @param {Uint8Array} bytes @returns {PartResult | undefined} undefined for invalid or incomplete bytes */
export function decodePart(bytes) {
  const own = bytes.byteOffset % 8 ? bytes.slice() : bytes
  const view = new DataView(own.buffer, own.byteOffset, own.byteLength)
  if (own.length < 16 || new TextDecoder().decode(own.subarray(0, 8)) !== MAGIC) return undefined
  const length = view.getUint32(8, true)
  const start = whole(16 + length)
  if (start > own.length) return undefined
  const { arrays, size, ...head } = JSON.parse(new TextDecoder().decode(own.subarray(16, 16 + length)))
  if (start + size !== own.length) return undefined
  return {
    ...head,
    arrays: arrays.map((/** @type {any} */ { name, kind, type, dims, at, length }) => ({
      name,
      kind,
      dims,
      data: new TYPES[type](own.buffer, own.byteOffset + start + at, length),
    })),
  }
}

/** @param {string} path @returns {Promise<PartResult | undefined>} */
export async function readPart(path) {
  const bytes = await readFile(path).catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return bytes && decodePart(bytes)
}

/**
 * Writes a file atomically: it is either complete or missing, even after a crash.
 * @param {string} path
 * @param {(file: import('node:fs/promises').FileHandle, path: string) => Promise<void>} write writes the content; receives the file and its temporary path
 */
export async function writeWhole(path, write) {
  await mkdir(dirname(path), { recursive: true })
  const unfinished = `${path}.${process.pid}.unfinished`
  const file = await open(unfinished, 'w')
  try {
    await write(file, unfinished)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
}
