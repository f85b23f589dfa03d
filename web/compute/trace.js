// From settings to every number on the page. All arithmetic is the core's; this file only orders it. Plain data in,
// plain data out, so that it runs in a worker as well.

import { joinHeads, splitHeads, Tensor } from 'qkv'
import { MODELS } from '../models/index.js'
import { createTable } from '../models/table.js'
import { offsetOf } from '../models/tensors.js'
import { EDITABLE } from '../settings/matrices.js'
import { drawnKey } from '../settings/state.js'
import { runBatch } from './batch.js'
import { largest, minus, times } from './compare.js'
import { curveOf } from './curve.js'
import { traceLarge } from './large.js'
import { maskOf } from './mask.js'
import { prove } from './proof.js'

/** @typedef {import('qkv').Qkv} Qkv */
/** @typedef {import('../settings/check.js').Checked} Checked */
/** @typedef {import('../models/index.js').Tensors} Tensors */
/** @typedef {Tensor<Float32Array>} FloatTensor */
/** @typedef {import('./batch.js').Batch} Batch */

/**
 * @typedef {object} Result
 * @property {Checked} settings
 * @property {number} heads
 * @property {Tensors} tensors every matrix, (rows, columns) or (heads, rows, columns)
 * @property {Tensors} [before] with edits: the same without them
 * @property {Uint8Array} [visible] (L, S), 1 may be seen; undefined: all may
 * @property {Ways} [ways] under a mask: the weights by both ways of masking; not of many pairs
 * @property {import('./proof.js').Proof} [proof] whose output moves when one token is changed
 * @property {import('./curve.js').Curve} [curve] of one number that asks numbers
 * @property {number} [detailHead] of a large trace: the head whose steps there are; tensors of (1, rows, columns) are its own
 * @property {import('../elements/statistics.js').HeadStatistics[]} [statistics] of each head, where the weights of one only are kept
 * @property {FloatTensor} [smalls] where the weights of one head only are kept: all heads made small, (H, rows, columns)
 */

/**
 * Weights (H, L, S) by both ways of masking.
 * @typedef {object} Ways
 * @property {FloatTensor} before
 * @property {FloatTensor} after
 * @property {FloatTensor} exponentials of the scores, hidden ones as well, less the largest of the row
 * @property {FloatTensor} full their shares: weights before the mask
 * @property {FloatTensor} sums of each row of exponentials
 * @property {FloatTensor} zeroedSums of each row of `full`, without hidden ones
 * @property {Extreme[]} extremes what becomes of a weight if a hidden key is not a number, or huge
 * @property {FloatTensor} difference after less before, times 10^digits
 * @property {number} digits
 * @property {number} most the largest difference
 */

/** Heads times queries times keys for which both ways of masking are computed at every key stroke. */
export const MOST_WAYS = 2 ** 16

/**
 * @typedef {((settings: Checked) => Result) & {
 *   parts: (settings: Checked, head: number) => Generator<number, Result>,
 *   isReused: (tensor: FloatTensor) => boolean,
 *   batch: (result: Result) => Batch | undefined }} Tracer parts: the way of large.js; isReused: is it needed for the
 *   next trace? batch: see batch.js
 */

/**
 * What the tracer computes again is what an edit touches: the drawn numbers stay.
 * @param {Qkv} qkv
 * @returns {Tracer}
 */
export function createTracer(qkv) {
  const table = createTable(qkv)
  /** @type {{ name: string, tensors: Tensors } | undefined} */
  let last
  const start = (/** @type {Checked} */ settings) => {
    const name = drawnKey(settings)
    if (last?.name !== name) {
      const { tensors, generator } = MODELS[settings.model](qkv, settings, table)
      const hasScores = tensors.Wq ?? tensors.Q
      const additive = hasScores && settings.score === 'additive' ? drawAdditive(qkv, settings, tensors, generator) : {}
      last = { name, tensors: { ...tensors, ...additive } }
    }
    return last.tensors
  }

  const parts = (/** @type {Checked} */ settings, /** @type {number} */ head) =>
    traceLarge(qkv, settings, projected(qkv, start(settings), settings.edits), maskOf(settings), head)
  const isReused = (/** @type {FloatTensor} */ tensor) =>
    Object.values(last?.tensors ?? {}).some(({ data }) => data.buffer === tensor.data.buffer)

  const trace = (/** @type {Checked} */ settings) => {
    const drawn = start(settings)
    const visible = maskOf(settings)
    const heads = (drawn.Wq ?? drawn.Q ?? drawn.weights)?.dims[0] ?? 1
    const forward = (/** @type {Checked['edits']} */ edits) => attend(qkv, settings, drawn, visible, edits)
    const { edits } = settings
    const tensors = forward(edits)
    const proof = prove(qkv, settings, table, tensors, (embeddings, remaining) =>
      attend(qkv, settings, { ...drawn, ...embeddings }, visible, remaining),
    )
    return {
      ...{ settings, heads, visible, tensors, proof },
      ...(edits.length > 0 && { before: forward([]) }),
      ways: waysOf(qkv, settings, tensors, visible),
      curve:
        settings.softmaxAxis === 'keys'
          ? curveOf(tensors, Q => outputOf(qkv, settings, { ...tensors, Q }, visible))
          : undefined,
    }
  }
  const batch = (/** @type {Result} */ result) => runBatch(qkv, result)
  return Object.assign(trace, { parts, isReused, batch })
}

/**
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} tensors
 * @param {Uint8Array | undefined} visible
 * @returns {Ways | undefined}
 */
function waysOf(qkv, settings, tensors, visible) {
  const { Q, K, scores } = tensors
  if (!visible || !Q || !K || !scores || scores.data.length > MOST_WAYS) return undefined
  const [before, late] = /** @type {const} */ (['before', 'after']).map(
    masking => /** @type {Record<string, FloatTensor>} */ (steps(qkv, { ...settings, masking }, tensors, visible)),
  )
  const after = late.weights
  const difference = minus(qkv, after, before.weights)
  const most = largest(difference.data)
  const digits = most > 0 && most < 1e-3 ? Math.ceil(-Math.log10(most)) : 0
  return {
    ...{ before: before.weights, after, difference: times(qkv, difference, 10 ** digits), digits, most },
    ...{ exponentials: late.exponentials, full: late.fullWeights, sums: late.sums, zeroedSums: late.zeroedSums },
    extremes: extremesOf(qkv, settings, tensors, visible),
  }
}

/** @typedef {{ name: string, before: number, after: number }} Extreme a weight of head 0 by both ways of masking */

/**
 * The first weight of the first query, if a key that it does not see is not a number, or huge.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} tensors
 * @param {Uint8Array} visible
 * @returns {Extreme[]}
 */
function extremesOf(qkv, settings, tensors, visible) {
  const K = /** @type {FloatTensor} */ (tensors.K)
  const [S, d] = K.dims.slice(1)
  const hidden = visible.subarray(0, S).indexOf(0)
  const seen = visible.subarray(0, S).indexOf(1)
  if (hidden < 0 || seen < 0 || !['scaled', 'plain'].includes(settings.score)) return []
  const q = /** @type {FloatTensor} */ (tensors.Q).data
  return [
    ['NaN', Number.NaN],
    ['1e30', 1e30],
  ].map(([name, value]) => {
    const data = K.data.slice()
    // The sign of the query: the score is huge, not hugely negative.
    for (let i = 0; i < d; i++) data[hidden * d + i] = /** @type {number} */ (value) * Math.sign(q[i])
    const changed = { ...tensors, K: new Tensor(data, K.dims) }
    const [before, after] = /** @type {const} */ (['before', 'after']).map(
      masking => /** @type {FloatTensor} */ (steps(qkv, { ...settings, masking }, changed, visible).weights).data[seen],
    )
    return { name: String(name), before, after }
  })
}

/**
 * The outputs of other queries, each under the mask of the first.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors & { Q: FloatTensor }} tensors
 * @param {Uint8Array | undefined} visible (1, S)
 */
function outputOf(qkv, settings, tensors, visible) {
  const mask =
    visible && Uint8Array.from({ length: tensors.Q.dims[1] * visible.length }, (_, i) => visible[i % visible.length])
  return /** @type {FloatTensor} */ (steps(qkv, settings, tensors, mask).output)
}

/**
 * The matrices of the additive score, as many hidden units as a key has dimensions: rand, after all others.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} tensors
 * @param {import('qkv').Generator} [generator]
 * @returns {Tensors}
 */
function drawAdditive(qkv, { seed }, { Wq, Q }, generator = qkv.generator(seed)) {
  const size = /** @type {FloatTensor} */ (Wq ?? Q).dims[2]
  const [Wa, Ua] = [generator.rand([size, size]), generator.rand([size, size])]
  return { Wa, Ua, ba: generator.rand([1, size]), va: generator.rand([1, size]) }
}

/**
 * @param {Tensors} tensors
 * @param {Checked['edits']} edits
 * @param {readonly string[]} matrices those that may be set
 */
function withEdits(tensors, edits, matrices) {
  const changed = { ...tensors }
  for (const edit of edits) {
    const { matrix, value } = edit
    const tensor = changed[matrix]
    const at = tensor && matrices.includes(matrix) ? offsetOf(tensor, edit) : -1
    if (!tensor || at < 0) continue
    if (changed[matrix] === tensors[matrix]) changed[matrix] = new Tensor(tensor.data.slice(), tensor.dims)
    const { data } = /** @type {FloatTensor} */ (changed[matrix])
    data[at] = value
  }
  return changed
}

const BEFORE_ATTENTION = EDITABLE.filter(id => id !== 'weights')

/**
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} drawn
 * @param {Uint8Array | undefined} visible
 * @param {Checked['edits']} edits
 * @returns {Tensors}
 */
function attend(qkv, settings, drawn, visible, edits) {
  const tensors = { ...projected(qkv, drawn, edits) }
  const { Q, K, V } = tensors
  if (Q && K) Object.assign(tensors, steps(qkv, settings, tensors, visible))
  const weights = override(qkv, /** @type {FloatTensor} */ (tensors.weights), edits)
  const isOverridden = weights !== tensors.weights
  tensors.weights = weights
  tensors.paid = qkv.matmul(weights, new Tensor(new Float32Array(weights.dims[2]).fill(1), [weights.dims[2], 1]))
  if (!V) return tensors
  if (isOverridden || !tensors.output) tensors.output = mix(qkv, weights, V)
  tensors.joined = joinHeads(tensors.output)
  const { Wo, bo } = tensors
  if (Wo) tensors.final = qkv.linear(tensors.joined, rowsOf(Wo), bo?.reshape([Wo.dims[1]]))
  return tensors
}

/**
 * Everything up to Q, K and V.
 * @param {Qkv} qkv
 * @param {Tensors} drawn
 * @param {Checked['edits']} edits
 * @returns {Tensors}
 */
function projected(qkv, drawn, edits) {
  const isProjected = drawn.Wq !== undefined
  const given = withEdits(drawn, edits, BEFORE_ATTENTION)
  return isProjected ? { ...given, ...project(qkv, given) } : given
}

/** Matrices as qkv.linear takes them: one that stays is turned once. @type {WeakMap<FloatTensor, FloatTensor>} */
const turned = new WeakMap()

/**
 * (out, in) of a matrix (in, out) or of those of all heads.
 * @param {FloatTensor} W
 */
export function rowsOf(W) {
  const weight = turned.get(W) ?? (W.dims.length === 3 ? joinHeads(W) : W).T
  turned.set(W, weight)
  return weight
}

/**
 * Q = X Wq + bq of all heads at once, K and V alike.
 * @param {Qkv} qkv
 * @param {Tensors} tensors
 * @returns {Tensors}
 */
function project(qkv, { X, X2 = X, ...own }) {
  const layer = (/** @type {any} */ x, /** @type {any} */ W, /** @type {FloatTensor | undefined} */ b) => {
    const weight = rowsOf(W)
    return splitHeads(qkv.linear(x, weight, b && joinHeads(b).reshape([weight.dims[0]])), W.dims[0])
  }
  return { Q: layer(X, own.Wq, own.bq), K: layer(X2, own.Wk, own.bk), V: layer(X2, own.Wv, own.bv) }
}

/**
 * The mask in the core's words, which spare it to look at each cell.
 * @param {Checked} settings
 * @param {Uint8Array | undefined} visible
 * @param {number[]} dims
 * @returns {import('qkv').TraceOptions}
 */
function whoSees({ mask, painted, left, right }, visible, dims) {
  if (!visible) return {}
  if (painted.length === 0 && mask === 'causal') return { causal: true }
  if (painted.length === 0 && mask === 'window') return { window: [left, right] }
  return { mask: new Tensor(visible, dims) }
}

/**
 * The trace of all heads.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} tensors
 * @param {Uint8Array | undefined} visible
 * @returns {Tensors}
 */
export function steps(qkv, settings, { Q, K, V, ...own }, visible) {
  const { softmaxAxis } = settings
  const q = /** @type {FloatTensor} */ (Q)
  const k = /** @type {FloatTensor} */ (K)
  const v = V ?? new Tensor(new Float32Array(0), [k.dims[0], k.dims[1], 0])
  const [L, S] = [q.dims[1], k.dims[1]]
  const traced = qkv.trace(q, k, v, optionsOf(settings, own, visible, [L, S], q.dims[2]))
  const { queries, keys, logits, ...rest } = traced // logits: what softmax sees where the mask comes after it
  const lines = (/** @type {FloatTensor} */ { data }) =>
    softmaxAxis === 'keys' ? new Tensor(data, [q.dims[0], L, 1]) : new Tensor(data, [q.dims[0], 1, S])
  return {
    ...rest,
    ...(logits && { masked: logits }),
    ...(queries && { Aq: queries, Ak: keys }),
    ...{ maxima: lines(rest.maxima), sums: lines(rest.sums) },
    ...(rest.zeroedSums && { zeroedSums: lines(rest.zeroedSums) }),
  }
}

/**
 * What the core is told of the settings.
 * @param {Checked} settings
 * @param {Tensors} tensors
 * @param {Uint8Array | undefined} visible
 * @param {number[]} dims queries, keys
 * @param {number} size of a key
 * @returns {import('qkv').TraceOptions}
 */
export function optionsOf(settings, tensors, visible, dims, size) {
  const { score, sigma, masking, softmaxAxis } = settings
  return {
    ...{ masking, softmaxAxis, scale: scaleOf(settings, size), ...whoSees(settings, visible, dims) },
    ...(score === 'gaussian' && { score: { kind: 'gaussian', sigma } }),
    ...(score === 'additive' && { score: additive(tensors) }),
  }
}

/**
 * @param {Tensors} tensors
 * @returns {import('qkv').Score}
 */
function additive({ Wa, Ua, ba, va }) {
  const [wQuery, wKey, bias, v] = /** @type {FloatTensor[]} */ ([Wa?.T, Ua?.T, ba, va])
  const line = (/** @type {FloatTensor} */ x) => x.reshape([x.data.length])
  return { kind: 'additive', wQuery, wKey, v: line(v), bias: line(bias) }
}

/**
 * The factor of the scores.
 * @param {Pick<Checked, 'scale' | 'score'>} settings
 * @param {number} size of a key
 */
export const scaleOf = ({ scale, score }, size) => scale ?? (score === 'scaled' ? 1 / Math.sqrt(size) : 1)

/**
 * Weights set by hand: they stay as they were set, the others of their row share the rest as before.
 * @param {Qkv} qkv
 * @param {FloatTensor} weights (H, L, S)
 * @param {Checked['edits']} edits
 * @returns {FloatTensor} the same tensor if none is set
 */
export function override(qkv, weights, edits) {
  /** @type {Map<number, Checked['edits']>} rows that are touched, by head and row */
  const rows = new Map()
  const [, L, S] = weights.dims
  for (const edit of edits)
    if (edit.matrix === 'weights' && offsetOf(weights, edit) >= 0) {
      const row = edit.head * L + edit.row
      const known = rows.get(row)
      if (known) known.push(edit)
      else rows.set(row, [edit])
    }
  if (rows.size === 0) return weights
  const data = weights.data.slice()
  for (const [row, own] of rows) data.set(overrideRow(qkv, data.subarray(row * S, (row + 1) * S), own), row * S)
  return new Tensor(data, weights.dims)
}

/**
 * @param {Qkv} qkv
 * @param {Float32Array} row
 * @param {Checked['edits']} edits
 */
function overrideRow(qkv, row, edits) {
  const others = row.slice()
  for (const { column } of edits) others[column] = 0
  const held = row.map(() => 0)
  for (const { column, value } of edits) held[column] = Math.min(Math.max(value, 0), 1)
  const add = (/** @type {Float32Array} */ x) =>
    qkv.matmul(
      new Tensor(x, [1, x.length]),
      new Tensor(
        x.map(() => 1),
        [x.length, 1],
      ),
    ).data[0]
  const times = (/** @type {Float32Array} */ x, /** @type {number} */ factor) =>
    qkv.matmul(new Tensor(x, [x.length, 1]), new Tensor(Float32Array.of(factor), [1, 1])).data
  const [rest, taken] = [add(others), add(held)]
  // What was set already takes everything, or nobody is there to take the rest: the set weights share it all.
  if (taken >= 1 || rest === 0) return taken > 0 ? times(held, 1 / taken) : held
  const shared = times(others, (1 - taken) / rest)
  for (const { column } of edits) shared[column] = held[column]
  return shared
}

/**
 * weights times V, head by head.
 * @param {Qkv} qkv
 * @param {FloatTensor} weights (H, L, S)
 * @param {FloatTensor} V (H, S, E)
 */
export function mix(qkv, weights, V) {
  const [H, L] = weights.dims
  const data = new Float32Array(H * L * V.dims[2])
  for (let h = 0; h < H; h++) data.set(qkv.matmul(weights.row(h), V.row(h)).data, h * L * V.dims[2])
  return new Tensor(data, [H, L, V.dims[2]])
}
