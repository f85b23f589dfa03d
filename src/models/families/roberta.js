// RoBERTa, XLM-RoBERTa and CamemBERT: BERT whose positions start after the id of padding.

import { BERT_LAYER, bertLike, inEncoder, ROBERTA_HEAD } from '../family-shapes/bert-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export const describe = c =>
  bertLike(c, {
    ...BERT_LAYER,
    prefix: 'roberta.',
    at: inEncoder,
    counts: true,
    ...ROBERTA_HEAD,
  })
