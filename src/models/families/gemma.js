// Gemma: Llama whose norms multiply by weight + 1, and whose embeddings are multiplied by the square root of the width.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 256000,
  hidden_size: 3072,
  intermediate_size: 24576,
  num_hidden_layers: 28,
  num_attention_heads: 16,
  num_key_value_heads: 16,
  head_dim: 256,
  hidden_act: 'gelu_pytorch_tanh',
  max_position_embeddings: 8192,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  attention_bias: false,
}

/** @param {Config} c */
export function describe(c) {
  // Older releases of transformers read the activation from hidden_activation. If both keys exist, they must agree.
  c.only({ use_bidirectional_attention: false, hidden_activation: c.get('hidden_act') })
  return llamaLike(c, { norm: { plusOne: true }, embeddingScale: Math.sqrt(c.size('hidden_size')) })
}
