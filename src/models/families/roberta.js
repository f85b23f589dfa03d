// RoBERTa, XLM-RoBERTa and CamemBERT: BERT whose positions start after the id of padding.

import { BERT_LAYER, bertLike, inEncoder } from '../family-shapes/bert-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export const describe = c =>
  bertLike(c, {
    ...BERT_LAYER,
    prefix: 'roberta.',
    at: inEncoder,
    counts: true,
    head: {
      dense: 'lm_head.dense',
      norm: 'lm_head.layer_norm',
      bias: 'lm_head.bias',
      optional: /^lm_head\./,
      activation: 'gelu',
    },
    ignored: ['^lm_head\\.decoder\\.(weight|bias)$'],
  })
