// The gradient before a norm of a model, from the gradients behind it.

import { layerNormBackward, rmsNormBackward } from '../nn.js'

/** @typedef {import('../models/family-shapes/parts.js').NormSpec} NormSpec */

/** @param {Pick<import('./edge-task.js').EdgeTask['parts'], 'qkv' | 'weights'>} parts */
export const beforeNorm =
  ({ qkv, weights }) =>
  /** @param {NormSpec} norm @param {Float32Array} x what entered it, (L, d) @param {Float32Array} g several gradients, (n, L, d) */
  (norm, x, g) =>
    qkv.scope(() => {
      const wide = new Float32Array(g.length)
      for (let i = 0; i < g.length; i += x.length) wide.set(x, i)
      const dims = [g.length / norm.size, norm.size]
      const { weight } = weights.norm(norm)
      const { eps, plusOne } = norm
      const [input, dY] = [wide, g].map(data => ({ data, dims }))
      const { dX } =
        norm.kind === 'layer'
          ? layerNormBackward(qkv, input, weight, dY, { eps })
          : rmsNormBackward(qkv, input, weight, dY, { eps, plusOne })
      return dX.data.slice()
    })
