// OLMo 3: OLMo 2 with a sliding window in three of four layers. The rotation of these layers is never scaled.

import { AFTER, llamaLike } from '../family-shapes/llama-like.js'
import { DEFAULTS as OLMO2 } from './olmo2.js'

/** @import { Config } from '../config/config.js' */

const THETA = 500000

export const DEFAULTS = { ...OLMO2, sliding_window: 4096 }

/** @param {Config} c */
export const describe = c =>
  llamaLike(c, {
    qkNorm: 'all',
    norms: AFTER,
    window: 4,
    full: { kind: 'full_attention', theta: THETA },
    // In older files, transformers applies rope_theta only to the layers without a window.
    sliding: { kind: 'sliding_attention', key: '', theta: THETA, isScaled: false },
  })
