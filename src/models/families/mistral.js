// Mistral: Llama with a sliding window in all layers.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export const describe = c => llamaLike(c, { kvHeads: 8, window: 'all' })
