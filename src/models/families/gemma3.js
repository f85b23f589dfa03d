// Gemma 3 (its text part) and EmbeddingGemma, which is bidirectional: Gemma 2 with norms of q and k, and a separate rotation for layers
// with a sliding window.

import { llamaLike } from '../family-shapes/llama-like.js'
import { DEFAULTS as GEMMA2, gemma } from './gemma2.js'

/** @import { Config } from '../config/config.js' */

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
  const isEncoder = c.flag('use_bidirectional_attention')
  const family = llamaLike(c, {
    ...gemma(c),
    qkNorm: 'heads',
    window: 'pattern',
    full: { kind: 'full_attention', theta: 1e6 },
    sliding: { kind: 'sliding_attention', key: 'rope_local_base_freq', isScaled: false },
  })
  if (!isEncoder || !family.decoder) return family
  const { decoder, head, ...rest } = family
  // In a bidirectional model, half of the window is on each side.
  const layers = decoder.layers.map(parts =>
    parts.map(part => {
      const { attention } = part
      const window = attention?.window && 2 * Math.floor(attention.window / 2) + 1
      return attention ? { ...part, attention: { ...attention, window } } : part
    }),
  )
  const isBare = /Model$/.test(String(c.get('architectures')))
  return {
    ...rest,
    encoder: { ...decoder, causal: false, layers },
    head: { ...head, ...(isBare && { optional: /^lm_head\./ }) },
  }
}
