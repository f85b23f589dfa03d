// mBART: BART with pre-norm layers, and a norm after the last layer.

import { DEFAULTS as MARIAN, marianLike } from '../family-shapes/marian-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = { ...MARIAN, vocab_size: 50265, bos_token_id: 0, pad_token_id: 1 }
export { ALIASES } from './bart.js'

/** @param {Config} c */
export function describe(c) {
  c.only({ normalize_embedding: true, static_position_embeddings: false })
  return marianLike(c, { learned: true, isBefore: true })
}
