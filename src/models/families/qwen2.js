// Qwen 2: Llama with biases of q, k and v; upper layers may have a sliding window.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 151936,
  hidden_size: 4096,
  intermediate_size: 22016,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 32,
  hidden_act: 'silu',
  max_position_embeddings: 32768,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: false,
  use_sliding_window: false,
  sliding_window: 4096,
  max_window_layers: 28,
}

/** @param {Config} c */
export const describe = c => llamaLike(c, { bias: 'qkv', window: 'upper' })
