// Measures a stop of a model's guided story: where its head attends, and the prediction with and without the head.

/** @import { FloatTensor } from 'qkv' */

/**
 * Returns the head's attention at the last word of the prompt, and the answer's probability with and without the head.
 * @param {import('qkv/models').Model} model
 * @param {readonly string[]} words vocabulary
 * @param {{ prompt: string, answer: string, layer: number, head: number, isSource: (tokens: readonly string[], i: number) => boolean }} stop isSource:
 *   true if the token at i contains the answer
 */
export function measureStop(model, words, { prompt, answer, layer, head, isSource }) {
  const { ids, tokens } = model.tokenize(prompt)
  const said = (/** @type {Record<string, number>} */ hooks) => {
    const { logits, attentions } = model.forwardSync({ ids }, { hooks, keep: [`attentions.${layer}`], logits: 'last' })
    const { data } = /** @type {FloatTensor} */ (logits)
    const most = Math.max(...data)
    const total = data.reduce((sum, z) => sum + Math.exp(z - most), 0)
    const map = /** @type {FloatTensor} */ (attentions[layer])
    const n = ids.length
    const row = map.data.subarray((head * n + n - 1) * n, (head * n + n) * n)
    return {
      probability: Math.exp(data[words.indexOf(answer)] - most) / total,
      weight: tokens.reduce((sum, _, i) => sum + (isSource(tokens, i) ? row[i] : 0), 0),
      says: words[data.indexOf(most)],
      looksAt: tokens[row.indexOf(Math.max(...row))],
    }
  }
  const { weight, looksAt, probability } = said({})
  const without = said({ [`layers.${layer}.heads.${head}`]: 0 })
  return { weight, looksAt, probability, without: { probability: without.probability, says: without.says } }
}
