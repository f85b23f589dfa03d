// The difference of two results. The core subtracts.

import { Tensor } from 'qkv'
import { add, mul } from 'qkv/nn'

/** @import { Qkv } from 'qkv' */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * a - b, number by number: a + (-1) b, of which only the sum is rounded.
 * @param {Qkv} qkv
 * @param {FloatTensor} a
 * @param {FloatTensor} b of the same dims
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
 * The largest absolute value; NaN if there is one.
 * @param {Iterable<number>} values
 */
export function largest(values) {
  let most = 0
  for (const x of values) if (!(Math.abs(x) <= most)) most = Math.abs(x)
  return most
}
