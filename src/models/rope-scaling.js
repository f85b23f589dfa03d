// The frequencies of rotary position embedding, from the keys of a config.

import { describe } from '../base/errors.js'
import { Config } from './config.js'

const POSITIVE = { least: 1e-30 }

/**
 * Frequency i is theta^(-2i/dim). Linear scaling divides all by a factor, llama3 the low ones only.
 * @param {Config} config
 * @param {number} headDim
 * @param {number} share of a head that is rotated, if the config has no key for it
 */
export function ropeFrequencies(config, headDim, share) {
  // Newer configs hold all of it in rope_parameters.
  const parameters = config.get('rope_parameters')
  const newer = parameters === undefined ? undefined : new Config(parameters)
  const older = config.get('rope_scaling')
  if (newer && older !== undefined)
    throw new RangeError('config.json: rope_scaling and rope_parameters are both given: leave rope_scaling out')
  const scaling = newer ?? (older === undefined ? undefined : new Config(older))
  // A config may hold the share under its old name, its new name, and in rope_parameters.
  const parts = [newer, config].flatMap(held =>
    ['partial_rotary_factor', 'rotary_pct'].flatMap(key =>
      held?.has(key) ? held.number(key, share, { least: 0, most: 1 }) : [],
    ),
  )
  const [part = share] = parts
  if (parts.some(each => each !== part))
    throw new RangeError(`config.json: two shares of a head that turns are given, ${[...new Set(parts)].join(' and ')}`)
  const base = config.has('rotary_emb_base') ? config.number('rotary_emb_base', 10000, POSITIVE) : 10000
  const theta = (newer?.has('rope_theta') ? newer : config).number('rope_theta', base, POSITIVE)
  const dim = Math.floor(headDim * part)
  if (dim % 2) throw new RangeError(`config.json: ${dim} of ${headDim} numbers of a head turn, an even number expected`)
  const frequencies = Float64Array.from({ length: dim / 2 }, (_, i) => theta ** ((-2 * i) / dim))
  const type = scaling?.get('rope_type') ?? scaling?.get('type') ?? 'default'
  scaling?.get('type')
  if (type === 'linear') {
    const factor = /** @type {Config} */ (scaling).number('factor', undefined, POSITIVE)
    for (let i = 0; i < frequencies.length; i++) frequencies[i] /= factor
  } else if (type === 'llama3') scaleLlama3(/** @type {Config} */ (scaling), frequencies)
  else if (type !== 'default')
    throw new RangeError(`config.json: rope_type ${describe(type)} is not covered; covered: default, linear, llama3`)
  scaling?.end()
  return { dim, frequencies, most: config.size('max_position_embeddings', 2048) }
}

/**
 * Low frequencies are divided by the factor, high ones stay, those between are interpolated.
 * @param {Config} scaling
 * @param {Float64Array} frequencies
 */
function scaleLlama3(scaling, frequencies) {
  const factor = scaling.number('factor', undefined, POSITIVE)
  const low = scaling.number('low_freq_factor', undefined, POSITIVE)
  const high = scaling.number('high_freq_factor', undefined, POSITIVE)
  const old = scaling.number('original_max_position_embeddings', undefined, POSITIVE)
  for (let i = 0; i < frequencies.length; i++) {
    const f = frequencies[i]
    const m = Math.min(1, Math.max(0, ((old * f) / (2 * Math.PI) - low) / (high - low)))
    frequencies[i] = ((1 - m) * f) / factor + m * f
  }
}
