// T5: an encoder-decoder with relative position biases and RMSNorm; or its encoder alone (T5EncoderModel).

import { anyOf, attentionOf, EPS, layersOf, NONE, times } from '../family-shapes/parts.js'

/** @import { Config } from '../config/config.js' */
/** @import { NormSpec, PartSpec, StackSpec } from '../family-shapes/parts.js' */

export const DEFAULTS = {
  vocab_size: 32128,
  d_model: 512,
  d_kv: 64,
  d_ff: 2048,
  num_layers: 6,
  num_heads: 8,
  relative_attention_num_buckets: 32,
  relative_attention_max_distance: 128,
  layer_norm_epsilon: 1e-6,
  feed_forward_proj: 'relu',
  tie_word_embeddings: true,
}
export const ALIASES = {
  hidden_size: 'd_model',
  num_attention_heads: 'num_heads',
  num_hidden_layers: 'num_layers',
  head_dim: 'd_kv',
}

/** @param {Config} c */
export const describe = c => t5(c, c.flag('tie_word_embeddings', true)) // null counts as true

/**
 * Describes T5.
 * @param {Config} c
 * @param {boolean} isScaled True if the head is tied to the embedding table and its input is multiplied by width ** -0.5
 * @returns {import('../family-shapes/parts.js').Description}
 */
export function t5(c, isScaled) {
  const d = c.size('d_model')
  const heads = c.size('num_heads')
  const headDim = c.size('d_kv')
  const inner = c.size('d_ff')
  const eps = c.number('layer_norm_epsilon', EPS)
  const vocab = c.size('vocab_size')
  const buckets = c.number('relative_attention_num_buckets', { least: 4, most: 2 ** 16, whole: true })
  const maxDistance = c.size('relative_attention_max_distance')
  const kind = c.choice('feed_forward_proj', { relu: 'relu', 'gated-gelu': 'gated', 'gated-silu': 'silu' })
  // The config class derives both keys from feed_forward_proj, but uses their values if the file has them.
  c.only({ dense_act_fn: { relu: 'relu', gated: 'gelu_new', silu: 'silu' }[kind], is_gated_act: kind !== 'relu' })
  const layers = layersOf(c, 'num_layers')
  const all = { numHeads: heads, numKvHeads: heads, headDim }
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
          kind: 'mlp',
          mlp: {
            up: { name: `${mlp}${kind === 'relu' ? 'wi' : 'wi_1'}`, out: inner, in: d },
            gate: kind === 'relu' ? undefined : { name: `${mlp}wi_0`, out: inner, in: d },
            down: { name: `${mlp}wo`, out: d, in: inner },
            activation: kind === 'gated' ? 'gelu_tanh' : kind,
          },
          before: norm(`${at}${last}.layer_norm`),
        },
      ]
    }),
  })
  const isEncoder = /EncoderModel$/.test(String([c.get('architectures')].flat()[0]))
  const decoderLayers = c.size('num_decoder_layers', layers)
  return {
    width: d,
    vocab,
    embedding: {
      tokens: {
        name: 'shared',
        rows: vocab,
        columns: d,
        copies: ['encoder.embed_tokens', 'decoder.embed_tokens'],
      },
    },
    encoder: stack('encoder', layers),
    decoder: isEncoder ? undefined : stack('decoder', decoderLayers),
    // If the config unties the head but the file has no lm_head, transformers ties it anyway, without scaling its input.
    head: isScaled
      ? { tied: 'shared', own: 'lm_head', scale: d ** -0.5 }
      : { project: { name: 'lm_head', out: vocab, in: d }, own: 'lm_head', scaled: false },
    ignored: anyOf(
      '^(encoder|decoder)\\.embed_tokens\\.weight$',
      'EncDecAttention\\.relative_attention_bias\\.weight$',
      ...(isScaled ? ['^lm_head\\.weight$'] : []),
      ...(isEncoder ? ['^decoder\\.', '^lm_head\\.'] : []),
    ),
    startId: c.number('decoder_start_token_id', { least: 0, whole: true }),
  }
}
