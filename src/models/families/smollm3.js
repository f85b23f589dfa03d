// SmolLM 3: Llama without positions in each fourth layer.

import { describe as say } from '../../base/errors.js'
import { llamaLike } from '../family-shapes/llama-like.js'
import { layersOf } from '../family-shapes/parts.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export function describe(c) {
  const layers = layersOf(c, 'num_hidden_layers')
  const interval = c.size('no_rope_layer_interval', 4)
  const flags = c.get('no_rope_layers') // 1: the layer has rotary positions
  c.get('max_window_layers') // of a window that is refused
  if (
    flags !== undefined &&
    !(Array.isArray(flags) && flags.length >= layers && flags.every(one => one === 0 || one === 1))
  )
    throw new RangeError(
      `config.json: no_rope_layers: ${say(flags)} given, 0 or 1 for each of ${layers} layers expected`,
    )
  return llamaLike(c, {
    kvHeads: 4,
    mlpBias: c.flag('mlp_bias', false),
    tied: true,
    full: { theta: 2e6 },
    turns: i => (flags ? flags[i] === 1 : (i + 1) % interval > 0),
  })
}
