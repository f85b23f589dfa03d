// Qwen 3: Llama with a norm of q and k in each head; upper layers may have a sliding window.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export const describe = c => llamaLike(c, { headDim: 128, qkNorm: 'heads', window: 'upper' })
