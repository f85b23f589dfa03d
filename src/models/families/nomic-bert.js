// Nomic's BERT: rotary positions, q, k and v in one weight, gated MLPs. The keys are those of GPT-2, the code comes with the model.
// https://huggingface.co/nomic-ai/nomic-bert-2048

import { bertLike } from '../family-shapes/bert-like.js'
import { powers } from '../rope-scaling.js'

/** @typedef {import('../config.js').Config} Config */
/** @typedef {import('../family-shapes/parts.js').ActivationName} ActivationName */

export { ALIASES } from './gpt2.js'

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

/** Keys of faster kernels and of heads that a checkpoint may not have. */
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
  const act = /** @type {ActivationName} */ (c.choice('activation_function', { swiglu: 'silu', geglu: 'gelu' }))
  c.only({
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
  const headDim = c.size('n_embd') / c.size('n_head')
  const length = c.size('max_trained_positions')
  const factor =
    c.get('rotary_scaling_factor') === undefined ? undefined : c.number('rotary_scaling_factor', { least: 1e-30 })
  const theta = c.number('rotary_emb_base', { least: 1e-30 }, 1000)
  const rope = { dim: headDim, frequencies: powers(theta, headDim), most: c.size('n_positions') }
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
    stack: { rope: factor === undefined ? rope : { ...rope, dynamic: { theta, factor, length } } },
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
