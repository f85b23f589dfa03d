// Computes J h, what a lens reads from a state h, without fitting the matrix J: by forward-mode products over a few texts.

import { readOptions, toNumber } from '../../base/arguments.js'
import { describe } from '../../base/errors.js'
import { present } from '../../base/present.js'
import { Tensor } from '../../base/tensor.js'
import { Model } from '../../models/model.js'
import { checkSignal } from '../../models/run/inputs.js'
import { inTurns } from '../../models/run/turns.js'
import { linearise, pushForward } from '../jacobian/jacobian.js'
import { lensStack } from './lens.js'
import { readPositions, readTexts } from './lens-texts.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Parts } from './lens.js' */
/** @import { PositionOptions } from './lens-texts.js' */

/**
 * A state of the residual stream: the output of a layer, (d).
 * @typedef {{ layer: number, vector: { data: ArrayLike<number> } | ArrayLike<number> }} LensState
 *
 * @typedef {object} OwnLensOfOptions
 * @property {readonly import('./lens-texts.js').LensText[]} texts a few are enough
 * @property {AbortSignal} [signal]
 * @typedef {PositionOptions & OwnLensOfOptions} LensOfOptions
 */

/**
 * Computes J h, what a Jacobian lens reads from a state h, without fitting the lens: by forward-mode products over a few texts. Works with
 * weights of any dtype.
 * @param {Model} model
 * @param {readonly LensState[]} states
 * @param {LensOfOptions} options
 * @returns {Promise<FloatTensor>} (N, d) for N states
 */
export async function lensOf(model, states, options) {
  const where = 'lensOf'
  const parts = Model.parts(model)
  const { texts, signal, ...given } = readOptions(options, ['texts', 'first', 'maxLength', 'signal'], where)
  checkSignal(signal, where)
  const positions = readPositions(given, where)
  const of = lensStack(parts, where)
  const { width: d } = of
  if (!Array.isArray(states) || !states.length)
    throw new TypeError(`${where}: states: expected a list of { layer, vector }, got ${describe(states)}`)
  const read = Array.from(states, (state, n) => {
    const at = `${where}: states[${n}]`
    const { layer, vector } = readOptions(state, ['layer', 'vector'], at)
    toNumber(layer, `${at}.layer`, { least: 0, most: of.layers - 1, whole: true })
    const given = Object(vector).data ?? vector
    const data = Float32Array.from(Object(given).length === d ? given : [], value =>
      typeof value === 'number' ? value : NaN,
    )
    if (data.length !== d || !data.every(Number.isFinite))
      throw new RangeError(`${at}.vector: expected ${d} finite numbers, got ${describe(vector)}`)
    return { layer, data }
  })
  const all = readTexts(model, parts.family.vocab, texts, positions, where)
  const sum = new Float64Array(states.length * d)
  for (const text of all) {
    const made = await inTurns(parts.qkv, parts.alive(carried(parts, text, of, read, positions.first)), {
      signal,
      layers: of.layers,
    })
    made.forEach((value, i) => {
      sum[i] += value / all.length
    })
  }
  return new Tensor(Float32Array.from(sum), [states.length, d])
}

/**
 * Carries the states through the layers of one text to the last state, as tangents at all positions that count. Each layer runs once, for
 * all states that have entered below it.
 * @param {Parts} parts
 * @param {import('./lens-texts.js').ReadText} text
 * @param {{ stack: string, layers: number, width: number }} of
 * @param {readonly { layer: number, data: Float32Array }[]} states
 * @param {number} first
 * @returns {import('../../models/run/network.js').RunSteps<Float64Array>} (N, d)
 */
function* carried(parts, { input, length: L }, { stack, layers, width: d }, states, first) {
  const run = yield* linearise(parts, input, stack, 'lensOf')
  const out = new Float64Array(states.length * d)
  /** Indices of the states that have entered, in the order of the batch. @type {number[]} */
  let moving = []
  /** @type {FloatTensor | undefined} */
  let tangents
  for (let layer = 0; layer < layers; layer++) {
    const at = `${stack}layers.${layer}.`
    if (tangents) tangents = yield* pushForward(run, { from: `${at}input`, to: `${at}output`, vectors: tangents })
    const entering = states.flatMap((state, n) => (state.layer === layer ? [n] : []))
    if (!entering.length) continue
    const N = moving.length + entering.length
    const wide = new Tensor(new Float32Array(N * L * d), [N, L, d])
    if (tangents) wide.data.set(tangents.data)
    for (const [i, n] of entering.entries())
      for (let t = first; t < L - 1; t++) wide.data.set(states[n].data, ((moving.length + i) * L + t) * d)
    moving = [...moving, ...entering]
    tangents = wide
  }
  const { data } = present(tangents)
  for (const [i, n] of moving.entries())
    for (let t = first; t < L - 1; t++)
      for (let c = 0; c < d; c++) out[n * d + c] += data[(i * L + t) * d + c] / (L - 1 - first)
  return out
}
