// BLOOM: ALiBi instead of positions, a norm after the embeddings, and q, k and v of each head in one weight.

import { alibiSlopes } from '../../ops/attention/alibi.js'
import { decoderOnly, equalHeads } from '../family-shapes/decoder-only.js'
import { biased, byHeads, EPS, layerNormOf } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  vocab_size: 250880,
  hidden_size: 64,
  n_layer: 2,
  n_head: 8,
  layer_norm_epsilon: 1e-5,
  tie_word_embeddings: true,
}
export const ALIASES = { num_hidden_layers: 'n_layer', num_attention_heads: 'n_head', n_embed: 'hidden_size' }

/** Config keys for training and for fused kernels, and config keys without effect. */
const UNUSED = [
  'slow_but_exact',
  'attention_softmax_in_fp32',
  'bias_dropout_fusion',
  'masked_softmax_fusion',
  'offset_alibi',
  'seq_length',
  'skip_bias_add',
  'skip_bias_add_qkv',
]

/** @param {Config} c */
export function describe(c) {
  const d = c.size('hidden_size')
  const heads = equalHeads(d, c.size('n_head'))
  for (const key of UNUSED) c.get(key)
  c.only({ apply_residual_connection_post_layernorm: false, n_inner: undefined })
  const norm = layerNormOf(d, c.number('layer_norm_epsilon', EPS))
  return decoderOnly(c, {
    prefix: 'transformer.',
    d,
    heads,
    tokens: 'word_embeddings',
    embedding: { norm: norm('word_embeddings_layernorm') },
    layers: 'n_layer',
    at: 'h.N.',
    stack: { alibi: alibiSlopes(heads.numHeads) },
    attention: at => {
      const [q, k, v] = byHeads(`${at}self_attention.query_key_value`, heads.numHeads, heads.headDim, d, true)
      return { q, k, v, o: biased(`${at}self_attention.dense`, d, d) }
    },
    mlp: ['mlp.dense_h_to_4h', 'mlp.dense_4h_to_h'],
    inner: 4 * d,
    linear: biased,
    activation: 'gelu_tanh',
    norm,
    norms: ['input_layernorm', undefined, 'post_attention_layernorm'],
    last: 'ln_f',
    head: 'lm_head',
    tied: c.flag('tie_word_embeddings'),
  })
}
