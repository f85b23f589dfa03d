// Statistics of attention weights, computed along with attention and without an L x S matrix: see src/kernel/summary.c.

import { readOptions, register, toBoolean, toNumber } from '../../base/arguments.js'
import { describe, shape } from '../../base/errors.js'
import { toTensor } from '../../base/operand.js'
import { count, Tensor } from '../../base/tensor.js'
import { SUMMARY_WORDS } from '../../runtime/abi.js'
import { indices } from '../../runtime/structs.js'

/** @import { Core } from '../../runtime/memory.js' */
/** @import { AttentionCall, FloatTensor } from '../../runtime/attention-call.js' */

/**
 * Which statistics to compute; none by default.
 * @typedef {object} SummaryOptions
 * @property {readonly [number, number]} [map] [R, C]: the rows and columns of the map, at most 2^24 cells; clamped to L and S
 * @property {number} [topK] K: the number of largest weights to keep per query, clamped to S. Time grows with it, so use a few tens at most
 * @property {boolean} [logSumExp]
 * @property {boolean} [entropy]
 * @property {boolean} [sinkWeight]
 * @property {boolean} [distance]
 * @property {boolean} [scores]
 * @property {ArrayLike<number>} [ids] the tokens of the S keys, one list or one for each batch, for the scores `previous`, `duplicate` and
 *   `induction`. With `ids`, `scores` is true by default
 */

/**
 * Statistics of the weights, without the leading axes that q lacks.
 * @typedef {object} Summary
 * @property {FloatTensor} [map] (B, H, R, C): a coarse map of the weights. Query i belongs to row floor(i R / L), key j to column floor(j C
 *   / S). A cell is the sum of a query's weights in the column, averaged over the queries of the row
 * @property {Tensor<Int32Array>} [topKeys] (B, H, L, K): the keys of the largest weights of each query; -1 where fewer are
 *   visible
 * @property {FloatTensor} [topWeights] (B, H, L, K): descending; of equal weights, that of the smaller key is first
 * @property {FloatTensor} [logSumExp] (B, H, L): of the scores before softmax, including the sink; -Infinity if no key is visible
 * @property {FloatTensor} [entropy] (B, H, L): in nats, of the weights of the keys
 * @property {FloatTensor} [sinkWeight] (B, H, L): the weight of the sink; with sinks only
 * @property {FloatTensor} [distance] (B, H, 2 + floor(log2 S)): shares of the total weight by distance between query and key, in either
 *   direction: 0, 1, 2 to 3, 4 to 7, ...; the last one has all larger distances
 * @property {Record<'previous' | 'first' | 'duplicate' | 'induction' | 'entropy', FloatTensor>} [scores] each (B, H): as in headScores
 *   (qkv/models)
 */

const AT = indices(SUMMARY_WORDS)
/** @type {(keyof SummaryOptions)[]} */
const FLAGS = ['logSumExp', 'entropy', 'sinkWeight', 'distance', 'scores']
const KNOWN = register('summary', [...FLAGS, 'map', 'topK', 'ids'])
const SCORES = ['entropy', 'previous', 'first', 'duplicate', 'induction']
const SIZE = { least: 1, whole: true }
const MOST_CELLS = 2 ** 24

/** @param {unknown} map @param {string} name */
export function checkMap(map, name) {
  if (!Array.isArray(map) || map.length !== 2)
    throw new TypeError(`${name}: expected [rows, columns], got ${describe(map)}`)
  const [rows, columns] = map.map((size, axis) => toNumber(size, `${name}[${axis}]`, SIZE))
  if (rows * columns > MOST_CELLS)
    throw new RangeError(`${name}: expected at most ${MOST_CELLS} cells, got ${rows} x ${columns}`)
  return [rows, columns]
}

/**
 * Returns (B, 2, S): for each key the first key with the same token, then for each key the next one, or S if there is none.
 * @param {unknown} given
 * @param {Sizes} call
 * @param {string} name
 */
function findSame(given, { B, S }, name) {
  const ids = toTensor(given, name, true)
  const n = count(ids.dims)
  if (n !== S && n !== B * S)
    throw new RangeError(
      `${name}: expected ${S} tokens, got dims ${shape(ids.dims)}, one for each key, or (${B}, ${S})`,
    )
  const same = new Uint32Array(2 * B * S).fill(S)
  for (let b = 0; b < B; b++) {
    /** @type {Map<number, number>} */
    const latest = new Map()
    const at = 2 * b * S
    for (let j = 0; j < S; j++) {
      const id = ids.data[n > S ? b * S + j : j]
      if (!Number.isInteger(id)) throw new RangeError(`${name}: expected whole numbers, got ${id}`)
      const before = latest.get(id)
      same[at + j] = before === undefined ? j : same[at + before]
      if (before !== undefined) same[at + S + before] = j
      latest.set(id, j)
    }
  }
  return same
}

/** @typedef {Pick<AttentionCall, 'B' | 'H' | 'L' | 'S'>} Sizes */

/**
 * Checks the option `summary`.
 * @param {Sizes & Partial<Pick<AttentionCall, 'dropout' | 'sinks'>>} call whose other options are checked already
 * @param {SummaryOptions} options
 * @param {string} name
 */
export function checkSummary(call, options, name) {
  const given = readOptions(options, KNOWN, name)
  if (call.dropout)
    throw new TypeError(
      `${name}: cannot be combined with dropout: a summary is computed before dropout, unlike the output; leave one out`,
    )
  const { B, H, L, S } = call
  const { map, topK, ids, scores = ids !== undefined } = given
  const wants = Object.fromEntries(FLAGS.map(flag => [flag, toBoolean(given[flag] ?? false, `${name}.${flag}`)]))
  const [R, C] = map === undefined ? [0, 0] : checkMap(map, `${name}.map`)
  const K = topK === undefined ? 0 : Math.min(S, toNumber(topK, `${name}.topK`, SIZE))
  const [rows, columns] = [Math.min(R, L), Math.min(C, S)]
  const bins = wants.distance ? 2 + Math.floor(Math.log2(S || 1)) : 0
  const row = [B, H, L]
  /** For each output its field in struct qkv_summary, its name in the result, and its dims. @type {[keyof typeof AT, string, number[]][]} */
  const outputs = []
  const add = (
    /** @type {unknown} */ is,
    /** @type {keyof typeof AT} */ word,
    /** @type {string} */ as,
    /** @type {number[]} */ dims,
  ) => is && outputs.push([word, as, dims])
  add(map, 'map', 'map', [B, H, rows, columns])
  add(topK, 'top_keys', 'topKeys', [...row, K])
  add(topK, 'top_weights', 'topWeights', [...row, K])
  add(wants.logSumExp, 'log_sum_exp', 'logSumExp', row)
  add(wants.entropy, 'entropy', 'entropy', row)
  add(wants.sinkWeight && call.sinks, 'sink_weight', 'sinkWeight', row)
  add(bins, 'distance', 'distance', [B, H, bins])
  add(scores, 'scores', 'scores', [5, B, H])
  const same = ids === undefined ? undefined : findSame(ids, call, `${name}.ids`)
  return { outputs, same, sizes: { rows, columns, top: K, bins } }
}

/** @typedef {ReturnType<typeof checkSummary>} Checked */

/**
 * Writes the requested statistics into a struct qkv_summary whose attention is already written, and allocates their memory.
 * @param {Core} core
 * @param {Checked} summary
 * @param {number} args address of the struct
 * @param {(floats: number) => number} take allocates that many floats and returns their address
 * @returns {number[]} the addresses of `outputs`, in order
 */
export function putSummary(core, { outputs, same, sizes }, args, take) {
  const put = (/** @type {keyof typeof AT} */ word, /** @type {number} */ value) => {
    core.words[args / 4 + AT[word]] = value
    return value
  }
  for (const [word, size] of Object.entries(sizes)) put(/** @type {'rows'} */ (word), size)
  const addresses = outputs.map(([word, , dims]) => put(word, take(count(dims))))
  if (same) core.copyIn(same, put('same', take(same.length)))
  put('parts', take(core.exports.qkv_summary_parts(args)))
  return addresses
}

/**
 * Runs attention with a summary, and copies the statistics out. Call it within a scope.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {Checked} summary
 * @param {number} args address of a struct qkv_summary whose attention is written
 * @returns {Summary}
 */
export function summarize(core, call, summary, args) {
  const { exports, threads } = core
  const { B, H, G, L, S, D, E, deferredCopies } = call
  const addresses = putSummary(core, summary, args, floats => core.allocFloats(floats))
  const units = exports.qkv_summary_units(args)
  const scratch = exports.qkv_summary_scratch(args)
  const work = 2 * B * H * L * S * (D + E)
  const job = { kernel: 'qkv_summary_part', args: [args], work, units, scratch, deferredCopies, parts: B * G }
  if (!threads?.run(core, job)) core.call('qkv_summary_part', args, 0, units, core.alloc(scratch))
  return finishSummary(core, call, summary, args, addresses)
}

/**
 * Merges the partial sums of the units of a summary, and copies the statistics out.
 * @param {Core} core
 * @param {AttentionCall} call
 * @param {Checked} summary
 * @param {number} args
 * @param {readonly number[]} addresses from putSummary
 * @returns {Summary}
 */
export function finishSummary(core, call, { outputs }, args, addresses) {
  const { B, H } = call
  core.call('qkv_summary_finish', args)
  return Object.fromEntries(
    outputs.map(([, name, dims], n) => {
      const floats = core.copyOut(addresses[n], count(dims))
      if (name === 'topKeys') return [name, new Tensor(new Int32Array(floats.buffer), call.lead(dims))]
      const part = (/** @type {number} */ i) => new Tensor(floats.slice(i * B * H, (i + 1) * B * H), call.lead([B, H]))
      if (name === 'scores') return [name, Object.fromEntries(SCORES.map((score, i) => [score, part(i)]))]
      return [name, new Tensor(floats, call.lead(dims))]
    }),
  )
}
