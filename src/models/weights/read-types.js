// Parses the option dtype of loadModel and inspectModel. Loaded when it is given.

import { oneOf, readOptions } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { TYPES } from './weight-types.js'

/** @import { WeightType, WeightTypes } from './weight-types.js' */

/** @param {unknown} dtype @param {string} where @returns {WeightTypes} */
export function readTypes(dtype, where) {
  if (typeof dtype !== 'object') return typeNamed(dtype, `${where}: dtype`)
  if (dtype === null) throw new TypeError(`${where}: dtype: expected a name or an object, got ${describe(dtype)}`)
  const types = /** @type {Record<string, WeightType>} */ (
    readOptions(dtype, ['default', 'attention', 'mlp', 'head'], `${where}: dtype`)
  )
  for (const place of Object.keys(types)) typeNamed(types[place], `${where}: dtype: ${place}`)
  return types
}

/** Names of types in transformers.js and other libraries, with the name to use here. @type {Record<string, WeightType>} */
const ELSEWHERE = {
  q8: 'int8',
  uint8: 'int8',
  q4: 'int4',
  q4f16: 'int4',
  bnb4: 'int4',
  fp16: 'float16',
  half: 'float16',
  bf16: 'bfloat16',
  fp32: 'float32',
}

/** Parses the name of a type. @param {unknown} type @param {string} name of the option @returns {WeightType} */
function typeNamed(type, name) {
  const other = Object.hasOwn(ELSEWHERE, String(type)) && ELSEWHERE[String(type)]
  if (other) throw new RangeError(`${name}: expected "${other}", got ${describe(type)}`)
  if (/^I?Q\d/i.test(String(type)))
    throw new RangeError(
      `${name}: got ${describe(type)}: blocks of a GGUF file are kept without dtype; of other files 'int8' or 'int4'`,
    )
  return oneOf(type, TYPES, name)
}

/**
 * How a model stores its numbers: the types of its weights, activations and caches, and the loader of the kernels that they need.
 * @typedef {{ dtype?: WeightTypes, activations?: 'int16' | 'int8' | 'float32', cacheDtype?: 'float32' | 'int8', loadKernels?: (core: import('../../runtime/memory.js').Core) => Promise<typeof import('../run/token-calls.js').TokenCalls | undefined> }} NumberOptions
 */

/** @param {unknown} dtype @param {NumberOptions['activations']} activations @param {NumberOptions['cacheDtype']} cacheDtype @returns {NumberOptions} */
export function readNumbers(dtype, activations = 'int16', cacheDtype = 'float32') {
  const types = dtype === undefined ? undefined : readTypes(dtype, 'loadModel')
  oneOf(cacheDtype, ['float32', 'int8'], 'loadModel: cacheDtype')
  oneOf(activations, ['int16', 'int8', 'float32'], 'loadModel: activations')
  const ofWeights = typeof types === 'object' ? Object.values(types) : [types]
  if (activations === 'int8' && !ofWeights.includes('int8'))
    throw new TypeError(
      "loadModel: activations: 'int8' goes with weights of int8: give dtype: 'int8' too, or leave activations out",
    )
  const wanted = [cacheDtype, ...ofWeights]
  return {
    dtype: types,
    activations,
    cacheDtype,
    /** Loads the integer kernels, if weights or caches are integers. */
    loadKernels: async core => {
      return wanted.some(type => String(type).startsWith('int')) ? loadKernels(core, activations === 'int8') : undefined
    },
  }
}

/**
 * Loads the integer kernels, and returns the class TokenCalls, which needs them.
 * @param {import('../../runtime/memory.js').Core} core
 * @param {boolean} [hasBytes] true if activations are int8
 */
export async function loadKernels(core, hasBytes = false) {
  await (await import('../../integers.js')).addIntegers(core, undefined, hasBytes)
  return (await import('../run/token-calls.js')).TokenCalls
}
