// GPT-BigCode (SantaCoder, StarCoder): GPT-2 with weights as (out, in), whose heads may share one key head.

import { decoderOnly } from '../family-shapes/decoder-only.js'
import { ACTIVATIONS, biased, byHeads, EPS, headDimOf, layerNormOf, slices } from '../family-shapes/parts.js'
import { DEFAULTS as GPT2 } from './gpt2.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = { ...GPT2, activation_function: 'gelu_pytorch_tanh', multi_query: true }
export { ALIASES } from './gpt2.js'

/** Config keys for faster kernels and for servers, without effect on the results. */
const UNUSED = [
  'inference_runner',
  'max_batch_size',
  'max_sequence_length',
  'pad_key_length',
  'pre_allocate_kv_cache',
  'validate_runner_input',
]

/** @param {Config} c */
export function describe(c) {
  const d = c.size('n_embd')
  const H = c.size('n_head')
  const D = headDimOf(d, H)
  const isShared = c.flag('multi_query')
  for (const key of [...UNUSED, 'attention_softmax_in_fp32', 'scale_attention_softmax_in_fp32']) c.get(key)
  c.only({ scale_attn_weights: true, add_cross_attention: false })
  return decoderOnly(c, {
    prefix: 'transformer.',
    d,
    heads: { numHeads: H, numKvHeads: isShared ? 1 : H, headDim: D },
    tokens: 'wte',
    embedding: { positions: { name: 'wpe', rows: c.size('n_positions'), columns: d } },
    layers: 'n_layer',
    at: 'h.N.',
    linear: biased,
    mlp: ['mlp.c_fc', 'mlp.c_proj'],
    inner: c.size('n_inner', 4 * d),
    attention: at => {
      const name = `${at}attn.c_attn`
      const [q, k, v] = isShared ? slices(name, [d, D, D], d, true) : byHeads(name, H, D, d, true)
      return { q, k, v, o: biased(`${at}attn.c_proj`, d, d) }
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
