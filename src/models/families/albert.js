// ALBERT: BERT with narrow embeddings, whose layers share weights in groups.

import { BERT_KEYS, bertLike } from '../family-shapes/bert-like.js'
import { layersOf } from '../family-shapes/parts.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export function describe(c) {
  const layers = layersOf(c, 'num_hidden_layers')
  const groups = c.size('num_hidden_groups', 1)
  const inner = c.size('inner_group_num', 1)
  if (inner !== 1 || layers % groups)
    throw new RangeError(
      `config.json: inner_group_num ${inner} with ${groups} groups of ${layers} layers is not covered`,
    )
  return bertLike(c, {
    prefix: 'albert.',
    act: 'gelu_new',
    types: true,
    narrow: c.size('embedding_size', 128),
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
      optional: /^predictions\./,
    },
    pooler: 'pooler',
    ignored: ['^predictions\\.decoder\\.(weight|bias)$', '^sop_classifier\\.'],
  })
}
