// Encodes positions by sinusoids added to the embeddings, or by rotating queries and keys. Shapes: H heads, L queries, S keys, d head size.

import { Tensor } from 'qkv'
import { add } from 'qkv/nn'

/** @import { Qkv } from 'qkv' */
/** @import { Checked, FloatTensor, Tensors } from '../layer.js' */

/** Rotary positions rotate pair i of `half` pairs by position / BASE^(i / half). */
export const BASE = 10_000

/**
 * Returns the angle by which pair i is rotated at a position, with its cosine and sine.
 * @param {number} position
 * @param {number} i
 * @param {number} half
 */
export function turnOf(position, i, half) {
  const angle = position * BASE ** (-i / half)
  return { angle, cos: Math.cos(angle), sin: Math.sin(angle) }
}

/** Returns alternating sines and cosines of the position (Vaswani et al. 2017). @param {readonly number[]} dims rows, columns */
function sinusoid([rows, columns]) {
  const P = new Tensor(new Float32Array(rows * columns), [rows, columns])
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const { cos, sin } = turnOf(row, 2 * Math.floor(column / 2), columns)
      P.data[row * columns + column] = column % 2 ? cos : sin
    }
  return P
}

/**
 * Adds sinusoids to X and X2 if `positions` is 'added'.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} tensors
 * @returns {Tensors} with added E (embeddings) and P (sinusoids); X is their sum
 */
export function withPositions(qkv, { positions }, tensors) {
  if (positions !== 'added') return tensors
  const { X: E, X2: E2 } = tensors
  if (!E) return tensors
  const P = sinusoid(E.dims)
  const P2 = E2 && sinusoid(E2.dims)
  return { ...tensors, E, P, X: add(qkv, E, P), ...(E2 && P2 && { E2, P2, X2: add(qkv, E2, P2) }) }
}

/**
 * Rotates queries and keys by their positions if `positions` is 'rotary'.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {FloatTensor} Q (H, L, d)
 * @param {FloatTensor} K (H, S, d)
 * @returns {Tensors}
 */
export const turned = (qkv, { positions }, Q, K) =>
  positions === 'rotary' ? { Qr: qkv.rope(Q, { base: BASE }), Kr: qkv.rope(K, { base: BASE }) } : {}
