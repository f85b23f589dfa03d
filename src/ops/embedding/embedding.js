// Selects rows of a table by ids, and computes the gradient of the table.

import { expectDims, readOptions, toNumber } from '../../base/arguments.js'
import { shape } from '../../base/errors.js'
import { toFloats } from '../../base/operand.js'
import { count } from '../../base/tensor.js'
import { expectCore } from '../../runtime/core-of.js'
import { OUT_OPTIONS } from '../../runtime/outputs.js'
import { launch } from '../launch.js'
import { produceAll } from '../operation.js'
import { gatherRows, toIds } from './gather-rows.js'

/** @import { Core } from '../../runtime/memory.js' */

/**
 * Makes the operation of a tape that selects rows. `run` receives the ids and saves them. The gradient of a table row is the sum of the
 * rows of dY whose id selects it, in order.
 * @param {Core} core
 * @param {readonly number[]} table dims of the table, (num, dim)
 * @param {readonly number[]} lead dims of the ids
 * @param {unknown} paddingIdx
 * @param {string} where
 * @returns {import('../operation.js').Prepared}
 */
export function prepareRows(core, table, lead, paddingIdx, where) {
  if (table.length !== 2) throw new RangeError(`${where}: weight: expected dims (num, dim), got ${shape(table)}`)
  const [num, dim] = table
  const range = { least: -num, most: num - 1, whole: true }
  const given = paddingIdx === undefined ? undefined : toNumber(paddingIdx, `${where}: paddingIdx`, range)
  const padding = given === undefined ? -1 : given < 0 ? given + num : given
  const n = count(lead)
  /** @type {(at: number[], ids: number, given: Int32Array) => void} */
  const save = (_, ids, given) => core.words.set(given, ids / 4)
  return {
    dims: [...lead, dim],
    saved: n,
    save,
    run([weight], y, ids, given) {
      save([], ids, given)
      core.call('qkv_embedding', weight, num, dim, ids, n, y)
    },
    differentiate(_, dY, [dWeight], ids) {
      if (!dWeight) return
      const { at, accumulate } = dWeight
      if (!accumulate) core.floats.fill(0, at / 4, at / 4 + num * dim)
      launch(core, 'qkv_embedding_backward', [dY, ids, at, num, dim, n, padding], Math.ceil(dim / 64), n * dim)
    },
  }
}

/**
 * Returns the rows of a table `weight` (num, dim) for integer `ids` of any dims, as a tensor (dims of ids, dim).
 * @type {(qkv: import('../../qkv.js').Qkv, ids: import('../operation.js').IdOperand, weight: import('../operation.js').Operand, options?: import('../../runtime/outputs.js').OutOptions) => import('../../base/tensor.js').FloatTensor}
 */
export const embedding = (qkv, ids, weight, options = {}) =>
  gatherRows(expectCore(qkv, 'embedding'), ids, weight, options)

/**
 * Returns the gradient of embedding, dWeight (num, dim). Rows with the same id are summed in order; the row of paddingIdx is 0.
 * @param {import('../../qkv.js').Qkv} qkv
 * @param {import('../operation.js').IdOperand} ids
 * @param {import('../operation.js').Operand} dY
 * @param {number} num
 * @param {{ paddingIdx?: number } & import('../operation.js').Outs<'dWeight'>} [options]
 * @returns {import('../operation.js').Gradients<'dWeight'>}
 */
export function embeddingBackward(qkv, ids, dY, num, options = {}) {
  const where = 'embeddingBackward'
  const core = expectCore(qkv, where)
  const given = readOptions(options, ['paddingIdx', ...OUT_OPTIONS], where)
  const rows = toIds(ids, `${where}: ids`, toNumber(num, `${where}: num`, { least: 0, most: 2 ** 31, whole: true }))
  const upstream = toFloats(dY, `${where}: dY`)
  const dim = upstream.dims[upstream.dims.length - 1] ?? 0
  expectDims(upstream, [...rows.dims, dim], `${where}: dY`, 'the dims of ids, then dim')
  const { save, differentiate } = prepareRows(core, [num, dim], rows.dims, given.paddingIdx, where)
  return produceAll(core, { dWeight: [num, dim] }, given, where, [upstream], ([at]) => {
    const saved = core.allocFloats(rows.ids.length)
    save?.([], saved, rows.ids)
    differentiate?.([], core.toMemory(upstream), [{ at, accumulate: 0 }], saved, 0)
  })
}
