// Two results beside each other. The core subtracts; nothing is computed here.

import { Tensor } from 'qkv'

/** @typedef {import('qkv').Qkv} Qkv */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * a - b, number by number: each pair times (1, -1).
 * @param {Qkv} qkv
 * @param {FloatTensor} a
 * @param {FloatTensor} b of the same dims
 * @returns {FloatTensor}
 */
export function minus(qkv, a, b) {
  const n = a.data.length
  const pairs = new Float32Array(2 * n)
  for (let i = 0; i < n; i++) {
    pairs[2 * i] = a.data[i]
    pairs[2 * i + 1] = b.data[i]
  }
  const { data } = qkv.matmul(new Tensor(pairs, [n, 2]), new Tensor(Float32Array.of(1, -1), [2, 1]))
  return new Tensor(data, a.dims)
}

/**
 * @param {Qkv} qkv
 * @param {FloatTensor} x
 * @param {number} factor
 * @returns {FloatTensor}
 */
export function times(qkv, x, factor) {
  const { data } = qkv.matmul(new Tensor(x.data, [x.data.length, 1]), new Tensor(Float32Array.of(factor), [1, 1]))
  return new Tensor(data, x.dims)
}

/**
 * The largest absolute value; NaN if there is one.
 * @param {Iterable<number>} values
 */
export function largest(values) {
  let most = 0
  for (const x of values) if (!(Math.abs(x) <= most)) most = Math.abs(x)
  return most
}
