// Computes the gradients of reference.js by the chain rule, in float64.

import { attention, linear, SCORE_DERIVATIVES } from './reference.js'

/** @import { Input, Options } from './reference.js' */
/** @typedef {{ data: Float64Array, dims: number[] }} Gradient */

/** @param {Input} x @returns {Gradient} */
const zerosLike = ({ data, dims }) => ({ data: new Float64Array(data.length), dims: [...dims] })

/** Returns the offset in a broadcast tensor for an index of (B, H, L, S). @param {Input} x @param {number[]} index */
const place = ({ dims }, index) =>
  dims.reduce((offset, size, axis) => offset * size + (size === 1 ? 0 : index[4 - dims.length + axis]), 0)

/**
 * @param {Input} q (B, H, L, D)
 * @param {Input} k (B, G, S, D)
 * @param {Input} v (B, G, S, E)
 * @param {Input} dOutput (B, H, L, E)
 * @param {Options} options
 */
export function attentionBackward(q, k, v, dOutput, options) {
  const score = typeof options.score === 'object' ? options.score : { kind: options.score ?? 'dot' }
  const isAdditive = score.kind === 'additive'
  const left = isAdditive ? linear(q, score.wQuery, score.bias) : q
  const right = isAdditive ? linear(k, score.wKey) : k
  const [B, H, L, D] = left.dims
  const [, G, S, E] = v.dims
  const { softcap = 0, scale = score.kind === 'dot' ? 1 / Math.sqrt(D || 1) : 1, keep, bias, sinks } = options
  const { weights, capped, sees } = attention(q, k, v, options)
  const [dLeft, dRight, dV] = [left, right, v].map(zerosLike)
  const dBias = bias && zerosLike(bias)
  const dSinks = sinks && zerosLike(sinks)
  const dWValue = new Float64Array(D)
  for (let b = 0; b < B; b++)
    for (let h = 0; h < H; h++)
      for (let i = 0; i < L; i++) {
        const g = b * G + Math.floor(h / (H / G))
        const line = (b * H + h) * L + i
        const seen = Array.from({ length: S }, (_, j) => j).filter(j => sees(b, h, i, j))
        const dWeights = seen.map(j => {
          let dot = 0
          for (let e = 0; e < E; e++) dot += dOutput.data[line * E + e] * v.data[(g * S + j) * E + e]
          return dot * (keep ? keep.data[line * S + j] : 1)
        })
        const mean = seen.reduce((total, j, n) => total + weights.data[line * S + j] * dWeights[n], 0)
        const paid = seen.reduce((total, j) => total + weights.data[line * S + j], 0)
        if (dSinks) dSinks.data[h] -= (1 - paid) * mean
        seen.forEach((j, n) => {
          const at = line * S + j
          const key = g * S + j
          for (let e = 0; e < E; e++)
            dV.data[key * E + e] += weights.data[at] * (keep ? keep.data[at] : 1) * dOutput.data[line * E + e]
          const dMasked = weights.data[at] * (dWeights[n] - mean)
          if (dBias && bias) dBias.data[place(bias, [b, h, i, j])] += dMasked
          const dScore = dMasked * (softcap ? 1 - (capped.data[at] / softcap) ** 2 : 1) * scale
          for (let d = 0; d < D; d++) {
            const [x, y] = [left.data[line * D + d], right.data[key * D + d]]
            const [toLeft, toRight] = SCORE_DERIVATIVES[score.kind](
              x,
              y,
              isAdditive ? score.v.data[d] : 0,
              score.sigma ?? 1,
            )
            dLeft.data[line * D + d] += dScore * toLeft
            dRight.data[key * D + d] += dScore * toRight
            dWValue[d] += dScore * Math.tanh(x + y)
          }
        })
      }
  if (!isAdditive) return { dQ: dLeft, dK: dRight, dV, dBias, dSinks }
  const toQ = linearBackward(q, score.wQuery, dLeft)
  const toK = linearBackward(k, score.wKey, dRight)
  const dScoreV = { data: dWValue, dims: [D] }
  const dScore = { wQuery: toQ.dWeight, wKey: toK.dWeight, v: dScoreV, ...(score.bias && { bias: toQ.dBias }) }
  return { dQ: toQ.dX, dK: toK.dX, dV, dBias, dSinks, dScore }
}

/** Computes the gradients of y = x W^T + bias. @param {Input} x (..., in) @param {Input} weight (out, in) @param {Input} dY (..., out) */
export function linearBackward(x, weight, dY) {
  const [N, K] = weight.dims
  const [dX, dWeight] = [x, weight].map(zerosLike)
  const dBias = { data: new Float64Array(N), dims: [N] }
  for (let m = 0; m < dY.data.length / (N || 1); m++)
    for (let n = 0; n < N; n++) {
      dBias.data[n] += dY.data[m * N + n]
      for (let c = 0; c < K; c++) {
        dX.data[m * K + c] += dY.data[m * N + n] * weight.data[n * K + c]
        dWeight.data[n * K + c] += dY.data[m * N + n] * x.data[m * K + c]
      }
    }
  return { dX, dWeight, dBias }
}
