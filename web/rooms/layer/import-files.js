// Reads tensors from the reader's JSON or .npy files; loaded by the session. Pure.

import { isNpy, readNpy } from '../../files/npy.js'
import { Trouble } from '../../files/trouble.js'
import { checkSize, fromValue, NAMES, parse } from './import.js'

/** @import { Settings } from './layer.js' */
/** @typedef {{ name: string, bytes: Uint8Array }} File */

/**
 * Reads settings from dropped or chosen files.
 * @param {Iterable<Blob & { name: string }>} files
 * @throws {import('../../files/trouble.js').Trouble}
 */
export async function readFiles(files) {
  const all = Array.from(files)
  checkSize(all.reduce((sum, { size }) => sum + size, 0))
  return fromFiles(
    await Promise.all(all.map(async file => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }))),
  )
}

/**
 * Parses files that were dropped together.
 * @param {File[]} files
 * @returns {Settings}
 * @throws {Trouble}
 */
export function fromFiles(files) {
  if (files.length === 1 && !isNpy(files[0].bytes)) return fromValue(jsonOf(files[0]))
  /** @type {Record<string, unknown>} */
  const parts = {}
  for (const file of files) {
    const base = file.name.replace(/\.\w+$/, '').toLowerCase()
    if (isNpy(file.bytes) || /\.npy$/i.test(file.name)) {
      // In a file name such as layer3_q.npy, the last part that is a known name is the name of the tensor.
      const name = Object.hasOwn(NAMES, base)
        ? base
        : base
            .split(/[^a-z0-9]+/)
            .reverse()
            .find(part => Object.hasOwn(NAMES, part))
      if (files.length > 1 && !name) throw new Trouble('importNames', { name: file.name.slice(0, 60) })
      parts[name ?? 'weights'] = readNpy(file.bytes)
    } else {
      const value = jsonOf(file)
      if (Array.isArray(value)) parts[base] = value
      else Object.assign(parts, value)
    }
  }
  return fromValue(parts)
}

/** Parses a JSON file. The error names the file if its content is not JSON and its name does not end in .json. @param {File} file @returns {any} */
function jsonOf({ name, bytes }) {
  if (/\.npy$/i.test(name)) throw new Trouble('npyNone')
  try {
    return parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    const saysWhy = error instanceof Trouble && (error.key !== 'importJson' || /\.json$/i.test(name))
    throw saysWhy ? error : new Trouble('importType', { name: name.slice(0, 60) })
  }
}
