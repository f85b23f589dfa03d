// EXAONE 4: norms after attention and MLP, and on q and k. If some layers have a sliding window, the others have no positions.

import { AFTER, llamaLike } from '../family-shapes/llama-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 102400,
  hidden_size: 4096,
  intermediate_size: 16384,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 32,
  hidden_act: 'silu',
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-5,
  tie_word_embeddings: false,
  sliding_window: 4096,
  sliding_window_pattern: 4,
}

/** @param {Config} c */
export function describe(c) {
  const isWhole = c.get('sliding_window') === undefined
  return llamaLike(c, {
    bias: 'none',
    qkNorm: 'heads',
    norms: AFTER,
    window: isWhole && c.get('layer_types') === undefined ? undefined : 'pattern',
    turns: (_, window) => isWhole || window !== undefined,
  })
}
