// GLM 4: Llama with gate and up in one weight; half of each head is rotated, in interleaved pairs.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 151552,
  hidden_size: 4096,
  intermediate_size: 13696,
  num_hidden_layers: 40,
  num_attention_heads: 32,
  num_key_value_heads: 2,
  head_dim: 128,
  hidden_act: 'silu',
  max_position_embeddings: 131072,
  rms_norm_eps: 1.5625e-7,
  tie_word_embeddings: false,
  attention_bias: true,
}

/**
 * @param {Config} c
 * @param {Partial<Parameters<typeof llamaLike>[1]>} [more]
 */
export const describe = (c, more) =>
  llamaLike(c, {
    bias: c.flag('attention_bias') ? 'qkv' : 'none',
    fused: 'mlp',
    share: 0.5,
    interleaved: true,
    ...more,
  })
