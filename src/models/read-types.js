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

/** @param {WeightTypes} types */
export const needIntegers = types =>
  (typeof types === 'object' ? Object.values(types) : [types]).some(type => type?.startsWith('int'))

