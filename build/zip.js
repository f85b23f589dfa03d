// Zips site/, the built page, as site/qkv-class.zip, for a class without internet. The zip has one folder, qkv/, which also contains the
// page as one file.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { crc32, deflateRawSync } from 'node:zlib'

const NAME = 'qkv-class.zip'
/** 1 January 2026, a fixed date, so that the same page gives the same zip. */
const [TIME, DATE] = [0, ((2026 - 1980) << 9) | (1 << 5) | 1]
const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50]
const DEFLATE = 8
/** The flag that marks names as UTF-8. */
const FLAGS = 1 << 11

/** Packs numbers of 2 or 4 bytes, little-endian. @param {readonly (readonly [bytes: 2 | 4, value: number])[]} fields */
function bytesOf(fields) {
  const buffer = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = 0
  for (const [bytes, value] of fields) {
    buffer.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return buffer
}

/** Makes a zip of files, each deflated. @param {Record<string, Uint8Array>} files */
export function zipOf(files) {
  /** @type {Uint8Array[]} */
  const parts = []
  /** @type {Uint8Array[]} */
  const entries = []
  let offset = 0
  for (const [name, data] of Object.entries(files)) {
    const path = Buffer.from(name)
    const packed = deflateRawSync(data, { level: 9 })
    const common = /** @type {const} */ ([
      [2, 20],
      [2, FLAGS],
      [2, DEFLATE],
      [2, TIME],
      [2, DATE],
      [4, crc32(data)],
      [4, packed.length],
      [4, data.length],
      [2, path.length],
      [2, 0],
    ])
    const head = bytesOf([[4, LOCAL], ...common])
    parts.push(head, path, packed)
    entries.push(bytesOf([[4, CENTRAL], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]), path)
    offset += head.length + path.length + packed.length
  }
  const size = entries.reduce((sum, { length }) => sum + length, 0)
  const count = Object.keys(files).length
  const end = bytesOf([[4, END], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0]]) // biome-ignore format: one line
  return Buffer.concat([...parts, ...entries, end])
}

/** Reads the files of a folder. Returns their bytes by path in the zip, which begins with `below`. @param {string} folder @param {string} below */
export function filesOf(folder, below) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => name.replaceAll('\\', '/'))
  const own = names.filter(name => name !== NAME && statSync(`${folder}/${name}`).isFile()).sort()
  return Object.fromEntries(own.map(name => [`${below}/${name}`, readFileSync(`${folder}/${name}`)]))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const site = fileURLToPath(new URL('../site', import.meta.url))
  const zip = zipOf(filesOf(site, 'qkv'))
  writeFileSync(`${site}/${NAME}`, zip)
  console.log(`site/${NAME}: ${zip.length} bytes`)
}
