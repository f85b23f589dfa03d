// ALBERT: BERT with narrow embeddings, and layers that share weights in groups.

import { DEFAULTS as BERT, BERT_KEYS, bertLike } from '../family-shapes/bert-like.js'
import { layersOf } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  ...BERT,
  vocab_size: 30000,
  embedding_size: 128,
  hidden_size: 4096,
  num_attention_heads: 64,
  intermediate_size: 16384,
  hidden_act: 'gelu_new',
  num_hidden_groups: 1,
  inner_group_num: 1,
}

/** @param {Config} c */
export function describe(c) {
  const layers = layersOf(c, 'num_hidden_layers')
  const groups = c.size('num_hidden_groups')
  const inner = c.size('inner_group_num')
  if (inner !== 1 || layers % groups)
    throw new RangeError(
      `config.json: inner_group_num ${inner} with ${groups} groups of ${layers} layers is not covered`,
    )
  return bertLike(c, {
    prefix: 'albert.',
    types: true,
    narrow: c.size('embedding_size'),
    mapping: 'encoder.embedding_hidden_mapping_in',
    keys: BERT_KEYS,
    // The layers of a group share their weights.
    at: i => `encoder.albert_layer_groups.${Math.floor(i / (layers / groups))}.albert_layers.0.`,
    attention: ['attention.query', 'attention.key', 'attention.value', 'attention.dense'],
    mlp: ['ffn', 'ffn_output'],
    norms: ['attention.LayerNorm', 'full_layer_layer_norm'],
    head: {
      dense: 'predictions.dense',
      norm: 'predictions.LayerNorm',
      bias: 'predictions.bias',
      own: 'predictions.decoder',
      optional: /^predictions\./,
    },
    pooler: 'pooler',
    ignored: ['^predictions\\.decoder\\.(weight|bias)$', '^sop_classifier\\.'],
  })
}
