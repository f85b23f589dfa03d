// For tests of gradients: tensors with the same numbers in every run, dot products, and hooks that only read.

/** @import { FloatTensor } from '../../src/base/tensor.js' */

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const dot = (a, b) => Array.from(a).reduce((sum, value, n) => sum + value * b[n], 0)

/** @param {readonly number[]} dims @param {number} seed */
export const waves = (dims, seed) => ({
  data: Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) =>
    Math.sin(i * 1.3 + seed + i * i * 0.01),
  ),
  dims,
})

/** Makes a hook that only reads. @param {(x: FloatTensor) => unknown} look @returns {(x: FloatTensor) => void} */
export const reader = look => x => {
  look(x)
}
