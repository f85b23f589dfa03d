// Gemma 2: norms before and after each part, caps of scores and logits, a sliding window in even layers.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export const describe = c => llamaLike(c, { headDim: 256, gemma: true, caps: [50, 30], window: 'even' })
