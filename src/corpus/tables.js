// Writes tables as CSV or Parquet, incrementally.

import { optional } from './optional.js'

/** @import { FileHandle } from 'node:fs/promises' */
/** @typedef {{ name: string, type: 'INT32' | 'FLOAT' | 'DOUBLE' | 'STRING' }} Column */
/** @typedef {ArrayLike<number | string>} ColumnValues values of a column, for some rows */
/** @typedef {{ write: (values: ColumnValues[]) => Promise<void>, end: () => Promise<void> }} Table */

/** Quotes a CSV field if necessary. @param {string} text */
const quoted = text => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Formats a field; nine digits distinguish all float32 values. @param {number | string} value @param {Column['type']} type */
function field(value, type) {
  if (type === 'STRING') return quoted(String(value))
  return String(type === 'FLOAT' ? Number(Number(value).toPrecision(9)) : value)
}

/** @param {FileHandle} file @param {string} _ @param {readonly Column[]} columns @returns {Promise<Table>} */
async function csvTable(file, _, columns) {
  await file.appendFile(`${columns.map(({ name }) => quoted(name)).join(',')}\n`)
  return {
    async write(values) {
      const lines = Array.from({ length: values[0].length }, (_, n) =>
        columns.map(({ type }, c) => field(values[c][n], type)).join(','),
      )
      if (lines.length) await file.appendFile(`${lines.join('\n')}\n`)
    },
    end: async () => {},
  }
}

/** Rows per Parquet row group. */
const GROUP = 65_536

/** @param {FileHandle} _ @param {string} path @param {readonly Column[]} columns @returns {Promise<Table>} */
async function parquetTable(_, path, columns) {
  const { fileWriter, ParquetWriter } = await optional('hyparquet-writer', "corpus: format 'parquet'")
  const types = { INT32: 'INT32', FLOAT: 'FLOAT', DOUBLE: 'DOUBLE', STRING: 'BYTE_ARRAY' }
  const schema = [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, type }) => ({
      name,
      type: types[type],
      repetition_type: 'REQUIRED',
      ...(type === 'STRING' && { converted_type: 'UTF8' }),
    })),
  ]
  const parquet = new ParquetWriter({ writer: fileWriter(path), schema })
  /** @type {(number | string)[][]} */
  let waiting = columns.map(() => [])
  const flush = async () => {
    await parquet.write({ columnData: columns.map(({ name }, c) => ({ name, data: waiting[c] })), rowGroupSize: GROUP })
    waiting = columns.map(() => [])
  }
  return {
    async write(values) {
      for (const [c, list] of values.entries()) for (let n = 0; n < list.length; n++) waiting[c].push(list[n])
      if (waiting[0].length * columns.length >= GROUP * 64) await flush()
    },
    async end() {
      await flush()
      await parquet.finish()
    },
  }
}

/** @type {Record<'csv' | 'parquet', (file: FileHandle, path: string, columns: readonly Column[]) => Promise<Table>>} */
export const TABLES = { csv: csvTable, parquet: parquetTable }
