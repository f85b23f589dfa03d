// DeBERTa v2 and v3: BERT whose scores are the sum of content-to-content, content-to-position and position-to-content terms.

import { DEFAULTS as BERT, BERT_LAYER, bertLike, inEncoder } from '../family-shapes/bert-like.js'
import { headDimOf } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */

export const DEFAULTS = {
  ...BERT,
  vocab_size: 128100,
  hidden_size: 1536,
  num_hidden_layers: 24,
  num_attention_heads: 24,
  intermediate_size: 6144,
  type_vocab_size: 0,
  layer_norm_eps: 1e-7,
  relative_attention: false,
  share_att_key: false,
  max_relative_positions: -1,
  position_biased_input: true,
  pooler_hidden_act: 'gelu',
  legacy: true,
}

/** Tensor names of the masked-language-model head if `legacy` is true in config.json. */
const LEGACY = {
  dense: 'cls.predictions.transform.dense',
  norm: 'cls.predictions.transform.LayerNorm',
  bias: 'cls.predictions.bias',
  own: 'cls.predictions.decoder',
  optional: /^cls\.predictions\./,
}
/** Tensor names of the masked-language-model head if `legacy` is false: those of the original checkpoints. */
const FIRST = {
  dense: 'lm_predictions.lm_head.dense',
  norm: 'lm_predictions.lm_head.LayerNorm',
  bias: 'lm_predictions.lm_head.bias',
  optional: /^lm_predictions\./,
}

/** @param {Config} c */
export function describe(c) {
  const d = c.size('hidden_size')
  const isLegacy = c.flag('legacy')
  c.only({
    relative_attention: true,
    share_att_key: true,
    conv_kernel_size: 0,
    embedding_size: d,
    attention_head_size: headDimOf(d, c.size('num_attention_heads')),
  })
  for (const key of ['pooler_hidden_size', 'pooler_hidden_act', 'conv_act', 'conv_groups']) c.get(key)
  const kinds = c.get('pos_att_type')
  const given = [typeof kinds === 'string' ? kinds.toLowerCase().split('|') : kinds].flat().sort().join()
  if (given !== 'c2p,p2c')
    throw new RangeError(`config.json: pos_att_type ${given} is not covered; covered: c2p and p2c`)
  const norms = String(c.get('norm_rel_ebd') ?? 'none').toLowerCase()
  const whole = { least: -1, whole: true }
  const limit = c.number('max_relative_positions', whole, -1)
  const most = limit < 1 ? c.size('max_position_embeddings') : limit
  const buckets = Math.max(0, c.number('position_buckets', whole, -1))
  if (buckets > 0 && (buckets < 4 || most - 1 <= buckets / 2))
    throw new RangeError(
      `config.json: position_buckets: expected a number from 4 to less than 2 (${most} - 1), got ${buckets}`,
    )
  const span = buckets || most
  const types = c.number('type_vocab_size', { least: 0, whole: true })
  const attention = [
    'attention.self.query_proj',
    'attention.self.key_proj',
    'attention.self.value_proj',
    'attention.output.dense',
  ]
  const family = bertLike(c, {
    ...BERT_LAYER,
    prefix: 'deberta.',
    at: inEncoder,
    types: types > 0,
    learned: c.flag('position_biased_input'),
    attention,
    pooler: undefined,
    stack: {
      disentangled: {
        table: { name: 'encoder.rel_embeddings', rows: 2 * span, columns: d },
        norm: norms.split('|').some(one => one.trim() === 'layer_norm')
          ? { name: 'encoder.LayerNorm', size: d, kind: 'layer', eps: c.number('layer_norm_eps'), bias: true }
          : undefined,
        span,
        buckets,
        most,
      },
    },
    head: isLegacy ? LEGACY : FIRST,
    ignored: [
      isLegacy ? '^cls\\.predictions\\.decoder\\.(weight|bias)$|^lm_predictions\\.' : '^cls\\.predictions\\.',
      '^mask_predictions\\.',
      '^pooler\\.',
    ],
  })
  const { encoder } = family
  if (!encoder) return family
  const { headDim } = encoder.heads
  const layers = encoder.layers.map(parts =>
    parts.map(part => {
      const { attention } = part
      if (!attention) return part
      return { ...part, attention: { ...attention, positions: { q: { ...attention.q }, k: { ...attention.k } } } }
    }),
  )
  return { ...family, encoder: { ...encoder, heads: { ...encoder.heads, scale: (3 * headDim) ** -0.5 }, layers } }
}
