// Marian: an encoder-decoder for translation, with sinusoidal positions and post-norm layers.

import { DEFAULTS as MARIAN, marianLike } from '../family-shapes/marian-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = { ...MARIAN, vocab_size: 58101, decoder_start_token_id: 58100, pad_token_id: 58100 }
export const ALIASES = {
  num_attention_heads: 'encoder_attention_heads',
  num_hidden_layers: 'encoder_layers',
  hidden_size: 'd_model',
}

/** @param {Config} c */
export function describe(c) {
  c.only({
    decoder_vocab_size: c.size('vocab_size'),
    share_encoder_decoder_embeddings: true,
    static_position_embeddings: true,
    normalize_embedding: false,
  })
  return marianLike(c, {})
}
