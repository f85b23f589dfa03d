// Arithmetic that views need in addition to the trace, computed by the core.

import { Tensor } from 'qkv'
import { mul } from 'qkv/nn'
import { ofHead } from '../numbers/tensors.js'
import { minus } from './subtract.js'

/** @import { Qkv } from 'qkv' */
/** @import { FloatTensor, Result } from '../layer.js' */
/** @typedef {ReturnType<typeof createArithmetic>} Arithmetic */

/** @param {Qkv} qkv */
export function createArithmetic(qkv) {
  const line = (/** @type {ArrayLike<number>} */ x) => new Tensor(Float32Array.from(x), [x.length])
  /** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
  const products = (a, b) => mul(qkv, line(a), line(b)).data
  /** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
  const differences = (a, b) => minus(qkv, line(a), line(b)).data
  return {
    /** a_i b_i */
    products,
    /** a_i - b_i */
    differences,
    /** (a_i - b_i)^2 @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
    squares(a, b) {
      const x = differences(a, b)
      return products(x, x)
    },
    /** Returns v_i tanh(q_i + k_i) for each hidden unit i; their sum is the additive score. @param {number[]} v @param {number[]} q @param {number[]} k */
    additive: (v, q, k) =>
      Float32Array.from(v, (each, i) => {
        const one = new Tensor(Float32Array.of(1), [1, 1])
        /** @type {import('qkv').Score} */
        const score = { kind: 'additive', wQuery: one, wKey: one, v: line([each]) }
        const [query, key] = [q[i], k[i]].map(x => new Tensor(Float32Array.of(x), [1, 1]))
        return qkv.trace(query, key, key, { score, scale: 1 }).scores.data[0]
      }),
    /** Returns the sum of all elements. @param {ArrayLike<number>} x */
    sum(x) {
      if (x.length === 0) return 0
      const ones = new Tensor(new Float32Array(x.length).fill(1), [x.length, 1])
      return qkv.matmul(line(x).reshape([1, x.length]), ones).data[0]
    },
    /**
     * Returns the partial sums of a query's output: row i sums the values of the keys with the i + 1 largest weights, times their weights.
     * @param {Result} result
     * @param {number} head
     * @param {number} query
     * @param {number} most maximum number of keys
     * @returns {FloatTensor} (keys, dimensions of a value)
     */
    partialSums({ tensors }, head, query, most) {
      const [A, V] = [tensors.weights, tensors.V].map(tensor => ofHead(/** @type {FloatTensor} */ (tensor), head))
      const own = A.row(query).data
      const order = Array.from(own.keys())
        .sort((a, b) => own[b] - own[a] || a - b)
        .slice(0, most)
      const shares = new Float32Array(order.length * own.length)
      order.forEach((_, row) => {
        for (const key of order.slice(0, row + 1)) shares[row * own.length + key] = own[key]
      })
      return qkv.matmul(new Tensor(shares, [order.length, own.length]), V)
    },
    /** Computes a - b for tensors of equal dims. @param {FloatTensor} a @param {FloatTensor} b */
    minus: (a, b) => minus(qkv, a, b),
  }
}
