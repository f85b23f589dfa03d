// From settings to every number on the page. All arithmetic is the core's; this file only orders it.

import { joinHeads, Tensor } from 'qkv'

/** @typedef {import('qkv').Qkv} Qkv */
/** @typedef {import('qkv').Trace} Trace */
/** @typedef {import('qkv').Tokens} Tokens */
/** @typedef {import('./state.js').Settings} Settings */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * @typedef {object} Head
 * @property {FloatTensor} Wq (d, d_k)
 * @property {FloatTensor} Wk (d, d_k)
 * @property {FloatTensor} Wv (d, d_v)
 * @property {FloatTensor} Q (L, d_k)
 * @property {FloatTensor} K (S, d_k)
 * @property {FloatTensor} V (S, d_v)
 * @property {Trace} steps
 */

/**
 * @typedef {object} Result
 * @property {Settings} settings
 * @property {FloatTensor} X (L, d) embeddings of the queries' tokens
 * @property {FloatTensor} X2 (S, d) embeddings of the keys' tokens: X itself in self-attention
 * @property {Head[]} heads
 * @property {FloatTensor} joined (L, H d_v) the outputs of the heads side by side
 */

/** Rows of the embedding table, as in the article. */
export const TABLE_ROWS = 50_000

/**
 * The article's programme: seed, draw the embedding table, seed again, draw W_query, W_key and W_value of one head
 * after the other, attend.
 * @param {Qkv} qkv
 * @returns {(settings: Settings) => Result}
 */
export function createTracer(qkv) {
  /** @type {{ name: string, embedding: import('qkv').Embedding } | undefined} */
  let last // the table is drawn anew when the seed or its width changes, not at each key stroke
  const embeddingOf = (/** @type {Settings} */ { seed, dModel }) => {
    const name = `${seed} ${dModel}`
    if (last?.name !== name) last = { name, embedding: qkv.generator(seed).embedding(TABLE_ROWS, dModel) }
    return last.embedding
  }

  return settings => {
    const { isCross, queries, keys, seed, dModel, dKey, dValue } = settings
    const embedding = embeddingOf(settings)
    const X = embedding.forward(queries.ids)
    const X2 = isCross ? embedding.forward(keys.ids) : X
    const options = maskOptions(settings)
    const generator = qkv.generator(seed)
    const heads = Array.from({ length: settings.heads }, () => {
      const Wq = generator.rand([dModel, dKey])
      const Wk = generator.rand([dModel, dKey])
      const Wv = generator.rand([dModel, dValue])
      const [Q, K, V] = [qkv.matmul(X, Wq), qkv.matmul(X2, Wk), qkv.matmul(X2, Wv)]
      return { Wq, Wk, Wv, Q, K, V, steps: qkv.trace(Q, K, V, options) }
    })
    return { settings, X, X2, heads, joined: joinHeads(stack(heads.map(head => head.steps.output))) }
  }
}

/**
 * @param {Settings} settings
 * @returns {import('qkv').TraceOptions}
 */
function maskOptions({ mask, left, right }) {
  if (mask === 'causal') return { causal: true }
  return mask === 'window' ? { window: [left, right] } : {}
}

/**
 * Tensors of the same dims under a new first axis.
 * @param {FloatTensor[]} tensors
 */
function stack(tensors) {
  const data = new Float32Array(tensors.length * tensors[0].data.length)
  tensors.forEach((tensor, i) => {
    data.set(tensor.data, i * tensor.data.length)
  })
  return new Tensor(data, [tensors.length, ...tensors[0].dims])
}

/**
 * The largest weight of a head. Queries that see one key only have no choice and are left out, unless all are such.
 * @param {Trace} steps
 * @returns {{ row: number, column: number, weight: number, skipped: boolean } | undefined} undefined if nobody sees
 *   anything; skipped: some queries were left out
 */
export function strongestLink({ masked, weights }) {
  const [L, S] = weights.dims
  const visible = Array.from({ length: L }, (_, row) => masked.row(row).data.filter(x => x !== -Infinity).length)
  const hasChoice = visible.some(count => count > 1)
  /** @type {{ row: number, column: number, weight: number } | undefined} */
  let best
  for (let row = 0; row < L; row++) {
    if (visible[row] < (hasChoice ? 2 : 1)) continue
    for (let column = 0; column < S; column++) {
      const weight = weights.data[row * S + column]
      if (best === undefined || weight > best.weight) best = { row, column, weight }
    }
  }
  return best && { ...best, skipped: hasChoice && visible.includes(1) }
}
