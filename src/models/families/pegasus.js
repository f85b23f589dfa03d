// Pegasus: Marian with pre-norm layers, and a norm after the last layer.

import { DEFAULTS as MARIAN, marianLike } from '../family-shapes/marian-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = { ...MARIAN, vocab_size: 50265, decoder_start_token_id: 0, pad_token_id: 0 }
export { ALIASES } from './bart.js'

/** @param {Config} c */
export function describe(c) {
  c.only({ normalize_embedding: false, static_position_embeddings: true })
  return marianLike(c, { isBefore: true })
}
