// The weights of some queries and keys, without those of the others: softmax needs only the logSumExp of each query.

import { expectDims, toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { toFloats, valuesOf } from '../base/operand.js'
import { count, Tensor } from '../base/tensor.js'
import { attend, keysToMemory, queriesToMemory, runTrace } from '../ops/attention.js'
import { ATTENTION_OPTIONS, checkAttention, HEAD_OPTIONS, labels } from '../ops/attention-arguments.js'
import { expectCore } from '../qkv.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../runtime/attention-call.js').AttentionCall} AttentionCall */
/** @typedef {import('../runtime/attention-call.js').Broadcast} Broadcast */
/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {readonly [from: number, to: number]} Range from <= i < to */

/**
 * @typedef {object} WindowOptions
 * @property {Range} [rows] the queries; default all L
 * @property {Range} [columns] the keys; default all S
 * @property {import('./operation.js').Operand} [logSumExp] (B, H, L), from a summary of the same attention; computed where it is not given
 */

const LABELS = labels(
  'attentionWindow',
  ['q', 'k', 'v'],
  [...ATTENTION_OPTIONS.filter(name => name !== 'dropout'), ...HEAD_OPTIONS, 'rows', 'columns', 'logSumExp'],
)

/**
 * The weights of a window of queries and keys, each that of the whole attention: (B, H, rows, columns), without the leading axes
 * that q lacks. With `logSumExp` its time and memory are those of the window, whatever L and S are.
 * @param {import('../qkv.js').Qkv} qkv
 * @param {import('./operation.js').Operand} q as in attention
 * @param {import('./operation.js').Operand} k
 * @param {Omit<import('../ops/attention-arguments.js').AttentionOptions, 'dropout'> & WindowOptions} [options] those of the attention
 * @returns {FloatTensor}
 * @throws {TypeError | RangeError}
 */
export function attentionWindow(qkv, q, k, options = {}) {
  const core = expectCore(qkv, LABELS.where)
  const call = core.takeCall()
  try {
    const keys = toFloats(k, LABELS.names.k)
    checkAttention(call, q, keys, new Tensor(new Float32Array(0), [...keys.dims.slice(0, -1), 0]), options, LABELS)
    const rows = toRange(call.options.rows, call.L, LABELS.names.rows)
    const columns = toRange(call.options.columns, call.S, LABELS.names.columns)
    const sums = findLogSumExp(core, call, call.options.logSumExp)
    return weightsIn(core, call, rows, columns, sums)
  } finally {
    core.giveCall(call)
  }
}

/** @param {unknown} given @param {number} size @param {string} name @returns {Range} */
function toRange(given, size, name) {
  if (given === undefined) return [0, size]
  if (!Array.isArray(given) || given.length !== 2)
    throw new TypeError(`${name}: ${describe(given)} given, [from, to] expected`)
  const from = toNumber(given[0], `${name}[0]`, { least: 0, most: size, whole: true })
  return [from, toNumber(given[1], `${name}[1]`, { least: from, most: size, whole: true })]
}

/** @param {Core} core @param {AttentionCall} call @param {unknown} given @returns {ArrayLike<number>} */
function findLogSumExp(core, call, given) {
  const { B, H, L } = call
  if (given !== undefined) {
    const sums = toFloats(given, LABELS.names.logSumExp)
    expectDims(sums, call.lead([B, H, L]), LABELS.names.logSumExp, '(..., L)')
    return valuesOf(sums)
  }
  const none = { rows: 0, columns: 0, top: 0, bins: 0 }
  call.summary = { outputs: [['log_sum_exp', 'logSumExp', [B, H, L]]], same: undefined, sizes: none }
  const { summary } = attend(core, call)
  call.summary = call.deferredCopies = undefined
  return /** @type {{ logSumExp: FloatTensor }} */ (summary).logSumExp.data
}

/**
 * Rows from <= i < to of the last axis but one.
 * @param {FloatTensor} x
 * @param {Range} range
 */
function cutRows(x, [from, to]) {
  const { dims } = x
  const [rows, width] = dims.slice(-2)
  const values = /** @type {Float32Array} */ (valuesOf(x))
  const cut = new Float32Array(count(dims.slice(0, -2)) * (to - from) * width)
  for (let n = 0; n * (to - from) * width < cut.length; n++)
    cut.set(values.subarray((n * rows + from) * width, (n * rows + to) * width), n * (to - from) * width)
  return new Tensor(cut, [...dims.slice(0, -2), to - from, width])
}

/**
 * The part of a mask or bias.
 * @param {Broadcast | undefined} mask
 * @param {readonly number[]} sizes B, H, rows, columns
 * @param {Range} rows
 * @param {Range} columns
 * @returns {Broadcast | undefined}
 */
function cutMask(mask, sizes, rows, columns) {
  if (!mask) return undefined
  const strides = [mask.batch, mask.head, mask.row, mask.column]
  const [B, H, R, C] = sizes.map((size, axis) => (strides[axis] ? size : 1))
  const values = /** @type {any} */ (valuesOf(mask.tensor))
  const cut = new values.constructor(B * H * R * C)
  const first = rows[0] * mask.row + columns[0] * mask.column
  let n = 0
  for (let b = 0; b < B; b++)
    for (let h = 0; h < H; h++)
      for (let r = 0; r < R; r++)
        for (let c = 0; c < C; c++)
          cut[n++] = values[first + b * mask.batch + h * mask.head + r * mask.row + c * mask.column]
  const step = (/** @type {number} */ axis, /** @type {number} */ stride) => (strides[axis] ? stride : 0)
  return {
    tensor: new Tensor(cut, [B, H, R, C]),
    batch: step(0, H * R * C),
    head: step(1, R * C),
    row: step(2, C),
    column: step(3, 1),
  }
}

/**
 * Runs the trace of the window alone, and divides by the sums of the whole rows.
 * @param {Core} core
 * @param {AttentionCall} call becomes that of the window
 * @param {Range} rows
 * @param {Range} columns
 * @param {ArrayLike<number>} logSumExp
 */
function weightsIn(core, call, rows, columns, logSumExp) {
  const { B, H, G, L, masks } = call
  const [R, C] = [rows[1] - rows[0], columns[1] - columns[0]]
  const shift = rows[0] - columns[0]
  call.q = cutRows(call.q, rows)
  call.k = cutRows(call.k, columns)
  call.mask = cutMask(call.mask, [B, H, R, C], rows, columns)
  call.bias = cutMask(call.bias, [B, H, R, C], rows, columns)
  call.past = (call.past ?? new Int32Array(B)).map(past => Math.min(past + shift, 2 ** 31 - 1))
  masks.keyLengths = masks.keyLengths?.map(length => Math.max(0, length - columns[0]))
  call.sinks = undefined // they are in logSumExp
  call.keep = ['masked']
  call.setSizes(B, H, G, R, C, 0)
  return core.scope(() => {
    const { masked } = runTrace(core, call, queriesToMemory(core, call), keysToMemory(core, call), 0)
    const count = B * H * R * C
    const scores = core.floats.subarray(masked.address / 4, masked.address / 4 + count)
    for (let row = 0, n = 0; row < B * H * R; row++) {
      const sum = logSumExp[Math.floor(row / R) * L + rows[0] + (row % R)]
      for (const end = n + C; n < end; n++) if (scores[n] !== -Infinity) scores[n] -= sum
    }
    core.call('qkv_exp', masked.address, masked.address, count)
    const weights = core.copyOut(masked.address, count)
    return new Tensor(weights, call.lead([B, H, R, C]))
  })
}
