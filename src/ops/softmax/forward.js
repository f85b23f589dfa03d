// softmax over one axis.

import { readOptions, toNumber } from '../../base/arguments.js'
import { toFloats } from '../../base/operand.js'
import { count } from '../../base/tensor.js'
import { OUT_OPTIONS } from '../../runtime/outputs.js'
import { launch, mapValues } from '../launch.js'

const SOFTMAX_OPTIONS = ['dim', ...OUT_OPTIONS]

/** @import { Core } from '../../runtime/memory.js' */
/** @import { OutOptions } from '../../runtime/outputs.js' */

/**
 * @param {Core} core
 * @param {unknown} x
 * @param {{ dim?: number } & OutOptions} options
 */
export function softmax(core, x, options) {
  const given = readOptions(options, SOFTMAX_OPTIONS, 'softmax')
  const input = toFloats(x, 'softmax: x')
  const { columns, inner, units } = checkAxis(input.dims, given.dim, 'softmax')
  return mapValues(core, input, given, 'softmax', (from, to) =>
    launch(core, 'qkv_softmax', [from, to, columns, inner], units, count(input.dims)),
  )
}

/**
 * Returns the number of values in a line (columns), the stride between them (inner), and the number of units of the kernel.
 * @param {readonly number[]} given
 * @param {unknown} dim the axis
 * @param {string} where
 */
export function checkAxis(given, dim, where) {
  const dims = given.length ? given : [1]
  const rank = dims.length
  const n = toNumber(dim ?? -1, `${where}: dim`, { least: -rank, most: rank - 1, whole: true })
  const at = n < 0 ? n + rank : n
  const [rows, columns, inner] = [dims.slice(0, at), dims.slice(at, at + 1), dims.slice(at + 1)].map(count)
  return { columns, inner, units: rows * Math.ceil(inner / 4) }
}
