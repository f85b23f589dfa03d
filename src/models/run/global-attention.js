// The global attention of Longformer (Beltagy et al. 2020): marked tokens see all others, by separate projections, and are seen by all.
// Marked and unmarked queries run in two attention calls. In the call for one kind, queries of the other kind see no key, so their rows are
// 0, and the sum of both outputs has all rows. Letters: B batch, H heads, L rows. Loaded with a family that has global attention.

import { present } from '../../base/present.js'
import { Tensor } from '../../base/tensor.js'
import { copyOf } from './model-hooks.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Layer } from './network.js' */
/** @import { PartSpec } from '../family-shapes/parts.js' */

/**
 * Returns an array (B, L) with 1 for each marked token, never for padding; undefined if there are none.
 * @param {ArrayLike<number> | undefined} asked
 * @param {boolean} isFirst True if the first token of each text is marked by default
 * @param {Uint8Array | undefined} real 0 is padding
 * @param {{ B: number, L: number }} sizes
 */
export function markedOf(asked, isFirst, real, { B, L }) {
  const marked = Uint8Array.from({ length: B * L }, (_, n) =>
    Number((asked ? asked[n] === 1 : isFirst && n % L === 0) && real?.[n] !== 0),
  )
  return marked.includes(1) ? marked : undefined
}

/** @type {WeakMap<Uint8Array, Map<string, Tensor<Uint8Array>>>} */
const masks = new WeakMap()

/**
 * Returns the mask of one of the two calls. Unmarked queries see their window and the marked keys; marked queries see all keys.
 * @param {import('./network.js').Call} call
 * @param {PartSpec} part
 * @returns {Tensor<Uint8Array>} (B, 1, L, L)
 */
export function maskOf({ read, mask }, { isGlobal = false, attention }) {
  const { B, L } = read
  const marked = present(read.marked)
  const key = isGlobal ? 'far' : String(attention?.window)
  const known = masks.get(marked) ?? new Map()
  masks.set(marked, known)
  const found = known.get(key)
  if (found) return found
  const half = (Number(attention?.window) - 1) / 2
  const data = new Uint8Array(B * L * L)
  for (let n = 0; n < B * L; n++) {
    if (Boolean(marked[n]) !== isGlobal) continue
    const [first, i] = [n - (n % L), n % L]
    for (let j = 0; j < L; j++)
      data[n * L + j] = Number(
        (isGlobal || Math.abs(i - j) <= half || marked[first + j]) && mask?.data[first + j] !== 0,
      )
  }
  const made = new Tensor(data, [B, 1, L, L])
  known.set(key, made)
  return made
}

/**
 * Computes the weighted sums of the values for unmarked and for marked queries.
 * @param {Layer} own
 * @param {PartSpec} part
 * @param {import('./network.js').Projected & { x: FloatTensor }} projected
 * @param {FloatTensor[]} live tensors that are still needed
 * @returns {import('./network.js').RunSteps<FloatTensor>} (B, L, H * D)
 */
export function* mix(own, part, projected, live) {
  const { ops } = own.call
  const { x } = projected
  const specs = /** @type {NonNullable<import('../family-shapes/parts.js').AttentionSpec['global']>} */ (
    part.attention?.global
  )
  const near = yield* ops.mix(own, part, projected, [x, ...live])
  yield [near, x, ...live]
  const [q, k, v] = /** @type {const} */ (['q', 'k', 'v']).map(name =>
    ops.hook(`${own.at}global.${name}`, ops.dense(specs[name], x)),
  )
  yield [near, q, k, v, ...live]
  const far = yield* ops.mix(own, { ...part, isGlobal: true }, { q, k, v }, [near, ...live])
  return ops.add(near, far)
}

/** @typedef {{ weights: FloatTensor, scores?: FloatTensor }} Maps (B, H, L, L); scores only if requested */
/** Attention maps of the unmarked queries, kept until the call for the marked ones. @type {WeakMap<Layer, Maps>} */
const halves = new WeakMap()

/**
 * Combines the maps of the unmarked and of the marked queries. The first call of a layer stores its maps and returns undefined.
 * @param {Layer} own
 * @param {Maps} maps
 * @returns {Maps | undefined}
 */
export function together(own, { weights, scores }) {
  const near = halves.get(own)
  if (!near) {
    halves.set(own, { weights: copyOf(weights), scores: scores && copyOf(scores) })
    return undefined
  }
  halves.delete(own)
  const joined = (/** @type {FloatTensor} */ x, /** @type {FloatTensor} */ y) =>
    new Tensor(
      x.data.map((value, n) => Math.max(value, y.data[n])), // of each row, one map has weights of 0 and scores of -Infinity
      [...x.dims],
    )
  return {
    weights: joined(weights, near.weights),
    scores: scores && near.scores && joined(scores, near.scores),
  }
}
