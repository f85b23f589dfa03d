// The embedding table: one row per token.

import { embeddingLayer } from 'qkv/nn'

/** @import { Qkv } from 'qkv' */
/** @import { Embedding } from 'qkv/nn' */
/** @import { Checked } from '../layer.js' */

/** @typedef {ReturnType<typeof createTable>} Table */

/**
 * Spare rows of a table that is drawn only in part. PyTorch draws normal numbers in blocks of 16, and the last block depends on the size of
 * the table. With spare rows, all rows in use equal those of the whole table.
 */
const SPARE = 16

/**
 * Draws embedding tables and caches the last one, so that the next key stroke can reuse it.
 * @param {Qkv} qkv
 */
export function createTable(qkv) {
  /** @type {{ name: string, embedding: Embedding } | undefined} */
  let last

  /**
   * Draws the embedding table.
   * @param {Checked} settings
   * @returns {{ embedding: Embedding, generator: import('qkv').Generator }} embedding: the whole table if
   *   `draw` is 'continue', else at least the rows of the used ids
   */
  const table = (/** @type {Checked} */ { seed, dModel, tableRows, draw, queries, keys }) => {
    let most = 0
    for (const id of [...queries.ids, ...keys.ids]) most = Math.max(most, id)
    const generator = qkv.generator(seed)
    if (draw === 'continue') return { embedding: embeddingLayer(generator, tableRows, dModel), generator }
    const rows = Math.min(tableRows, 2 ** Math.ceil(Math.log2(most + 1 + SPARE)))
    const name = `${seed} ${dModel} ${rows}`
    if (last?.name !== name) last = { name, embedding: embeddingLayer(generator, rows, dModel) }
    return { embedding: last.embedding, generator: qkv.generator(seed) }
  }

  /** @type {{ name: string, weights: any } | undefined} */
  let lastWeights

  /**
   * Caches drawn weights for the same seed and sizes. Draws anew if other draws precede or follow them in the same random stream.
   * @template T
   * @param {Checked} settings
   * @param {() => T} make
   * @returns {T}
   */
  const reuse = ({ model, seed, dModel, heads, bias, draw, score }, make) => {
    if (draw === 'continue' || score === 'additive') return make()
    const name = [model, seed, dModel, heads, bias].join()
    if (lastWeights?.name !== name) lastWeights = { name, weights: make() }
    return lastWeights.weights
  }
  return Object.assign(table, { reuse })
}
