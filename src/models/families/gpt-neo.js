// GPT-Neo: GPT-2 with weights as (out, in), unscaled scores, and a window in its local layers.

import { describe as say } from '../../base/errors.js'
import { decoderOnly, equalHeads } from '../family-shapes/decoder-only.js'
import { ACTIVATIONS, biased, EPS, layerNormOf, layersOf } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 50257,
  max_position_embeddings: 2048,
  hidden_size: 2048,
  num_layers: 24,
  num_heads: 16,
  window_size: 256,
  activation_function: 'gelu_new',
  layer_norm_epsilon: 1e-5,
  tie_word_embeddings: true,
}
export const ALIASES = { num_attention_heads: 'num_heads', num_hidden_layers: 'num_layers' }

/** @param {Config} c */
export function describe(c) {
  const d = c.size('hidden_size')
  const heads = equalHeads(d, c.size('num_heads'))
  const kinds = kindsOf(c, layersOf(c, 'num_layers'))
  const window = c.size('window_size')
  return decoderOnly(c, {
    prefix: 'transformer.',
    d,
    heads,
    tokens: 'wte',
    embedding: { positions: { name: 'wpe', rows: c.size('max_position_embeddings'), columns: d } },
    layers: 'num_layers',
    at: 'h.N.',
    stack: { heads: { ...heads, scale: 1, softcap: 0 } },
    linear: biased,
    mlp: ['mlp.c_fc', 'mlp.c_proj'],
    inner: c.size('intermediate_size', 4 * d),
    attention: (at, i) => {
      const [q, k, v] = ['q', 'k', 'v'].map(name => ({ name: `${at}attn.attention.${name}_proj`, out: d, in: d }))
      const o = biased(`${at}attn.attention.out_proj`, d, d)
      return { q, k, v, o, window: kinds[i] === 'local' ? window : undefined }
    },
    activation: c.choice('activation_function', ACTIVATIONS),
    norm: layerNormOf(d, c.number('layer_norm_epsilon', EPS)),
    norms: ['ln_1', undefined, 'ln_2'],
    last: 'ln_f',
    head: 'lm_head',
    tied: c.flag('tie_word_embeddings'),
    ignored: ['^h\\.\\d+\\.attn\\.attention\\.(bias|masked_bias)$'],
  })
}

/**
 * Returns the kind of each layer, 'global' or 'local'. attention_types contains pairs: a list of kinds, and how often it is repeated.
 * @param {Config} c
 * @param {number} layers
 * @returns {string[]}
 */
function kindsOf(c, layers) {
  const types = c.get('attention_types') ?? [[['global', 'local'], 12]]
  c.get('attention_layers') // marks the key as read; its value repeats attention_types, one kind per layer
  const isList = (/** @type {unknown} */ entry) =>
    Array.isArray(entry) && Array.isArray(entry[0]) && Number.isInteger(entry[1]) && entry[1] <= 1024
  const kinds =
    Array.isArray(types) && types.every(isList) ? types.flatMap(([list, n]) => Array(n).fill(list).flat()) : []
  if (kinds.length !== layers || kinds.some(kind => kind !== 'global' && kind !== 'local'))
    throw new RangeError(
      `config.json: attention_types: expected lists of "global" and "local" for ${layers} layers, got ${say(types)}`,
    )
  return kinds
}
