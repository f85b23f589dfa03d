// BART: like Marian, with learned positions in each stack and a norm after the embeddings.

import { DEFAULTS as MARIAN, marianLike } from '../family-shapes/marian-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = { ...MARIAN, vocab_size: 50265, decoder_start_token_id: 2, pad_token_id: 1 }
export const ALIASES = {
  num_attention_heads: 'encoder_attention_heads',
  num_hidden_layers: 'encoder_layers',
  hidden_size: 'd_model',
}

/** @param {Config} c */
export function describe(c) {
  c.only({ normalize_embedding: true })
  return marianLike(c, { learned: true })
}
