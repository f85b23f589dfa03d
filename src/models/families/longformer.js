// Longformer: RoBERTa with a window on both sides of the query, and additional projections for tokens with global attention.

import { describe as say } from '../../base/errors.js'
import { DEFAULTS as BERT, BERT_LAYER, bertLike, inEncoder, ROBERTA_HEAD } from '../family-shapes/bert-like.js'
import { layersOf } from '../family-shapes/parts.js'
import * as global from '../run/global-attention.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = { ...BERT, pad_token_id: 1, attention_window: 512 }

/** @param {Config} c */
export function describe(c) {
  c.only({ attention_mode: 'longformer', ignore_attention_mask: false })
  const windows = windowsOf(c, layersOf(c, 'num_hidden_layers'))
  return bertLike(c, {
    ...BERT_LAYER,
    prefix: 'longformer.',
    at: inEncoder,
    counts: true,
    window: i => windows[i] + 1, // both sides and the query's own key
    global: ['query', 'key', 'value'].map(name => `attention.self.${name}_global`),
    stack: { global },
    ...ROBERTA_HEAD,
  })
}

/** Returns, for each layer, the number of visible keys besides the query's own. @param {Config} c @param {number} layers @returns {number[]} */
function windowsOf(c, layers) {
  const given = c.get('attention_window')
  const windows = Array.isArray(given) ? given : Array(layers).fill(given)
  if (windows.length !== layers || !windows.every(one => Number.isInteger(one) && one > 0 && one % 2 === 0))
    throw new RangeError(
      `config.json: attention_window: expected an even number or one for each of ${layers} layers, got ${say(given)}`,
    )
  return windows
}
