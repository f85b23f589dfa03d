// Reserves the module's memory before the layers run, so that a computation that cannot fit fails early.

import { expectCore } from '../../runtime/core-of.js'

/** @import { LinearSpec, StackSpec } from '../../models/family-shapes/parts.js' */

/** Lists the linear operations of each layer. @param {StackSpec} spec @returns {LinearSpec[][]} */
const productsOf = ({ layers }) =>
  layers.map(parts =>
    parts.flatMap(({ attention, mlp }) => {
      const { q, k, v, o } = attention ?? {}
      return [q, k, v, o, mlp?.gate, mlp?.up, mlp?.down].filter(one => one !== undefined)
    }),
  )

/** Returns a lower bound for the bytes of a layer in the backward pass: inputs and outputs of all its linear operations. @param {StackSpec} spec @param {number} rows */
export const bytesBackwards = (spec, rows) =>
  4 * rows * Math.max(...productsOf(spec).map(list => list.reduce((sum, one) => sum + one.in + one.out, 0)))

/** Returns a lower bound for the bytes of a layer in the forward pass: input and output of its largest linear operation. @param {StackSpec} spec @param {number} rows */
export const bytesForwards = (spec, rows) =>
  4 * rows * Math.max(...productsOf(spec).flatMap(list => list.map(one => one.in + one.out)))

/**
 * Grows the module's memory so that `bytes` fit, or throws.
 * @param {import('../../qkv.js').Qkv} qkv
 * @param {number} bytes
 * @param {string} what names the computation in the error
 */
export function makeRoom(qkv, bytes, what) {
  const core = expectCore(qkv)
  try {
    core.reserve(bytes)
  } catch (cause) {
    throw new RangeError(
      `${what} needs at least ${bytes} bytes of memory beside the ${core.top} in use, but a module holds at most 4294967296. ` +
        'Give a shorter text, or fewer parameters',
      { cause },
    )
  }
}
