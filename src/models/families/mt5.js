// mT5: T5 v1.1 with a larger vocabulary and a head of its own.

import { DEFAULTS as T5 } from './t5.js'

export { ALIASES, describe } from './t5.js'

export const DEFAULTS = {
  ...T5,
  vocab_size: 250112,
  d_ff: 1024,
  num_layers: 8,
  num_heads: 6,
  feed_forward_proj: 'gated-gelu',
  tie_word_embeddings: false,
  decoder_start_token_id: 0,
}
