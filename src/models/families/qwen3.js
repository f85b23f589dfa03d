// Qwen 3: Llama with norms of q and k per head; upper layers may have a sliding window.

import { llamaLike } from '../family-shapes/llama-like.js'
import { DEFAULTS as QWEN2 } from './qwen2.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = { ...QWEN2, head_dim: 128, attention_bias: false }

/** @param {Config} c */
export const describe = c => llamaLike(c, { qkNorm: 'heads', window: 'upper' })
