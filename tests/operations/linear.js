// Linear layers, with activations and residuals.

import * as nn from '../../src/entries/nn.js'
import { ACTIVATIONS, rows, sum } from '../formulas.js'

/** @param {Record<string, any>} inputs @param {Record<string, any>} options @returns {number[]} */
export function reference({ x, weight, bias, residual }, { layout, activation = 'none' }) {
  const isTransposed = layout === 'in,out'
  const [N, K] = isTransposed ? [...weight.dims].reverse() : weight.dims
  return rows(x).flatMap((row, m) =>
    Array.from({ length: N }, (_, n) => {
      const products = row.map((a, k) => a * weight.data[isTransposed ? k * N + n : n * K + k])
      return ACTIVATIONS[activation](sum(products) + (bias?.data[n] ?? 0)) + (residual?.data[m * N + n] ?? 0)
    }),
  )
}

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { x: [2, 3, 5], weight: [7, 5], bias: [7] } },
  { dims: { x: [9, 1], weight: [1, 1] }, large: 1e4 },
  { dims: { x: [3, 5], weight: [5, 9], bias: [9] }, options: { layout: 'in,out' } },
  { dims: { x: [3, 5], weight: [9, 5], bias: [9], residual: [3, 9] } },
  ...['gelu', 'gelu_tanh', 'relu', 'silu'].map(activation => ({
    dims: { x: [4, 3], weight: [3, 6], bias: [6], residual: [4, 6] },
    options: { activation, layout: 'in,out' },
  })),
]

/** Computes output and gradients by the functions of qkv and qkv/nn. @type {import('../operations.js').Call} */
export const call = (qkv, { x, weight, bias, residual }, options, dY, more) => {
  const output = qkv.linear(x, weight, bias, { ...options, residual })
  if (options.activation || residual) return { output } // gradients of activations and residuals are tested in other operations
  const { dX, dWeight, dBias } = nn.linearBackward(qkv, x, weight, dY, { ...options, ...more })
  return { output, x: dX, weight: dWeight, bias: dBias }
}

/** Runs the operation on a tape. @type {import('../operations.js').OnTape} */
export const onTape = (t, { x, weight, bias, residual }, options) => t.linear(x, weight, bias, { ...options, residual })
