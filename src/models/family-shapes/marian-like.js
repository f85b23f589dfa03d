// Describes encoder-decoders whose stacks share one token table. Layers are post-norm, or pre-norm with a norm after the last layer.

import { ACTIVATIONS, ALL, anyOf, attentionOf, headDimOf, layersOf, times } from './parts.js'

/** @import { Config } from '../config/config.js' */
/** @import { NormSpec, PartSpec, StackSpec } from './parts.js' */

/** Defaults that the config classes share, for the keys that are read. */
export const DEFAULTS = {
  max_position_embeddings: 1024,
  encoder_layers: 12,
  encoder_ffn_dim: 4096,
  encoder_attention_heads: 16,
  decoder_layers: 12,
  decoder_ffn_dim: 4096,
  decoder_attention_heads: 16,
  activation_function: 'gelu',
  d_model: 1024,
  scale_embedding: false,
}

/** Number of unused rows at the start of a learned position table. */
const SKIP = 2

/**
 * Describes an encoder-decoder.
 * @param {Config} c
 * @param {object} family
 * @param {boolean} [family.learned] True for learned positions in each stack, with a norm after the embeddings
 * @param {boolean} [family.isBefore] True for pre-norm layers, with a norm after the last one
 * @param {number} [family.padding] id of padding, if positions start after it and padding has no position
 * @param {number} [family.steps] `steps` of EmbeddingSpec.sinusoids, if different from Marian's
 * @param {boolean} [family.hasBias] True if the logits have a bias; default true
 * @returns {import('./parts.js').Description}
 */
export function marianLike(c, { learned = false, isBefore = false, hasBias = true, padding, steps }) {
  const d = c.size('d_model')
  const vocab = c.size('vocab_size')
  const activation = c.choice('activation_function', ACTIVATIONS)
  c.only({
    normalize_before: isBefore,
    add_final_layer_norm: isBefore,
    add_bias_logits: false,
    tie_word_embeddings: true,
  })
  /** @type {(name: string) => NormSpec} */
  const norm = name => ({ name, size: d, kind: 'layer', eps: 1e-5, bias: true })
  const positions = c.size('max_position_embeddings')
  const names = ['q_proj', 'k_proj', 'v_proj', 'out_proj']
  /** @type {(stack: 'encoder' | 'decoder') => StackSpec} */
  const stack = name => {
    const heads = c.size(`${name}_attention_heads`)
    const inner = c.size(`${name}_ffn_dim`)
    const all = { numHeads: heads, numKvHeads: heads, headDim: headDimOf(d, heads) }
    return {
      causal: name === 'decoder',
      ...(learned && {
        embedding: {
          positions: { name: `${name}.embed_positions`, rows: positions + SKIP, columns: d, skip: SKIP },
          norm: norm(`${name}.layernorm_embedding`),
        },
      }),
      heads: { ...all, scale: all.headDim ** -0.5, softcap: 0 },
      ...(isBefore && { norm: norm(`${name}.layer_norm`) }),
      layers: times(layersOf(c, `${name}_layers`), i => {
        const at = `${name}.layers.${i}.`
        /** @type {(kind: 'attention' | 'cross', part: string) => PartSpec} */
        const attention = (kind, part) => ({
          kind,
          attention: attentionOf(`${at}${part}.`, names, d, all, ALL),
          [isBefore ? 'before' : 'post']: norm(`${at}${part}_layer_norm`),
        })
        return [
          attention('attention', 'self_attn'),
          ...(name === 'decoder' ? [attention('cross', 'encoder_attn')] : []),
          {
            kind: 'mlp',
            mlp: {
              up: { name: `${at}fc1`, out: inner, in: d, bias: true },
              down: { name: `${at}fc2`, out: d, in: inner, bias: true },
              activation,
            },
            [isBefore ? 'before' : 'post']: norm(`${at}final_layer_norm`),
          },
        ]
      }),
    }
  }
  return {
    width: d,
    vocab,
    prefix: 'model.',
    embedding: {
      tokens: {
        name: 'shared',
        rows: vocab,
        columns: d,
        copies: ['encoder.embed_tokens', 'decoder.embed_tokens'],
      },
      padding,
      sinusoids: learned ? undefined : { most: positions + (padding === undefined ? 0 : padding + 1), steps },
      scale: c.flag('scale_embedding') ? Math.sqrt(d) : 1,
    },
    encoder: stack('encoder'),
    decoder: stack('decoder'),
    head: {
      tied: 'shared',
      own: 'lm_head',
      ...(hasBias && { bias: 'final_logits_bias', optional: /^final_logits_bias$/ }),
    },
    ignored: anyOf(
      `^(encoder|decoder)\\.embed_${learned ? 'tokens' : '(positions|tokens)'}\\.weight$`,
      '^lm_head\\.weight$',
    ),
    startId: c.number('decoder_start_token_id', { least: 0, whole: true }, c.ids('bos_token_id')[0]),
  }
}
