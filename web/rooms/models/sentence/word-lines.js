// Computes the arcs over the sentence: what one word attends to in the open head, the head under the pointer, or the mean of all heads. No
// DOM.

import { shown } from '../../../shell/slots.js'
import { mapAt } from '../atlas/maps.js'
import { matrixOf } from '../shown.js'

/** @import { Room } from '../models.js' */

/** Maximum words of a text with arcs, maximum number of arcs, and minimum weight of an arc. */
const [MOST_WORDS, MOST_ARCS, LEAST] = [60, 12, 0.01]

/** Returns the weights of one query, averaged over all heads. @param {import('../atlas/maps.js').Maps} maps @param {number} query */
export function meanRow({ layers, numHeads: heads, height, width, data }, query) {
  const row = new Float32Array(width)
  const count = layers * heads
  for (let n = 0; n < count; n++)
    for (let key = 0; key < width; key++) row[key] += data[(n * height + query) * width + key] / count
  return row
}

/**
 * Returns the word that arcs start from (the selected word, else the word whose prediction is shown), and its weights.
 * @param {Room} room
 * @returns {{ query: number, weights: Float32Array, at?: import('../atlas/maps.js').HeadAt } | undefined} at: the head that has the
 *   weights; without it, they are the mean over all heads
 */
export function lookOf(room) {
  const { run, runBefore, maps, head, view, stack, isChanged } = room
  if (!run || !maps || maps.cells || Math.max(maps.rows, maps.columns) > MOST_WORDS) return undefined
  const query = view.query ?? (stack === 'encoder' && runBefore?.targets ? -1 : run.row)
  if (query < 0 || query >= maps.rows) return undefined
  const at =
    head ??
    (view.pointed && view.pointed.layer < maps.layers && view.pointed.head < maps.numHeads ? view.pointed : undefined)
  const data = head ? matrixOf(room, isChanged)?.data : at && mapAt(maps, at)
  const weights = data ? data.subarray(query * maps.columns, (query + 1) * maps.columns) : meanRow(maps, query)
  return { query, weights, at }
}

/** Returns the keys with the largest weights, in descending order. @param {Float32Array} weights */
export const strongest = weights =>
  Array.from(weights, (weight, key) => ({ weight, key }))
    .filter(({ weight }) => weight >= LEAST)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_ARCS)

/**
 * Returns the arcs. Their ends refer to words by `data-word`: "SIDE:INDEX".
 * @param {Room} room
 * @returns {import('../../../attention-head/word-arcs.js').Arc[]}
 */
export function arcsOf(room) {
  const look = lookOf(room)
  if (!look) return []
  const { stack, run } = room
  const one = !run?.targets
  const from = one ? 'both' : stack === 'encoder' ? 'keys' : 'queries'
  const to = one ? 'both' : stack === 'decoder' ? 'queries' : 'keys'
  return strongest(look.weights).map(({ key, weight }) => ({
    from: `${from}:${look.query}`,
    to: `${to}:${key}`,
    weight,
  }))
}

/** Returns the links of the selected word of a long text, if they have arrived. @param {Room} room */
export function looksOf({ got, maps, view: { query } }) {
  const looks = maps?.cells && query !== undefined ? shown(got.looks) : undefined
  return looks && (looks.from.some(link => link.query === query) || looks.to.some(link => link.key === query))
    ? looks
    : undefined
}
