// Phi 3 and 4: Llama with q, k and v in one weight, gate and up in another.

import { describe as say } from '../../base/errors.js'
import { llamaLike } from '../family-shapes/llama-like.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 32064,
  hidden_size: 3072,
  intermediate_size: 8192,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  hidden_act: 'silu',
  max_position_embeddings: 4096,
  original_max_position_embeddings: 4096,
  rms_norm_eps: 1e-5,
  tie_word_embeddings: false,
}

/** @param {Config} c */
export function describe(c) {
  c.get('original_max_position_embeddings') // marked as read: only longrope scaling uses it
  c.only({ attention_bias: false, mlp_bias: false, lm_head_bias: false, full_attn_mod: 1, interpolate_factor: 1 })
  for (const key of ['rope_scaling', 'rope_parameters']) {
    const { rope_type, type = rope_type } = Object(c.get(key))
    if (![undefined, 'default', 'longrope'].includes(type))
      throw new RangeError(`config.json: ${key}: type ${say(type)} is not covered; covered: longrope, default`)
  }
  return llamaLike(c, { bias: 'none', fused: 'all', window: 'all', share: 1 })
}
