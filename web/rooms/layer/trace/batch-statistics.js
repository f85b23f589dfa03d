// Runs a batch through the layer that mirrors torch.nn.MultiheadAttention, all sequences at once: the sentence, and copies of it shifted by
// one token each. The page shows the layer for the first sequence.

import { joinHeads, splitHeads, Tensor } from 'qkv'
import { BASE } from '../numbers/positions.js'
import { rowsOf } from './attend.js'
import { optionsOf } from './attention-options.js'

/** @import { FloatTensor, Result } from '../layer.js' */

/** The tensors of each step, in order, as returned by the core. @typedef {Record<'input' | 'projected' | 'split' | 'weights' | 'mixed' | 'joined' | 'output', FloatTensor>} Batch */

/** Limits of a batch that runs without blocking the page: multiplications, and query-key pairs. */
const MOST = { products: 2 ** 30, pairs: 2 ** 22 }

/** True if the batch is small enough to run on the page. @param {Result} result */
export function isSmall({ settings, heads }) {
  const { batch, dModel, queries, keys } = settings
  const [L, S] = [queries.tokens.length, keys.tokens.length]
  return batch * (L + S) * 2 * dModel ** 2 <= MOST.products && batch * heads * L * S <= MOST.pairs
}

/**
 * Runs the batch.
 * @param {import('qkv').Qkv} qkv
 * @param {Result} result
 * @returns {Batch | undefined} undefined without a batch, or if it is too large
 */
export function runBatch(qkv, result) {
  const { settings, tensors, visible, heads: H } = result
  const { X, X2 = X, Wq, Wk, Wv, Wo, bq, bk, bv, bo } = tensors
  const { batch: B } = settings
  if (B === 1 || !X || !X2 || !Wq || !Wk || !Wv || !Wo || !isSmall(result)) return undefined
  const line = (/** @type {FloatTensor | undefined} */ b) => b && (b.dims.length === 3 ? joinHeads(b) : b).row(0)
  const layer = (
    /** @type {FloatTensor} */ x,
    /** @type {FloatTensor} */ W,
    /** @type {FloatTensor | undefined} */ b,
  ) => qkv.linear(x, rowsOf(W), line(b))
  const input = stacked(X, B)
  const other = X2 === X ? input : stacked(X2, B)
  const projected = layer(input, Wq, bq)
  const place = (/** @type {FloatTensor} */ x) => (tensors.Qr ? qkv.rope(x, { base: BASE }) : x)
  const split = splitHeads(projected, H)
  const dims = [X.dims[0], X2.dims[0]]
  const { weights, output: mixed } = qkv.trace(
    place(split),
    place(splitHeads(layer(other, Wk, bk), H)),
    splitHeads(layer(other, Wv, bv), H),
    optionsOf(settings, tensors, visible, dims, split.dims[3]),
  )
  const joined = joinHeads(mixed)
  return { input, projected, split, weights, mixed, joined, output: layer(joined, Wo, bo) }
}

/**
 * Stacks B copies of x as (B, rows, columns). Copy b is shifted by b rows.
 * @param {FloatTensor} x
 * @param {number} B
 */
function stacked({ data, dims }, B) {
  const [rows, columns] = dims
  const all = new Float32Array(B * data.length)
  for (let b = 0; b < B; b++) {
    const from = (b % rows) * columns
    all.set(data.subarray(from), b * data.length)
    all.set(data.subarray(0, from), (b + 1) * data.length - from)
  }
  return new Tensor(all, [B, rows, columns])
}
