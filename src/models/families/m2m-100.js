// M2M-100 and NLLB: Pegasus with other sinusoids, positions that start after the padding id, and logits without a bias.

import { DEFAULTS as MARIAN, marianLike } from '../family-shapes/marian-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  ...MARIAN,
  vocab_size: 128112,
  activation_function: 'relu',
  scale_embedding: true,
  decoder_start_token_id: 2,
  pad_token_id: 1,
}
export { ALIASES } from './bart.js'

/** @param {Config} c */
export function describe(c) {
  c.only({ normalize_embedding: false, static_position_embeddings: true })
  const padding = c.number('pad_token_id', { least: 0, whole: true })
  return marianLike(c, { isBefore: true, hasBias: false, padding, steps: c.size('d_model') / 2 - 1 })
}
