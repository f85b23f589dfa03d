// ELECTRA: BERT with narrow embeddings. The generator predicts masked words; the discriminator has no head that predicts words.

import { DEFAULTS as BERT, BERT_LAYER, bertLike, inEncoder } from '../family-shapes/bert-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  ...BERT,
  embedding_size: 128,
  hidden_size: 256,
  num_attention_heads: 4,
  intermediate_size: 1024,
}

/** @param {Config} c */
export function describe(c) {
  const narrow = c.size('embedding_size')
  return bertLike(c, {
    ...BERT_LAYER,
    prefix: 'electra.',
    at: inEncoder,
    pooler: undefined,
    narrow: narrow === c.size('hidden_size') ? undefined : narrow,
    mapping: 'embeddings_project',
    head: {
      dense: 'generator_predictions.dense',
      norm: 'generator_predictions.LayerNorm',
      bias: 'generator_lm_head.bias',
      own: 'generator_lm_head',
      optional: /^generator_/,
      activation: 'gelu',
    },
    ignored: ['^generator_lm_head\\.weight$', '^discriminator_predictions\\.'],
  })
}
