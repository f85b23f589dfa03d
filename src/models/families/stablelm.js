// StableLM: Llama with LayerNorm and rotary positions for a quarter of each head.

import { llamaLike } from '../family-shapes/llama-like.js'
import { headDimOf } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 50304,
  hidden_size: 2560,
  intermediate_size: 6912,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 32,
  hidden_act: 'silu',
  max_position_embeddings: 4096,
  layer_norm_eps: 1e-5,
  tie_word_embeddings: false,
  use_qkv_bias: false,
  qk_layernorm: false,
  use_parallel_residual: false,
}

/** @param {Config} c */
export function describe(c) {
  c.only({ qk_layernorm: false, head_dim: headDimOf(c.size('hidden_size'), c.size('num_attention_heads')) })
  const parallel = c.flag('use_parallel_residual')
  return llamaLike(c, {
    bias: c.flag('use_qkv_bias') ? 'qkv' : 'none',
    norm: { kind: 'layer', bias: true },
    eps: 'layer_norm_eps',
    ...(parallel && { parallel, norms: ['input_layernorm', undefined, 'input_layernorm'] }), // attention and MLP share a norm
    share: 0.25,
  })
}
