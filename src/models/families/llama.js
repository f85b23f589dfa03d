// Llama.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export const describe = c => llamaLike(c, { mlpBias: c.flag('mlp_bias', false) })
