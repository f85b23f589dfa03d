// The slopes of ALiBi (Press et al. 2022).

import { toNumber } from '../../base/arguments.js'
import { Tensor } from '../../base/tensor.js'

const SIZE = { least: 0, most: 2 ** 20, whole: true } // larger numbers are mistakes

/**
 * Returns the slopes of ALiBi for H heads: if H is a power of two, the geometric sequence with first value and ratio 2^(-8/H). For other H,
 * first the slopes for the next lower power of two, then every other slope for the next higher one.
 * @param {number} numHeads
 * @returns {Tensor<Float32Array>} (H)
 */
export function alibiSlopes(numHeads) {
  const H = toNumber(numHeads, 'alibiSlopes: numHeads', SIZE)
  const n = 2 ** Math.floor(Math.log2(H || 1))
  const slope = (/** @type {number} */ h) => 2 ** (h < n ? (-8 * (h + 1)) / n : (-4 * (2 * (h - n) + 1)) / n)
  return new Tensor(
    Float32Array.from({ length: H }, (_, h) => slope(h)),
    [H],
  )
}
