// OLMo 2: Llama with norms after attention and MLP, and of q and k before they are split into heads.

import { llamaLike } from '../family-shapes/llama-like.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export const describe = c => llamaLike(c, { eps: 1e-5, qkNorm: 'all', isAfter: true })
