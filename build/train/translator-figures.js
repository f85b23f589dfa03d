// Measures a translator with the public calls of qkv/models: accuracy, alignment, and the cost of each cross-attention head.

import { loadModel } from 'qkv/models'
import { sentences, WORDS } from './translator.js'

/** @import { FloatTensor } from 'qkv' */
/** @typedef {{ layer: number, head: number, aligned: number, weight: number, cost: number }} CrossHead aligned: share of words for which the head's largest weight is on a linked word; weight: mean weight on linked words; cost: loss of accuracy without the head */

/** Seeds for drawing sentences that are not used in training: `choice` for choosing the seed of the training, `test` for measuring the result. */
const SEEDS = { choice: 2_000_003, test: 3_000_003 }
const EXAMPLE = 'An engineer wants an autonomous driving solution in Beijing today'

/** Returns the index of the largest number. @param {Float32Array} row */
const argmax = row => row.reduce((best, value, i) => (value > row[best] ? i : best), 0)

/**
 * Measures a translator.
 * @param {import('qkv').Qkv} qkv
 * @param {Parameters<typeof loadModel>[1]} source
 * @param {{ count?: number, set?: keyof typeof SEEDS } & Parameters<typeof loadModel>[2]} [options] count: sentences per split
 */
export async function translatorFigures(qkv, source, { count = 300, set = 'test', ...options } = {}) {
  const model = await loadModel(qkv, source, options)
  try {
    const generator = qkv.generator(SEEDS[set])
    const measured = ['train', 'heldOut'].map(split => {
      const drawn = sentences(generator, count, /** @type {'train' | 'heldOut'} */ (split))
      const { ids, lengths, previous, targets, links } = drawn
      const [, S] = ids.dims
      const attentionMask = { data: ids.data.map((_, i) => Number(i % S < lengths[Math.floor(i / S)])), dims: ids.dims }
      const words = [...targets.data.keys()].filter(i => targets.data[i] >= 0)
      /** @param {Record<string, number>} [hooks] */
      const run = hooks => {
        const input = { ids, attentionMask, decoderIds: previous }
        const { logits, crossAttentions } = model.forwardSync(input, { hooks, keep: ['crossAttentions'] })
        const { data } = /** @type {FloatTensor} */ (logits)
        const V = WORDS.length
        const right = words.filter(i => argmax(data.subarray(i * V, (i + 1) * V)) === targets.data[i])
        return { accuracy: right.length / words.length, maps: /** @type {FloatTensor[]} */ (crossAttentions) }
      }
      const { accuracy, maps } = run()
      const linked = words.filter(i => links[i].length)
      const heads = maps.flatMap(({ data, dims: [, H, L] }, layer) =>
        Array.from({ length: H }, (_, head) => {
          const rows = linked.map(i => {
            const at = ((Math.floor(i / L) * H + head) * L + (i % L)) * S
            return { row: data.subarray(at, at + S), to: links[i] }
          })
          const aligned = rows.filter(({ row, to }) => to.includes(argmax(row))).length / rows.length
          const weight = rows.reduce((sum, { row, to }) => to.reduce((s, j) => s + row[j], sum), 0) / rows.length
          const cost = accuracy - run({ [`decoder.layers.${layer}.cross.heads.${head}`]: 0 }).accuracy
          return /** @type {CrossHead} */ ({ layer, head, aligned, weight, cost })
        }),
      )
      return { accuracy, heads }
    })
    const [trained, heldOut] = measured
    /** @type {string[]} */
    const translation = []
    for await (const { token } of model.generate(EXAMPLE, { maxNewTokens: 16 })) translation.push(token)
    return { texts: count, ...trained, heldOut, example: { text: EXAMPLE, translation: translation.join(' ') } }
  } finally {
    model.dispose()
  }
}
