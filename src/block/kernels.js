// Calls of kernels that several operations share.

import { launch, UNIT } from '../ops/launch.js'

/** @typedef {import('../runtime/memory.js').Core} Core */

const ONCE = 2 ** 32 - 1 // period of an operand that does not repeat

/**
 * to = a b, or to += a b.
 * @param {Core} core
 * @param {number} a
 * @param {number} b
 * @param {number} to
 * @param {number} n values of each
 * @param {number} [accumulate]
 */
export const multiplyAll = (core, a, b, to, n, accumulate = 0) =>
  launch(core, 'qkv_combine', [1, a, b, to, n, UNIT, ONCE, 1, accumulate], Math.ceil(n / UNIT), 2 * n)

/**
 * to = a + factor b; a 0: to = factor b.
 * @param {Core} core
 * @param {number} a
 * @param {number} b
 * @param {number} to
 * @param {number} n values of each
 * @param {number} [factor]
 */
export const addAll = (core, a, b, to, n, factor = 1) =>
  launch(core, 'qkv_combine', [0, a, b, to, n, UNIT, ONCE, factor, 0], Math.ceil(n / UNIT), 2 * n)

/**
 * to = the sum of the rows of dY (rows, C), or that of dY x_hat where x (rows, C) and its stats of a norm are given.
 * @param {Core} core
 * @param {number} dY
 * @param {number} rows
 * @param {number} C
 * @param {import('./operation.js').Slot} to
 * @param {number} [x]
 * @param {number} [stats]
 */
export const columnSums = (core, dY, rows, C, { at, accumulate }, x = 0, stats = 0) => {
  if (rows === 0 && !accumulate) core.floats.fill(0, at / 4, at / 4 + C)
  const to = x ? [at, 0] : [0, at]
  launch(core, 'qkv_column_sums', [x, stats, dY, ...to, rows, C, accumulate], Math.ceil(C / 64), rows * C, true)
}
