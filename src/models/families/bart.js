// BART: Marian with learned positions in each stack and a norm after the embeddings.

import { marianLike } from '../family-shapes/marian-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export function describe(c) {
  c.only({ normalize_embedding: true })
  return marianLike(c, { ids: { pad: 1, start: 2 }, learned: true })
}
