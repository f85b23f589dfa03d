// Marian: an encoder-decoder for translation, with sinusoidal positions and post-norm layers.

import { marianLike } from '../family-shapes/marian-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export function describe(c) {
  c.only({
    decoder_vocab_size: c.size('vocab_size'),
    share_encoder_decoder_embeddings: true,
    static_position_embeddings: true,
    normalize_embedding: false,
  })
  return marianLike(c, { ids: { pad: 58100 } })
}
