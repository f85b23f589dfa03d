// Differentiates a model's norm for several tensors at once, backwards (gradients) and forwards (tangents).

import { layerNormBackward } from '../../ops/norm/layer-norm.js'
import { rmsNormBackward } from '../../ops/norm/rms-norm.js'

/** @import { NormSpec } from '../../models/family-shapes/parts.js' */
/** @typedef {Pick<import('../edges/edge-task.js').EdgeTask['parts'], 'qkv' | 'weights'>} Parts */

/**
 * Computes the gradient with respect to the input of a norm, for n gradients of its output at once.
 * @param {Parts} parts
 * @param {NormSpec} norm
 * @param {{ data: Float32Array, dims: readonly number[] }} weight
 * @param {Float32Array} x (L, d)
 * @param {Float32Array} dY (n, L, d)
 */
function backward({ qkv }, { kind, size, eps, plusOne }, weight, x, dY) {
  if (kind === 'scale') return dY.map((value, n) => value * weight.data[n % size])
  const wide = new Float32Array(dY.length)
  for (let i = 0; i < dY.length; i += x.length) wide.set(x, i)
  const dims = [dY.length / size, size]
  const [input, given] = [wide, dY].map(data => ({ data, dims }))
  const { dX } =
    kind === 'layer'
      ? layerNormBackward(qkv, input, weight, given, { eps })
      : rmsNormBackward(qkv, input, weight, given, { eps, plusOne })
  return dX.data
}

/** Returns a function that passes gradients back through a norm. @param {Parts} parts */
export const beforeNorm =
  parts =>
  /** @param {NormSpec} norm @param {Float32Array} x input of the norm, (L, d) @param {Float32Array} g gradients of its output, (n, L, d) */
  (norm, x, g) =>
    parts.qkv.scope(() => backward(parts, norm, parts.weights.norm(norm).weight, x, g).slice())

/** Returns a function that passes changes forward through a norm, to first order. @param {Parts} parts */
export const afterNorm =
  parts =>
  /** @param {NormSpec} norm @param {Float32Array} x input of the norm, (L, d) @param {Float32Array} change changes of x, (n, L, d) */
  (norm, x, change) =>
    parts.qkv.scope(() => {
      const { size, plusOne } = norm
      const { data } = parts.weights.norm(norm).weight
      const bare = { data: new Float32Array(size).fill(plusOne ? 0 : 1), dims: [size] }
      // Without its weight, the Jacobian of a norm is symmetric, so the backward kernel also computes J v.
      const made = backward(parts, norm, bare, x, change)
      return made.map((value, n) => value * (data[n % size] + (plusOne ? 1 : 0)))
    })
