import { readOptions, toNumber } from '../../base/arguments.js'
import { shape } from '../../base/errors.js'
import { toFloats, toTensor } from '../../base/operand.js'
import { OUT_OPTIONS, produce, toTarget } from '../../runtime/outputs.js'

/** @import { Core } from '../../runtime/memory.js' */

/**
 * Checks that all ids are integers 0 <= id < rows. Returns them as an Int32Array, and their dims.
 * @param {unknown} value
 * @param {string} name
 * @param {number} rows
 * @param {number} [other] an id that is accepted although it has no row
 */
export function toIds(value, name, rows, other) {
  const { data, dims } = toTensor(value, name, true)
  const ids = new Int32Array(data.length)
  for (let n = 0; n < ids.length; n++) {
    const id = data[n]
    ids[n] = id
    if (ids[n] !== id || id < 0 || id >= rows)
      if (id !== other) toNumber(id, `${name}[${n}]`, { least: 0, most: rows - 1, whole: true })
  }
  return { ids, dims }
}

/**
 * Returns rows of a table, as torch.nn.functional.embedding.
 * @param {Core} core
 * @param {unknown} ids
 * @param {unknown} weight
 * @param {import('../../runtime/outputs.js').OutOptions} options
 */
export function gatherRows(core, ids, weight, options) {
  options = readOptions(options, OUT_OPTIONS, 'embedding')
  const table = toFloats(weight, 'embedding: weight')
  if (table.dims.length !== 2)
    throw new RangeError(`embedding: weight: expected dims (num, dim), got ${shape(table.dims)}`)
  const [num, dim] = table.dims
  const rows = toIds(ids, 'embedding: ids', num)
  return produce(core, toTarget(options, [...rows.dims, dim], 'embedding', [table]), y =>
    core.call('qkv_embedding', core.toMemory(table), num, dim, core.copyIn(rows.ids), rows.ids.length, y),
  )
}
