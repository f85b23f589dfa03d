// Rotary positions.

import * as nn from '../../src/entries/nn.js'
import { rows } from '../formulas.js'

/** @param {Record<string, any>} inputs @param {Record<string, any>} options @returns {number[]} */
export function reference({ x }, { numHeads, interleaved, rotaryDim, base = 10000, positions, pastLength = 0 }) {
  const [L, width] = x.dims.slice(-2)
  const D = width / (numHeads ?? 1)
  const turning = rotaryDim ?? D
  return rows(x).flatMap((row, n) => {
    const position = positions ? positions[n % L] : (n % L) + pastLength
    const out = [...row]
    for (let h = 0; h < width / D; h++)
      for (let d = 0; d < turning / 2; d++) {
        const [a, b] = interleaved ? [2 * d, 2 * d + 1] : [d, d + turning / 2]
        const angle = position * base ** ((-2 * d) / turning)
        const [p, q] = [h * D + a, h * D + b]
        out[p] = row[p] * Math.cos(angle) - row[q] * Math.sin(angle)
        out[q] = row[q] * Math.cos(angle) + row[p] * Math.sin(angle)
      }
    return out
  })
}

/** @type {import('../operations.js').Case[]} */
export const cases = [
  { dims: { x: [3, 6] }, options: { base: 100 } },
  { dims: { x: [2, 3, 20] }, options: { numHeads: 2, rotaryDim: 6, interleaved: true, pastLength: 1e5 } },
  { dims: { x: [1, 3, 8] }, options: { numHeads: 2, positions: [7, 0, 7] }, large: 1e20 },
]

/** Computes output and gradients by the functions of qkv and qkv/nn. @type {import('../operations.js').Call} */
export const call = (qkv, { x }, options, dY, more) => ({
  output: qkv.rope(x, options),
  x: nn.ropeBackward(qkv, dY, { ...options, ...more }).dX,
})

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { x: [2, 70, 72] } }
