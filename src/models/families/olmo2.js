// OLMo 2: Llama with norms after attention and MLP, and on q and k before they are split into heads.

import { AFTER, llamaLike } from '../family-shapes/llama-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 50304,
  hidden_size: 4096,
  intermediate_size: 11008,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  hidden_act: 'silu',
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-5,
  tie_word_embeddings: false,
  attention_bias: false,
}

/** @param {Config} c */
export const describe = c => llamaLike(c, { qkNorm: 'all', norms: AFTER })
