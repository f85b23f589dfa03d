// Subtracts and scales tensors by the core.

import { Tensor } from 'qkv'
import { add, mul } from 'qkv/nn'

/** @import { Qkv } from 'qkv' */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * Computes a - b element by element as a + (-1) b; only the sum is rounded.
 * @param {Qkv} qkv
 * @param {FloatTensor} a
 * @param {FloatTensor} b same dims as a
 * @returns {FloatTensor}
 */
export const minus = (qkv, a, b) => add(qkv, a, times(qkv, b, -1))

/**
 * @param {Qkv} qkv
 * @param {FloatTensor} x
 * @param {number} factor
 * @returns {FloatTensor}
 */
export const times = (qkv, x, factor) => mul(qkv, x, new Tensor(Float32Array.of(factor), []))

/**
 * Returns the largest absolute value; NaN if a value is NaN.
 * @param {Iterable<number>} values
 */
export function largest(values) {
  let most = 0
  for (const x of values) most = Math.max(most, Math.abs(x))
  return most
}
