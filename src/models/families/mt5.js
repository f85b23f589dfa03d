// mT5: T5 v1.1 with a larger vocabulary. The input of the head is never scaled.

import { DEFAULTS as T5, t5 } from './t5.js'

/** @import { Config } from '../config/config.js' */

export { ALIASES } from './t5.js'

export const DEFAULTS = {
  ...T5,
  vocab_size: 250112,
  d_ff: 1024,
  num_layers: 8,
  num_heads: 6,
  feed_forward_proj: 'gated-gelu',
  decoder_start_token_id: 0,
}

/** @param {Config} c */
export function describe(c) {
  c.get('tie_word_embeddings') // marked as read: transformers ties head and table unless the file has a separate head
  return t5(c, false)
}
