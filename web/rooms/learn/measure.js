// Measures accuracy and the attention of heads on sequences that are never trained on. Shapes: B sequences, H heads, L queries, S keys.

import { argmax } from './tasks/batch.js'

/** @import { Batch } from './tasks/batch.js' */

/**
 * Attention statistics of a head.
 * @typedef {object} HeadScore
 * @property {number} previous mean weight on the previous token
 * @property {number} answer mean weight on the position of the answer
 * @property {number} hits share of answers for which the position of the answer has the largest weight
 */

/**
 * @typedef {object} Measured
 * @property {number} loss in nats
 * @property {number} accuracy
 * @property {HeadScore[][]} heads of each attention
 */

/**
 * Measures a model.
 * @param {object} given
 * @param {readonly Batch[]} given.batches
 * @param {(batch: Batch) => { loss: number, logits: Float32Array, weights: readonly { data: Float32Array, dims: readonly number[] }[] }} given.forward weights:
 *   (B, H, L, S) of each attention
 * @param {number} given.V number of logits per position
 * @returns {Measured}
 */
export function measure({ batches, forward, V }) {
  let [loss, right, counted, answers] = [0, 0, 0, 0]
  /** @type {HeadScore[][]} sums until the division below */
  let heads = []
  /** Number of rows with a previous token, for each attention. @type {number[]} */
  const rows = []
  for (const batch of batches) {
    const { B, L, T, targets, sources, others } = batch
    const { loss: of, logits, weights } = forward(batch)
    loss += of / batches.length
    for (let i = 0; i < B * L; i++) {
      if (targets[i] < 0) continue
      counted++
      if (argmax(logits, i * V, V) === targets[i]) right++
    }
    answers += sources.reduce((sum, source) => sum + Number(source >= 0), 0)
    heads = weights.map(({ data, dims: [, H, own] }, l) =>
      Array.from({ length: H }, (_, h) => {
        const score = heads[l]?.[h] ?? { previous: 0, answer: 0, hits: 0 }
        if (h === 0) rows[l] = (rows[l] ?? 0) + B * (own - 1)
        for (let b = 0; b < B; b++) {
          const at = (b * H + h) * own * T
          for (let i = 1; i < Math.min(own, T + 1); i++) score.previous += data[at + i * T + i - 1]
          if (own !== L) continue
          for (let i = 0; i < L; i++) {
            const source = sources[b * L + i]
            if (source < 0) continue
            score.answer += data[at + i * T + source]
            const seen = argmax(data, at + i * T, T)
            if (seen === source || seen === others?.[b * L + i]) score.hits++
          }
        }
        return score
      }),
    )
  }
  for (const [l, layer] of heads.entries())
    for (const score of layer) {
      score.previous /= rows[l] || 1
      score.answer /= answers || 1
      score.hits /= answers || 1
    }
  return { loss, accuracy: right / counted, heads }
}

/**
 * Computes the accuracy of two baselines without attention, and returns the better one. The first predicts the most frequent target after
 * each token (for translation, after the previous target); the second predicts the most frequent target at each position.
 * @param {readonly Batch[]} seen batches to count
 * @param {readonly Batch[]} tested
 * @param {number} V
 */
export function baselineAccuracy(seen, tested, V) {
  /** @type {((batch: Batch, i: number) => number)[]} */
  const keysOf = [({ previous, ids }, i) => (previous ?? ids)[i], ({ L }, i) => i % L]
  return Math.max(
    ...keysOf.map(keyOf => {
      /** @type {Map<number, Float32Array>} */
      const counts = new Map()
      for (const batch of seen)
        batch.targets.forEach((target, i) => {
          if (target < 0) return
          const key = keyOf(batch, i)
          const row = counts.get(key) ?? new Float32Array(V)
          row[target]++
          counts.set(key, row)
        })
      let [right, counted] = [0, 0]
      for (const batch of tested)
        batch.targets.forEach((target, i) => {
          if (target < 0) return
          counted++
          const row = counts.get(keyOf(batch, i))
          if (row && argmax(row, 0, V) === target) right++
        })
      return right / counted
    }),
  )
}
