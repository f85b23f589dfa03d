// T5's relative position bias (Raffel et al. 2020): distances are grouped into buckets, and each bucket has a bias per head.

import { readOptions, toBoolean, toNumber } from '../../base/arguments.js'
import { shape } from '../../base/errors.js'
import { toFloats } from '../../base/operand.js'
import { checkDims, Tensor } from '../../base/tensor.js'

/** @import { Nested, TensorLike } from '../../base/tensor.js' */

const SIZE = { least: 0, most: 2 ** 20, whole: true } // larger numbers are mistakes

/**
 * Returns the bucket of a distance: one for each small distance, then logarithmically wider ones up to maxDistance. Computes in float32, as
 * PyTorch does: float64 could put a distance at a border into another bucket.
 * @param {number} distance position of the key minus that of the query
 * @param {number} buckets
 * @param {boolean} bidirectional
 * @param {number} maxDistance
 */
function bucketOf(distance, buckets, bidirectional, maxDistance) {
  const n = bidirectional ? Math.floor(buckets / 2) : buckets
  const start = bidirectional && distance > 0 ? n : 0
  const steps = bidirectional ? Math.abs(distance) : Math.max(-distance, 0)
  const exact = Math.floor(n / 2)
  if (steps < exact) return start + steps
  const f = Math.fround
  const share = f(f(Math.log(f(steps / exact))) / f(Math.log(maxDistance / exact)))
  return start + Math.min(n - 1, exact + Math.floor(f(share * (n - exact))))
}

/**
 * Returns T5's relative position bias, for the option `bias`.
 * @param {TensorLike | Nested} table (buckets, H): relative_attention_bias.weight
 * @param {number} L
 * @param {number} S
 * @param {{ bidirectional?: boolean, maxDistance?: number, pastLength?: number }} [options] bidirectional: default true, as in an
 *   encoder; maxDistance: default 128; pastLength: position of the first query, default 0
 * @returns {Tensor<Float32Array>} (H, L, S)
 */
export function relativePositionBias(table, L, S, options = {}) {
  const where = 'relativePositionBias'
  const given = readOptions(options, ['bidirectional', 'maxDistance', 'pastLength'], where)
  const { data, dims } = toFloats(table, `${where}: table`)
  const bidirectional = given.bidirectional === undefined || toBoolean(given.bidirectional, `${where}: bidirectional`)
  const [buckets, H] = dims
  const least = bidirectional ? 4 : 2
  if (dims.length !== 2 || buckets < least)
    throw new RangeError(
      `${where}: table: expected dims (buckets, H) with at least ${least} buckets, got ${shape(dims)}`,
    )
  const exact = Math.floor(buckets / (bidirectional ? 4 : 2))
  const maxDistance = toNumber(given.maxDistance ?? 128, `${where}: maxDistance`, {
    least: exact + 1,
    most: 2 ** 31,
    whole: true,
  })
  const first = toNumber(given.pastLength ?? 0, `${where}: pastLength`, {
    least: -(2 ** 31),
    most: 2 ** 31 - 1,
    whole: true,
  })
  L = toNumber(L, `${where}: L`, SIZE)
  S = toNumber(S, `${where}: S`, SIZE)
  checkDims([H, L, S], `${where}: (H, L, S)`)
  const rows = Array.from({ length: L + S }, (_, n) => bucketOf(n - L - first + 1, buckets, bidirectional, maxDistance))
  const bias = new Float32Array(H * L * S)
  for (let h = 0, at = 0; h < H; h++)
    for (let i = 0; i < L; i++) for (let j = 0; j < S; j++, at++) bias[at] = data[rows[j - i + L - 1] * H + h]
  return new Tensor(bias, [H, L, S])
}
