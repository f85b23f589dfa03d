// Gemma 2: norms before and after attention and MLP, softcaps of scores and logits, a sliding window in even layers.

import { capOf, llamaLike, SANDWICH } from '../family-shapes/llama-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 256000,
  hidden_size: 2304,
  intermediate_size: 9216,
  num_hidden_layers: 26,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  head_dim: 256,
  hidden_activation: 'gelu_pytorch_tanh',
  max_position_embeddings: 8192,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  attention_bias: false,
  query_pre_attn_scalar: 256,
  sliding_window: 4096,
  final_logit_softcapping: 30,
  attn_logit_softcapping: 50,
}

/**
 * Returns the options shared by Gemma 2 and 3.
 * @param {Config} c
 * @returns {Parameters<typeof llamaLike>[1]}
 */
export function gemma(c) {
  c.get('hidden_act') // marked as read: the class uses hidden_activation instead
  return {
    norm: { plusOne: true },
    norms: SANDWICH,
    embeddingScale: Math.sqrt(c.size('hidden_size')),
    scale: c.number('query_pre_attn_scalar', { least: 1e-6 }) ** -0.5,
    softcap: capOf(c, 'attn_logit_softcapping'),
    activation: 'hidden_activation',
    logits: { softcap: capOf(c, 'final_logit_softcapping') },
  }
}

/** @param {Config} c */
export function describe(c) {
  c.only({ use_bidirectional_attention: false })
  return llamaLike(c, { ...gemma(c), window: 'even' })
}
