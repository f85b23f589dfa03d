// What a computation needs of the module's memory is asked for before its layers run: where it does not fit, that is said then.

import { expectCore } from '../qkv.js'

/** @typedef {import('../models/family-shapes/parts.js').StackSpec} StackSpec */
/** @typedef {import('../models/family-shapes/parts.js').LinearSpec} LinearSpec */

/** The products of each layer. @param {StackSpec} spec @returns {LinearSpec[][]} */
const productsOf = ({ layers }) =>
  layers.map(parts =>
    parts.flatMap(({ attention, mlp }) => {
      const { q, k, v, o } = attention ?? {}
      return [q, k, v, o, mlp?.gate, mlp?.up, mlp?.down].filter(one => one !== undefined)
    }),
  )

/** Bytes that a layer takes at least while gradients go back through it: what each product reads and gives. @param {StackSpec} spec @param {number} rows */
export const bytesBackwards = (spec, rows) =>
  4 * rows * Math.max(...productsOf(spec).map(list => list.reduce((sum, one) => sum + one.in + one.out, 0)))

/** Bytes that a layer takes at least while it runs: what one product reads and gives. @param {StackSpec} spec @param {number} rows */
export const bytesForwards = (spec, rows) =>
  4 * rows * Math.max(...productsOf(spec).flatMap(list => list.map(one => one.in + one.out)))

/**
 * Makes room in the module, or says that there is none.
 * @param {import('../qkv.js').Qkv} qkv
 * @param {number} bytes
 * @param {string} what needs them
 */
export function makeRoom(qkv, bytes, what) {
  const core = expectCore(qkv)
  try {
    core.reserve(bytes)
  } catch (cause) {
    throw new RangeError(
      `${what} needs at least ${bytes} bytes of the module's memory beside the ${core.top} that are taken, of 4294967296 at most: there is no room. ` +
        'Give a shorter text, or fewer parameters',
      { cause },
    )
  }
}
