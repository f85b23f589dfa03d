// Mistral: Llama with a sliding window in all layers.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 32000,
  hidden_size: 4096,
  intermediate_size: 14336,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  hidden_act: 'silu',
  max_position_embeddings: 131072,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: false,
  sliding_window: 4096,
}

/** @param {Config} c */
export const describe = c => llamaLike(c, { window: 'all' })
