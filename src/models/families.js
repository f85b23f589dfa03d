// One description for each family of models: the names of its weights and the order of its blocks. network.js runs all
// families. This file has the decoders, and the list of all families.
// https://github.com/huggingface/transformers, src/transformers/models

import { describe } from '../base/errors.js'
import {
  ACTIVATIONS,
  ALL,
  anyOf,
  attentionOf,
  biased,
  EPS,
  headDimOf,
  layerNormOf,
  layersOf,
  NONE,
  times,
} from './family-parts.js'
import { ropeFrequencies } from './rope-scaling.js'

/** @typedef {import('./config.js').Config} Config */
/** @typedef {import('./family-parts.js').Family} Family */
/** @typedef {import('./family-parts.js').StackSpec} StackSpec */
/** @typedef {import('./family-parts.js').AttentionSpec} AttentionSpec */
/** @typedef {import('./family-parts.js').LinearSpec} LinearSpec */
/** @typedef {import('./family-parts.js').NormSpec} NormSpec */
/** @typedef {import('./family-parts.js').EmbeddingSpec} EmbeddingSpec */
/** @typedef {import('./family-parts.js').HeadSpec} HeadSpec */
/** @typedef {import('./family-parts.js').ActivationName} ActivationName */

/**
 * A decoder that predicts the next token, with norms before attention and MLP, in some families also after them.
 * @param {Config} c
 * @param {object} f
 * @param {string} f.type
 * @param {string} f.prefix
 * @param {number} f.d width
 * @param {{ heads: number, kvHeads: number, headDim: number }} f.heads
 * @param {string} f.tokens the table of embeddings
 * @param {Partial<EmbeddingSpec>} [f.embedding] more of the embedding
 * @param {Partial<StackSpec>} [f.stack] more of the stack
 * @param {string} f.layers key of the config
 * @param {string} f.at prefix of the names of a layer; N stands for its number
 * @param {(at: string, i: number) => AttentionSpec} f.attention
 * @param {readonly string[]} f.mlp up, down and, if there is one, gate
 * @param {number} f.inner
 * @param {ActivationName} f.activation
 * @param {(name: string, out: number, size: number) => LinearSpec} f.linear of the MLP
 * @param {(name: string, size?: number) => NormSpec} f.norm
 * @param {readonly (string | undefined)[]} f.norms before and after attention, before and after the MLP
 * @param {string} f.last the norm after all layers
 * @param {string} f.head
 * @param {boolean} f.tied is the table of embeddings the head?
 * @param {Partial<HeadSpec>} [f.logits]
 * @param {boolean} [f.headBias]
 * @param {readonly string[]} [f.ignored]
 * @returns {Family}
 */
function decoderOnly(c, f) {
  const { d, heads, norm, linear, mlp, inner, activation, norms, head, ignored = [] } = f
  const vocab = c.size('vocab_size')
  const normed = (/** @type {string} */ at, /** @type {number} */ n) => ({
    before: norm(at + norms[n]),
    ...(norms[n + 1] && { after: norm(at + norms[n + 1]) }),
  })
  return {
    type: f.type,
    width: d,
    vocab,
    prefix: f.prefix,
    embedding: { tokens: { name: f.tokens, rows: vocab, columns: d }, ...f.embedding },
    decoder: {
      causal: true,
      heads: { ...heads, scale: heads.headDim ** -0.5, softcap: 0 },
      norm: norm(f.last),
      ...f.stack,
      layers: times(layersOf(c, f.layers), i => {
        const at = f.at.replace('N', String(i))
        const [up, down, gate] = mlp.map((name, n) => linear(at + name, n === 1 ? d : inner, n === 1 ? inner : d))
        return [
          { kind: 'attention', attention: f.attention(at, i), ...normed(at, 0) },
          { kind: 'mlp', mlp: { up, down, gate, activation }, ...normed(at, 2) },
        ]
      }),
    },
    head: {
      ...(f.tied ? { tied: f.tokens } : { project: { name: head, out: vocab, in: d, bias: f.headBias } }),
      ...f.logits,
    },
    ignored: anyOf(...ignored, 'rotary_emb\\.inv_freq$', ...(f.tied ? [`^${head}\\.weight$`] : [])),
  }
}

/** @param {number} width @param {number} heads @param {number} [kvHeads] */
const equalHeads = (width, heads, kvHeads = heads) => ({ heads, kvHeads, headDim: headDimOf(width, heads) })

/** @param {Config} c */
function gpt2(c) {
  const d = c.size('n_embd')
  c.only({ scale_attn_by_inverse_layer_idx: false, scale_attn_weights: true, add_cross_attention: false })
  /** @type {(name: string, out: number, size: number) => LinearSpec} */
  const linear = (name, out, size) => ({ name, out, in: size, bias: true, layout: 'in,out' })
  return decoderOnly(c, {
    type: 'gpt2',
    prefix: 'transformer.',
    d,
    heads: equalHeads(d, c.size('n_head')),
    tokens: 'wte',
    embedding: { positions: { name: 'wpe', rows: c.size('n_positions'), columns: d } },
    layers: 'n_layer',
    at: 'h.N.',
    linear,
    mlp: ['mlp.c_fc', 'mlp.c_proj'],
    inner: c.size('n_inner', 4 * d),
    attention: at => {
      // q, k and v side by side.
      const [q, k, v] = times(3, part => ({
        ...linear(`${at}attn.c_attn`, d, d),
        of: 3 * d,
        part,
        row: (/** @type {number} */ n) => part * d + n,
      }))
      return { q, k, v, o: linear(`${at}attn.c_proj`, d, d) }
    },
    activation: c.choice('activation_function', ACTIVATIONS, 'gelu_new'),
    norm: layerNormOf(d, c.number('layer_norm_epsilon', 1e-5, EPS)),
    norms: ['ln_1', undefined, 'ln_2'],
    last: 'ln_f',
    head: 'lm_head',
    tied: c.flag('tie_word_embeddings', true),
    ignored: ['^h\\.\\d+\\.attn\\.(bias|masked_bias)$'],
  })
}

/**
 * llama, mistral, qwen2, qwen3, gemma2: RMSNorm, rotary positions, gated MLP.
 * @param {Config} c
 * @param {{ type: string, kvHeads?: number, headDim?: number, bias?: 'qkv', qkNorm?: boolean, gemma?: boolean,
 *   window?: 'all' | 'upper' | 'even' }} options
 */
function llamaLike(c, { type, kvHeads: usualKvHeads, headDim: usualHeadDim, bias, qkNorm, gemma = false, window }) {
  const d = c.size('hidden_size')
  const H = c.size('num_attention_heads')
  const kvHeads = c.size('num_key_value_heads', usualKvHeads ?? H)
  if (H % kvHeads) throw new RangeError(`config.json: ${kvHeads} key heads do not divide ${H} heads`)
  const headDim = c.get('head_dim') !== undefined ? c.size('head_dim') : (usualHeadDim ?? headDimOf(d, H))
  const heads = { heads: H, kvHeads, headDim }
  const eps = c.number('rms_norm_eps', 1e-6, EPS)
  const biases = bias ? [true, true, true, false] : c.flag('attention_bias', false) ? ALL : NONE
  const mlpBias = type === 'llama' && c.flag('mlp_bias', false)
  const windows = windowsOf(c, layersOf(c, 'num_hidden_layers'), window)
  /** @type {(name: string, size?: number) => NormSpec} */
  const norm = (name, size = d) => ({ name, size, kind: 'rms', eps, plusOne: gemma })
  if (gemma) c.get('hidden_act') // not used: gemma has hidden_activation
  return decoderOnly(c, {
    type,
    prefix: 'model.',
    d,
    heads,
    tokens: 'embed_tokens',
    layers: 'num_hidden_layers',
    at: 'layers.N.',
    norm,
    embedding: { scale: gemma ? Math.sqrt(d) : 1 },
    stack: {
      rope: ropeFrequencies(c, headDim, 1),
      ...(gemma && {
        heads: {
          ...heads,
          scale: c.number('query_pre_attn_scalar', 256, { least: 1e-6 }) ** -0.5,
          softcap: capOf(c, 'attn_logit_softcapping', 50),
        },
      }),
    },
    attention: (at, i) => ({
      ...attentionOf(`${at}self_attn.`, ['q_proj', 'k_proj', 'v_proj', 'o_proj'], d, heads, biases),
      ...(qkNorm && {
        qNorm: norm(`${at}self_attn.q_norm`, headDim),
        kNorm: norm(`${at}self_attn.k_norm`, headDim),
      }),
      window: windows[i],
    }),
    mlp: ['mlp.up_proj', 'mlp.down_proj', 'mlp.gate_proj'],
    inner: c.size('intermediate_size'),
    linear: (name, out, size) => ({ name, out, in: size, bias: mlpBias }),
    activation: c.choice(gemma ? 'hidden_activation' : 'hidden_act', ACTIVATIONS, gemma ? 'gelu_pytorch_tanh' : 'silu'),
    norms: gemma
      ? ['input', 'post_attention', 'pre_feedforward', 'post_feedforward'].map(name => `${name}_layernorm`)
      : ['input_layernorm', undefined, 'post_attention_layernorm'],
    last: 'norm',
    head: 'lm_head',
    tied: c.flag('tie_word_embeddings', gemma),
    logits: gemma ? { softcap: capOf(c, 'final_logit_softcapping', 30) } : {},
  })
}

/** The cap, 0 if the key is null, as in transformers. @param {Config} c @param {string} key @param {number} fallback */
const capOf = (c, key, fallback) => c.number(key, c.has(key) ? 0 : fallback, { least: 0 })

/**
 * The window of each layer.
 * @param {Config} c
 * @param {number} layers
 * @param {'all' | 'upper' | 'even' | undefined} rule
 * @returns {(number | undefined)[]}
 */
function windowsOf(c, layers, rule) {
  if (!rule) c.only({ sliding_window: undefined, use_sliding_window: false })
  // Mistral and Gemma 2 have a window unless the key is there and null.
  const size = c.has('sliding_window') || rule === 'upper' ? c.get('sliding_window') : rule && 4096
  const isOn = rule === 'upper' ? c.flag('use_sliding_window', false) : rule !== undefined
  const first = rule === 'upper' ? c.number('max_window_layers', 28, { least: 0, whole: true }) : 0
  const window = isOn && size !== undefined ? c.size('sliding_window', size) : undefined
  const types = c.get('layer_types')
  if (types !== undefined) {
    if (!Array.isArray(types) || types.length !== layers)
      throw new TypeError(
        `config.json: layer_types: ${describe(types)} given, a type for each of ${layers} layers expected`,
      )
    return types.map(type => {
      if (type === 'full_attention') return undefined
      if (type === 'sliding_attention' && window) return window
      throw new RangeError(`config.json: layer_types: ${describe(type)} is not covered here`)
    })
  }
  return times(layers, i => {
    const has = rule === 'even' ? i % 2 === 0 : i >= first
    return has ? window : undefined
  })
}

/** @param {Config} c */
function gptNeox(c) {
  const d = c.size('hidden_size')
  const heads = equalHeads(d, c.size('num_attention_heads'))
  const D = heads.headDim
  const bias = c.flag('attention_bias', true)
  return decoderOnly(c, {
    type: 'gpt_neox',
    prefix: 'gpt_neox.',
    d,
    heads,
    tokens: 'embed_in',
    layers: 'num_hidden_layers',
    at: 'layers.N.',
    stack: { parallel: c.flag('use_parallel_residual', true), rope: ropeFrequencies(c, D, 0.25) },
    attention: at => {
      // Rows in groups of 3 D: q, k and v of head 0, then of head 1, ...
      const [q, k, v] = times(3, part => ({
        name: `${at}attention.query_key_value`,
        out: d,
        in: d,
        bias,
        of: 3 * d,
        part,
        row: (/** @type {number} */ n) => (Math.floor(n / D) * 3 + part) * D + (n % D),
      }))
      return { q, k, v, o: { name: `${at}attention.dense`, out: d, in: d, bias } }
    },
    mlp: ['mlp.dense_h_to_4h', 'mlp.dense_4h_to_h'],
    inner: c.size('intermediate_size'),
    linear: biased,
    activation: c.choice('hidden_act', ACTIVATIONS, 'gelu'),
    norm: layerNormOf(d, c.number('layer_norm_eps', 1e-5, EPS)),
    norms: ['input_layernorm', undefined, 'post_attention_layernorm'],
    last: 'final_layer_norm',
    head: 'embed_out',
    tied: c.flag('tie_word_embeddings', false),
    ignored: ['attention\\.(bias|masked_bias)$'],
  })
}

/** @param {Config} c */
function phi(c) {
  const d = c.size('hidden_size')
  const H = c.size('num_attention_heads')
  const heads = equalHeads(d, H, c.size('num_key_value_heads', H))
  c.only({ qk_layernorm: false, tie_word_embeddings: false })
  return decoderOnly(c, {
    type: 'phi',
    prefix: 'model.',
    d,
    heads,
    tokens: 'embed_tokens',
    layers: 'num_hidden_layers',
    at: 'layers.N.',
    stack: { parallel: true, rope: ropeFrequencies(c, heads.headDim, 0.5) },
    attention: at => attentionOf(`${at}self_attn.`, ['q_proj', 'k_proj', 'v_proj', 'dense'], d, heads, ALL),
    mlp: ['mlp.fc1', 'mlp.fc2'],
    inner: c.size('intermediate_size'),
    linear: biased,
    activation: c.choice('hidden_act', ACTIVATIONS, 'gelu_new'),
    norm: layerNormOf(d, c.number('layer_norm_eps', 1e-5, EPS)),
    norms: ['input_layernorm', undefined, 'input_layernorm'], // one for both
    last: 'final_layernorm',
    head: 'lm_head',
    tied: false,
    headBias: true,
  })
}

// Loaded where they are needed.
const encoders = () => import('./encoders.js')
const encoderDecoders = () => import('./encoder-decoders.js')

/** @type {Record<string, (c: Config) => Family | Promise<Family>>} */
const FAMILIES = {
  gpt2,
  gpt_neox: gptNeox,
  phi,
  llama: c => llamaLike(c, { type: 'llama' }),
  mistral: c => llamaLike(c, { type: 'mistral', kvHeads: 8, window: 'all' }),
  qwen2: c => llamaLike(c, { type: 'qwen2', bias: 'qkv', window: 'upper' }),
  qwen3: c => llamaLike(c, { type: 'qwen3', headDim: 128, qkNorm: true, window: 'upper' }),
  gemma2: c => llamaLike(c, { type: 'gemma2', headDim: 256, gemma: true, window: 'even' }),
  bert: async c => (await encoders()).bert(c),
  roberta: async c => (await encoders()).roberta(c),
  distilbert: async c => (await encoders()).distilbert(c),
  albert: async c => (await encoders()).albert(c),
  t5: async c => (await encoderDecoders()).t5(c),
  marian: async c => (await encoderDecoders()).marian(c),
}

/**
 * The description of a model.
 * @param {Config} config
 * @returns {Promise<Family>}
 * @throws {RangeError} the config asks for something that is not covered
 */
export async function familyOf(config) {
  const type = config.get('model_type')
  if (typeof type !== 'string' || !Object.hasOwn(FAMILIES, type))
    throw new RangeError(
      `config.json: model_type ${describe(type)} is not covered; covered: ${Object.keys(FAMILIES).join(', ')}`,
    )
  config.only({ quantization_config: undefined })
  const family = await FAMILIES[type](config)
  config.end()
  return family
}
