// StableLM: Llama with LayerNorms in place of RMSNorms, and rotary positions for a quarter of each head.

import { decoderOnly, equalHeads } from '../family-shapes/decoder-only.js'
import { ACTIVATIONS, attentionOf, EPS, layerNormOf } from '../family-shapes/parts.js'
import { ropeFrequencies } from '../rope-scaling.js'

/** @typedef {import('../config.js').Config} Config */

/** @param {Config} c */
export function describe(c) {
  const d = c.size('hidden_size')
  const H = c.size('num_attention_heads')
  const heads = equalHeads(d, H, c.size('num_key_value_heads', H))
  const bias = c.flag('use_qkv_bias', false)
  c.only({ qk_layernorm: false, use_parallel_residual: false })
  return decoderOnly(c, {
    prefix: 'model.',
    d,
    heads,
    tokens: 'embed_tokens',
    layers: 'num_hidden_layers',
    at: 'layers.N.',
    stack: { rope: ropeFrequencies(c, heads.headDim, 0.25) },
    attention: at =>
      attentionOf(`${at}self_attn.`, ['q_proj', 'k_proj', 'v_proj', 'o_proj'], d, heads, [bias, bias, bias, false]),
    mlp: ['mlp.up_proj', 'mlp.down_proj', 'mlp.gate_proj'],
    inner: c.size('intermediate_size'),
    linear: (name, out, size) => ({ name, out, in: size }),
    activation: c.choice('hidden_act', ACTIVATIONS, 'silu'),
    norm: layerNormOf(d, c.number('layer_norm_eps', 1e-5, EPS)),
    norms: ['input_layernorm', undefined, 'post_attention_layernorm'],
    last: 'norm',
    head: 'lm_head',
    tied: c.flag('tie_word_embeddings', false),
  })
}
