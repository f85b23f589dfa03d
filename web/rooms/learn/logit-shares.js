// Decomposes logits into what each part of the model adds directly through the output weights. A final LayerNorm divides each term by the
// deviation of the whole state, so that the terms still sum to the logit.

import { tensor } from 'qkv'
import { headColumns, rowsOfFirst, weightsOfFirst } from './attention-parts.js'

/** @import { Run } from './tasks/task.js' */
/** @import { Forward } from './transformer.js' */
/** @typedef {import('qkv').Tensor<Float32Array>} FloatTensor */

/**
 * @typedef {object} Share a term of the logits
 * @property {'embedding' | 'head' | 'mlp' | 'bias'} kind
 * @property {number} layer
 * @property {number} head
 * @property {Float32Array} values one per token
 * @property {Float32Array} [sources] for a head: its values split by position, (tokens, positions)
 */

/**
 * @typedef {object} Why
 * @property {number} answer index of the explained answer
 * @property {{ token: string, logit: number, share: number }[]} tokens the most likely tokens
 * @property {Share[]} shares their `values` sum to the logits
 * @property {string[]} columns labels of `sources`
 */

/** Maximum number of tokens shown. */
const MOST = 8
const EPSILON = 1e-5

/** Picks rows of a matrix. @param {FloatTensor} matrix @param {readonly number[]} rows */
const pick = ({ data, dims: [, n] }, rows) => ({
  data: Float32Array.from({ length: rows.length * n }, (_, i) => data[rows[Math.floor(i / n)] * n + (i % n)]),
  dims: [rows.length, n],
})

/**
 * Decomposes the logits at a position.
 * @param {import('qkv').Qkv} qkv
 * @param {Run} run
 * @param {Forward} forward only its first sequence is used
 * @param {number} row position of the answer
 * @param {number} S number of positions to use as columns of `sources`
 * @param {{ id: number, share: number }[]} likeliest
 */
export function sharesOf(qkv, run, { logits, layers, parts, last }, row, S, likeliest) {
  const { settings, shape, blocks, parameters } = run
  const { d, heads, norm } = settings
  const { values } = parameters
  const size = d / heads
  const ids = likeliest.slice(0, MOST).map(({ id }) => id)
  const at = (/** @type {FloatTensor} */ x) => x.data.slice(row * d, (row + 1) * d)
  const outOf = (/** @type {number} */ layer, /** @type {number} */ head) =>
    headColumns(values[`${blocks[layer]}.o`], head, size)
  /** @type {{ kind: Share['kind'], layer: number, head: number, x: Float32Array }[]} addends of the last hidden state */
  const addends = []
  for (const { kind, layer, x } of parts) {
    const own = at(x)
    if (kind !== 'attention') {
      addends.push({ kind, layer, head: -1, x: own })
      continue
    }
    for (let head = 0; head < heads; head++) {
      const output = headColumns(tensor(own, [1, d]), head, size)
      addends.push({ kind: 'head', layer, head, x: qkv.linear(output, outOf(layer, head)).data })
    }
  }
  const U = pick(values.unembed, ids)
  // The last LayerNorm: (x - mean(x)) / deviation * weight, which is linear except for the deviation.
  const whole = at(last)
  const mean = whole.reduce((sum, x) => sum + x / d, 0)
  const deviation = Math.sqrt(whole.reduce((sum, x) => sum + (x - mean) ** 2 / d, 0) + EPSILON)
  const normed = (/** @type {Float32Array} */ x) => {
    if (!norm) return x
    const own = x.reduce((sum, value) => sum + value / d, 0)
    return x.map((value, i) => ((value - own) / deviation) * values['norm.weight'].data[i])
  }
  const direct = (/** @type {Float32Array} */ x) => qkv.linear({ data: x, dims: [1, d] }, U).data
  /** @type {Share[]} */
  const shares = addends.map(({ x, ...of }) => ({ ...of, values: direct(normed(x)) }))
  if (norm) shares.push({ kind: 'bias', layer: -1, head: -1, values: direct(values['norm.bias'].data) })

  // Split each head by position: weight A[i, j] times the contribution of the value at j.
  for (const share of shares) {
    if (share.kind !== 'head') continue
    const { v } = layers[share.layer]
    const A = weightsOfFirst(qkv, layers[share.layer]).row(share.head).row(row).data
    const value = headColumns(rowsOfFirst(v, S), share.head, size)
    const added = qkv.linear(value, outOf(share.layer, share.head)).data // (S, d)
    const through = added.slice()
    for (let j = 0; j < S; j++) through.set(normed(through.slice(j * d, (j + 1) * d)), j * d)
    const each = qkv.linear({ data: through, dims: [S, d] }, U).data // (S, tokens)
    share.sources = Float32Array.from({ length: ids.length * S }, (_, i) => {
      const j = i % S
      return A[j] * each[j * ids.length + Math.floor(i / S)]
    })
  }
  const shown = ids.map(id => logits.data[row * shape.outputs + id])
  return { logits: shown, shares }
}
