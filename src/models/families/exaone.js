// EXAONE 3, after the code published with the models: Llama with the tensor names of GPT-2.
// https://huggingface.co/LGAI-EXAONE/EXAONE-3.0-7.8B-Instruct

import { llamaLike } from '../family-shapes/llama-like.js'
import { headDimOf } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 102400,
  hidden_size: 2048,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  activation_function: 'silu',
  max_position_embeddings: 2048,
  layer_norm_epsilon: 1e-6,
  tie_word_embeddings: true,
}
export const ALIASES = { num_layers: 'num_hidden_layers' }

/** @param {Config} c */
export function describe(c) {
  c.only({ head_dim: headDimOf(c.size('hidden_size'), c.size('num_attention_heads')) })
  return llamaLike(c, {
    bias: 'none',
    eps: 'layer_norm_epsilon',
    activation: 'activation_function',
    names: {
      prefix: 'transformer.',
      tokens: 'wte',
      at: 'h.N.',
      self: 'attn.attention.',
      o: 'out_proj',
      last: 'ln_f',
    },
    norms: ['ln_1', undefined, 'ln_2'],
    mlp: ['mlp.c_fc_1', 'mlp.c_proj', 'mlp.c_fc_0'],
  })
}
