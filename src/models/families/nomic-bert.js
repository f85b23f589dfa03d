// Nomic's BERT: rotary positions, q, k and v in one weight, gated MLPs. The code shipped with the models uses GPT-2's keys, the class of
// transformers uses BERT's; published configs contain both. https://huggingface.co/nomic-ai/nomic-bert-2048

import { Config } from '../config/config.js'
import { bertLike } from '../family-shapes/bert-like.js'
import { ACTIVATIONS } from '../family-shapes/parts.js'
import { powers, ropeFrequencies } from '../family-shapes/rope-scaling.js'

export const ALIASES = {
  hidden_size: 'n_embd',
  num_hidden_layers: 'n_layer',
  num_attention_heads: 'n_head',
  intermediate_size: 'n_inner',
  layer_norm_eps: 'layer_norm_epsilon',
}

export const DEFAULTS = {
  vocab_size: 50257,
  n_positions: 1024,
  n_embd: 768,
  n_layer: 12,
  n_head: 12,
  activation_function: 'gelu_new',
  layer_norm_epsilon: 1e-5,
  type_vocab_size: 2,
  qkv_proj_bias: true,
  mlp_fc1_bias: true,
  mlp_fc2_bias: true,
  rotary_emb_fraction: 0,
  rotary_scaling_factor: 1,
  max_trained_positions: 2048,
}

/** Defaults of transformers' class, under GPT-2's keys, for a config without any key of OLDER. */
const OWN = {
  vocab_size: 30528,
  n_embd: 768,
  n_layer: 12,
  n_head: 12,
  n_inner: 3072,
  hidden_act: 'silu',
  max_position_embeddings: 2048,
  layer_norm_epsilon: 1e-12,
  type_vocab_size: 2,
  rotary_emb_fraction: 1,
}
const OLDER = ['activation_function', 'n_positions', 'rotary_emb_fraction', 'qkv_proj_bias']

/** Config keys for faster kernels and for heads that a checkpoint may lack. */
const UNUSED = [
  'dense_seq_output',
  'fused_bias_fc',
  'fused_dropout_add_ln',
  'use_flash_attn',
  'use_xentropy',
  'pad_vocab_size_multiple',
]

/** @param {Config} c */
export function describe(c) {
  for (const key of UNUSED) c.get(key)
  const isOlder = OLDER.some(key => c.has(key))
  if (!isOlder) c.assume(OWN)
  const act = isOlder
    ? c.choice('activation_function', { swiglu: 'silu', geglu: 'gelu' })
    : c.choice('hidden_act', ACTIVATIONS)
  const headDim = c.size('n_embd') / c.size('n_head')
  c.only({
    hidden_act: isOlder ? act : c.get('hidden_act'),
    head_dim: headDim,
    causal: false,
    prenorm: false,
    parallel_block: false,
    parallel_block_tied_norm: false,
    rotary_emb_fraction: 1,
    rotary_emb_interleaved: false,
    rotary_emb_scale_base: undefined,
    use_rms_norm: false,
    num_experts: 0,
    moe_every_n_layers: 0,
    scale_attn_by_inverse_layer_idx: false,
    scale_attn_weights: true,
    add_cross_attention: false,
  })
  return bertLike(c, {
    prefix: 'bert.',
    eps: 'layer_norm_epsilon',
    act,
    keys: { width: 'n_embd', layers: 'n_layer', heads: 'n_head', inner: 'n_inner', activation: 'activation_function' },
    at: i => `encoder.layers.${i}.`,
    types: true,
    learned: false,
    embeddingNorm: 'emb_ln',
    attention: ['attn.Wqkv', 'attn.out_proj'],
    attentionBias: c.flag('qkv_proj_bias'),
    mlp: ['mlp.fc11', 'mlp.fc2', 'mlp.fc12'],
    mlpBias: [c.flag('mlp_fc1_bias'), c.flag('mlp_fc2_bias')],
    norms: ['norm1', 'norm2'],
    stack: { rope: isOlder ? olderRope(c, headDim) : ropeFrequencies(c, headDim, undefined, { theta: 1000 }) },
    head: {
      dense: 'cls.predictions.transform.dense',
      norm: 'cls.predictions.transform.layer_norm',
      bias: 'cls.predictions.decoder.bias',
      own: 'cls.predictions.decoder',
      optional: /^cls\.predictions\./,
    },
    pooler: 'pooler.dense',
    ignored: ['^cls\\.predictions\\.decoder\\.weight$'],
  })
}

/**
 * Returns the rotation that the code shipped with the models computes. Throws if rope_parameters describes another one.
 * @param {Config} c
 * @param {number} dim
 * @returns {import('../family-shapes/parts.js').Rope}
 */
function olderRope(c, dim) {
  const theta = c.number('rotary_emb_base', { least: 1e-30 }, 1000)
  const newer = new Config(c.get('rope_parameters') ?? {}, 'config.json: rope_parameters')
  newer.only({ rope_type: 'default', rope_theta: theta, partial_rotary_factor: 1 })
  newer.end()
  c.get('max_position_embeddings')
  const rope = { dim, frequencies: powers(theta, dim), most: c.size('n_positions') }
  const length = c.size('max_trained_positions')
  if (c.get('rotary_scaling_factor') === undefined) return rope
  return { ...rope, dynamic: { theta, factor: c.number('rotary_scaling_factor', { least: 1e-30 }), length } }
}
