// SmolLM 3: Llama without positions in every fourth layer.

import { describe as say } from '../../base/errors.js'
import { llamaLike } from '../family-shapes/llama-like.js'
import { layersOf } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 128256,
  hidden_size: 2048,
  intermediate_size: 11008,
  num_hidden_layers: 36,
  num_attention_heads: 16,
  num_key_value_heads: 4,
  hidden_act: 'silu',
  max_position_embeddings: 32768,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  attention_bias: false,
  mlp_bias: false,
  no_rope_layer_interval: 4,
}

/** @param {Config} c */
export function describe(c) {
  const layers = layersOf(c, 'num_hidden_layers')
  const interval = c.size('no_rope_layer_interval')
  const flags = c.get('no_rope_layers') // 1 if the layer has rotary positions
  c.get('max_window_layers') // marked as read: it matters only with a sliding window, which is refused
  if (
    flags !== undefined &&
    !(Array.isArray(flags) && flags.length >= layers && flags.every(one => one === 0 || one === 1))
  )
    throw new RangeError(`config.json: no_rope_layers: expected 0 or 1 for each of ${layers} layers, got ${say(flags)}`)
  return llamaLike(c, {
    mlpBias: c.flag('mlp_bias'),
    full: { theta: 2e6 },
    turns: i => (flags ? flags[i] === 1 : (i + 1) % interval > 0),
  })
}
