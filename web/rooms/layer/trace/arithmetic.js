// What the page adds, multiplies and subtracts beside the trace: products of a sum, differences, sums of what is not
// shown one by one. All by the core.

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
    /** v_i tanh(q_i + k_i): additive scores of one hidden unit each @param {number[]} v @param {number[]} q @param {number[]} k */
    additive: (v, q, k) =>
      Float32Array.from(v, (each, i) => {
        const one = new Tensor(Float32Array.of(1), [1, 1])
        const score = /** @type {const} */ ({ kind: 'additive', wQuery: one, wKey: one, v: line([each]) })
        const [query, key] = [q[i], k[i]].map(x => new Tensor(Float32Array.of(x), [1, 1]))
        return qkv.trace(query, key, key, { score, scale: 1 }).scores.data[0]
      }),
    /** The sum of all. @param {ArrayLike<number>} x */
    sum(x) {
      if (x.length === 0) return 0
      const ones = new Tensor(new Float32Array(x.length).fill(1), [x.length, 1])
      return qkv.matmul(line(x).reshape([1, x.length]), ones).data[0]
    },
    /**
     * The weighted values of a query, the largest weight first, added one by one.
     * @param {Result} result
     * @param {number} head
     * @param {number} query
     * @param {number} most so many values
     * @returns {FloatTensor} (n, e)
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
    /** a less b, of the same sizes. @param {FloatTensor} a @param {FloatTensor} b */
    minus: (a, b) => minus(qkv, a, b),
  }
}
