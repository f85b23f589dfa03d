// GTE v1.5 and multilingual, whose model_type is "new": BERT with rotary positions and gated MLPs. Its code is shipped with the model.
// https://huggingface.co/Alibaba-NLP/new-impl

import { describe as say } from '../../base/errors.js'
import { Config } from '../config/config.js'
import { DEFAULTS as BERT, BERT_KEYS, bertLike, inEncoder } from '../family-shapes/bert-like.js'
import { ropeFrequencies } from '../family-shapes/rope-scaling.js'

export const DEFAULTS = {
  ...BERT,
  vocab_size: 30528,
  max_position_embeddings: 2048,
  type_vocab_size: 1,
  layer_norm_type: 'layer_norm',
  position_embedding_type: 'rope',
  logn_attention_scale: false,
  logn_attention_clip1: false,
  pack_qkv: true,
}

/** @param {Config} c */
export function describe(c) {
  for (const key of ['unpad_inputs', 'use_memory_efficient_attention', 'logn_attention_clip1']) c.get(key)
  c.only({ layer_norm_type: 'layer_norm', logn_attention_scale: false })
  const headDim = c.size('hidden_size') / c.size('num_attention_heads')
  const types = c.number('type_vocab_size', { least: 0, whole: true })
  return bertLike(c, {
    prefix: 'new.',
    keys: BERT_KEYS,
    at: inEncoder,
    types: types > 0,
    learned: false,
    positionType: 'rope',
    attention: c.flag('pack_qkv')
      ? ['attention.qkv_proj', 'attention.o_proj']
      : ['attention.q_proj', 'attention.k_proj', 'attention.v_proj', 'attention.o_proj'],
    mlp: ['mlp.up_gate_proj', 'mlp.down_proj'],
    fusedMlp: 'up',
    mlpBias: [false, true],
    norms: ['attn_ln', 'mlp_ln'],
    stack: { rope: stretched(c, headDim) },
    head: {
      dense: 'lm_head.dense',
      norm: 'lm_head.norm',
      bias: 'lm_head.decoder.bias',
      own: 'lm_head.decoder',
      optional: /^lm_head\./,
    },
    pooler: 'pooler.dense',
    ignored: ['^lm_head\\.decoder\\.weight$', '^classifier\\.'],
  })
}

/** Returns the rotation. With "ntk" scaling, pair i of dim / 2 has the frequency (theta * factor)^(-2i/dim) / factor^(2/dim). @param {Config} c @param {number} headDim */
function stretched(c, headDim) {
  const rope = ropeFrequencies(c, headDim, undefined, { isScaled: false })
  const given = c.get('rope_scaling')
  if (given === undefined) return rope
  const scaling = new Config(given)
  const type = scaling.get('type')
  if (type !== 'ntk') throw new RangeError(`config.json: rope_scaling: type ${say(type)} is not covered; covered: ntk`)
  const factor = scaling.number('factor', { least: 1 })
  scaling.end()
  const { frequencies, dim, most } = rope
  return { ...rope, most: most * factor, frequencies: frequencies.map((f, i) => f * factor ** ((-2 * (i + 1)) / dim)) }
}
