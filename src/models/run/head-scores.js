// Computes scores of attention heads on a text, each from 0 to 1.

import { describe, shape } from '../../base/errors.js'
import { toFloats, toTensor } from '../../base/operand.js'
import { Tensor } from '../../base/tensor.js'

/** @import { FloatTensor } from '../../base/tensor.js' */

/**
 * Scores of a head with attention weights a[i][j], from query i to key j. A mean is over the queries i for which such a key j exists.
 * - previous: mean of a[i][i - 1], i >= 1
 * - first: mean of a[i][0], i >= 1
 * - duplicate: mean of the sum of a[i][j] over the earlier j with the same token as i
 * - induction: mean of the sum of a[i][j] over the earlier j whose preceding token, j - 1, is the same as token i
 * - entropy: mean of -sum a log a, divided by the logarithm of the number of visible keys
 * @typedef {{ previous: FloatTensor, first: FloatTensor, duplicate: FloatTensor, induction: FloatTensor,
 *   entropy: FloatTensor }} HeadScores each (layers, heads)
 */

/**
 * Computes the scores from attention weights returned by forward, such as r.attentions.
 * @param {readonly (import('../../base/tensor.js').FloatLike | undefined)[]} attentions (1, H heads, L queries, S keys) for each layer
 * @param {ArrayLike<number>} [ids] the S tokens; without them, as for cross-attention, only `first` (over all queries) and `entropy` are
 *   computed, the others are 0
 * @returns {HeadScores}
 */
export function headScores(attentions, ids) {
  if (!Array.isArray(attentions))
    throw new TypeError(`headScores: expected a list such as r.attentions, got ${describe(attentions)}`)
  if (ids !== undefined) ids = toTensor(ids, 'headScores: ids', true).data
  /** @type {number | undefined} */
  let heads
  const all = attentions.map((given, n) => {
    const layer = given === undefined ? undefined : toFloats(given, `headScores: layer ${n}`)
    heads ??= layer?.dims[1]
    if (
      layer?.dims.length !== 4 ||
      layer.dims[0] !== 1 ||
      layer.dims[1] !== heads ||
      (ids && (layer.dims[2] !== ids.length || layer.dims[3] !== ids.length))
    )
      throw new RangeError(
        `headScores: expected weights (1, H, ${ids ? `${ids.length}, ${ids.length}` : 'L, S'}) of all layers, ` +
          `got ${layer ? `dims ${shape(layer.dims)}` : 'a layer that was not kept'}`,
      )
    return layer
  })
  const H = heads ?? 0
  const make = () => new Tensor(new Float32Array(all.length * H), [all.length, H])
  const scores = { previous: make(), first: make(), duplicate: make(), induction: make(), entropy: make() }
  /** For each query: the earlier keys with the same token, and the keys after those. @type {number[][]} */
  const same = Array.from(ids ?? [], (id, i) => Array.from({ length: i }, (_, j) => j).filter(j => ids?.[j] === id))
  const after = same.map((list, i) => list.map(j => j + 1).filter(j => j < i))
  all.forEach(({ data, dims: [, , L, S] }, layer) => {
    for (let h = 0; h < H; h++) {
      const sums = { previous: 0, first: 0, duplicate: 0, induction: 0, entropy: 0 }
      const queries = { ...sums }
      const put = (/** @type {keyof typeof sums} */ name, /** @type {number} */ value) => {
        sums[name] += value
        queries[name]++
      }
      for (let i = 0; i < L; i++) {
        const row = (h * L + i) * S
        let [seen, entropy] = [0, 0]
        for (let at = row; at < row + S; at++) {
          const a = data[at]
          if (!(a > 0)) continue
          seen++
          entropy -= a * Math.log(a)
        }
        if (seen > 1) put('entropy', entropy / Math.log(seen))
        if (i || !ids) put('first', data[row])
        if (i && ids) put('previous', data[row + i - 1])
        /** @type {['duplicate' | 'induction', number[] | undefined][]} */
        const both = [
          ['duplicate', same[i]],
          ['induction', after[i]],
        ]
        for (const [name, keys] of both)
          if (keys?.length) {
            let sum = 0
            for (const j of keys) sum += data[row + j]
            put(name, sum)
          }
      }
      for (const name of SCORES) scores[name].data[layer * H + h] = queries[name] ? sums[name] / queries[name] : 0
    }
  })
  return scores
}

/** Names of the scores. @type {readonly (keyof HeadScores)[]} */
export const SCORES = ['previous', 'first', 'duplicate', 'induction', 'entropy']

/** Maximum number of texts per batch. */
const MOST = 16

/**
 * Computes the scores of texts, in their order; texts of equal length run together.
 * @param {readonly number[][]} rows
 * @param {(ids: number[][]) => Promise<object[]>} scoresOf computes texts of equal length
 * @returns {Promise<HeadScores[]>}
 */
export async function scoresByLength(rows, scoresOf) {
  /** @type {HeadScores[]} */
  const each = []
  for (const length of new Set(rows.map(row => row.length))) {
    const own = Array.from(rows.keys()).filter(n => rows[n].length === length)
    for (let at = 0; at < own.length; at += MOST) {
      const batch = own.slice(at, at + MOST)
      const found = await scoresOf(batch.map(n => rows[n]))
      for (const [b, scores] of found.entries()) each[batch[b]] = /** @type {HeadScores} */ (scores)
    }
  }
  return each
}
