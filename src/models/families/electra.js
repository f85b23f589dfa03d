// ELECTRA: BERT with narrow embeddings. The generator predicts masked words; the discriminator has no head for them.

import { BERT_LAYER, bertLike, inEncoder } from '../family-shapes/bert-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export function describe(c) {
  const narrow = c.size('embedding_size', 128)
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
      optional: /^generator_/,
      activation: 'gelu',
    },
    ignored: ['^generator_lm_head\\.weight$', '^discriminator_predictions\\.'],
  })
}
