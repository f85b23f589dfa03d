// MPNet: RoBERTa without token types, with relative position biases shared by all layers.

import { DEFAULTS as BERT, BERT_KEYS, bertLike, inEncoder, ROBERTA_HEAD } from '../family-shapes/bert-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = { ...BERT, vocab_size: 30527 }

const BUCKETS = 32

/** @param {Config} c */
export function describe(c) {
  c.only({ relative_attention_num_buckets: BUCKETS })
  return bertLike(c, {
    prefix: 'mpnet.',
    keys: BERT_KEYS,
    at: inEncoder,
    attention: ['attention.attn.q', 'attention.attn.k', 'attention.attn.v', 'attention.attn.o'],
    mlp: ['intermediate.dense', 'output.dense'],
    norms: ['attention.LayerNorm', 'output.LayerNorm'],
    counts: true,
    padding: 1, // regardless of the config
    pooler: 'pooler.dense',
    relative: {
      table: { name: 'encoder.relative_attention_bias', rows: BUCKETS, columns: c.size('num_attention_heads') },
      maxDistance: 128,
      bidirectional: true,
    },
    ...ROBERTA_HEAD,
  })
}
