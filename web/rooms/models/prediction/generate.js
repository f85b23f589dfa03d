// Continues a text token by token. Each step has the chosen token, the alternatives, and the attention of the heads.

import { present } from '../../../shell/known.js'
import { best } from '../run/model-run.js'
import { tokenText } from '../run/read-text.js'

/**
 * @typedef {object} Step
 * @property {number} id
 * @property {string} token
 * @property {string} text text that the token adds
 * @property {number} probability
 * @property {import('../run/model-run.js').Guess[]} others the five most probable tokens
 * @property {Float32Array} rows attention of the last token that was read: (layers, heads, keys)
 */

/**
 * Generates up to `count` tokens and yields a step for each.
 * @param {import('qkv').Qkv} qkv
 * @param {import('qkv/models').Model} model
 * @param {number[]} ids
 * @param {{ temperature: number, topK: number, seed: number, count: number, isWhole: boolean, hooks: Record<string,
 * import('../run/hooks.js').Hook>, signal: AbortSignal }} options isWhole: true if the hooks need the whole sequence at each step; the KV
 * cache is off then
 * @returns {AsyncGenerator<Step, undefined>}
 */
export async function* generate(qkv, model, ids, { count, isWhole, hooks, ...options }) {
  const steps = model.generate(ids, {
    ...options,
    numBeams: 1, // beam search cannot yield token by token
    maxNewTokens: count,
    keep: ['attentions'],
    hooks: hooks,
    useCache: !isWhole,
  })
  for await (const { id, text, probability, logits, attentions } of steps) {
    const { data, dims } = qkv.softmax(present(logits))
    const V = dims[dims.length - 1]
    yield {
      id,
      text,
      probability,
      token: tokenText(model, id),
      others: best(model, data.slice(data.length - V), 5),
      rows: lastRows(/** @type {import('qkv').FloatTensor[]} */ (attentions)),
    }
  }
}

/**
 * Returns the attention row of the last query in each layer and head.
 * @param {readonly { data: Float32Array, dims: readonly number[] }[]} attentions of each layer, (1, H heads, L queries, S keys)
 */
function lastRows(attentions) {
  const [, H, L, S] = attentions[0].dims
  const rows = new Float32Array(attentions.length * H * S)
  attentions.forEach(({ data }, layer) => {
    for (let h = 0; h < H; h++) rows.set(data.subarray((h * L + L - 1) * S, (h * L + L) * S), (layer * H + h) * S)
  })
  return rows
}
