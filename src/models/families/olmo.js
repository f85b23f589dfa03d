// OLMo: Llama with LayerNorms that have neither weight nor bias.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 50304,
  hidden_size: 4096,
  intermediate_size: 11008,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  hidden_act: 'silu',
  max_position_embeddings: 2048,
  tie_word_embeddings: false,
  attention_bias: false,
}

/** @param {Config} c */
export function describe(c) {
  c.only({ clip_qkv: undefined })
  return llamaLike(c, { norm: { kind: 'layer', constant: 1 }, eps: 1e-5 })
}
