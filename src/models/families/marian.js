// Marian: an encoder-decoder for translation, with sinusoidal positions and post-norm layers.

import { ACTIVATIONS, ALL, anyOf, attentionOf, headDimOf, layersOf, times } from '../family-shapes/parts.js'

/** @typedef {import('../config.js').Config} Config */
/** @typedef {import('../family-shapes/parts.js').StackSpec} StackSpec */
/** @typedef {import('../family-shapes/parts.js').PartSpec} PartSpec */
/** @typedef {import('../family-shapes/parts.js').NormSpec} NormSpec */

/** @param {Config} c @returns {import('../family-shapes/parts.js').Description} */
export function describe(c) {
  const d = c.size('d_model')
  const vocab = c.size('vocab_size')
  const activation = c.choice('activation_function', ACTIVATIONS, 'gelu')
  c.only({
    decoder_vocab_size: vocab,
    share_encoder_decoder_embeddings: true,
    static_position_embeddings: true,
    normalize_before: false,
    normalize_embedding: false,
    add_final_layer_norm: false,
    add_bias_logits: false,
    tie_word_embeddings: true,
  })
  const pad = c.number('pad_token_id', 58100, { least: 0, whole: true })
  /** @type {(name: string) => NormSpec} */
  const norm = name => ({ name, size: d, kind: 'layer', eps: 1e-5, bias: true })
  const names = ['q_proj', 'k_proj', 'v_proj', 'out_proj']
  /** @type {(stack: 'encoder' | 'decoder') => StackSpec} */
  const stack = name => {
    const heads = c.size(`${name}_attention_heads`)
    const inner = c.size(`${name}_ffn_dim`)
    const all = { heads, kvHeads: heads, headDim: headDimOf(d, heads) }
    return {
      causal: name === 'decoder',
      heads: { ...all, scale: all.headDim ** -0.5, softcap: 0 },
      layers: times(layersOf(c, `${name}_layers`), i => {
        const at = `${name}.layers.${i}.`
        /** @type {(kind: 'attention' | 'cross', part: string) => PartSpec} */
        const attention = (kind, part) => ({
          kind,
          attention: attentionOf(`${at}${part}.`, names, d, all, ALL),
          post: norm(`${at}${part}_layer_norm`),
        })
        return [
          attention('attention', 'self_attn'),
          ...(name === 'decoder' ? [attention('cross', 'encoder_attn')] : []),
          {
            kind: /** @type {const} */ ('mlp'),
            mlp: {
              up: { name: `${at}fc1`, out: inner, in: d, bias: true },
              down: { name: `${at}fc2`, out: d, in: inner, bias: true },
              activation,
            },
            post: norm(`${at}final_layer_norm`),
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
      tokens: { name: 'shared', rows: vocab, columns: d },
      sinusoids: c.size('max_position_embeddings', 1024),
      scale: c.flag('scale_embedding', false) ? Math.sqrt(d) : 1,
    },
    encoder: stack('encoder'),
    decoder: stack('decoder'),
    head: { tied: 'shared', bias: 'final_logits_bias' },
    ignored: anyOf('^(encoder|decoder)\\.embed_(positions|tokens)\\.weight$', '^lm_head\\.weight$'),
    startId: c.number('decoder_start_token_id', pad, { least: 0, whole: true }),
  }
}
