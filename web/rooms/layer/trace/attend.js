// Attention step by step: from the drawn numbers to the outputs of all heads, with the reader's edits. All arithmetic is done by the core.
// Shapes: H heads, L queries, S keys, E size of a value.

import { joinHeads, Tensor } from 'qkv'
import { EDITABLE } from '../matrices.js'
import { turned } from '../numbers/positions.js'
import { offsetOf, stack } from '../numbers/tensors.js'
import { optionsOf } from './attention-options.js'
import { times } from './subtract.js'

/** @import { Qkv } from 'qkv' */
/** @import { Checked, Edit, FloatTensor, Tensors } from '../layer.js' */
/** @import { Traced } from '../numbers/index.js' */

/**
 * Applies edits to some of the tensors.
 * @param {Tensors} tensors
 * @param {Checked['edits']} edits
 * @param {readonly string[]} matrices ids of the matrices whose edits to apply
 */
function withEdits(tensors, edits, matrices) {
  const changed = { ...tensors }
  for (const edit of edits) {
    const { matrix, value } = edit
    const tensor = changed[matrix]
    const at = tensor && matrices.includes(matrix) ? offsetOf(tensor, edit) : -1
    if (!tensor || at < 0) continue
    const own = tensor === tensors[matrix] ? new Tensor(tensor.data.slice(), tensor.dims) : tensor
    own.data[at] = value
    changed[matrix] = own
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
 * @returns {Traced}
 */
export function attend(qkv, settings, drawn, visible, edits) {
  const tensors = { ...projected(qkv, settings, drawn, edits) }
  if (tensors.Q && tensors.K) Object.assign(tensors, steps(qkv, settings, tensors, visible))
  return mixed(qkv, tensors, edits)
}

/**
 * Applies edits of attention weights, and computes row sums and outputs. Returns the same object if no weight is edited and `tensors` has
 * the outputs.
 * @param {Qkv} qkv
 * @param {Tensors} tensors at least the weights; with V for outputs
 * @param {Checked['edits']} edits
 * @returns {Traced}
 */
export function mixed(qkv, tensors, edits) {
  const weights = override(qkv, /** @type {FloatTensor} */ (tensors.weights), edits)
  if (weights === tensors.weights && tensors.joined) return /** @type {Traced} */ (tensors)
  const ones = new Tensor(new Float32Array(weights.dims[2]).fill(1), [weights.dims[2], 1])
  const all = { ...tensors, weights, rowSums: qkv.matmul(weights, ones) }
  if (!tensors.V) return all
  const output = weights === tensors.weights && tensors.output ? tensors.output : mix(qkv, weights, tensors.V)
  return { ...all, output, ...joined(qkv, output, tensors) }
}

/**
 * Concatenates the heads and applies W_O.
 * @param {Qkv} qkv
 * @param {FloatTensor} output (H, L, E)
 * @param {Tensors} tensors
 * @returns {Tensors}
 */
export function joined(qkv, output, { Wo, bo }) {
  const all = joinHeads(output)
  return { joined: all, ...(Wo && { final: qkv.linear(all, rowsOf(Wo), bo?.reshape([Wo.dims[1]])) }) }
}

/**
 * Computes everything up to Q, K and V, including rotary positions.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} drawn
 * @param {Checked['edits']} edits
 * @returns {Tensors}
 */
export function projected(qkv, settings, drawn, edits) {
  const given = withEdits(drawn, edits, BEFORE_ATTENTION)
  if (!drawn.Wq) return given
  const { Q, K, V } = project(qkv, /** @type {Parameters<typeof project>[1]} */ (given))
  return { ...given, Q, K, V, ...turned(qkv, settings, Q, K) }
}

/** Cache: weights transposed to (out, in) for qkv.linear. @type {WeakMap<FloatTensor, FloatTensor>} */
const transposed = new WeakMap()

/**
 * Returns the weight of a linear layer, (out, in), from a matrix (in, out) or from the matrices of all heads, (heads, in, out / heads).
 * @param {FloatTensor} W
 */
export function rowsOf(W) {
  const [inner, size] = W.dims.slice(-2)
  const heads = W.dims.length === 3 ? W.dims[0] : 1
  const weight = transposed.get(W) ?? W.T.reshape([heads * size, inner])
  transposed.set(W, weight)
  return weight
}

/**
 * Computes Q = X Wq + bq for each head, and K and V likewise.
 * @param {Qkv} qkv
 * @param {Tensors & Record<'X' | 'Wq' | 'Wk' | 'Wv', FloatTensor>} tensors
 */
function project(qkv, { X, X2 = X, ...own }) {
  /** @type {(x: FloatTensor, W: FloatTensor, b: FloatTensor | undefined) => FloatTensor} */
  const layer = (x, W, b) => {
    const [heads, inner, size] = W.dims
    const weight = rowsOf(W).reshape([heads, size, inner])
    return stack(Array.from({ length: heads }, (_, h) => qkv.linear(x, weight.row(h), b?.row(h).reshape([size]))))
  }
  return { Q: layer(X, own.Wq, own.bq), K: layer(X2, own.Wk, own.bk), V: layer(X2, own.Wv, own.bv) }
}

/**
 * Computes the matrices of every step of attention, for all heads. Returns them by name.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} tensors
 * @param {Uint8Array | undefined} visible
 * @param {readonly (keyof import('qkv').Trace)[]} [keep] names of the matrices to return; default all
 * @returns {Tensors & Record<'scores' | 'exponentials' | 'fullWeights' | 'sums' | 'zeroedSums' | 'weights' | 'output', FloatTensor>} those named in `keep`
 */
export function steps(qkv, settings, { Q, K, Qr = Q, Kr = K, V, ...own }, visible, keep) {
  const { softmaxAxis } = settings
  const q = /** @type {FloatTensor} */ (Qr)
  const k = /** @type {FloatTensor} */ (Kr)
  const v = V ?? new Tensor(new Float32Array(0), [k.dims[0], k.dims[1], 0])
  const [L, S] = [q.dims[1], k.dims[1]]
  const options = optionsOf(settings, own, visible, [L, S], q.dims[2])
  const { queries, keys, logits, maxima, sums, zeroedSums, ...rest } = qkv.trace(q, k, v, { ...options, keep })
  const dims = [q.dims[0], ...(softmaxAxis === 'keys' ? [L, 1] : [1, S])]
  const lines = Object.entries({ maxima, sums, zeroedSums }).flatMap(([name, tensor]) =>
    tensor ? [[name, new Tensor(tensor.data, dims)]] : [],
  )
  return {
    ...rest,
    ...(logits && { masked: logits }), // with masking 'after' the trace has the softmax's input as `logits`, not as `masked`
    ...(queries && { Aq: queries, Ak: keys }),
    ...Object.fromEntries(lines),
  }
}

/**
 * Sets weights by hand: they keep their values, and the others of the row are rescaled in proportion.
 * @param {Qkv} qkv
 * @param {FloatTensor} weights (H, L, S)
 * @param {Checked['edits']} edits
 * @returns {FloatTensor} the same tensor if there are no edits
 */
export function override(qkv, weights, edits) {
  /** @type {Map<number, Edit[]>} rows with edits, by head and row */
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
  const scaled = (/** @type {Float32Array} */ x, /** @type {number} */ factor) =>
    times(qkv, new Tensor(x, [x.length]), factor).data
  const [rest, taken] = [add(others), add(held)]
  // If the weights set by hand sum to 1 or more, or all others are 0, rescale those set by hand to a sum of 1.
  if (taken >= 1 || rest === 0) return taken > 0 ? scaled(held, 1 / taken) : held
  const shared = scaled(others, (1 - taken) / rest)
  for (const { column } of edits) shared[column] = held[column]
  return shared
}

/**
 * Multiplies weights by V, head by head.
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
