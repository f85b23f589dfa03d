// Gemma 3, text only: Gemma 2 with norms of q and k, and two rotations: layers with a sliding window have their own.

import { llamaLike } from '../family-shapes/llama-like.js'
import { DEFAULTS as GEMMA2, gemma } from './gemma2.js'

/** @typedef {import('../config.js').Config} Config */

export const DEFAULTS = {
  ...GEMMA2,
  vocab_size: 262208,
  max_position_embeddings: 131072,
  sliding_window_pattern: 6,
  final_logit_softcapping: undefined,
  attn_logit_softcapping: undefined,
}

/** @param {Config} c */
export function describe(c) {
  return llamaLike(c, {
    ...gemma(c),
    qkNorm: 'heads',
    window: 'pattern',
    full: { kind: 'full_attention', theta: 1e6 },
    sliding: { kind: 'sliding_attention', key: 'rope_local_base_freq', isScaled: false },
  })
}
