// Falcon: parallel attention and MLP, with key heads shared by all heads or by groups.

import { decoderOnly } from '../family-shapes/decoder-only.js'
import { ACTIVATIONS, byHeads, EPS, headDimOf, layerNormOf, slices, times } from '../family-shapes/parts.js'
import { ropeFrequencies } from '../family-shapes/rope-scaling.js'

/** @import { Config } from '../config/config.js' */
/** @import { LinearSpec } from '../family-shapes/parts.js' */

export const DEFAULTS = {
  vocab_size: 65024,
  hidden_size: 4544,
  num_hidden_layers: 32,
  num_attention_heads: 71,
  layer_norm_epsilon: 1e-5,
  alibi: false,
  new_decoder_architecture: false,
  multi_query: true,
  parallel_attn: true,
  bias: false,
  max_position_embeddings: 2048,
  activation: 'gelu',
  tie_word_embeddings: true,
}
export const ALIASES = { n_embed: 'hidden_size' }

/** @param {Config} c */
export function describe(c) {
  const d = c.size('hidden_size')
  const H = c.size('num_attention_heads')
  const D = headDimOf(d, H)
  // ALiBi is refused, because transformers rounds its distances to bfloat16.
  c.only({ alibi: false, apply_residual_connection_post_layernorm: false, rotary: true })
  const isNewer = c.flag('new_decoder_architecture')
  const isShared = c.flag('multi_query')
  const numKvHeads = isNewer ? c.size('num_kv_heads', H) : isShared ? 1 : H
  if (!isNewer) {
    if (isShared) c.get('num_kv_heads')
    else c.only({ num_kv_heads: H })
  }
  if (H % numKvHeads) throw new RangeError(`config.json: ${numKvHeads} key heads do not divide ${H} heads`)
  const parallel = c.flag('parallel_attn')
  if (isNewer) c.only({ parallel_attn: true })
  const count = c.number('num_ln_in_parallel_attn', { least: 1, most: 2, whole: true }, isNewer ? 2 : 1)
  if (!isNewer) c.only({ num_ln_in_parallel_attn: undefined })
  const two = parallel ? 'input_layernorm' : 'post_attention_layernorm'
  const bias = c.flag('bias')
  const inner = c.size('ffn_hidden_size', 4 * d)
  c.only({ ff_factor: inner / d }) // redundant key of published configs; the class reads ffn_hidden_size
  return decoderOnly(c, {
    prefix: 'transformer.',
    d,
    heads: { numHeads: H, numKvHeads, headDim: D },
    tokens: 'word_embeddings',
    layers: 'num_hidden_layers',
    at: 'h.N.',
    stack: { parallel, rope: ropeFrequencies(c, D) },
    attention: at => {
      const name = `${at}self_attention.query_key_value`
      const [q, k, v] = isNewer
        ? inGroups(name, H, numKvHeads, D, d, bias)
        : isShared
          ? slices(name, [d, D, D], d, bias)
          : byHeads(name, H, D, d, bias)
      return { q, k, v, o: { name: `${at}self_attention.dense`, out: d, in: d, bias } }
    },
    mlp: ['mlp.dense_h_to_4h', 'mlp.dense_4h_to_h'],
    inner,
    linear: (name, out, size) => ({ name, out, in: size, bias }),
    activation: c.choice('activation', ACTIVATIONS),
    norm: layerNormOf(d, c.number('layer_norm_epsilon', EPS)),
    norms: isNewer && count === 2 ? ['ln_attn', undefined, 'ln_mlp'] : ['input_layernorm', undefined, two],
    last: 'ln_f',
    head: 'lm_head',
    tied: c.flag('tie_word_embeddings'),
  })
}

/**
 * Describes q, k and v in one weight, for H query heads and G key heads of size D. The weight's rows are grouped: the query heads that
 * share a key head, then that key head, then its value head.
 * @param {string} name
 * @param {number} H
 * @param {number} G
 * @param {number} D
 * @param {number} width
 * @param {boolean} bias
 * @returns {LinearSpec[]}
 */
function inGroups(name, H, G, D, width, bias) {
  const each = H / G
  return times(3, part => {
    const own = part ? 1 : each // heads per group
    const first = part ? each + part - 1 : 0
    return {
      name,
      out: (part ? G : H) * D,
      in: width,
      bias,
      of: (H + 2 * G) * D,
      part,
      row: n => (Math.floor(n / (own * D)) * (each + 2) + first) * D + (n % (own * D)),
    }
  })
}
