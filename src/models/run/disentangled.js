// Computes the terms that relative positions add to the scores in DeBERTa's disentangled attention (He et al. 2021). Letters: B batch, H
// heads, L rows, D size of a head, R rows of distances.

import { Tensor } from '../../base/tensor.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Qkv } from '../../qkv.js' */
/** @import { Disentangled, PartSpec } from '../family-shapes/parts.js' */
/** @import { Layer } from './network.js' */
/**
 * `index`: the row of `positions` for each distance i - j of query i from key j, from -(L - 1) to L - 1. `byKey`: true if the x of
 * distanceMap contains keys, false if it contains queries.
 * @typedef {{ heads: number, scale: number, index: Int32Array, byKey?: boolean }} MapOptions
 */

/**
 * Returns the table row for the distance of a query from a key, computed in float32 as in PyTorch.
 * @param {Disentangled} spec
 * @param {number} distance
 */
export function rowOf({ span, buckets, most }, distance) {
  const middle = Math.floor(buckets / 2)
  const size = Math.abs(distance)
  let bucket = distance
  if (buckets > 0 && size > middle) {
    const f = Math.fround
    const share = f(f(Math.log(f(size / middle))) / f(Math.log(f((most - 1) / middle))))
    bucket = Math.sign(distance) * (Math.ceil(f(share * (middle - 1))) + middle)
  }
  return Math.min(2 * span - 1, Math.max(0, bucket + span))
}

/**
 * Projects the table rows for the distances of L tokens to queries q and to keys k. Also returns `index`: for each distance from -(L - 1)
 * to L - 1, its row in q and k.
 * @param {import('./network.js').ModelOperations} ops
 * @param {Disentangled} spec
 * @param {NonNullable<import('../family-shapes/parts.js').AttentionSpec['positions']>} positions
 * @param {number} L
 */
export function ofDistances(ops, spec, positions, L) {
  const rows = Int32Array.from({ length: 2 * L - 1 }, (_, n) => rowOf(spec, n - L + 1))
  const [first] = rows
  const given = ops.tableRows(spec.table, first, rows[2 * L - 2] - first + 1)
  const relative = spec.norm ? ops.norm(spec.norm, given) : given
  return {
    q: ops.dense(positions.q, relative),
    k: ops.dense(positions.k, relative),
    index: rows.map(row => row - first),
  }
}

/**
 * Computes the terms that relative positions add to the scores; undefined for a stack without them.
 * @param {Layer} own
 * @param {PartSpec} part
 * @param {FloatTensor} q (B, L, H * D)
 * @param {FloatTensor} k
 * @returns {FloatTensor | undefined} (B, H, L, L)
 */
export function scoresOfPositions({ call, stack, at }, part, q, k) {
  const { disentangled } = stack
  const { positions } = part.attention ?? {}
  if (!disentangled || !positions) return undefined
  const { ops } = call
  const distances = ofDistances(ops, disentangled, positions, q.dims[1])
  const options = { heads: stack.heads.numHeads, scale: stack.heads.scale, index: distances.index }
  const name = `${at}attention`
  const hooked = (/** @type {string} */ what, /** @type {FloatTensor} */ y) => ops.hook(`${name}.${what}`, y)
  const toPosition = hooked('contentToPosition', ops.distanceMap(q, distances.k, options))
  const toContent = hooked('positionToContent', ops.distanceMap(k, distances.q, { ...options, byKey: true }))
  const sum = ops.sumOfMaps(toPosition, toContent)
  if (!ops.asks(`${name}.contentToContent`)) return sum
  // The kernel adds the content scores itself, so only what the hook changed in them is added here.
  const content = ops.contentMap(q, k, options)
  return ops.sumOfMaps(sum, hooked('contentToContent', content), content)
}

/** Returns the rows of head h in text b, (L, D). @param {FloatTensor} x (B, L, H * D) @param {number} b @param {number} h @param {number} H */
export function headOf({ data, dims: [, L, width] }, b, h, H) {
  const D = width / H
  const out = new Float32Array(L * D)
  for (let i = 0; i < L; i++) {
    const at = (b * L + i) * width + h * D
    out.set(data.subarray(at, at + D), i * D)
  }
  return { data: out, dims: [L, D] }
}

/**
 * Computes scale * x[i] . positions[index of i - j] for each query i and key j; with byKey, x[j] instead of x[i].
 * @param {Qkv} qkv
 * @param {FloatTensor} x (B, L, H * D)
 * @param {FloatTensor} positions (1, R, H * D)
 * @param {MapOptions} options
 * @returns {FloatTensor} (B, H, L, L)
 */
export function distanceMap(qkv, x, positions, { heads: H, scale, index, byKey = false }) {
  const [B, L] = x.dims
  const [, R] = positions.dims
  const out = new Float32Array(B * H * L * L)
  for (let h = 0; h < H; h++) {
    const ofHead = headOf(positions, 0, h, H)
    for (let b = 0; b < B; b++) {
      const { data } = qkv.linear(headOf(x, b, h, H), ofHead) // (L, R)
      const at = (b * H + h) * L * L
      for (let i = 0; i < L; i++)
        for (let j = 0; j < L; j++) out[at + i * L + j] = scale * data[(byKey ? j : i) * R + index[i - j + L - 1]]
    }
  }
  return new Tensor(out, [B, H, L, L])
}

/** Computes scale * q k^T for each head. @param {Qkv} qkv @param {FloatTensor} q @param {FloatTensor} k @param {MapOptions} options @returns {FloatTensor} */
export function contentMap(qkv, q, k, { heads: H, scale }) {
  const [B, L] = q.dims
  const out = new Float32Array(B * H * L * L)
  for (let n = 0; n < B * H; n++) {
    const [b, h] = [Math.floor(n / H), n % H]
    out.set(qkv.linear(headOf(q, b, h, H), headOf(k, b, h, H)).data, n * L * L)
  }
  return new Tensor(
    out.map(value => value * scale),
    [B, H, L, L],
  )
}
