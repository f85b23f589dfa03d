// Merges the results of a corpus's parts, in order, and writes the result files. Sums and lists of the largest activations are combined.

import { join } from 'node:path'
import { entryOf } from '../base/entry.js'
import { Tensor } from '../base/tensor.js'
import { insert, Sums } from './measure.js'
import { writeNpz } from './npz.js'
import { readPart, writeWhole } from './part-file.js'
import { TABLES } from './tables.js'

/** @import { FloatTensor } from '../base/tensor.js' */
/** @import { PartArray, PartResult } from './part-file.js' */
/** @typedef {'npz' | 'csv' | 'parquet'} Format */
/** @typedef {{ value: number, text: number, position: number, id: number, line: string }} TopEntry text: index of the text; id: id of the token at `position`; line: the text itself */
/**
 * @typedef {object} CorpusResult
 * @property {number} texts number of texts
 * @property {number} tokens number of tokens, including special ones
 * @property {number} truncated texts that were longer than the model allows
 * @property {string[]} files files that were written
 * @property {Record<string, FloatTensor>} means over all positions of all texts, by place; `ablate` accepts them as its option `by`
 * @property {Record<string, FloatTensor>} variances sample variances, by place
 * @property {Record<string, { mean: FloatTensor, spread: FloatTensor }>} rows for each result that every text has, such as embeddings: its
 *   mean over the texts, and its sample standard deviation. Texts with NaN do not count
 * @property {Record<string, TopEntry[][]>} top by place: for each neuron or head, its largest activations in descending order
 */

/** Returns the path of the file with a part's results. @param {string} out @param {number} n */
export const pathOfPart = (out, n) => join(out, 'parts', `${String(n).padStart(6, '0')}.part`)

/**
 * Reads the parts of a folder one by one.
 * @param {string} out
 * @param {number} parts number of parts
 * @returns {AsyncGenerator<{ part: PartResult, first: number }, void, void>} first: index of the part's first text
 */
async function* partsOf(out, parts) {
  let first = 0
  for (let n = 0; n < parts; n++) {
    const path = pathOfPart(out, n)
    const part = await readPart(path)
    if (!part) throw new Error(`corpus: ${path} was deleted or cut off while the parts were merged: call corpus again`)
    yield { part, first }
    first += part.texts
  }
}

/** The `count` largest activations of each of a place's `units`. at: indices of texts; ids: token ids by the key '<text> <position>'. @typedef {{ count: number, units: number, values: Float32Array, at: Int32Array, positions: Int32Array, ids: Map<string, number> }} Merged */

/**
 * Merges the parts of a folder, and writes the result files.
 * @param {string} out
 * @param {number} parts number of parts
 * @param {Format} format
 * @returns {Promise<CorpusResult>}
 */
export async function merge(out, parts, format) {
  /** @type {Map<string, Sums>} */
  const sums = new Map()
  /** @type {Map<string, Sums>} */
  const spreads = new Map()
  /** @type {Map<string, Merged>} */
  const tops = new Map()
  /** The texts that a list of largest activations names, by index. @type {Map<number, string>} */
  const lines = new Map()
  /** @type {Map<string, { type: string, dims: readonly number[] }>} */
  const columns = new Map()
  let [texts, tokens, truncated] = [0, 0, 0]
  for await (const { part, first } of partsOf(out, parts)) {
    const named = new Map(part.arrays.map(array => [array.name, array]))
    texts += part.texts
    tokens += total(named.get('tokens'))
    truncated += total(named.get('truncated'))
    for (const { name, kind, data, dims } of part.arrays)
      if (kind === 'rows') addRows(columns, spreads, { name, data, dims, texts: part.texts })
    for (const [place, n] of Object.entries(part.counts)) {
      const [mean, squares] = [`mean.${place}`, `squares.${place}`].map(name => entryOf(named, name).data)
      const all = sums.get(place) ?? new Sums(mean.length)
      sums.set(place, all)
      all.merge(n, mean, squares)
    }
    for (const { name, kind, data, dims } of part.arrays)
      if (kind === 'top' && name.startsWith('values.')) addTop(tops, name.slice(7), data, dims, named)
    if (part.lines) keepLines(lines, tops, part.lines, first)
  }
  /** @type {CorpusResult} */
  const result = { texts, tokens, truncated, files: [], means: {}, variances: {}, rows: {}, top: {} }
  for (const [place, { n, mean, squares }] of sums) {
    const variance = squares.map(square => square / Math.max(1, n - 1))
    Object.assign(result.means, { [place]: toTensor(mean, [mean.length]) })
    Object.assign(result.variances, { [place]: toTensor(variance, [mean.length]) })
  }
  for (const [name, { n, mean, squares }] of spreads) {
    const { dims } = entryOf(columns, name)
    const spread = squares.map(square => Math.sqrt(square / Math.max(1, n - 1)))
    const own = dims.length ? dims : [1]
    result.rows[name] = { mean: toTensor(n ? mean : mean.fill(Number.NaN), own), spread: toTensor(spread, own) }
  }
  for (const [place, top] of tops) Object.assign(result.top, { [place]: entriesOf(top, lines) })
  result.files = await (format === 'npz' ? writeArrays : writeTables)(out, {
    parts,
    format,
    columns,
    sums,
    tops,
    lines,
    texts,
  })
  return result
}

/** @param {PartArray | undefined} array */
function total(array) {
  let sum = 0
  for (const value of array?.data ?? []) sum += value
  return sum
}

/** @param {Float64Array} data @param {readonly number[]} dims */
const toTensor = (data, dims) => new Tensor(Float32Array.from(data), [...dims])

/** True if an axis has size 0. If no text of a part has tokens, its embeddings have this shape, because their width is unknown. */
const isEmpty = (/** @type {readonly number[]} */ dims) => dims.includes(0)

/**
 * Records the type and dims of a result that has a row for each text, and adds the rows of a part to its mean. Rows with NaN do not count.
 * @param {Map<string, { type: string, dims: readonly number[] }>} columns type and dims of a row, by name
 * @param {Map<string, Sums>} spreads mean and squared differences, by name
 * @param {{ name: string, data: PartArray['data'], dims: readonly number[], texts: number }} array
 */
function addRows(columns, spreads, { name, data, dims: [, ...dims], texts }) {
  if (isEmpty(dims)) return
  const known = columns.get(name)
  if (known && String(known.dims) !== String(dims))
    throw new RangeError(
      `corpus: ${name}: expected the same dims in all parts, got (${dims}) in one and (${known.dims}) in another`,
    )
  columns.set(name, { type: data.constructor.name, dims })
  if (name === 'tokens' || name === 'truncated') return
  const size = data.length / texts
  const all = spreads.get(name) ?? new Sums(size)
  spreads.set(name, all)
  const zeros = new Float64Array(size)
  for (let n = 0; n < texts; n++) {
    const row = data.subarray(n * size, (n + 1) * size)
    if (!row.some(Number.isNaN)) all.merge(1, row, zeros)
  }
}

/** @param {Map<string, Merged>} tops @param {string} place @param {PartArray['data']} values @param {readonly number[]} dims @param {Map<string, PartArray>} named */
function addTop(tops, place, values, [units, count], named) {
  const size = units * count
  const top = tops.get(place) ?? {
    count,
    units,
    values: new Float32Array(size).fill(-Infinity),
    at: new Int32Array(size).fill(-1),
    positions: new Int32Array(size).fill(-1),
    ids: new Map(),
  }
  tops.set(place, top)
  const [texts, positions, ids] = ['texts', 'positions', 'ids'].map(key => entryOf(named, `${key}.${place}`).data)
  for (let n = 0; n < size; n++)
    if (texts[n] >= 0) {
      insert(top, Math.floor(n / count), values[n], texts[n], positions[n])
      top.ids.set(`${texts[n]} ${positions[n]}`, ids[n])
    }
}

/**
 * Adds the texts of a part that `tops` names to `lines`, and drops those that it no longer names.
 * @param {Map<number, string>} lines texts by index
 * @param {Map<string, Merged>} tops
 * @param {readonly string[]} own texts of the part
 * @param {number} first index of its first text
 */
function keepLines(lines, tops, own, first) {
  const named = new Set()
  for (const { at } of tops.values()) for (const n of at) named.add(n)
  for (const n of lines.keys()) if (!named.has(n)) lines.delete(n)
  for (const [n, line] of own.entries()) if (named.has(first + n)) lines.set(first + n, line)
}

/** @param {Merged} top @param {Map<number, string>} lines @returns {TopEntry[][]} */
function entriesOf({ units, count, values, at, positions, ids }, lines) {
  return Array.from({ length: units }, (_, u) =>
    Array.from({ length: count }, (_, k) => u * count + k)
      .filter(n => at[n] >= 0)
      .map(n => ({
        value: values[n],
        text: at[n],
        position: positions[n],
        id: ids.get(`${at[n]} ${positions[n]}`) ?? -1,
        line: lines.get(at[n]) ?? '',
      })),
  )
}

/** @typedef {{ parts: number, format: Format, columns: Map<string, { type: string, dims: readonly number[] }>, sums: Map<string, Sums>, tops: Map<string, Merged>, lines: Map<number, string>, texts: number }} ToWrite */

/** @param {string} out @param {ToWrite} made */
async function writeArrays(out, { parts, columns, sums, tops, texts }) {
  const path = join(out, 'results.npz')
  const bytesOf = (/** @type {PartArray['data']} */ { buffer, byteOffset, byteLength }) =>
    new Uint8Array(buffer, byteOffset, byteLength)
  async function* rowsOf(/** @type {string} */ name, /** @type {string} */ type, /** @type {number} */ size) {
    for await (const { part } of partsOf(out, parts)) {
      const found = part.arrays.find(array => array.name === name && !isEmpty(array.dims.slice(1)))
      yield bytesOf(found?.data ?? missing(type, part.texts * size))
    }
  }
  async function* arrays() {
    for (const [name, { type, dims }] of columns)
      yield {
        name,
        type,
        dims: [texts, ...dims],
        chunks: rowsOf(
          name,
          type,
          dims.reduce((a, b) => a * b, 1),
        ),
      }
    for (const [place, { n, mean, squares }] of sums) {
      yield { name: `means.${place}`, type: 'Float64Array', dims: [mean.length], chunks: [bytesOf(mean)] }
      const variances = squares.map(square => square / Math.max(1, n - 1))
      yield { name: `variances.${place}`, type: 'Float64Array', dims: [mean.length], chunks: [bytesOf(variances)] }
    }
    for (const [place, { units, count, values, at, positions }] of tops)
      for (const [key, data] of Object.entries({ values, texts: at, positions }))
        yield {
          name: `top.${key}.${place}`,
          type: data.constructor.name,
          dims: [units, count],
          chunks: [bytesOf(data)],
        }
  }
  await writeWhole(path, file => writeNpz(file, arrays()))
  return [path]
}

/** Returns the NaNs to write for a part that lacks a result, because its texts have no tokens. @param {string} type @param {number} size @returns {PartArray['data']} */
const missing = (type, size) =>
  type === 'Float64Array' ? new Float64Array(size).fill(Number.NaN) : new Float32Array(size).fill(Number.NaN)

/** @type {Record<string, import('./tables.js').Column['type']>} */
const TYPES = { Float32Array: 'FLOAT', Float64Array: 'DOUBLE', Int32Array: 'INT32', Uint8Array: 'INT32' }

/** Returns a column name for each number of a result's row, such as `previous.0.1`. @param {string} name @param {readonly number[]} dims */
function namesOf(name, dims) {
  let names = [name]
  for (const size of dims) names = names.flatMap(each => Array.from({ length: size }, (_, n) => `${each}.${n}`))
  return names
}

/** @param {string} out @param {ToWrite} made */
async function writeTables(out, { parts, format, columns, sums, tops, lines }) {
  const make = TABLES[/** @type {'csv'} */ (format)]
  /** @type {string[]} */
  const files = []
  /** @param {string} name @param {import('./tables.js').Column[]} heads @param {AsyncIterable<import('./tables.js').ColumnValues[]> | Iterable<import('./tables.js').ColumnValues[]>} rows */
  const write = async (name, heads, rows) => {
    const path = join(out, `${name}.${format}`)
    await writeWhole(path, async (file, unfinished) => {
      const table = await make(file, unfinished, heads)
      for await (const values of rows) await table.write(values)
      await table.end()
    })
    files.push(path)
  }
  const list = [...columns]
  const heads = list.flatMap(([name, { type, dims }]) =>
    namesOf(name, dims).map(each => ({ name: each, type: TYPES[type] })),
  )
  async function* texts() {
    for await (const { part, first } of partsOf(out, parts))
      yield [
        Int32Array.from({ length: part.texts }, (_, n) => first + n),
        ...list.flatMap(([name, { type, dims }]) => {
          const size = dims.reduce((a, b) => a * b, 1)
          const found = part.arrays.find(array => array.name === name && !isEmpty(array.dims.slice(1)))
          const data = found?.data ?? missing(type, part.texts * size)
          return Array.from({ length: size }, (_, c) =>
            Array.from({ length: part.texts }, (_, n) => data[n * size + c]),
          )
        }),
      ]
  }
  await write('texts', [{ name: 'n', type: 'INT32' }, ...heads], texts())
  if (sums.size)
    await write(
      'means',
      [
        { name: 'place', type: 'STRING' },
        { name: 'index', type: 'INT32' },
        { name: 'mean', type: 'DOUBLE' },
        { name: 'variance', type: 'DOUBLE' },
      ],
      Array.from(sums, ([place, { n, mean, squares }]) => [
        Array(mean.length).fill(place),
        Int32Array.from(mean.keys()),
        mean,
        squares.map(square => square / Math.max(1, n - 1)),
      ]),
    )
  if (tops.size)
    await write(
      'top',
      [
        { name: 'place', type: 'STRING' },
        ...['unit', 'rank'].map(name => ({ name, type: /** @type {const} */ ('INT32') })),
        { name: 'value', type: 'FLOAT' },
        ...['text', 'position', 'id'].map(name => ({ name, type: /** @type {const} */ ('INT32') })),
        { name: 'line', type: 'STRING' },
      ],
      Array.from(tops, ([place, top]) => {
        const all = entriesOf(top, lines).flatMap((entries, unit) =>
          entries.map((entry, rank) => ({ ...entry, place, unit, rank })),
        )
        const column = (/** @type {keyof typeof all[0]} */ name) => all.map(entry => entry[name])
        return /** @type {const} */ (['place', 'unit', 'rank', 'value', 'text', 'position', 'id', 'line']).map(column)
      }),
    )
  return files
}
