// GPT-NeoX and Pythia: parallel attention and MLP, with q, k and v of each head in one weight.

import { decoderOnly, equalHeads } from '../family-shapes/decoder-only.js'
import { ACTIVATIONS, biased, byHeads, EPS, layerNormOf } from '../family-shapes/parts.js'
import { ropeFrequencies } from '../family-shapes/rope-scaling.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 50432,
  hidden_size: 6144,
  num_hidden_layers: 44,
  num_attention_heads: 64,
  intermediate_size: 24576,
  hidden_act: 'gelu',
  max_position_embeddings: 2048,
  layer_norm_eps: 1e-5,
  tie_word_embeddings: false,
  use_parallel_residual: true,
  attention_bias: true,
}

/** @param {Config} c */
export function describe(c) {
  const d = c.size('hidden_size')
  const heads = equalHeads(d, c.size('num_attention_heads'))
  const D = heads.headDim
  const bias = c.flag('attention_bias')
  const rope = ropeFrequencies(c, D, 0.25, { isOlder: true })
  // Outside of rope_parameters, transformers ignores these two keys, so they must agree with rotary_emb_base and rotary_pct.
  c.only({
    rope_theta: c.number('rotary_emb_base', { least: 1e-30 }, 10000),
    partial_rotary_factor: c.number('rotary_pct', EPS, 0.25),
  })
  return decoderOnly(c, {
    prefix: 'gpt_neox.',
    d,
    heads,
    tokens: 'embed_in',
    layers: 'num_hidden_layers',
    at: 'layers.N.',
    stack: { parallel: c.flag('use_parallel_residual'), rope },
    attention: at => {
      const [q, k, v] = byHeads(`${at}attention.query_key_value`, heads.numHeads, D, d, bias)
      return { q, k, v, o: { name: `${at}attention.dense`, out: d, in: d, bias } }
    },
    mlp: ['mlp.dense_h_to_4h', 'mlp.dense_4h_to_h'],
    inner: c.size('intermediate_size'),
    linear: biased,
    activation: c.choice('hidden_act', ACTIVATIONS),
    norm: layerNormOf(d, c.number('layer_norm_eps', EPS)),
    norms: ['input_layernorm', undefined, 'post_attention_layernorm'],
    last: 'final_layer_norm',
    head: 'embed_out',
    tied: c.flag('tie_word_embeddings'),
    ignored: ['attention\\.(bias|masked_bias)$'],
  })
}
