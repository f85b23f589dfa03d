// GPT-J: parallel attention and MLP after one LayerNorm; the first values of each head are rotated in interleaved pairs.

import { decoderOnly, equalHeads } from '../family-shapes/decoder-only.js'
import { ACTIVATIONS, attentionOf, biased, EPS, layerNormOf, NONE } from '../family-shapes/parts.js'
import { powers } from '../family-shapes/rope-scaling.js'

/** @import { Config } from '../config/config.js' */
/** @import { AttentionSpec } from '../family-shapes/parts.js' */

export const DEFAULTS = {
  vocab_size: 50400,
  n_positions: 2048,
  n_embd: 4096,
  n_layer: 28,
  n_head: 16,
  rotary_dim: 64,
  activation_function: 'gelu_new',
  layer_norm_epsilon: 1e-5,
  tie_word_embeddings: false,
}
export { ALIASES } from './gpt2.js'

const NAMES = ['q_proj', 'k_proj', 'v_proj', 'out_proj']

/**
 * @param {Config} c
 * @param {(at: string, d: number, heads: { numHeads: number, numKvHeads: number, headDim: number }) => AttentionSpec} [attention]
 */
export function describe(c, attention = (at, d, heads) => attentionOf(at, NAMES, d, heads, NONE)) {
  const d = c.size('n_embd')
  const heads = equalHeads(d, c.size('n_head'))
  c.only({ rotary: true, scale_attn_weights: true, scale_attn: undefined })
  const dim = c.number('rotary_dim', { least: 2, most: heads.headDim, whole: true })
  if (dim % 2) throw new RangeError(`config.json: rotary_dim: expected an even number, got ${dim}`)
  const tied = c.flag('tie_word_embeddings')
  return decoderOnly(c, {
    prefix: 'transformer.',
    d,
    heads,
    tokens: 'wte',
    layers: 'n_layer',
    at: 'h.N.',
    stack: {
      parallel: true,
      rope: { dim, frequencies: powers(10000, dim), most: c.size('n_positions'), interleaved: true },
    },
    attention: at => attention(`${at}attn.`, d, heads),
    mlp: ['mlp.fc_in', 'mlp.fc_out'],
    inner: c.size('n_inner', 4 * d),
    linear: biased,
    activation: c.choice('activation_function', ACTIVATIONS),
    norm: layerNormOf(d, c.number('layer_norm_epsilon', EPS)),
    norms: ['ln_1', undefined, 'ln_1'], // attention and MLP share a norm
    last: 'ln_f',
    head: 'lm_head',
    tied,
    headBias: true,
    logits: tied ? { bias: 'lm_head.bias' } : {},
    ignored: ['^h\\.\\d+\\.attn\\.(bias|masked_bias|causal_mask|embed_positions)$'],
  })
}
