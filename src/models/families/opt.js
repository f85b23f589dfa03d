// OPT: GPT-2 with weights as (out, in), relu, and a position table whose first two rows are unused.

import { decoderOnly, equalHeads } from '../family-shapes/decoder-only.js'
import { ACTIVATIONS, ALL, attentionOf, biased, layerNormOf } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 50272,
  hidden_size: 768,
  num_hidden_layers: 12,
  ffn_dim: 3072,
  max_position_embeddings: 2048,
  num_attention_heads: 12,
  activation_function: 'relu',
  tie_word_embeddings: true,
}

/** Number of unused rows at the start of the position table. */
const SKIP = 2

/** @param {Config} c */
export function describe(c) {
  const d = c.size('hidden_size')
  const heads = equalHeads(d, c.size('num_attention_heads'))
  c.only({
    do_layer_norm_before: true,
    word_embed_proj_dim: d,
    enable_bias: true,
    layer_norm_elementwise_affine: true,
    _remove_final_layer_norm: false,
  })
  const rows = c.size('max_position_embeddings') + SKIP
  return decoderOnly(c, {
    prefix: 'model.',
    d,
    heads,
    tokens: 'decoder.embed_tokens',
    embedding: { positions: { name: 'decoder.embed_positions', rows, columns: d, skip: SKIP } },
    layers: 'num_hidden_layers',
    at: 'decoder.layers.N.',
    attention: at => attentionOf(`${at}self_attn.`, ['q_proj', 'k_proj', 'v_proj', 'out_proj'], d, heads, ALL),
    mlp: ['fc1', 'fc2'],
    inner: c.size('ffn_dim'),
    linear: biased,
    activation: c.choice('activation_function', ACTIVATIONS),
    norm: layerNormOf(d, 1e-5),
    norms: ['self_attn_layer_norm', undefined, 'final_layer_norm'],
    last: 'decoder.final_layer_norm',
    head: 'lm_head',
    tied: c.flag('tie_word_embeddings'),
  })
}
