// Describes decoders with rotary positions, most of them with RMSNorm and a gated MLP.

import { describe } from '../../base/errors.js'
import { decoderOnly } from './decoder-only.js'
import { ACTIVATIONS, ALL, attentionOf, EPS, headDimOf, layersOf, NONE, scaledBy, slices, times } from './parts.js'
import { ropeFrequencies } from './rope-scaling.js'

/** @import { Config } from '../config/config.js' */
/** @import { HeadSpec, NormSpec } from './parts.js' */

const NORMS = ['input_layernorm', undefined, 'post_attention_layernorm']
/** Tensor names, except those of norms and of the MLP. */
const NAMES = {
  prefix: 'model.',
  tokens: 'embed_tokens',
  at: 'layers.N.',
  self: 'self_attn.',
  o: 'o_proj',
  last: 'norm',
}
/** Names of the four norms in Gemma: before and after attention, before and after the MLP. */
export const SANDWICH = ['input', 'post_attention', 'pre_feedforward', 'post_feedforward'].map(
  name => `${name}_layernorm`,
)
/** Names of the norms in OLMo 2: only after attention and after the MLP. */
export const AFTER = [undefined, 'post_attention_layernorm', undefined, 'post_feedforward_layernorm']

/**
 * Describes a decoder.
 * @param {Config} c
 * @param {object} options
 * @param {'qkv' | 'all' | 'none'} [options.bias] which of q, k, v and o have biases; default: all or none, by the key attention_bias
 * @param {boolean} [options.mlpBias] default false
 * @param {'heads' | 'all'} [options.qkNorm] q and k are normalised: per head, or over all heads
 * @param {Partial<NormSpec>} [options.norm] differences from an RMSNorm
 * @param {string | number} [options.eps] eps of the norms, or its config key; default 'rms_norm_eps'
 * @param {typeof NAMES} [options.names]
 * @param {readonly (string | undefined)[]} [options.norms] names of the norms before and after attention, before and after the MLP
 * @param {(layer: number, window: number | undefined) => boolean} [options.turns] returns true if the layer has rotary positions;
 *   default: all have
 * @param {number} [options.share] rotated share of each head, if the config has no key for it; default: all, and a config with another
 *   share is refused
 * @param {boolean} [options.interleaved] True if adjacent values form a rotated pair
 * @param {'all' | 'upper' | 'even' | 'pattern' | number} [options.window] which layers have a sliding window. A number n: all except every
 *   n-th. 'pattern': the same, with n from sliding_window_pattern. 'upper': those from max_window_layers on
 * @param {Parameters<typeof ropeFrequencies>[3]} [options.full] rotation of the layers without a window; default: as in the others
 * @param {Parameters<typeof ropeFrequencies>[3]} [options.sliding] rotation of the layers with a window
 * @param {string} [options.activation] key of the config, default 'hidden_act'
 * @param {'all' | 'mlp'} [options.fused] 'all': one weight contains q, k and v, another one gate and up; 'mlp': only gate and up are fused
 * @param {readonly string[]} [options.mlp] names of up, down and, if present, gate
 * @param {boolean} [options.parallel] True if attention and MLP read the same norm
 * @param {number} [options.scale] of scores; default headDim ** -0.5
 * @param {number} [options.softcap] of scores
 * @param {number} [options.embeddingScale]
 * @param {number} [options.residualScale] factor of the outputs of attention and MLP
 * @param {Partial<HeadSpec>} [options.logits]
 */
export function llamaLike(c, options) {
  const { bias, mlpBias = false, qkNorm, turns, window, full, sliding, share, interleaved, fused } = options
  const { norms = NORMS, mlp = ['mlp.up_proj', 'mlp.down_proj', 'mlp.gate_proj'], residualScale } = options
  const { prefix, tokens, at, self, o, last } = options.names ?? NAMES
  const d = c.size('hidden_size')
  const H = c.size('num_attention_heads')
  const numKvHeads = c.size('num_key_value_heads', H)
  if (H % numKvHeads) throw new RangeError(`config.json: ${numKvHeads} key heads do not divide ${H} heads`)
  const headDim = c.get('head_dim') === undefined ? headDimOf(d, H) : c.size('head_dim')
  const heads = { numHeads: H, numKvHeads, headDim }
  const { eps: epsOf = 'rms_norm_eps' } = options
  const eps = typeof epsOf === 'number' ? epsOf : c.number(epsOf, EPS)
  const biases = bias ? BIASES[bias] : c.flag('attention_bias') ? ALL : NONE
  const windows = windowsOf(c, layersOf(c, 'num_hidden_layers'), window)
  const inner = c.size('intermediate_size')
  /** @type {(name: string, size?: number) => NormSpec} */
  const norm = (name, size = d) => ({ name, size, kind: 'rms', eps, ...options.norm })
  const slidingRope = sliding && { ...ropeFrequencies(c, headDim, share, sliding), interleaved }
  const [up, down, gate] = mlp
  const fusedMlp = fused && 'mlp.gate_up_proj'
  return decoderOnly(c, {
    prefix,
    d,
    heads,
    tokens,
    layers: 'num_hidden_layers',
    at,
    norm,
    after: residualScale === undefined ? undefined : scaledBy(residualScale, d),
    embedding: { scale: options.embeddingScale },
    stack: {
      parallel: options.parallel,
      rope: { ...ropeFrequencies(c, headDim, share, full), interleaved },
      heads: { ...heads, scale: options.scale ?? headDim ** -0.5, softcap: options.softcap ?? 0 },
    },
    attention: (at, i) => {
      const plain = attentionOf(at + self, ['q_proj', 'k_proj', 'v_proj', o], d, heads, biases)
      const [q, k, v] =
        fused === 'all'
          ? slices(`${at}${self}qkv_proj`, [plain.q.out, plain.k.out, plain.v.out], d, biases[0])
          : [plain.q, plain.k, plain.v]
      return {
        ...plain,
        q,
        k,
        v,
        ...(qkNorm && {
          qNorm: norm(`${at}${self}q_norm`, qkNorm === 'all' ? H * headDim : headDim),
          kNorm: norm(`${at}${self}k_norm`, qkNorm === 'all' ? numKvHeads * headDim : headDim),
        }),
        window: windows[i],
        ...(windows[i] && slidingRope && { rope: slidingRope }),
        ...(turns?.(i, windows[i]) === false && { rope: false }),
      }
    },
    mlp: [up, down, ...(gate ? [gate] : [])],
    fusedMlp,
    inner,
    linear: (name, out, size) => ({ name, out, in: size, bias: mlpBias }),
    activation: c.choice(options.activation ?? 'hidden_act', ACTIVATIONS),
    norms,
    last,
    head: 'lm_head',
    tied: c.flag('tie_word_embeddings'),
    logits: options.logits,
  })
}

const BIASES = { qkv: [true, true, true, false], all: ALL, none: NONE }

/** Returns a softcap; 0 if the key is null or missing. @param {Config} c @param {string} key */
export function capOf(c, key) {
  if (c.get(key) === 0)
    throw new RangeError(`${c.file}: ${key}: expected null or a number above 0, got 0, by which transformers divides`)
  return c.number(key, { least: 0 }, 0)
}

/**
 * Returns the window of each layer, in keys; undefined if its queries see all keys.
 * @param {Config} c
 * @param {number} layers
 * @param {'all' | 'upper' | 'even' | 'pattern' | number | undefined} rule
 * @returns {(number | undefined)[]}
 */
function windowsOf(c, layers, rule) {
  if (!rule) c.only({ sliding_window: undefined, use_sliding_window: false })
  const isOn = rule === 'upper' ? c.flag('use_sliding_window') : rule !== undefined
  const first = rule === 'upper' ? c.number('max_window_layers', { least: 0, whole: true }) : 0
  const size = rule && c.get('sliding_window')
  const window = isOn && size !== undefined ? c.size('sliding_window') : undefined
  const types = c.get('layer_types')
  if (types !== undefined && rule === 'pattern') c.get('sliding_window_pattern') // marked as read: layer_types takes precedence
  const pattern = types !== undefined ? 0 : rule === 'pattern' ? c.size('sliding_window_pattern') : Number(rule)
  if (types !== undefined) {
    if (!Array.isArray(types) || types.length !== layers)
      throw new TypeError(
        `config.json: layer_types: expected a type for each of ${layers} layers, got ${describe(types)}`,
      )
    return types.map(type => {
      // Mistral does not read layer_types: a file with full-attention layers belongs to another class.
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
