// Gemma 3, text only: Gemma 2 with norms of q and k, and two rotations: layers with a sliding window have their own.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export function describe(c) {
  c.only({ use_bidirectional_attention: false })
  return llamaLike(c, {
    kvHeads: 4,
    headDim: 256,
    gemma: true,
    qkNorm: 'heads',
    window: 'sixth',
    full: { kind: 'full_attention', theta: 1e6 },
    sliding: { kind: 'sliding_attention', key: 'rope_local_base_freq', isScaled: false },
  })
}
