// Traces many tokens head by head, so that the trace can report progress and be cancelled. Steps between scores and weights are kept only
// for the chosen head. Above MOST_WEIGHTS, even weights are kept only for that head. Every head then has a small picture of its weights.

import { Tensor } from 'qkv'
import { headStatistics } from '../../../elements/statistics.js'
import { onlyHead } from '../numbers/tensors.js'
import { joined, mix, override, steps } from './attend.js'

/** @import { Qkv } from 'qkv' */
/** @import { Checked, FloatTensor, Result, Tensors } from '../layer.js' */
/** @import { Traced } from '../numbers/index.js' */

/** Number of heads * queries * keys above which a trace is large. */
const LARGE = 2 ** 18
/** Number of weights, of all heads together, above which only the weights of one head are kept. */
const MOST_WEIGHTS = 2 ** 23
/** Rows and columns of the small picture of a head. */
const SMALL = 144

/** @param {Checked} settings */
const pairsOf = ({ heads, queries, keys }) => heads * queries.tokens.length * keys.tokens.length

/** True if a trace is large. Imported weights never are, since they need no computation. @param {Checked} settings */
export const isLarge = settings =>
  pairsOf(settings) > LARGE && !(settings.model === 'imported' && settings.imported && 'weights' in settings.imported)

/**
 * Traces head by head; yields progress from 0 to 1.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Tensors} start Q, K, V of all heads and their sources, or weights and V
 * @param {Uint8Array | undefined} visible
 * @param {number} chosen
 * @returns {Generator<number, Result>}
 */
export function* traceLarge(qkv, settings, start, visible, chosen) {
  const { Q, K, Qr, Kr, V } = start
  const heads = /** @type {FloatTensor} */ (Q ?? start.weights).dims[0]
  const head = Math.min(chosen, heads - 1)
  const [L, S] = [settings.queries.tokens.length, settings.keys.tokens.length]
  const hasAll = heads * L * S <= MOST_WEIGHTS
  const all = hasAll ? new Float32Array(heads * L * S) : undefined
  const small = hasAll ? undefined : [Math.min(L, SMALL), Math.min(S, SMALL)]
  const smalls = small && new Float32Array(heads * small[0] * small[1])
  const E = V?.dims[2] ?? 0
  const outputs = new Float32Array(heads * L * E)
  const statistics = []
  // The matrix product of weights and V is faster than mixing in the core's trace. It gives the same bits, unless a hidden value is NaN or
  // infinite: 0 * NaN is NaN.
  const isProduct = !visible || V?.data.every(Number.isFinite)
  let details = /** @type {Traced} */ ({})
  for (let h = 0; h < heads; h++) {
    const own = (/** @type {FloatTensor | undefined} */ x) => x && onlyHead(x, h)
    const parts = { ...start, Q: own(Q), K: own(K), Qr: own(Qr), Kr: own(Kr), V: own(V) }
    // Of the other heads, compute only what is displayed.
    const mixed = isProduct ? { ...parts, V: undefined } : parts
    const traced = Q && steps(qkv, settings, mixed, visible, h === head ? undefined : ['weights', 'output'])
    const made = traced?.weights ?? own(start.weights)
    const edits = settings.edits.filter(edit => edit.head === h).map(edit => ({ ...edit, head: 0 }))
    const weights = override(qkv, /** @type {FloatTensor} */ (made), edits)
    if (parts.V) {
      const isMixed = !isProduct && weights === traced?.weights
      const output = (isMixed && traced?.output) || mix(qkv, weights, parts.V)
      outputs.set(output.data, h * L * E)
    }
    if (h === head) details = { ...traced, weights }
    all?.set(weights.data, h * L * S)
    if (smalls && small) smalls.set(strongestOf(weights, small[0], small[1]), h * small[0] * small[1])
    if (smalls) statistics.push(...headStatistics(weights))
    yield (h + 1) / (heads + 1)
  }
  const weights = all ? new Tensor(all, [heads, L, S]) : details.weights
  const ones = new Tensor(new Float32Array(S).fill(1), [S, 1])
  /** @type {Traced} */
  const tensors = {
    ...start,
    ...details,
    weights,
    rowSums: qkv.matmul(details.weights, ones),
  }
  if (V) {
    tensors.output = new Tensor(outputs, [heads, L, E])
    Object.assign(tensors, joined(qkv, tensors.output, tensors))
  }
  const seen = smalls && small ? { smalls: new Tensor(smalls, [heads, ...small]), statistics } : {}
  return { settings, heads, visible, tensors, detailHead: head, ...seen }
}

/**
 * Shrinks a matrix: each cell is the maximum of the cells it replaces.
 * @param {FloatTensor} weights (1, queries, keys)
 * @param {number} rows
 * @param {number} columns
 */
function strongestOf({ data, dims: [, L, S] }, rows, columns) {
  const out = new Float32Array(rows * columns)
  const at = Int32Array.from({ length: S }, (_, j) => Math.floor((j * columns) / S))
  for (let i = 0; i < L; i++) {
    const start = Math.floor((i * rows) / L) * columns
    for (let j = 0; j < S; j++) {
      const x = data[i * S + j]
      if (x > out[start + at[j]]) out[start + at[j]] = x
    }
  }
  return out
}
