// Kernel calls that several operations share.

import { writeStruct } from '../runtime/structs.js'
import { launch } from './launch.js'
import { COMBINE_STRUCT } from './nn-abi.js'

/** @import { Core } from '../runtime/memory.js' */

/** Values per unit of an elementwise kernel. */
export const UNIT = 1024

/** The `period` of qkv_combine for an operand b that does not repeat. */
export const ONCE = 2 ** 32 - 1

/** @typedef {{ product: number, a: number, b: number, y: number, n: number, C?: number, period?: number, factor?: number, accumulate?: number }} Combination */

/**
 * Computes y = a * b if product is 1, else y = a + factor * b, or y = factor * b if a is 0. A unit has C values; b repeats after `period`
 * units.
 * @param {Core} core
 * @param {Combination} fields of struct qkv_combine
 */
export function combine(core, { product, a, b, y, n, C = UNIT, period = ONCE, factor = 1, accumulate = 0 }) {
  core.scope(() => {
    const args = writeStruct(core, COMBINE_STRUCT, { product, a, b, y, n, C, period, factor, accumulate })
    launch(core, 'qkv_combine', [args], n && Math.ceil(n / C), 2 * n)
  })
}

/**
 * Computes to = a * b, or to += a * b with `accumulate`, on addresses.
 * @param {Core} core
 * @param {number} a
 * @param {number} b
 * @param {number} to
 * @param {number} n number of values of a, b and to
 * @param {number} [accumulate]
 */
export const multiplyAll = (core, a, b, to, n, accumulate = 0) =>
  combine(core, { product: 1, a, b, y: to, n, accumulate })

/**
 * Computes to = a + factor * b, or to = factor * b if a is 0, on addresses.
 * @param {Core} core
 * @param {number} a
 * @param {number} b
 * @param {number} to
 * @param {number} n number of values of a, b and to
 * @param {number} [factor]
 */
export const addAll = (core, a, b, to, n, factor = 1) => combine(core, { product: 0, a, b, y: to, n, factor })

/**
 * Writes the column sums of x (rows, C) to `to`, or adds them if its `accumulate` is 1.
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
