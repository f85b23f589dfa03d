// The gradients of the operations of a block, each by itself: given dY, the gradient of an output, those of the inputs.
// A tape does the same without copies.

import { expectDims, readOptions, toNumber } from '../base/arguments.js'
import { count, Tensor, toFloats } from '../base/tensor.js'
import { checkActivation, checkRepeat } from '../block/elementwise.js'
import { checkNorm } from '../block/norm.js'
import { toIds } from '../ops/embedding.js'
import { launch, UNIT } from '../ops/launch.js'
import { checkAxis } from '../ops/softmax.js'
import { expectCore } from '../qkv.js'

/** @typedef {import('../qkv.js').Qkv} Qkv */
/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../base/tensor.js').TensorLike} TensorLike */
/** @typedef {import('../base/tensor.js').Nested} Nested */
/** @typedef {import('../block/norm.js').NormOptions} NormOptions */
/** @typedef {import('../block/elementwise.js').GeluOptions} GeluOptions */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * Runs `write` with addresses of outputs, and copies these out.
 * @template {string} Name
 * @param {Core} core
 * @param {Record<Name, readonly number[]>} dims by name
 * @param {(to: Record<Name, number>) => void} write
 * @returns {Record<Name, FloatTensor>}
 */
function outputs(core, dims, write) {
  return core.scope(() => {
    const names = /** @type {Name[]} */ (Object.keys(dims))
    const at = names.map(name => core.allocFloats(count(dims[name])))
    write(/** @type {any} */ (Object.fromEntries(names.map((name, i) => [name, at[i]]))))
    const copied = names.map((name, i) => [name, new Tensor(core.copyOut(at[i], count(dims[name])), [...dims[name]])])
    return Object.fromEntries(copied)
  })
}

/** @param {unknown} value @param {readonly number[]} dims @param {string} where */
function upstream(value, dims, where) {
  const dY = toFloats(value, `${where}: dY`)
  expectDims(dY, dims, `${where}: dY`, 'the dims of the output')
  return dY
}

/**
 * The sum of all rows, (..., C) -> (C): the gradient of a bias.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} x
 * @returns {FloatTensor}
 */
export function sumRows(qkv, x) {
  const core = expectCore(qkv, 'sumRows')
  const input = toFloats(x, 'sumRows: x')
  const dims = input.dims.slice(-1)
  return outputs(core, { sum: dims }, ({ sum }) =>
    addRows(core, core.toMemory(input), count(dims), count(input.dims), sum),
  ).sum
}

/** @param {Core} core @param {number} from address of (n / C, C) @param {number} C @param {number} n @param {number} to */
function addRows(core, from, C, n, to) {
  core.floats.fill(0, to / 4, to / 4 + C)
  launch(core, 'qkv_column_sums', [0, 0, from, 0, to, C && n / C, C, 1], Math.ceil(C / 64), n)
}

/**
 * @param {'layerNormBackward' | 'rmsNormBackward'} where
 * @param {Qkv} qkv
 * @param {unknown} x
 * @param {unknown} weight
 * @param {unknown} dY
 * @param {NormOptions} options
 */
function normBackward(where, qkv, x, weight, dY, options) {
  const core = expectCore(qkv, where)
  const { input, w, C, rows, center, eps, shift } = checkNorm(x, weight, undefined, options, where, [])
  const { dims } = input
  const slopes = upstream(dY, dims, where)
  const n = rows * C
  /** @type {Record<string, readonly number[]>} */
  const to = { dX: dims, dWeight: [C], ...(center && { dBias: [C] }) }
  return outputs(core, to, ({ dX, dWeight, dBias = 0 }) => {
    const [from, gain, d] = [core.toMemory(input), w ? core.toMemory(w) : 0, core.toMemory(slopes)]
    const stats = core.allocFloats(2 * rows)
    launch(core, 'qkv_norm', [from, 0, 0, dX, stats, C, center, eps, 0], rows, 2 * n)
    for (const to of [dWeight, dBias]) core.floats.fill(0, to / 4, to && to / 4 + C)
    launch(core, 'qkv_column_sums', [from, stats, d, dWeight, dBias, rows, C, 1], Math.ceil(C / 64), 2 * n)
    launch(core, 'qkv_norm_backward', [from, gain, stats, d, dX, C, center, shift, 0], rows, 2 * n)
  })
}

/**
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} x (..., C)
 * @param {TensorLike | Nested | undefined} weight (C)
 * @param {TensorLike | Nested} dY
 * @param {{ eps?: number }} [options]
 * @returns {{ dX: FloatTensor, dWeight: FloatTensor, dBias: FloatTensor }}
 */
export const layerNormBackward = (qkv, x, weight, dY, options = {}) =>
  /** @type {any} */ (normBackward('layerNormBackward', qkv, x, weight, dY, options))

/**
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} x (..., C)
 * @param {TensorLike | Nested | undefined} weight (C)
 * @param {TensorLike | Nested} dY
 * @param {NormOptions} [options]
 * @returns {{ dX: FloatTensor, dWeight: FloatTensor }}
 */
export const rmsNormBackward = (qkv, x, weight, dY, options = {}) =>
  /** @type {any} */ (normBackward('rmsNormBackward', qkv, x, weight, dY, options))

/**
 * @param {import('../block/elementwise.js').Activation} name
 * @param {Qkv} qkv
 * @param {unknown} x
 * @param {unknown} up
 * @param {unknown} dY
 * @param {GeluOptions} options
 * @returns {any}
 */
function activationBackward(name, qkv, x, up, dY, options) {
  const where = `${name}Backward`
  const core = expectCore(qkv, where)
  const { input, second, kind, dims, n, C, row, units, isPacked } = checkActivation(x, up, options, name, where, [])
  const slopes = upstream(dY, dims, where)
  /** @type {Record<string, readonly number[]>} */
  const to = { dX: input.dims, ...(second && { dUp: second.dims }) }
  return outputs(core, to, ({ dX, dUp = isPacked ? dX + C * 4 : 0 }) => {
    const from = core.toMemory(input)
    const gated = second ? core.toMemory(second) : isPacked ? from + C * 4 : 0
    const args = [kind, from, gated, core.toMemory(slopes), dX, dUp, n, C, row, 0]
    launch(core, 'qkv_activate_backward', args, units, 2 * n)
  })
}

/** @param {Qkv} qkv @param {TensorLike | Nested} x @param {TensorLike | Nested} dY @param {GeluOptions} [options] @returns {{ dX: FloatTensor }} */
export const geluBackward = (qkv, x, dY, options = {}) => activationBackward('gelu', qkv, x, undefined, dY, options)

/** @param {Qkv} qkv @param {TensorLike | Nested} x @param {TensorLike | Nested} dY @returns {{ dX: FloatTensor }} */
export const reluBackward = (qkv, x, dY) => activationBackward('relu', qkv, x, undefined, dY, {})

/** @param {Qkv} qkv @param {TensorLike | Nested} x @param {TensorLike | Nested} dY @returns {{ dX: FloatTensor }} */
export const siluBackward = (qkv, x, dY) => activationBackward('silu', qkv, x, undefined, dY, {})

/**
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} gate as in qkv.swiglu
 * @param {TensorLike | Nested | undefined} up
 * @param {TensorLike | Nested} dY
 * @returns {{ dX: FloatTensor, dUp?: FloatTensor }} dX of the gate, or of gate and up side by side
 */
export const swigluBackward = (qkv, gate, up, dY) => activationBackward('swiglu', qkv, gate, up, dY, {})

/**
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} gate as in qkv.geglu
 * @param {TensorLike | Nested | undefined} up
 * @param {TensorLike | Nested} dY
 * @param {GeluOptions} [options]
 * @returns {{ dX: FloatTensor, dUp?: FloatTensor }}
 */
export const gegluBackward = (qkv, gate, up, dY, options = {}) =>
  activationBackward('geglu', qkv, gate, up, dY, options)

/**
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} a
 * @param {TensorLike | Nested} b the last dims of a
 * @param {TensorLike | Nested} dY
 * @returns {{ dA: FloatTensor, dB: FloatTensor }}
 */
export function mulBackward(qkv, a, b, dY) {
  const core = expectCore(qkv, 'mulBackward')
  const left = toFloats(a, 'mulBackward: a')
  const right = toFloats(b, 'mulBackward: b')
  const { n, size, C, period, units } = checkRepeat(left.dims, right, 'mulBackward')
  const slopes = upstream(dY, left.dims, 'mulBackward')
  return outputs(core, { dA: left.dims, dB: right.dims }, ({ dA, dB }) => {
    const [x, y, d] = [left, right, slopes].map(tensor => core.toMemory(tensor))
    const each = core.allocFloats(n)
    launch(core, 'qkv_combine', [1, d, y, dA, n, C, period, 1, 0], units, 2 * n)
    launch(core, 'qkv_combine', [1, d, x, each, n, UNIT, 2 ** 32 - 1, 1, 0], Math.ceil(n / UNIT), 2 * n)
    addRows(core, each, size, n, dB)
  })
}

/**
 * @param {Qkv} qkv
 * @param {TensorLike | Nested | ArrayLike<number>} ids
 * @param {TensorLike | Nested} dY the dims of ids, then dim
 * @param {number} num rows of the table
 * @param {{ paddingIdx?: number }} [options] whose row gets no gradient
 * @returns {{ dWeight: FloatTensor }} (num, dim); rows of the same id are added up in their order
 */
export function embeddingBackward(qkv, ids, dY, num, options = {}) {
  const where = 'embeddingBackward'
  const core = expectCore(qkv, where)
  const { paddingIdx: padding = -1 } = readOptions(options, ['paddingIdx'], where)
  const rows = toIds(ids, `${where}: ids`, toNumber(num, `${where}: num`, { least: 0, most: 2 ** 31, whole: true }))
  toNumber(padding, `${where}: paddingIdx`, { least: -1, most: num - 1, whole: true })
  const slopes = toFloats(dY, `${where}: dY`)
  const dim = slopes.dims[slopes.dims.length - 1] ?? 0
  expectDims(slopes, [...rows.dims, dim], `${where}: dY`, 'the dims of ids, then dim')
  return outputs(core, { dWeight: [num, dim] }, ({ dWeight }) => {
    core.floats.fill(0, dWeight / 4, dWeight / 4 + num * dim)
    const args = [core.toMemory(slopes), core.copyIn(rows.ids), dWeight, num, dim, rows.ids.length, padding]
    launch(core, 'qkv_embedding_backward', args, Math.ceil(dim / 16), count(slopes.dims))
  })
}

/**
 * The gradient of softmax: dX = y (dY - sum(dY y)), line by line.
 * @param {Qkv} qkv
 * @param {TensorLike | Nested} y the output of softmax
 * @param {TensorLike | Nested} dY
 * @param {{ axis?: number }} [options] that of softmax
 * @returns {{ dX: FloatTensor }}
 */
export function softmaxBackward(qkv, y, dY, options = {}) {
  const where = 'softmaxBackward'
  const core = expectCore(qkv, where)
  const { axis } = readOptions(options, ['axis'], where)
  const weights = toFloats(y, `${where}: y`)
  const gradient = upstream(dY, weights.dims, where)
  const { columns, inner, units } = checkAxis(weights.dims, axis, where)
  return outputs(core, { dX: weights.dims }, ({ dX }) => {
    const args = [core.toMemory(weights), core.toMemory(gradient), dX, columns, inner, 0]
    launch(core, 'qkv_softmax_backward', args, units, 2 * count(weights.dims))
  })
}
