// GPT-2: learned positions, LayerNorm before attention and MLP, weights as (in, out).

import { decoderOnly, equalHeads } from '../family-shapes/decoder-only.js'
import { ACTIVATIONS, EPS, layerNormOf, times } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */
/** @import { LinearSpec } from '../family-shapes/parts.js' */

export const DEFAULTS = {
  vocab_size: 50257,
  n_positions: 1024,
  n_embd: 768,
  n_layer: 12,
  n_head: 12,
  activation_function: 'gelu_new',
  layer_norm_epsilon: 1e-5,
  tie_word_embeddings: true,
}
export const ALIASES = {
  hidden_size: 'n_embd',
  max_position_embeddings: 'n_positions',
  num_attention_heads: 'n_head',
  num_hidden_layers: 'n_layer',
}

/** @param {Config} c */
export function describe(c) {
  const d = c.size('n_embd')
  c.only({ scale_attn_by_inverse_layer_idx: false, scale_attn_weights: true, add_cross_attention: false })
  /** @type {(name: string, out: number, size: number) => LinearSpec} */
  const linear = (name, out, size) => ({ name, out, in: size, bias: true, layout: 'in,out' })
  return decoderOnly(c, {
    prefix: 'transformer.',
    d,
    heads: equalHeads(d, c.size('n_head')),
    tokens: 'wte',
    embedding: { positions: { name: 'wpe', rows: c.size('n_positions'), columns: d } },
    layers: 'n_layer',
    at: 'h.N.',
    linear,
    mlp: ['mlp.c_fc', 'mlp.c_proj'],
    inner: c.size('n_inner', 4 * d),
    attention: at => {
      // q, k and v side by side.
      const [q, k, v] = times(3, part => ({
        ...linear(`${at}attn.c_attn`, d, d),
        of: 3 * d,
        part,
        row: (/** @type {number} */ n) => part * d + n,
      }))
      return { q, k, v, o: linear(`${at}attn.c_proj`, d, d) }
    },
    activation: c.choice('activation_function', ACTIVATIONS),
    norm: layerNormOf(d, c.number('layer_norm_epsilon', EPS)),
    norms: ['ln_1', undefined, 'ln_2'],
    last: 'ln_f',
    head: 'lm_head',
    tied: c.flag('tie_word_embeddings'),
    ignored: ['^h\\.\\d+\\.attn\\.(bias|masked_bias)$'],
  })
}
