// Decoders with RMSNorm, rotary positions and a gated MLP.

import { describe } from '../../base/errors.js'
import { ropeFrequencies } from '../rope-scaling.js'
import { decoderOnly } from './decoder-only.js'
import { ACTIVATIONS, ALL, attentionOf, EPS, headDimOf, layersOf, NONE, times } from './parts.js'

/** @typedef {import('../config.js').Config} Config */
/** @typedef {import('./parts.js').NormSpec} NormSpec */

/**
 * A decoder.
 * @param {Config} c
 * @param {object} options
 * @param {'qkv'} [options.bias] q, k and v have biases, o has none; default: the config says it
 * @param {boolean} [options.mlpBias] default false
 * @param {'heads' | 'all'} [options.qkNorm] q and k are normalised: each head, or all heads side by side
 * @param {boolean} [options.isAfter] the norms stand after attention and MLP, as in OLMo 2
 * @param {(layer: number) => boolean} [options.turns] which layers have rotary positions; default all
 * @param {boolean} [options.gemma] norms before and after each part, the scale of Gemma 2
 * @param {'all' | 'upper' | 'even' | 'sixth'} [options.window] the layers that have a sliding window; 'sixth': all but each sixth
 * @param {Parameters<typeof ropeFrequencies>[3]} [options.full] rotation of the layers without a window, if it is another
 * @param {Parameters<typeof ropeFrequencies>[3]} [options.sliding] rotation of those with a window
 */
export function llamaLike(c, { bias, mlpBias = false, qkNorm, isAfter, gemma = false, turns, window, full, sliding }) {
  const d = c.size('hidden_size')
  const H = c.size('num_attention_heads')
  const kvHeads = c.size('num_key_value_heads', H)
  if (H % kvHeads) throw new RangeError(`config.json: ${kvHeads} key heads do not divide ${H} heads`)
  const headDim = c.get('head_dim') === undefined ? headDimOf(d, H) : c.size('head_dim')
  const heads = { heads: H, kvHeads, headDim }
  const eps = c.number('rms_norm_eps', EPS)
  const biases = bias ? [true, true, true, false] : c.flag('attention_bias') ? ALL : NONE
  const windows = windowsOf(c, layersOf(c, 'num_hidden_layers'), window)
  /** @type {(name: string, size?: number) => NormSpec} */
  const norm = (name, size = d) => ({ name, size, kind: 'rms', eps, plusOne: gemma })
  if (gemma) {
    c.get('hidden_act') // not used: gemma has hidden_activation
    c.only({ use_bidirectional_attention: false })
  }
  const slidingRope = sliding && ropeFrequencies(c, headDim, 1, sliding)
  return decoderOnly(c, {
    prefix: 'model.',
    d,
    heads,
    tokens: 'embed_tokens',
    layers: 'num_hidden_layers',
    at: 'layers.N.',
    norm,
    embedding: { scale: gemma ? Math.sqrt(d) : 1 },
    stack: {
      rope: ropeFrequencies(c, headDim, 1, full),
      ...(gemma && {
        heads: {
          ...heads,
          scale: c.number('query_pre_attn_scalar', { least: 1e-6 }) ** -0.5,
          softcap: capOf(c, 'attn_logit_softcapping'),
        },
      }),
    },
    attention: (at, i) => ({
      ...attentionOf(`${at}self_attn.`, ['q_proj', 'k_proj', 'v_proj', 'o_proj'], d, heads, biases),
      ...(qkNorm && {
        qNorm: norm(`${at}self_attn.q_norm`, qkNorm === 'all' ? H * headDim : headDim),
        kNorm: norm(`${at}self_attn.k_norm`, qkNorm === 'all' ? kvHeads * headDim : headDim),
      }),
      window: windows[i],
      ...(windows[i] && slidingRope && { rope: slidingRope }),
      ...(turns?.(i) === false && { rope: false }),
    }),
    mlp: ['mlp.up_proj', 'mlp.down_proj', 'mlp.gate_proj'],
    inner: c.size('intermediate_size'),
    linear: (name, out, size) => ({ name, out, in: size, bias: mlpBias }),
    activation: c.choice(gemma ? 'hidden_activation' : 'hidden_act', ACTIVATIONS),
    norms: (gemma
      ? ['input', 'post_attention', 'pre_feedforward', 'post_feedforward']
      : isAfter
        ? ['', 'post_attention', '', 'post_feedforward']
        : ['input', '', 'post_attention']
    ).map(name => name && `${name}_layernorm`),
    last: 'norm',
    head: 'lm_head',
    tied: c.flag('tie_word_embeddings'),
    logits: gemma ? { softcap: capOf(c, 'final_logit_softcapping') } : {},
  })
}

/** The cap, 0 if there is none. @param {Config} c @param {string} key */
const capOf = (c, key) => c.number(key, { least: 0 }, 0)

/**
 * The window of each layer.
 * @param {Config} c
 * @param {number} layers
 * @param {'all' | 'upper' | 'even' | 'sixth' | undefined} rule
 * @returns {(number | undefined)[]}
 */
function windowsOf(c, layers, rule) {
  if (!rule) c.only({ sliding_window: undefined, use_sliding_window: false })
  const isOn = rule === 'upper' ? c.flag('use_sliding_window') : rule !== undefined
  const first = rule === 'upper' ? c.number('max_window_layers', { least: 0, whole: true }) : 0
  const size = rule && c.get('sliding_window')
  const window = isOn && size !== undefined ? c.size('sliding_window') : undefined
  const pattern = rule === 'sixth' ? c.size('sliding_window_pattern') : 0
  const types = c.get('layer_types')
  if (types !== undefined) {
    if (!Array.isArray(types) || types.length !== layers)
      throw new TypeError(
        `config.json: layer_types: ${describe(types)} given, a type for each of ${layers} layers expected`,
      )
    return types.map(type => {
      // Mistral does not read layer_types: a file that names layers without a window is one of another class.
      if (type === 'full_attention' && !(rule === 'all' && window)) return undefined
      if (type === 'sliding_attention' && window) return window
      throw new RangeError(`config.json: layer_types: ${describe(type)} is not covered here`)
    })
  }
  return times(layers, i => {
    const has = rule === 'even' ? i % 2 === 0 : pattern ? (i + 1) % pattern > 0 : i >= first
    return has ? window : undefined
  })
}
