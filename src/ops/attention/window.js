// The weights of a window of queries and keys. If the logSumExp of each query is given, no other weight is computed.

import { expectDims, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { toFloats, valuesOf } from '../../base/operand.js'
import { count, emptyLike, Tensor } from '../../base/tensor.js'
import { expectCore } from '../../runtime/core-of.js'
import { ATTENTION_OPTIONS, checkAttention, HEAD_OPTIONS, labels } from './arguments.js'
import { attend } from './forward.js'
import { checkMap } from './summary.js'

/** @import { Core } from '../../runtime/memory.js' */
/** @import { AttentionCall, Broadcast } from '../../runtime/attention-call.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @typedef {readonly [from: number, to: number]} Range from <= i < to */

/**
 * @typedef {object} WindowOptions
 * @property {Range} [rows] the queries; default all L
 * @property {Range} [columns] the keys; default all S
 * @property {readonly [number, number]} [resolution] [R, C]: R x C cells instead of single weights, at most 2^24. A cell is the sum of a
 *   query's weights to the cell's keys, averaged over the cell's queries, as in the map of a summary. R and C are clamped to the numbers of
 *   queries and keys
 * @property {import('../operation.js').Operand} [logSumExp] (B, H, L), from a summary of the same attention; without it, rows are computed
 *   over all keys
 */

const LABELS = labels(
  'attentionWindow',
  ['q', 'k', 'v'],
  [
    ...ATTENTION_OPTIONS.filter(name => name !== 'dropout'),
    ...HEAD_OPTIONS,
    'rows',
    'columns',
    'resolution',
    'logSumExp',
  ],
)

/**
 * Returns the weights of a window of queries and keys within the whole attention, (B, H, rows, columns), without the leading axes that q
 * lacks. With `resolution` [R, C], returns cells (B, H, R, C), which take less memory. With `logSumExp`, time depends on the size of the
 * window only, not on L and S. Rounding logSumExp to float32 gives weights a relative error of up to |logSumExp| * 2^-23. Without
 * `logSumExp`, rows are computed exactly, over all keys.
 * @param {import('../../qkv.js').Qkv} qkv
 * @param {import('../operation.js').Operand} q as in attention
 * @param {import('../operation.js').Operand} k
 * @param {Omit<import('./arguments.js').AttentionOptions, 'dropout'> & WindowOptions} [options] those of the attention
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
    const { resolution, logSumExp } = call.options
    const cells = resolution === undefined ? [call.L, call.S] : checkMap(resolution, LABELS.names.resolution)
    const window = { rows, columns, cells }
    return logSumExp === undefined
      ? weightsOfRows(core, call, window)
      : weightsIn(core, call, window, readLogSumExp(call, logSumExp))
  } finally {
    core.giveCall(call)
  }
}

/** @param {unknown} given @param {number} size @param {string} name @returns {Range} */
function toRange(given, size, name) {
  if (given === undefined) return [0, size]
  if (!Array.isArray(given) || given.length !== 2)
    throw new TypeError(`${name}: expected [from, to], got ${describe(given)}`)
  const from = toNumber(given[0], `${name}[0]`, { least: 0, most: size, whole: true })
  return [from, toNumber(given[1], `${name}[1]`, { least: from, most: size, whole: true })]
}

/** @param {AttentionCall} call @param {unknown} given @returns {ArrayLike<number>} */
function readLogSumExp(call, given) {
  const { B, H, L } = call
  const sums = toFloats(given, LABELS.names.logSumExp)
  expectDims(sums, call.lead([B, H, L]), LABELS.names.logSumExp, '(..., L)')
  return valuesOf(sums)
}

/**
 * Returns the logSumExp of each query, and each query's weights, summed into `columns` columns.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {number} columns
 * @returns {{ logSumExp: FloatTensor, map: FloatTensor }} (B, H, L), (B, H, L, columns)
 */
function summed(core, call, columns) {
  const { B, H, L } = call
  /** @type {import('./summary.js').Checked['outputs']} */
  const outputs = [['log_sum_exp', 'logSumExp', [B, H, L]]]
  if (columns) outputs.push(['map', 'map', [B, H, L, columns]])
  call.summary = { outputs, same: undefined, sizes: { rows: L, columns, top: 0, bins: 0 } }
  const { summary } = attend(core, call)
  call.summary = call.deferredCopies = undefined
  return /** @type {any} */ (summary)
}

/**
 * Returns rows from <= i < to of the last axis but one.
 * @param {FloatTensor} x
 * @param {Range} range
 */
function cutRows(x, [from, to]) {
  const { dims } = x
  const [rows, width] = dims.slice(-2)
  if (from === 0 && to === rows) return x
  const values = valuesOf(x)
  const part = new Float32Array(count(dims.slice(0, -2)) * (to - from) * width)
  for (let n = 0; n * (to - from) * width < part.length; n++)
    part.set(values.subarray((n * rows + from) * width, (n * rows + to) * width), n * (to - from) * width)
  return new Tensor(part, [...dims.slice(0, -2), to - from, width])
}

/**
 * Returns a copy of a mask or bias for a range of rows and columns.
 * @template {import('../../base/tensor.js').TensorData} T
 * @param {Broadcast<T> | undefined} mask
 * @param {readonly number[]} sizes B, H, rows, columns
 * @param {Range} rows
 * @param {Range} columns
 * @returns {Broadcast<T> | undefined}
 */
function cutMask(mask, sizes, rows, columns) {
  if (!mask) return undefined
  const strides = [mask.batch, mask.head, mask.row, mask.column]
  const [B, H, R, C] = sizes.map((size, axis) => (strides[axis] ? size : 1))
  const values = valuesOf(mask.tensor)
  const part = emptyLike(values, B * H * R * C)
  const first = rows[0] * mask.row + columns[0] * mask.column
  let n = 0
  for (let b = 0; b < B; b++)
    for (let h = 0; h < H; h++)
      for (let r = 0; r < R; r++)
        for (let c = 0; c < C; c++)
          part[n++] = values[first + b * mask.batch + h * mask.head + r * mask.row + c * mask.column]
  const step = (/** @type {number} */ axis, /** @type {number} */ stride) => (strides[axis] ? stride : 0)
  return {
    tensor: new Tensor(part, [B, H, R, C]),
    batch: step(0, H * R * C),
    head: step(1, R * C),
    row: step(2, C),
    column: step(3, 1),
  }
}

/**
 * Restricts a call to some of its queries and keys.
 * @param {AttentionCall} call
 * @param {Range} rows
 * @param {Range} columns
 */
function cut(call, rows, columns) {
  const { B, H, G, masks } = call
  const [R, C] = [rows[1] - rows[0], columns[1] - columns[0]]
  const shift = rows[0] - columns[0]
  call.q = cutRows(call.q, rows)
  call.k = cutRows(call.k, columns)
  call.mask = cutMask(call.mask, [B, H, R, C], rows, columns)
  call.bias = cutMask(call.bias, [B, H, R, C], rows, columns)
  call.past = (call.past ?? new Int32Array(B)).map(past => Math.min(past + shift, 2 ** 31 - 1))
  masks.keyLengths = masks.keyLengths?.map(length => Math.max(0, length - columns[0]))
  call.setSizes(B, H, G, R, C, 0)
}

/** Maximum number of weights computed at a time. */
const MOST_WEIGHTS = 2 ** 22

/**
 * Computes the weights of the window's queries over all keys, a few queries at a time, and keeps those of the window's keys.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {{ rows: Range, columns: Range, cells: readonly number[] }} window
 */
function weightsOfRows(core, call, { rows, columns: [left, right], cells }) {
  const { B, H, G, L, S, q, mask, bias, past } = call
  const [R, C] = [rows[1] - rows[0], right - left]
  const [down, across] = [Math.min(R, cells[0]), Math.min(C, cells[1])]
  const weights = new Float32Array(B * H * R * across)
  const step = Math.max(1, Math.floor(MOST_WEIGHTS / Math.max(1, B * H * S)))
  for (let from = rows[0]; C && from < rows[1]; from += step) {
    const to = Math.min(from + step, rows[1])
    Object.assign(call, { q, mask, bias, past })
    call.setSizes(B, H, G, L, S, 0)
    cut(call, [from, to], [0, S])
    const { data } = summed(core, call, S).map
    const own = new Float32Array(B * H * (to - from) * C)
    for (let n = 0; n * C < own.length; n++) own.set(data.subarray(n * S + left, n * S + right), n * C)
    const part = pooled(own, [to - from, C], [to - from, across])
    const size = (to - from) * across
    for (let head = 0; head < B * H; head++)
      weights.set(part.subarray(head * size, (head + 1) * size), (head * R + from - rows[0]) * across)
  }
  return new Tensor(pooled(weights, [R, across], [down, across]), call.lead([B, H, down, across]))
}

/**
 * Computes the softmax over the window's keys alone, then multiplies each query's weights by exp(own - logSumExp), where `own` is the
 * query's logSumExp over these keys.
 * @param {Core} core
 * @param {AttentionCall} call changed: restricted to the window
 * @param {{ rows: Range, columns: Range, cells: readonly number[] }} window
 * @param {ArrayLike<number>} logSumExp
 */
function weightsIn(core, call, { rows, columns, cells }, logSumExp) {
  const { B, H, L } = call
  const [R, C] = [rows[1] - rows[0], columns[1] - columns[0]]
  const [down, across] = [Math.min(R, cells[0]), Math.min(C, cells[1])]
  cut(call, rows, columns)
  call.sinks = undefined // the given logSumExp includes the sinks
  const { map, logSumExp: own } = summed(core, call, across)
  const shares = core.scope(() => {
    const at = core.allocFloats(B * H * R)
    for (let n = 0; n < B * H * R; n++)
      core.floats[at / 4 + n] = own.data[n] - logSumExp[Math.floor(n / R) * L + rows[0] + (n % R)]
    core.call('qkv_exp', at, at, B * H * R)
    return core.copyOut(at, B * H * R)
  })
  const data = across ? map.data : new Float32Array(0)
  return new Tensor(pooled(data, [R, across], [down, across], shares), call.lead([B, H, down, across]))
}

/**
 * Pools weights into fewer cells: each is the sum over its columns, averaged over its rows.
 * @param {ArrayLike<number>} weights (..., R, C)
 * @param {readonly number[]} sizes R, C
 * @param {readonly number[]} cells at most R, C
 * @param {ArrayLike<number>} [shares] (..., R) factor of each row
 */
export function pooled(weights, [R, C], [down, across], shares) {
  const rows = C ? weights.length / C : 0
  const sums = new Float32Array(R ? (rows / R) * down * across : 0)
  const columns = Int32Array.from({ length: C }, (_, j) => Math.floor((j * across) / C))
  for (let n = 0; n < rows; n++) {
    const r = Math.floor(((n % R) * down) / R)
    const factor = (shares?.[n] ?? 1) / (Math.ceil(((r + 1) * R) / down) - Math.ceil((r * R) / down))
    const to = (Math.floor(n / R) * down + r) * across
    for (let j = 0; j < C; j++) {
      const weight = weights[n * C + j]
      if (weight !== 0) sums[to + columns[j]] += weight * factor // the share of a query that sees no key is NaN
    }
  }
  return sums
}
