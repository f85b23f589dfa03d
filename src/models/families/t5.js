// T5: an encoder-decoder with relative position biases and RMSNorm.

import { anyOf, attentionOf, EPS, layersOf, NONE, times } from '../family-shapes/parts.js'

/** @typedef {import('../config.js').Config} Config */
/** @typedef {import('../family-shapes/parts.js').StackSpec} StackSpec */
/** @typedef {import('../family-shapes/parts.js').PartSpec} PartSpec */
/** @typedef {import('../family-shapes/parts.js').NormSpec} NormSpec */
/** @typedef {import('../family-shapes/parts.js').ActivationName} ActivationName */

/** @param {Config} c @returns {import('../family-shapes/parts.js').Description} */
export function describe(c) {
  const d = c.size('d_model')
  const heads = c.size('num_heads')
  const headDim = c.size('d_kv')
  const inner = c.size('d_ff')
  const eps = c.number('layer_norm_epsilon', 1e-6, EPS)
  const vocab = c.size('vocab_size')
  const buckets = c.number('relative_attention_num_buckets', 32, { least: 4, most: 2 ** 16, whole: true })
  const maxDistance = c.size('relative_attention_max_distance', 128)
  const kind = c.choice('feed_forward_proj', { relu: 'relu', 'gated-gelu': 'gated', 'gated-silu': 'silu' }, 'relu')
  c.get('dense_act_fn') // both follow from feed_forward_proj
  c.get('is_gated_act')
  const tied = c.flag('tie_word_embeddings', true)
  const layers = layersOf(c, 'num_layers')
  const all = { heads, kvHeads: heads, headDim }
  /** @type {(name: string) => NormSpec} */
  const norm = name => ({ name, size: d, kind: 'rms', eps })
  /** @type {(stack: 'encoder' | 'decoder', n: number) => StackSpec} */
  const stack = (name, n) => ({
    causal: name === 'decoder',
    heads: { ...all, scale: 1, softcap: 0 },
    relative: {
      table: {
        name: `${name}.block.0.layer.0.SelfAttention.relative_attention_bias`,
        rows: buckets,
        columns: heads,
      },
      maxDistance,
      bidirectional: name === 'encoder',
    },
    norm: norm(`${name}.final_layer_norm`),
    layers: times(n, i => {
      const at = `${name}.block.${i}.layer.`
      const last = name === 'encoder' ? 1 : 2
      const mlp = `${at}${last}.DenseReluDense.`
      /** @type {(n: number, kind: 'attention' | 'cross', part: string) => PartSpec} */
      const attention = (n, kind, part) => ({
        kind,
        attention: attentionOf(`${at}${n}.${part}.`, ['q', 'k', 'v', 'o'], d, all, NONE),
        before: norm(`${at}${n}.layer_norm`),
      })
      return [
        attention(0, 'attention', 'SelfAttention'),
        ...(name === 'decoder' ? [attention(1, 'cross', 'EncDecAttention')] : []),
        {
          kind: /** @type {const} */ ('mlp'),
          mlp: {
            up: { name: `${mlp}${kind === 'relu' ? 'wi' : 'wi_1'}`, out: inner, in: d },
            gate: kind === 'relu' ? undefined : { name: `${mlp}wi_0`, out: inner, in: d },
            down: { name: `${mlp}wo`, out: d, in: inner },
            activation: /** @type {ActivationName} */ (kind === 'gated' ? 'gelu_tanh' : kind),
          },
          before: norm(`${at}${last}.layer_norm`),
        },
      ]
    }),
  })
  return {
    width: d,
    vocab,
    embedding: { tokens: { name: 'shared', rows: vocab, columns: d } },
    encoder: stack('encoder', layers),
    decoder: stack('decoder', c.size('num_decoder_layers', layers)),
    head: tied ? { tied: 'shared', scale: d ** -0.5 } : { project: { name: 'lm_head', out: vocab, in: d } },
    ignored: anyOf(
      '^(encoder|decoder)\\.embed_tokens\\.weight$',
      'EncDecAttention\\.relative_attention_bias\\.weight$',
      ...(tied ? ['^lm_head\\.weight$'] : []),
    ),
    startId: c.number('decoder_start_token_id', 0, { least: 0, whole: true }),
  }
}
