// Cohere (Command R, Aya): parallel attention and MLP after one LayerNorm without bias; interleaved rotary pairs.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 256000,
  hidden_size: 8192,
  intermediate_size: 22528,
  logit_scale: 0.0625,
  num_hidden_layers: 40,
  num_attention_heads: 64,
  hidden_act: 'silu',
  max_position_embeddings: 8192,
  layer_norm_eps: 1e-5,
  tie_word_embeddings: true,
  attention_bias: false,
  use_qk_norm: false,
}

/**
 * @param {Config} c
 * @param {Partial<Parameters<typeof llamaLike>[1]>} more
 */
export const cohere = (c, more) =>
  llamaLike(c, {
    norm: { kind: 'layer', bias: false },
    eps: 'layer_norm_eps',
    norms: ['input_layernorm', undefined, 'input_layernorm'], // attention and MLP share a norm
    parallel: true,
    interleaved: true,
    logits: { scale: c.number('logit_scale') },
    ...more,
  })

/** @param {Config} c */
export function describe(c) {
  c.only({ use_qk_norm: false })
  return cohere(c, { full: { theta: 500000 } })
}
