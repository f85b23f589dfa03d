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
 * to = the sum of the rows of x (rows, C).
 * @param {Core} core
 * @param {number} x
 * @param {number} rows
 * @param {number} C
 * @param {import('./operation.js').Slot} to
 */
export const columnSums = (core, x, rows, C, { at, accumulate }) => {
  if (rows === 0 && !accumulate) core.floats.fill(0, at / 4, at / 4 + C)
  launch(core, 'qkv_column_sums', [x, at, rows, C, accumulate], Math.ceil(C / 64), rows * C, true)
}
