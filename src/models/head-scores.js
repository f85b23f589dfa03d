// What a head does on a text, as one number from 0 to 1 each.

import { Tensor } from '../base/tensor.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */

/**
 * Of the weights a[i][j] of one head over n tokens; means are over the queries i for which the rule has a key.
 * - previous: mean of a[i][i - 1], i >= 1
 * - first: mean of a[i][0], i >= 1
 * - duplicate: mean of the sum of a[i][j] over the earlier j with the same token as i
 * - induction: mean of the sum of a[i][j] over the earlier j whose token before, j - 1, is the same as i
 * - entropy: mean of -sum a log a, divided by the logarithm of the keys that the query can see
 * @typedef {{ previous: FloatTensor, first: FloatTensor, duplicate: FloatTensor, induction: FloatTensor,
 *   entropy: FloatTensor }} HeadScores each (layers, heads)
 */

/**
 * @param {readonly FloatTensor[]} attentions (1, H, n, n) of each layer
 * @param {readonly number[]} ids
 * @returns {HeadScores}
 */
export function scoresOf(attentions, ids) {
  const layers = attentions.length
  const H = attentions[0].dims[1]
  const n = ids.length
  const make = () => new Tensor(new Float32Array(layers * H), [layers, H])
  const scores = { previous: make(), first: make(), duplicate: make(), induction: make(), entropy: make() }
  const same = ids.map((id, i) => ids.slice(0, i).flatMap((other, j) => (other === id ? [j] : [])))
  const after = same.map((list, i) => list.map(j => j + 1).filter(j => j < i))
  attentions.forEach(({ data }, layer) => {
    for (let h = 0; h < H; h++) {
      const at = (/** @type {number} */ i, /** @type {number} */ j) => data[(h * n + i) * n + j]
      const sumAt = (/** @type {number} */ i, /** @type {number[]} */ keys) =>
        keys.reduce((sum, j) => sum + at(i, j), 0)
      const put = (/** @type {keyof typeof scores} */ name, /** @type {(i: number) => number | undefined} */ rule) => {
        const found = ids.flatMap((_, i) => rule(i) ?? [])
        scores[name].data[layer * H + h] = found.length ? found.reduce((a, b) => a + b) / found.length : 0
      }
      put('previous', i => (i ? at(i, i - 1) : undefined))
      put('first', i => (i ? at(i, 0) : undefined))
      put('duplicate', i => (same[i].length ? sumAt(i, same[i]) : undefined))
      put('induction', i => (after[i].length ? sumAt(i, after[i]) : undefined))
      put('entropy', i => {
        const row = data.subarray((h * n + i) * n, (h * n + i + 1) * n)
        const seen = row.reduce((sum, a) => sum + (a > 0 ? 1 : 0), 0)
        return seen > 1 ? -row.reduce((sum, a) => sum + (a > 0 ? a * Math.log(a) : 0), 0) / Math.log(seen) : undefined
      })
    }
  })
  return scores
}
