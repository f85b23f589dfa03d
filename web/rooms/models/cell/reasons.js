// Explains why a head attends to a key: splits the score into terms by the parts that wrote into the residual stream, and lists the
// largest. No DOM; loaded on demand.

import { recordRun, scoreAttribution } from 'qkv/interpret'
import { largestOf } from '../../../elements/largest.js'
import { specOf } from '../run/hooks.js'

/** @import { Model } from 'qkv/models' */
/** @import { RecordedRun, Source } from 'qkv/interpret' */
/** @import { Reasons } from '../models.js' */

/** Number of pairs of sources listed; number of rows and of columns of the small map, not counting those for all other sources. */
const [PAIRS, ROWS] = [8, 5]
/** Maximum number of attention weights to keep; maximum number of terms if each head is split by the tokens it read. */
const [MOST_WEIGHTS, MOST_TERMS] = [2 ** 25, 2 ** 22]

/** Caches the recorded outputs of all parts for each run of the session. @type {WeakMap<object, RecordedRun>} */
const recorded = new WeakMap()

/**
 * True if the weights of all heads are too many to keep.
 * @param {Model} model
 * @param {{ ids: number[], targetIds?: number[] }} run
 * @param {import('../../../attention-head/head.js').Stack} stack
 */
export function isTooLong(model, { ids, targetIds }, stack) {
  const { layers, numHeads } = specOf(model, stack)
  return layers * numHeads * Math.max(ids.length, targetIds?.length ?? 0) ** 2 > MOST_WEIGHTS
}

/**
 * @param {Model} model
 * @param {{ run: { input: import('qkv/models').ModelInput, ids: number[], targetIds?: number[] }, hooks: Record<string, any> }} used
 * @param {{ stack: import('../../../attention-head/head.js').Stack, layer: number, head: number, query: number, key: number }} at
 * @returns {Promise<Reasons>}
 */
export async function reasonsOf(model, { run, hooks }, { stack, layer, head, query, key }) {
  if (isTooLong(model, run, stack)) return { query, key, isTooLong: true }
  const known = recorded.get(run) ?? (await recordRun(model, run.input, Object.keys(hooks).length ? { hooks } : {}))
  recorded.set(run, known)
  const place = stack || undefined
  const options = { layer, head, query, key, place }
  const whole = await scoreAttribution(model, known, { ...options, byToken: false })
  const { numHeads } = specOf(model, stack)
  const sources = layer * numHeads * Math.max(query, key)
  const fine = sources ** 2 > MOST_TERMS ? whole : await scoreAttribution(model, known, options)
  return {
    query,
    key,
    isTooLong: false,
    score: whole.score,
    count: fine.terms.data.length,
    pairs: largest(fine, PAIRS),
    table: tableOf(whole),
  }
}

/** @param {import('qkv/interpret').ScoreAttribution} found @param {number} most */
function largest({ terms: { data }, queries, keys }, most) {
  const order = largestOf(most)
  for (let n = 0; n < data.length; n++) if (data[n] !== 0) order.add(n, Math.abs(data[n]))
  return order.items.map(n => ({
    query: queries[Math.floor(n / keys.length)],
    key: keys[n % keys.length],
    value: data[n],
  }))
}

/**
 * Returns a table of terms, with a row for each source of the query and a column for each source of the key. Only the ROWS sources whose
 * absolute terms sum to most have a row or a column. The last row and the last column sum the terms of all other sources.
 * @param {import('qkv/interpret').ScoreAttribution} found
 * @returns {NonNullable<Extract<Reasons, { isTooLong: false }>>['table']}
 */
function tableOf({ terms: { data }, queries, keys }) {
  const width = keys.length
  const pick = (/** @type {Source[]} */ list, /** @type {(n: number) => number} */ sizeAt) =>
    Array.from(list.keys())
      .sort((a, b) => sizeAt(b) - sizeAt(a))
      .slice(0, ROWS)
      .sort((a, b) => a - b)
  const sum = (/** @type {Source[]} */ list, /** @type {(n: number) => number} */ at) =>
    list.reduce((total, _, n) => total + Math.abs(data[at(n)]), 0)
  const rows = pick(queries, r => sum(keys, c => r * width + c))
  const columns = pick(keys, c => sum(queries, r => r * width + c))
  const [R, C] = [rows.length, columns.length]
  const made = new Float32Array((R + 1) * (C + 1))
  for (let n = 0; n < data.length; n++) {
    const [r, c] = [rows.indexOf(Math.floor(n / width)), columns.indexOf(n % width)]
    made[(r < 0 ? R : r) * (C + 1) + (c < 0 ? C : c)] += data[n]
  }
  return { queries: rows.map(n => queries[n]), keys: columns.map(n => keys[n]), data: made }
}
