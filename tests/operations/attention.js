// Attention over rows with heads side by side, (..., L, H * D), also with one operand that holds q, k and v.

import * as nn from '../../src/entries/nn.js'
import { headOf, softmaxOf, sum } from '../formulas.js'

/** @param {Record<string, any>} inputs @param {Record<string, any>} options @returns {number[]} */
export function reference(
  { q, k, v, bias, sinks },
  { numHeads: H, numKvHeads: G = H, causal, softcap, window, scale },
) {
  const packed = !k
  const width = q.dims.at(-1)
  const D = packed ? width / (H + 2 * G) : width / H
  const E = packed ? D : v.dims.at(-1) / G
  const B = q.dims.length > 2 ? q.dims[0] : 1
  const [L, S] = [q.dims.at(-2), (packed ? q : k).dims.at(-2)]
  const [left, right] = window ?? [Infinity, causal ? 0 : Infinity]
  /** @type {number[]} */
  const out = []
  for (let b = 0; b < B; b++)
    for (let i = 0; i < L; i++)
      for (let h = 0; h < H; h++) {
        const g = Math.floor(h / (H / G))
        const query = headOf(q, b, i, h, D)
        const keys = Array.from({ length: S }, (_, j) => headOf(packed ? q : k, b, j, g, D, packed ? H * D : 0))
        const scores = keys.map((key, j) => {
          const scaled = sum(key.map((x, d) => x * query[d])) * (scale ?? 1 / Math.sqrt(D))
          const capped = softcap ? softcap * Math.tanh(scaled / softcap) : scaled
          return j - i > right || i - j > left ? -Infinity : capped + (bias ? bias.data[(h * L + i) * S + j] : 0)
        })
        const weights = softmaxOf([...scores, ...(sinks ? [sinks.data[h]] : [])]).slice(0, S)
        const values = weights.map((_, j) => headOf(packed ? q : v, b, j, g, E, packed ? (H + G) * D : 0))
        for (let e = 0; e < E; e++) out.push(sum(weights.map((w, j) => w * values[j][e])))
      }
  return out
}

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { q: [2, 3, 8], k: [2, 5, 4], v: [2, 5, 6] }, options: { numHeads: 4, numKvHeads: 2 } },
  { dims: { q: [5, 6], k: [5, 6], v: [5, 6] }, options: { numHeads: 2, causal: true, softcap: 3 } },
  { dims: { q: [1, 4, 6], bias: [2, 4, 4] }, options: { numHeads: 2, numKvHeads: 2, causal: true } },
  { dims: { q: [2, 3, 12], sinks: [2] }, options: { numHeads: 2, causal: true } },
  {
    dims: { q: [2, 3, 4], k: [2, 5, 2], v: [2, 5, 3], sinks: [2], bias: [2, 3, 5] },
    options: { numHeads: 2, numKvHeads: 1 },
  },
  { dims: { q: [2, 5, 21] }, options: { numHeads: 5, numKvHeads: 1, window: [2, 0], scale: 0.3 } },
  { dims: { q: [1, 3, 4], k: [1, 3, 4], v: [1, 3, 4] }, options: { numHeads: 1 }, large: 1e3 },
]

/** Computes output and gradients by the functions of qkv and qkv/nn. @type {import('../operations.js').Call} */
export const call = (qkv, { q, k, v, bias, sinks }, options, dY, more) => {
  const given = { ...options, ...(bias && { bias }), ...(sinks && { sinks }) }
  if (!k) {
    const { dX, dBias, dSinks } = nn.packedAttentionBackward(qkv, q, dY, { ...given, ...more })
    return { output: nn.packedAttention(qkv, q, given), q: dX, bias: dBias, sinks: dSinks }
  }
  if (q.dims.length < 3) return undefined // with numHeads, attentionBackward takes only (B, L, H * D)
  const { dQ, dK, dV, dBias, dSinks } = nn.attentionBackward(qkv, q, k, v, dY, { ...given, ...more })
  return { output: qkv.attention(q, k, v, given).output, q: dQ, k: dK, v: dV, bias: dBias, sinks: dSinks }
}

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { q, k, v, ...others }, options) => t.attention(q, k, v, { ...options, ...others })
