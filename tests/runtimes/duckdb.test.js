// Tests that DuckDB reads the files of qkv/corpus.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { corpus } from '../../src/entries/corpus.js'

// in a variable, because its types belong to another project
const name = '@duckdb/node-api'
const { DuckDBInstance } = await import(name)
const connection = await (await DuckDBInstance.create()).connect()
const out = mkdtempSync(join(tmpdir(), 'qkv-duckdb-'))
after(() => rmSync(out, { recursive: true, force: true }))

/** @param {string} query @returns {Promise<any[]>} */
const rowsOf = async query => (await connection.runAndReadAll(query)).getRowObjectsJson()

for (const format of /** @type {const} */ (['parquet', 'csv']))
  test(`DuckDB reads ${format}: numbers as numbers, NaN of a text without tokens, quotes in texts`, async () => {
    const texts = Array.from({ length: 40 }, (_, n) =>
      ['the cat sat', '"on" a,b', '', "the cat's mat"].slice(0, 1 + (n % 4)).join(' '),
    )
    texts[5] = ''
    const { rows } = await corpus(texts, {
      model: fileURLToPath(new URL('../goldens/models/gpt2-tiny', import.meta.url)),
      what: {
        losses: true,
        headScores: true,
        means: ['layers.*.mlp.output'],
        top: ['layers.0.mlp.hidden'],
        topCount: 2,
      },
      out: join(out, format),
      format,
    })
    const table = (/** @type {string} */ name) => `'${join(out, format, name)}.${format}'`
    const types = await rowsOf(`describe select losses, "headScores.previous.0.0", tokens from ${table('texts')}`)
    const isText = (/** @type {{ column_type: string }} */ column) => column.column_type === 'VARCHAR'
    assert.equal(types.length, 3)
    assert.ok(!types.some(isText), JSON.stringify(types))
    const [{ mean }] = await rowsOf(`select avg(losses) as mean from ${table('texts')} where not isnan(losses)`)
    assert.ok(Math.abs(mean - rows.losses.mean.data[0]) < 1e-6, `${mean}, ${rows.losses.mean}`)
    const without = await rowsOf(`select n from ${table('texts')} where isnan(losses)`)
    assert.deepEqual(
      without.map(({ n }) => Number(n)),
      [5],
    )
    const [top] = await rowsOf(`select text, line from ${table('top')} where text = 1 limit 1`)
    assert.equal(top.line, texts[1])
  })
