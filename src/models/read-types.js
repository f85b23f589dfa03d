// Reads the option dtype of loadModel and inspectModel. Loaded where it is given.

import { oneOf, readOptions } from '../base/arguments.js'
import { describe } from '../base/errors.js'

/** @typedef {import('./weight-types.js').WeightType} WeightType */
/** @typedef {import('./weight-types.js').WeightTypes} WeightTypes */

const TYPES = /** @type {const} */ (['float32', 'float16', 'bfloat16', 'int8', 'int4'])

/** @param {unknown} dtype @param {string} where @returns {WeightTypes} */
export function readTypes(dtype, where) {
  if (typeof dtype !== 'object') return oneOf(/** @type {WeightType} */ (dtype), TYPES, `${where}: dtype`)
  if (dtype === null) throw new TypeError(`${where}: dtype: ${describe(dtype)} given, a name or an object expected`)
  const types = /** @type {Record<string, WeightType>} */ (
    readOptions(dtype, ['default', 'attention', 'mlp', 'head'], `${where}: dtype`)
  )
  for (const place of Object.keys(types)) oneOf(types[place], TYPES, `${where}: dtype: ${place}`)
  return types
}

/** Loads the kernels of integer weights, if some are wanted. @param {WeightTypes} types @param {import('../runtime/memory.js').Core} core */
export async function loadKernels(types, core) {
  const wanted = typeof types === 'object' ? Object.values(types) : [types]
  if (wanted.some(type => type.startsWith('int'))) await (await import('../integers.js')).addIntegers(core)
}
