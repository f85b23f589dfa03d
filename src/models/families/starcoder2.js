// StarCoder 2: Llama with LayerNorm, biases and an MLP without a gate.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 49152,
  hidden_size: 3072,
  intermediate_size: 12288,
  num_hidden_layers: 30,
  num_attention_heads: 24,
  num_key_value_heads: 2,
  hidden_act: 'gelu_pytorch_tanh',
  max_position_embeddings: 4096,
  norm_epsilon: 1e-5,
  use_bias: true,
  tie_word_embeddings: true,
}

/** @param {Config} c */
export function describe(c) {
  const mlpBias = c.flag('use_bias')
  c.get('activation_function') // marked as read: the class uses hidden_act instead
  c.only({
    norm_type: 'layer_norm',
    mlp_type: 'default',
    scale_attn_weights: true,
    attention_softmax_in_fp32: true,
    scale_attention_softmax_in_fp32: true,
    layer_norm_epsilon: c.get('norm_epsilon'), // redundant key of published configs; the class reads norm_epsilon
  })
  return llamaLike(c, {
    bias: mlpBias ? 'all' : 'none',
    mlpBias,
    norm: { kind: 'layer', bias: true },
    eps: 'norm_epsilon',
    mlp: ['mlp.c_fc', 'mlp.c_proj'],
    window: 'all',
  })
}
