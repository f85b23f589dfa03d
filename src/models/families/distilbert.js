// DistilBERT: BERT without token types and pooler.

import { bertLike } from '../family-shapes/bert-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 30522,
  max_position_embeddings: 512,
  n_layers: 6,
  n_heads: 12,
  dim: 768,
  hidden_dim: 3072,
  activation: 'gelu',
}
export const ALIASES = { hidden_size: 'dim', num_attention_heads: 'n_heads', num_hidden_layers: 'n_layers' }

/** @param {Config} c */
export function describe(c) {
  c.get('sinusoidal_pos_embds') // marked as read: without effect, since the file contains the position table either way
  return bertLike(c, {
    prefix: 'distilbert.',
    eps: 1e-12,
    at: i => `transformer.layer.${i}.`,
    keys: { width: 'dim', layers: 'n_layers', heads: 'n_heads', inner: 'hidden_dim', activation: 'activation' },
    attention: ['attention.q_lin', 'attention.k_lin', 'attention.v_lin', 'attention.out_lin'],
    mlp: ['ffn.lin1', 'ffn.lin2'],
    norms: ['sa_layer_norm', 'output_layer_norm'],
    head: {
      dense: 'vocab_transform',
      norm: 'vocab_layer_norm',
      bias: 'vocab_projector.bias',
      own: 'vocab_projector',
      optional: /^vocab_/,
    },
    ignored: ['^vocab_projector\\.weight$'],
  })
}
