// ModernBERT: a pre-norm encoder with rotary positions, gated MLPs, and a window in two of three layers.

import { describe as say } from '../../base/errors.js'
import { ACTIVATIONS, anyOf, EPS, headDimOf, layersOf, times } from '../family-shapes/parts.js'
import { ropeFrequencies } from '../family-shapes/rope-scaling.js'

/** @import { Config } from '../config/config.js' */
/** @import { LinearSpec, NormSpec } from '../family-shapes/parts.js' */

export const DEFAULTS = {
  vocab_size: 50368,
  hidden_size: 768,
  intermediate_size: 1152,
  num_hidden_layers: 22,
  num_attention_heads: 12,
  hidden_activation: 'gelu',
  max_position_embeddings: 8192,
  norm_eps: 1e-5,
  norm_bias: false,
  attention_bias: false,
  local_attention: 128,
  mlp_bias: false,
  decoder_bias: true,
  classifier_pooling: 'cls',
  classifier_bias: false,
  classifier_activation: 'gelu',
  global_attn_every_n_layers: 3,
}

/** Config keys for training, for kernels, and for heads that a checkpoint may lack. */
const UNUSED = [
  'layer_norm_eps',
  'sparse_prediction',
  'sparse_pred_ignore_index',
  'reference_compile',
  'repad_logits_with_grad',
  'deterministic_flash_attn',
]

/** @param {Config} c @returns {import('../family-shapes/parts.js').Description} */
export function describe(c) {
  const d = c.size('hidden_size')
  const heads = c.size('num_attention_heads')
  const headDim = headDimOf(d, heads)
  const inner = c.size('intermediate_size')
  const vocab = c.size('vocab_size')
  const eps = c.number('norm_eps', EPS)
  const [normBias, attentionBias, mlpBias, headBias] = ['norm', 'attention', 'mlp', 'classifier'].map(name =>
    c.flag(`${name}_bias`),
  )
  c.only({ position_embedding_type: 'absolute', tie_word_embeddings: true }) // position_embedding_type has no effect
  for (const key of UNUSED) c.get(key)
  c.get('classifier_pooling')
  const layers = layersOf(c, 'num_hidden_layers')
  const kinds = kindsOf(c, layers)
  const near = 2 * Math.floor(c.size('local_attention') / 2) + 1
  const theta = c.number('global_rope_theta', { least: 1e-30 }, 160000)
  const own = c.has('local_rope_theta') ? theta : 10000 // null in the file: layers with a window use the same theta as the others
  const rope = ropeFrequencies(c, headDim, undefined, { kind: 'full_attention', key: 'global_rope_theta', theta })
  const nearRope = ropeFrequencies(c, headDim, undefined, {
    kind: 'sliding_attention',
    key: 'local_rope_theta',
    theta: own,
    isScaled: false,
  })
  /** @type {(name: string) => NormSpec} */
  const norm = name => ({ name, size: d, kind: 'layer', eps, bias: normBias })
  /** Describes layer number `part` in a fused weight whose rows contain `parts` layers of equal size. @type {(name: string, part: number, parts: number, out: number, bias: boolean) => LinearSpec} */
  const fused = (name, part, parts, out, bias) => ({
    name,
    out,
    in: d,
    bias,
    of: parts * out,
    part,
    row: n => part * out + n,
  })
  return {
    width: d,
    vocab,
    prefix: 'model.',
    embedding: {
      tokens: { name: 'embeddings.tok_embeddings', rows: vocab, columns: d },
      norm: norm('embeddings.norm'),
    },
    encoder: {
      causal: false,
      heads: { numHeads: heads, numKvHeads: heads, headDim, scale: headDim ** -0.5, softcap: 0 },
      rope,
      norm: norm('final_norm'),
      layers: times(layers, i => {
        const at = `layers.${i}.`
        const [q, k, v] = times(3, part => fused(`${at}attn.Wqkv`, part, 3, d, attentionBias))
        return [
          {
            kind: 'attention',
            attention: {
              q,
              k,
              v,
              o: { name: `${at}attn.Wo`, out: d, in: d, bias: attentionBias },
              ...(kinds[i] === 'sliding_attention' && { window: near, rope: nearRope }),
            },
            ...(i > 0 && { before: norm(`${at}attn_norm`) }),
          },
          {
            kind: 'mlp',
            mlp: {
              gate: fused(`${at}mlp.Wi`, 0, 2, inner, mlpBias),
              up: fused(`${at}mlp.Wi`, 1, 2, inner, mlpBias),
              down: { name: `${at}mlp.Wo`, out: d, in: inner, bias: mlpBias },
              activation: c.choice('hidden_activation', ACTIVATIONS),
            },
            before: norm(`${at}mlp_norm`),
          },
        ]
      }),
    },
    head: {
      transform: { name: 'head.dense', out: d, in: d, bias: headBias },
      activation: c.choice('classifier_activation', ACTIVATIONS),
      norm: norm('head.norm'),
      tied: 'embeddings.tok_embeddings',
      own: 'decoder',
      bias: c.flag('decoder_bias') ? 'decoder.bias' : undefined,
      optional: /^(head|decoder)\./,
    },
    ignored: anyOf('^decoder\\.weight$'),
  }
}

/**
 * Returns the kind of each layer: 'full_attention' or 'sliding_attention'.
 * @param {Config} c
 * @param {number} layers
 * @returns {string[]}
 */
function kindsOf(c, layers) {
  const kinds = ['full_attention', 'sliding_attention']
  const every = c.size('global_attn_every_n_layers')
  const types = c.get('layer_types') ?? times(layers, i => kinds[Number(i % every > 0)])
  if (!Array.isArray(types) || types.length !== layers || !types.every(type => kinds.includes(type)))
    throw new RangeError(
      `config.json: layer_types: expected one of ${kinds.join(', ')} for each of ${layers} layers, got ${say(types)}`,
    )
  return types
}
