// Phi: parallel attention and MLP after one LayerNorm, rotary positions for a part of each head.

import { decoderOnly, equalHeads } from '../family-shapes/decoder-only.js'
import { ACTIVATIONS, ALL, attentionOf, biased, EPS, layerNormOf } from '../family-shapes/parts.js'
import { ropeFrequencies } from '../family-shapes/rope-scaling.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 51200,
  hidden_size: 2048,
  intermediate_size: 8192,
  num_hidden_layers: 24,
  num_attention_heads: 32,
  hidden_act: 'gelu_new',
  max_position_embeddings: 2048,
  layer_norm_eps: 1e-5,
}

/** @param {Config} c */
export function describe(c) {
  const d = c.size('hidden_size')
  const H = c.size('num_attention_heads')
  const heads = equalHeads(d, H, c.size('num_key_value_heads', H))
  c.only({ qk_layernorm: false, tie_word_embeddings: false })
  return decoderOnly(c, {
    prefix: 'model.',
    d,
    heads,
    tokens: 'embed_tokens',
    layers: 'num_hidden_layers',
    at: 'layers.N.',
    stack: { parallel: true, rope: ropeFrequencies(c, heads.headDim, 0.5) },
    attention: at => attentionOf(`${at}self_attn.`, ['q_proj', 'k_proj', 'v_proj', 'dense'], d, heads, ALL),
    mlp: ['mlp.fc1', 'mlp.fc2'],
    inner: c.size('intermediate_size'),
    linear: biased,
    activation: c.choice('hidden_act', ACTIVATIONS),
    norm: layerNormOf(d, c.number('layer_norm_eps', EPS)),
    norms: ['input_layernorm', undefined, 'input_layernorm'], // attention and MLP share a norm
    last: 'final_layernorm',
    head: 'lm_head',
    tied: false,
    headBias: true,
  })
}
