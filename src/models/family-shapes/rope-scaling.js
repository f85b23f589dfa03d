// Computes the frequencies of rotary position embedding from the keys of a config.

import { describe } from '../../base/errors.js'
import { Config } from '../config/config.js'

/** @import { Rope } from './parts.js' */

const POSITIVE = { least: 1e-30 }
const KINDS = ['full_attention', 'sliding_attention']
/** Functions by rope_type. Each returns what it changes in the unscaled rotation. @type {Record<string, (scaling: Config, rope: Rope, theta: number, config: Config) => Partial<Rope>>} */
const SCALINGS = { default: () => ({}), linear, llama3, yarn, dynamic, longrope }

/**
 * Returns the rotation. Before any scaling, the frequency of pair i is theta^(-2i/dim), for dim rotated values per head.
 * @param {Config} config
 * @param {number} headDim
 * @param {number} [share] rotated share of a head, if the config has no key for it; default: all, and a config with another share is refused
 * @param {object} [layers] which layers the rotation is for, if a model has two rotations
 * @param {string} [layers.kind] key in rope_parameters: 'full_attention' or 'sliding_attention'
 * @param {string} [layers.key] key of theta in older configs; '' for none
 * @param {number} [layers.theta] default if the config has no key for it
 * @param {boolean} [layers.isScaled] True if the older key rope_scaling applies to these layers
 * @param {boolean} [layers.isOlder] True to read rotary_pct and rotary_emb_base, too, as in GPT-NeoX
 * @returns {Rope}
 */
export function ropeFrequencies(
  config,
  headDim,
  share,
  { kind, key = 'rope_theta', theta: usual = 10000, isScaled = true, isOlder = false } = {},
) {
  // Newer configs store everything in rope_parameters.
  const newer = newerOf(config, kind)
  const older = config.get('rope_scaling')
  if (newer && older !== undefined)
    throw new RangeError(
      'config.json: expected either rope_scaling or rope_parameters, got both; leave rope_scaling out',
    )
  const scaling = newer ?? (older === undefined || !isScaled ? undefined : new Config(older))
  // A config may have the rotated share under its old name, under its new name, and in rope_parameters.
  const parts = [newer, config].flatMap(held =>
    ['partial_rotary_factor', ...(isOlder ? ['rotary_pct'] : [])].flatMap(key =>
      held?.has(key) ? held.number(key, { least: 0, most: 1 }, share ?? 1) : [],
    ),
  )
  const [part = share ?? 1] = parts
  if (parts.some(each => each !== part))
    throw new RangeError(
      `config.json: expected one rotated share of each head, got ${[...new Set(parts)].join(' and ')}`,
    )
  if (share === undefined && part !== 1)
    throw new RangeError(`config.json: partial_rotary_factor ${part} is not covered; covered: 1`)
  const base = isOlder && config.has('rotary_emb_base') ? config.number('rotary_emb_base', POSITIVE, usual) : usual
  const olderTheta = key ? config.number(key, POSITIVE, base) : base
  const theta = newer?.has('rope_theta') ? newer.number('rope_theta', POSITIVE, base) : olderTheta
  const dim = Math.floor(headDim * part)
  if (dim % 2)
    throw new RangeError(`config.json: expected an even number of rotated values per head, got ${dim} of ${headDim}`)
  const rope = { dim, frequencies: powers(theta, dim), most: config.size('max_position_embeddings') }
  const type = scaling?.get('rope_type') ?? scaling?.get('type') ?? 'default'
  scaling?.get('type')
  if (typeof type !== 'string' || !Object.hasOwn(SCALINGS, type))
    throw new RangeError(
      `config.json: rope_type ${describe(type)} is not covered; covered: ${Object.keys(SCALINGS).join(', ')}`,
    )
  Object.assign(rope, scaling && SCALINGS[type](scaling, rope, theta, config))
  scaling?.end()
  return rope
}

/** Returns rope_parameters, or its entry for a kind of layers. @param {Config} config @param {string | undefined} kind */
function newerOf(config, kind) {
  const value = config.get('rope_parameters')
  if (value === undefined) return undefined
  const all = new Config(value)
  if (!kind) return all
  const [own] = [kind, ...KINDS].map(key => all.get(key))
  all.end()
  if (own === undefined) throw new TypeError(`config.json: rope_parameters: ${kind} is missing`)
  return new Config(own)
}

/** Returns the frequency theta^(-2i/dim) of each pair i. @param {number} theta @param {number} dim */
export const powers = (theta, dim) => Float64Array.from({ length: dim / 2 }, (_, i) => theta ** ((-2 * i) / dim))

/** Divides all frequencies by a factor. @param {Config} scaling @param {Rope} rope */
function linear(scaling, { frequencies }) {
  const factor = scaling.number('factor', POSITIVE)
  return { frequencies: frequencies.map(f => f / factor) }
}

/**
 * Divides low frequencies by the factor, keeps high ones, and interpolates in between.
 * @param {Config} scaling
 * @param {Rope} rope
 */
function llama3(scaling, { frequencies }) {
  const factor = scaling.number('factor', POSITIVE)
  const low = scaling.number('low_freq_factor', POSITIVE)
  const high = scaling.number('high_freq_factor', POSITIVE)
  const old = scaling.number('original_max_position_embeddings', POSITIVE)
  return {
    frequencies: frequencies.map(f => {
      const m = Math.min(1, Math.max(0, ((old * f) / (2 * Math.PI) - low) / (high - low)))
      return ((1 - m) * f) / factor + m * f
    }),
  }
}

/**
 * YaRN. Pairs with fewer than beta_slow rotations over the original length have their frequency divided by `factor`. Pairs with more than
 * beta_fast keep it. Those in between are interpolated linearly. `gain` multiplies cosines and sines.
 * @param {Config} scaling
 * @param {Rope} rope
 * @param {number} theta
 */
function yarn(scaling, { dim, frequencies, most }, theta) {
  const old = scaling.size('original_max_position_embeddings', most)
  const factor = scaling.number('factor', POSITIVE, most / old)
  const isWhole = scaling.flag('truncate', true)
  scaling.get('finetuned') // marked as read: a note of YaRN's authors, without effect
  const gainOf = (/** @type {number} */ m) => (factor <= 1 ? 1 : 0.1 * m * Math.log(factor) + 1)
  const [m, all] = ['mscale', 'mscale_all_dim'].map(key => scaling.number(key, { least: 0 }, 0))
  const gain = scaling.number('attention_factor', POSITIVE, m && all ? gainOf(m) / gainOf(all) : gainOf(1))
  /**
   * Returns the index of the pair that makes a given number of rotations over the original length; rounded if `isWhole`.
   * @param {string} key key of the number of rotations
   * @param {number} usual value if the key is missing or 0
   * @param {(pair: number) => number} round
   */
  const pairOf = (key, usual, round) => {
    const turns = scaling.number(key, { least: 0 }, usual) || usual
    const pair = (dim * Math.log(old / (turns * 2 * Math.PI))) / (2 * Math.log(theta))
    return isWhole ? round(pair) : pair
  }
  const low = Math.max(pairOf('beta_fast', 32, Math.floor), 0)
  const high = Math.min(pairOf('beta_slow', 1, Math.ceil), dim - 1)
  const width = low === high ? 0.001 : high - low
  return {
    gain,
    most: Math.max(most, Math.floor(old * factor)),
    frequencies: frequencies.map((f, i) => {
      const ramp = Math.min(1, Math.max(0, (i - low) / width))
      return (f / factor) * ramp + f * (1 - ramp)
    }),
  }
}

/**
 * LongRoPE: divides each frequency by a separate factor. Texts longer than those in training use other factors.
 * @param {Config} scaling
 * @param {Rope} rope
 * @param {number} _
 * @param {Config} config
 */
function longrope(scaling, { frequencies, most }, _, config) {
  const old = config.size('original_max_position_embeddings', scaling.size('original_max_position_embeddings', most))
  scaling.get('original_max_position_embeddings')
  const factor = scaling.number('factor', POSITIVE, most / old)
  const gain = scaling.number(
    'attention_factor',
    POSITIVE,
    factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(old)),
  )
  const [short, long] = ['short_factor', 'long_factor'].map(key => {
    const factors = scaling.get(key)
    if (!Array.isArray(factors) || factors.length !== frequencies.length || !factors.every(one => one > 0))
      throw new RangeError(
        `config.json: rope_scaling: ${key}: expected ${frequencies.length} positive numbers, got ${describe(factors)}`,
      )
    return frequencies.map((f, i) => f / factors[i])
  })
  return { gain, frequencies: short, dynamic: { length: old, frequencies: long } }
}

/**
 * Dynamic NTK scaling: theta grows for texts longer than those in training. See rotations in network.js for the formula.
 * @param {Config} scaling
 * @param {Rope} rope
 * @param {number} theta
 */
function dynamic(scaling, { dim, most }, theta) {
  const old = scaling.size('original_max_position_embeddings', most)
  const factor = scaling.number('factor', { least: 1 })
  if (dim < 4)
    throw new RangeError(`config.json: rope_type "dynamic" needs at least 4 numbers of a head that turn, ${dim} do`)
  return { most: Math.max(most, Math.floor(old * factor)), dynamic: { theta, factor, length: old } }
}
