// MPT: ALiBi instead of positions, no biases, q, k and v concatenated in one weight.

import { Tensor } from '../../base/tensor.js'
import { Config } from '../config/config.js'
import { decoderOnly, equalHeads } from '../family-shapes/decoder-only.js'
import { EPS, slices } from '../family-shapes/parts.js'

export const DEFAULTS = {
  vocab_size: 50368,
  d_model: 2048,
  n_heads: 16,
  n_layers: 24,
  expansion_ratio: 4,
  max_seq_len: 2048,
  layer_norm_epsilon: 1e-5,
  no_bias: true,
  tie_word_embeddings: true,
}
export const ALIASES = { hidden_size: 'd_model', num_attention_heads: 'n_heads', num_hidden_layers: 'n_layers' }

/** Config keys that transformers' model does not read. Some belong to the code shipped with the first checkpoints. */
const UNUSED = [
  'learned_pos_emb',
  'embedding_fraction',
  'init_device',
  'init_config',
  'verbose',
  'logit_scale',
  'ffn_config',
]
const ATTENTION = { alibi: true, clip_qkv: undefined, qk_ln: false, prefix_lm: false, attn_type: 'multihead_attention' }

/** @param {Config} c */
export function describe(c) {
  const d = c.size('d_model')
  const heads = equalHeads(d, c.size('n_heads'))
  for (const key of UNUSED) c.get(key)
  // The MLP of transformers has 4 times the width, whatever expansion_ratio is; therefore other values are refused.
  c.only({ no_bias: true, norm_type: 'low_precision_layernorm', expansion_ratio: 4 })
  const attention = new Config(c.get('attn_config') ?? {}, 'config.json: attn_config')
  attention.only(ATTENTION)
  for (const key of ['attn_impl', 'attn_pdrop', 'attn_uses_sequence_id', 'model_type']) attention.get(key)
  const scale = attention.number('softmax_scale', { least: 1e-30 }, heads.headDim ** -0.5)
  const alibi = slopes(heads.numHeads, attention.number('alibi_bias_max', { least: 1e-30 }, 8))
  attention.end()
  const linear = (/** @type {string} */ name, /** @type {number} */ out, /** @type {number} */ size) => ({
    name,
    out,
    in: size,
  })
  const eps = c.number('layer_norm_epsilon', EPS)
  return decoderOnly(c, {
    prefix: 'transformer.',
    d,
    heads,
    tokens: 'wte',
    layers: 'n_layers',
    at: 'blocks.N.',
    stack: { heads: { ...heads, scale, softcap: 0 }, alibi, most: c.size('max_seq_len') },
    attention: at => {
      const [q, k, v] = slices(`${at}attn.Wqkv`, [d, d, d], d)
      return { q, k, v, o: linear(`${at}attn.out_proj`, d, d) }
    },
    mlp: ['ffn.up_proj', 'ffn.down_proj'],
    inner: 4 * d,
    linear,
    activation: 'gelu',
    norm: name => ({ name, size: d, kind: 'layer', eps, bias: false }),
    norms: ['norm_1', undefined, 'norm_2'],
    last: 'norm_f',
    head: 'lm_head',
    tied: c.flag('tie_word_embeddings'),
  })
}

/**
 * Returns the ALiBi slopes of H heads. If H is not a power of two, they are chosen from the slopes for the next power of two: first every
 * second slope from the second on, then every second one from the first on.
 * @param {number} H
 * @param {number} most alibi_bias_max; the smallest slope is 2^-most
 */
function slopes(H, most) {
  const n = 2 ** Math.ceil(Math.log2(H))
  const all = Array.from({ length: n }, (_, h) => 2 ** ((-most * (h + 1)) / n))
  const every = (/** @type {number} */ first) => all.filter((_, h) => h % 2 === first)
  return new Tensor(Float32Array.from(n === H ? all : [...every(1), ...every(0)].slice(0, H)), [H])
}
