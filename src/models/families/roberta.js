// RoBERTa, XLM-RoBERTa and CamemBERT: BERT whose positions start after the id of padding.

import { DEFAULTS as BERT, BERT_LAYER, bertLike, inEncoder, ROBERTA_HEAD } from '../family-shapes/bert-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = { ...BERT, vocab_size: 50265, pad_token_id: 1 }

/** @param {Config} c */
export const describe = c =>
  bertLike(c, {
    ...BERT_LAYER,
    prefix: 'roberta.',
    at: inEncoder,
    counts: true,
    ...ROBERTA_HEAD,
  })
