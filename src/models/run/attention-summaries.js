// Summarises the attention of a layer, for a run that does not return all weights, and computes the exact weights of any window. Letters:
// B batch, L queries, S keys, H query heads, G key heads, D size of a head.

import { readOptions, toBoolean, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { splitHeads } from '../../base/operand.js'
import { count, Tensor } from '../../base/tensor.js'
import { checkMap, checkSummary } from '../../ops/attention/summary.js'
import { attentionWindow, pooled } from '../../ops/attention/window.js'
import { headScores } from './head-scores.js'
import { copyOf } from './model-hooks.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Summary } from '../../ops/attention/summary.js' */
/** @typedef {readonly [from: number, to: number]} Range from <= i < to */
/** @typedef {'attentionSummaries' | 'crossAttentionSummaries' | 'encoderAttentionSummaries'} SummaryName */

/**
 * Options of the summaries: those of `qkv.attention` except `ids`, which the run provides.
 * @typedef {Omit<import('../../ops/attention/summary.js').SummaryOptions, 'ids'> & OwnSummaryOptions} ModelSummaryOptions
 * @typedef {object} OwnSummaryOptions
 * @property {boolean} [windows] False to free q and k; then window() throws. Default true
 * @property {(made: { name: SummaryName, layer: number, summary: AttentionSummary }) => void} [onSummary] called with each summary as soon
 *   as its layer has run
 */
/**
 * `window` returns exact weights: (B, rows, columns) of a head, or (B, H, rows, columns) without `head`. Ranges are [from, to], default
 * all. With `resolution` [R, C], it returns R x C cells instead of single weights. A cell sums each query's weights over the keys of the
 * cell, and averages the sums over the queries of the cell.
 * @typedef {{ head?: number, rows?: Range, columns?: Range, resolution?: readonly [number, number] }} SummaryWindow
 * @typedef {Summary & { window: (window?: SummaryWindow) => FloatTensor }} AttentionSummary
 *
 * @typedef {ReturnType<typeof readSummary>} CheckedSummary
 */

/** @param {ModelSummaryOptions | undefined} given */
export function readSummary(given = {}) {
  const known = ['map', 'topK', 'logSumExp', 'entropy', 'sinkWeight', 'distance', 'scores', 'windows', 'onSummary']
  const { windows = true, onSummary, ...asked } = readOptions(given, known, 'forward: summary')
  toBoolean(windows, 'forward: summary: windows')
  if (onSummary !== undefined && typeof onSummary !== 'function')
    throw new TypeError(`forward: summary: onSummary: expected a function, got ${describe(onSummary)}`)
  const one = { B: 1, H: 1, L: 1, S: 1 }
  checkSummary(one, asked, 'forward: summary')
  return { asked, windows, onSummary }
}

/**
 * Returns the options of the kernel's summary; windows need logSumExp.
 * @param {CheckedSummary} checked
 * @param {ArrayLike<number>} [ids] ids of the keys
 */
export const kernelOptions = ({ asked, windows }, ids) => ({
  ...asked,
  ...(windows && { logSumExp: true }),
  ...(asked.scores && ids && { ids }),
})

/** Returns the values of a head, (B, 1, ...), without a copy for a single text. @param {FloatTensor} x (B, H, ...) @param {number} head */
function partOf(x, head) {
  if (x.dims[0] > 1) return x.slice(1, head, head + 1)
  const dims = [1, 1, ...x.dims.slice(2)]
  return x.part(head * count(dims), dims)
}

/**
 * Returns a function that computes exact weights of windows from copies of q and k.
 * @param {Qkv} qkv
 * @param {FloatTensor} q (B, L, H * D)
 * @param {FloatTensor} k (B, G, S, D), or (B, S, G * D)
 * @param {{ H: number, G: number }} heads
 * @param {import('./network.js').MixOptions} options
 * @param {FloatTensor} logSumExp (B, H, L)
 * @returns {(window: SummaryWindow) => FloatTensor}
 */
export function windowsOf(qkv, q, k, { H, G }, options, logSumExp) {
  const queries = splitHeads(q, H)
  const keys = k.dims.length === 4 ? copyOf(k) : splitHeads(k, G)
  return ({ head, ...window }) => {
    if (head === undefined) return attentionWindow(qkv, queries, keys, { ...options, logSumExp, ...window })
    const own = {
      ...options,
      bias: options.bias?.slice(-3, head, head + 1),
      alibi: options.alibi?.slice(0, head, head + 1),
      logSumExp: partOf(logSumExp, head),
      ...window,
    }
    return attentionWindow(qkv, partOf(queries, head), partOf(keys, Math.floor((head * G) / H)), own)
  }
}

/** Returns a function that cuts windows out of existing weights. @param {FloatTensor} weights (B, H, L, S) @returns {(window: SummaryWindow) => FloatTensor} */
export const cutOf =
  weights =>
  ({ head, rows: [top, bottom] = [0, weights.dims[2]], columns: [left, right] = [0, weights.dims[3]], resolution }) => {
    const own = head === undefined ? weights : weights.slice(1, head, head + 1)
    const part = own.slice(2, top, bottom).slice(3, left, right)
    if (!resolution) return part
    const [B, H, R, C] = part.dims
    const cells = checkMap(resolution, 'window: resolution').map((size, axis) => Math.min(size, axis ? C : R))
    return new Tensor(pooled(part.data, [R, C], cells), [B, H, ...cells])
  }

/** True if x and y have the same numbers. @param {FloatTensor | undefined} x undefined counts as equal @param {FloatTensor | undefined} y */
export const areSame = (x, y) => x === undefined || x.data.every((value, n) => value === y?.data[n])

/**
 * @param {Summary} summary
 * @param {number} H
 * @param {((window: SummaryWindow) => FloatTensor) | undefined} windows
 * @returns {AttentionSummary}
 */
export function withWindow(summary, H, windows) {
  return {
    ...summary,
    window(given = {}) {
      const asked = readOptions(given, ['head', 'rows', 'columns', 'resolution'], 'window')
      if (!windows)
        throw new Error('window: q and k of this run were not kept: leave windows: false out of its option summary')
      if (asked.head === undefined) return windows(asked)
      toNumber(asked.head, 'window: head', { least: 0, most: H - 1, whole: true })
      const { data, dims } = windows(asked)
      return new Tensor(data, [dims[0], ...dims.slice(2)])
    },
  }
}

/**
 * Computes the summary of existing weights, which were kept or which a hook changed.
 * @param {FloatTensor} weights (B, H, L, S)
 * @param {FloatTensor | undefined} scores input of the softmax, for logSumExp
 * @param {number} past position of the first query
 * @param {CheckedSummary} checked
 * @param {ArrayLike<number>} [ids]
 * @returns {Summary}
 */
export function summaryOf(weights, scores, past, checked, ids) {
  const [B, H, L, S] = weights.dims
  const call = { B, H, L, S }
  const { outputs, sizes } = checkSummary(call, kernelOptions(checked), 'forward: summary')
  const { rows: R, columns: C, top: K, bins } = sizes
  /** @type {Record<string, any>} */
  const made = {}
  for (const [, name, dims] of outputs)
    made[name] = new Tensor(new (name === 'topKeys' ? Int32Array : Float32Array)(count(dims)), dims)
  const { map, topKeys, topWeights, entropy, distance, logSumExp } = made
  topKeys?.data.fill(-1)
  for (let n = 0; n < B * H * L; n++) {
    const [head, i] = [Math.floor(n / L), n % L]
    const row = weights.data.subarray(n * S, (n + 1) * S)
    const r = Math.floor((i * R) / L)
    const share = 1 / (Math.ceil(((r + 1) * L) / R) - Math.ceil((r * L) / R))
    const bin = (/** @type {number} */ j) => Math.min(bins - 1, 32 - Math.clz32(Math.abs(i + past - j)))
    row.forEach((weight, j) => {
      if (weight === 0) return
      if (map) map.data[(head * R + r) * C + Math.floor((j * C) / S)] += weight * share
      if (entropy) entropy.data[n] -= weight * Math.log(weight)
      if (distance) distance.data[head * bins + bin(j)] += weight
      if (!topKeys || !(weight > topWeights.data[(n + 1) * K - 1])) return
      let at = (n + 1) * K - 1
      for (; at > n * K && weight > topWeights.data[at - 1]; at--) {
        topWeights.data[at] = topWeights.data[at - 1]
        topKeys.data[at] = topKeys.data[at - 1]
      }
      topWeights.data[at] = weight
      topKeys.data[at] = j
    })
    if (map && row.some(Number.isNaN)) map.data.fill(Number.NaN, (head * R + r) * C, (head * R + r + 1) * C)
    if (logSumExp && scores) {
      const own = scores.data.subarray(n * S, (n + 1) * S)
      const most = own.reduce((a, b) => Math.max(a, b), -Infinity)
      const sum = own.reduce((total, score) => total + Math.exp(score - most), 0)
      logSumExp.data[n] = most === -Infinity ? most : most + Math.log(sum)
    }
  }
  if (distance)
    for (let head = 0; head < B * H; head++) {
      const own = distance.data.subarray(head * bins, (head + 1) * bins)
      const all = own.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0)
      if (all > 0) for (let n = 0; n < bins; n++) own[n] /= all
    }
  if (made.scores) {
    const each = Array.from({ length: B }, (_, b) =>
      headScores([weights.slice(0, b, b + 1)], ids && Array.from(ids).slice(b * S, (b + 1) * S)),
    )
    const names = /** @type {(keyof typeof each[0])[]} */ (Object.keys(each[0] ?? {}))
    const joined = (/** @type {keyof typeof each[0]} */ name) =>
      new Tensor(Float32Array.from(each.flatMap(scores => [...scores[name].data])), [B, H])
    made.scores = Object.fromEntries(names.map(name => [name, joined(name)]))
  }
  return made
}
