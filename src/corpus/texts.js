// Reads texts one after another: from an iterable, or from a file of lines, JSON lines or Parquet.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { oneOf, readOptions } from '../base/arguments.js'
import { describe, messageOf } from '../base/errors.js'
import { optional } from './optional.js'

/**
 * @typedef {object} TextFile
 * @property {string | URL} file
 * @property {'lines' | 'jsonl' | 'parquet'} [format] default: jsonl for the extensions .jsonl and .ndjson, parquet for .parquet, else lines
 * @property {string} [field] JSON key or column that contains the text; default 'text'
 *
 * @typedef {Iterable<string> | AsyncIterable<string> | string | URL | TextFile} Texts a string is the path of a file
 */

/** @type {Record<string, 'jsonl' | 'parquet'>} */
const ENDS = { jsonl: 'jsonl', ndjson: 'jsonl', parquet: 'parquet' }

/**
 * Opens texts. `fraction` returns the fraction of the file that has been read; undefined if it is unknown.
 * @param {unknown} texts
 * @returns {Promise<{ texts: AsyncIterable<string> | Iterable<string>, fraction: () => number | undefined }>}
 */
export async function openTexts(texts) {
  const given = Object(texts)
  const isPath = typeof texts === 'string' || texts instanceof URL
  if (!isPath && (Symbol.asyncIterator in given || Symbol.iterator in given))
    return { texts: /** @type {Iterable<string>} */ (texts), fraction: () => undefined }
  if (!isPath && !('file' in given))
    throw new TypeError(
      `corpus: texts: expected an iterable of texts, the path of a file, or { file, format, field }, got ${describe(texts)}`,
    )
  const source = /** @type {TextFile} */ (isPath ? { file: texts } : texts)
  const { file, format, field = 'text' } = readOptions(source, ['file', 'format', 'field'], 'corpus: texts')
  const path = file instanceof URL || /^file:/.test(file) ? fileURLToPath(file) : file
  const end = /\.(\w+)$/.exec(path)?.[1].toLowerCase() ?? ''
  const kind =
    format === undefined
      ? (ENDS[end] ?? 'lines')
      : oneOf(format, ['lines', 'jsonl', 'parquet'], 'corpus: texts: format')
  const { size } = await stat(path).catch(cause => {
    throw new RangeError(
      `corpus: texts: expected the path of a file, but ${describe(path)} cannot be read (${cause.code}); texts themselves are given as a list`,
      { cause },
    )
  })
  const progress = { read: 0 }
  const fraction = () => Math.min(1, progress.read / Math.max(1, size))
  if (kind === 'parquet') return { texts: parquetTexts(path, field, size, progress), fraction }
  const lines = linesOf(path, progress)
  return { texts: kind === 'lines' ? lines : jsonTexts(lines, path, field), fraction }
}

/**
 * Yields the lines of a file, which end with \n or \r\n. readline is not used, because it also splits at Unicode separators, which texts
 * may contain.
 * @param {string} path
 * @param {{ read: number }} progress receives the number of bytes read
 */
async function* linesOf(path, progress) {
  const stream = createReadStream(path, { encoding: 'utf8', highWaterMark: 2 ** 18 })
  let left = ''
  let isFirst = true
  for await (const chunk of stream) {
    progress.read = stream.bytesRead
    const lines = (left + chunk).split('\n')
    if (isFirst) lines[0] = lines[0].replace(/^\uFEFF/, '')
    isFirst = false
    left = lines.pop() ?? ''
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (left) yield left
}

/** @param {AsyncIterable<string>} lines @param {string} path @param {string} field */
async function* jsonTexts(lines, path, field) {
  let n = 0
  for await (const line of lines) {
    n++
    if (!line.trim()) continue
    let json
    try {
      json = JSON.parse(line)
    } catch (cause) {
      throw new RangeError(`corpus: texts: line ${n} of ${path} is no JSON: ${messageOf(cause)}`, {
        cause,
      })
    }
    yield textOf(typeof json === 'string' ? json : json?.[field], `line ${n} of ${path}`, field)
  }
}

/** @param {unknown} text @param {string} where @param {string} field */
function textOf(text, where, field) {
  if (typeof text === 'string') return text
  throw new TypeError(
    `corpus: texts: ${where}: ${field}: expected a text, got ${describe(text)}; name the field of the texts with { file, field }`,
  )
}

/** Rows of Parquet to read at once. */
const ROWS = 4096

/** @param {string} path @param {string} field @param {number} size @param {{ read: number }} progress */
async function* parquetTexts(path, field, size, progress) {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await optional(
    'hyparquet',
    'corpus: a file of Parquet',
  )
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  const rows = Number(metadata.num_rows)
  const names = metadata.schema.slice(1).map((/** @type {{ name: string }} */ { name }) => name)
  if (!names.includes(field))
    throw new RangeError(
      `corpus: texts: ${path} has no column ${describe(field)}; its columns: ${names.join(', ')}; { file, field } names that of the texts`,
    )
  for (let from = 0; from < rows; from += ROWS) {
    const to = Math.min(rows, from + ROWS)
    const objects = await parquetReadObjects({ file, metadata, columns: [field], rowStart: from, rowEnd: to })
    progress.read = (size * to) / rows
    for (const [n, row] of objects.entries()) yield textOf(row[field], `row ${from + n} of ${path}`, field)
  }
}
