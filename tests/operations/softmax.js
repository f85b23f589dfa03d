// softmax over an axis.

import * as nn from '../../src/entries/nn.js'
import { softmaxOf } from '../formulas.js'

/** @param {Record<string, any>} inputs @param {Record<string, any>} options @returns {number[]} */
export function reference({ x }, { dim: axis = -1 }) {
  const at = axis < 0 ? axis + x.dims.length : axis
  const inner = x.dims.slice(at + 1).reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1)
  const size = x.dims[at]
  return Array.from(x.data, (_, n) => {
    const c = Math.floor(n / inner) % size
    const line = Array.from({ length: size }, (_, i) => x.data[n + (i - c) * inner])
    return softmaxOf(line)[c]
  })
}

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { x: [3, 7] } }, { dims: { x: [2, 3, 5] }, options: { dim: 1 }, large: 10 }]

/** Computes output and gradients by the functions of qkv and qkv/nn. @type {import('../operations.js').Call} */
export const call = (qkv, { x }, options, dY, more) => {
  const output = qkv.softmax(x, options)
  return { output, x: nn.softmaxBackward(qkv, output, dY, { ...options, ...more }).dX }
}

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { x: [70, 1100] } }
