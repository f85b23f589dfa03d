// Granite: Llama with factors for the embeddings, the scores, the outputs of attention and MLP, and the logits.

import { llamaLike } from '../family-shapes/llama-like.js'
import { DEFAULTS as LLAMA } from './llama.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  ...LLAMA,
  embedding_multiplier: 1,
  logits_scaling: 1,
  residual_multiplier: 1,
  attention_multiplier: 1,
}

/** @param {Config} c */
export const describe = c =>
  llamaLike(c, {
    mlpBias: c.flag('mlp_bias'),
    embeddingScale: c.number('embedding_multiplier'),
    scale: c.number('attention_multiplier'),
    residualScale: c.number('residual_multiplier'),
    logits: { scale: 1 / c.number('logits_scaling', { least: 1e-30 }) },
  })
