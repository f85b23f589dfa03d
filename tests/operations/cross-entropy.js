// The loss of a classifier.

import * as nn from '../../src/entries/nn.js'
import { rows, sum } from '../formulas.js'

/** @param {Record<string, any>} inputs @param {Record<string, any>} options @returns {number[]} */
export function reference(
  { logits },
  { targets, ignoreIndex = -100, labelSmoothing: s = 0, reduction = 'mean', weights },
) {
  const V = logits.dims.at(-1)
  let [loss, total] = [0, 0]
  rows(logits).forEach((line, r) => {
    if (targets[r] === ignoreIndex) return
    const most = Math.max(...line)
    const logSum = most + Math.log(sum(line.map(z => Math.exp(z - most))))
    const w = weights?.[r] ?? 1
    loss += w * ((1 - s) * (logSum - line[targets[r]]) + (s / V) * sum(line.map(z => logSum - z)))
    total += w
  })
  return [reduction === 'mean' ? loss / total : loss]
}

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { logits: [4, 7] }, options: { targets: [6, 0, 3, 3] } },
  {
    dims: { logits: [3, 5] },
    options: { targets: [-1, 4, 0], ignoreIndex: -1, labelSmoothing: 0.2, weights: [1, 0.5, 2] },
    large: 10,
  },
  { dims: { logits: [2, 9] }, options: { targets: [0, 8], reduction: 'sum' }, large: 50 },
]

/** Computes output and gradients by the functions of qkv and qkv/nn. @type {import('../operations.js').Call} */
export const call = (qkv, { logits }, { targets, ...rest }, dY, { resident }) => {
  const { loss, dLogits } = nn.crossEntropy(qkv, logits, targets, { ...rest, gradient: true, resident })
  return dY.data[0] === 1 ? { output: { data: [loss] }, logits: dLogits } : { output: { data: [loss] } }
}

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { logits }, { targets, ...options }) => t.crossEntropy(logits, targets, options)

/** Returns dY = 1, for which nn.crossEntropy computes the gradient of the logits. Inputs that are `large` times larger get a random dY. */
export const upstream = (/** @type {number} */ large) =>
  large === 1 ? { data: Float32Array.of(1), dims: [] } : undefined
