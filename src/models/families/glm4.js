// GLM 4 0414: GLM with additional norms after attention and after the MLP.

import { describe as glm } from './glm.js'

/** @import { Config } from '../config/config.js' */

export { DEFAULTS } from './glm.js'

const NORMS = ['input_layernorm', 'post_self_attn_layernorm', 'post_attention_layernorm', 'post_mlp_layernorm']

/** @param {Config} c */
export const describe = c => glm(c, { norms: NORMS })
