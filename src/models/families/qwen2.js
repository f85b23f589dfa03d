// Qwen 2: Llama with biases of q, k and v; upper layers may have a sliding window.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export const describe = c => llamaLike(c, { bias: 'qkv', window: 'upper' })
