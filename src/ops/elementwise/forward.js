// exp and tanh, the methods of Qkv.

import { readOptions } from '../../base/arguments.js'
import { toFloats } from '../../base/operand.js'
import { count } from '../../base/tensor.js'
import { OUT_OPTIONS } from '../../runtime/outputs.js'
import { mapValues } from '../launch.js'

/** @import { Core } from '../../runtime/memory.js' */
/** @import { OutOptions } from '../../runtime/outputs.js' */

/**
 * @param {Core} core
 * @param {unknown} x
 * @param {OutOptions} options
 * @param {'exp' | 'tanh'} name
 */
export function elementwise(core, x, options, name) {
  const target = readOptions(options, OUT_OPTIONS, name)
  const input = toFloats(x, `${name}: x`)
  return mapValues(core, input, target, name, (from, to) => core.call(`qkv_${name}`, from, to, count(input.dims)))
}
