// Cohere 2 (Command R7B, Command A): Cohere with a sliding window in three of four layers; the others have no positions.

import { headDimOf } from '../family-shapes/parts.js'
import { DEFAULTS as COHERE, cohere } from './cohere.js'

/** @import { Config } from '../config/config.js' */

const { use_qk_norm, ...SAME } = COHERE
export const DEFAULTS = { ...SAME, sliding_window: 4096, sliding_window_pattern: 4 }

/** @param {Config} c */
export function describe(c) {
  c.size('sliding_window') // throws for null: without a window, all layers would have rotary positions
  c.get('layer_switch') // marked as read: the older name of sliding_window_pattern
  c.only({
    head_dim: headDimOf(c.size('hidden_size'), c.size('num_attention_heads')),
    order_of_interleaved_layers: 'local_attn_first',
    position_embedding_type: 'rope_gptj',
    rotary_pct: 1,
    use_embedding_sharing: true,
    use_gated_activation: true,
    use_parallel_block: true,
    use_parallel_embedding: true,
  })
  return cohere(c, { window: 'pattern', turns: (_, window) => window !== undefined })
}
