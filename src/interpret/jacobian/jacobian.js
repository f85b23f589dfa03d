// Computes products with J, the Jacobian of the numbers at one place of a stack with respect to those at another: forward mode (J v) by
// dual numbers, reverse mode (v J) by the gradient recorder. Many vectors share one run of the text.

import { oneOf, readOptions } from '../../base/arguments.js'
import { describe, shape } from '../../base/errors.js'
import { toFloats } from '../../base/operand.js'
import { present } from '../../base/present.js'
import { count, Tensor } from '../../base/tensor.js'
import { Model } from '../../models/model.js'
import { copyOf, expandPlace } from '../../models/run/model-hooks.js'
import { finish, lastNorm, runLayer } from '../../models/run/network.js'
import { stackNames } from '../../models/run/stacks.js'
import { GradientRecorder, KeepingOperations } from '../gradients/gradient-recorder.js'
import { bytesBackwards, makeRoom } from '../gradients/memory-room.js'
import { throughLayer } from '../gradients/model-gradients.js'
import { quiet } from '../patching/resume.js'
import { DualOperations } from './dual-operations.js'
import { enteredStates } from './entered-states.js'

/** @import { FloatTensor, TensorLike } from '../../base/tensor.js' */
/** @import { ModelInput } from '../../models/model.js' */
/** @import { Place } from '../../models/run/model-hooks.js' */
/** @import { Kept, Parts } from '../gradients/model-gradients.js' */

/**
 * @typedef {object} JacobianOptions
 * @property {Place} from the place with respect to which the derivative is taken, in the same stack as `to`
 * @property {Place} to the place whose derivative is taken
 * @property {TensorLike} vectors (N, L, ...): N vectors with the dims of `from` (forward) or of `to` (reverse), without the batch
 * @property {'forward' | 'reverse'} [mode] 'forward' (default): J v, at `to`; 'reverse': v J, at `from`
 */

/** Maximum floats of tangents or gradients at one place. Vectors with more are processed in batches. */
const PART = 2 ** 20

/**
 * A recorded run of one text: the input of each layer of a stack, and the output of the last.
 * @typedef {{ parts: Parts, stack: string, spec: import('../../models/family-shapes/parts.js').StackSpec, kept: Kept[] }} Linearised
 */

/**
 * Runs a text and keeps what Jacobian products need of it.
 * @param {Parts} parts
 * @param {string | ModelInput} input
 * @param {string} stack prefix of the stack
 * @param {string} where
 * @param {import('../../models/model.js').Hooks} [hooks]
 * @returns {import('../../models/run/network.js').RunSteps<Linearised & { ran: import('../../models/model.js').ModelOutput }>}
 */
export function* linearise(parts, input, stack, where, hooks) {
  const { qkv, weights } = parts
  return yield* enteredStates(parts, input, stack, where, {
    hooks,
    operations: checked => new KeepingOperations(qkv, weights, checked),
    beside(own, spec) {
      /** @type {Kept['products']} */
      const products = new Map()
      Object.assign(own.call.ops, { products: own.layer < spec.layers.length ? products : undefined })
      return { products }
    },
  })
}

/**
 * Computes J v, from tangents at one place to tangents at a later one.
 * @param {Linearised} run
 * @param {{ from: string, to: string, vectors: FloatTensor }} ends
 * @returns {import('../../models/run/network.js').RunSteps<FloatTensor>} (N, ...dims of `to`)
 */
export function* pushForward({ parts, stack, spec, kept }, ends) {
  const { qkv, weights } = parts
  const [first, last] = [ends.from, ends.to].map(place => layerOf(place, spec))
  /** @type {FloatTensor | undefined} */
  let tangents
  /** @type {import('./dual-operations.js').Ends} */
  const given = { ...ends }
  for (let layer = Math.max(first, 0); layer <= last && !given.found; layer++) {
    tangents = qkv.scope(() => {
      const ops = new DualOperations(qkv, weights, given)
      const { own, h } = kept[layer]
      const x = ops.resident(h)
      const entering = first < 0 && layer === 0 ? ends.vectors : tangents
      if (entering) ops.with(x, ops.resident(entering))
      if (layer === spec.layers.length) {
        const y = lastNorm(spec, stack, ops, x)
        return ops.read(y)
      }
      return ops.read(finish(runLayer({ ...own, call: quiet(own.call, ops) }, spec.layers[layer], x)))
    })
    yield tangents
  }
  if (given.found) return given.found
  throw new RangeError(`${ends.from} does not lie before ${ends.to}`)
}

/**
 * Computes v J, from gradients at one place to gradients at earlier ones.
 * @param {Linearised} run
 * @param {{ to: string, vectors: FloatTensor, from: readonly string[] }} ends vectors (N, ...dims of `to`)
 * @returns {import('../../models/run/network.js').RunSteps<Map<string, FloatTensor>>} by place, (N, ...dims of the place)
 */
export function* pullBack({ parts, stack, spec, kept }, { to, vectors, from }) {
  const { qkv, weights } = parts
  const N = vectors.dims[0]
  const [L, d] = kept[0].h.dims.slice(1)
  /** @type {Map<string, FloatTensor>} */
  const found = new Map()
  const shared = {
    outcomes: new Map(),
    wanted: new Set(from),
    found,
    learned: new Map(),
    seed: { place: to, gradient: vectors },
  }
  const record = () => new GradientRecorder(qkv, weights, shared)
  const first = Math.min(...from.map(place => layerOf(place, spec)))
  makeRoom(qkv, bytesBackwards(spec, N * L), 'a product with the Jacobian')
  let dH = new Tensor(new Float32Array(N * L * d), [N, L, d])
  for (let layer = layerOf(to, spec); layer >= Math.max(first, 0); layer--) {
    const { own, h, products } = kept[layer]
    dH = qkv.scope(() => {
      const recorder = record()
      if (layer === spec.layers.length) {
        const x = recorder.resident(repeat(h, N))
        recorder.give(lastNorm(spec, stack, recorder, x), recorder.resident(dH))
        recorder.backward()
        return copyOf(recorder.reachedGradient(x))
      }
      const wide = {
        own: { ...own, turns: own.turns && repeatTurns(own.turns, N) },
        h: repeat(h, N),
        products: new Map(Array.from(products, ([spec, kept]) => [spec, repeat(kept, N)])),
      }
      const { encoded } = own.call
      const hidden = encoded?.hidden && repeat(encoded.hidden, N)
      return throughLayer(recorder, wide, encoded ? { ...own.call, encoded: { ...encoded, hidden } } : own.call, dH)
    })
    yield dH
  }
  if (from.includes(`${stack}embedding`)) found.set(`${stack}embedding`, dH)
  return found
}

/**
 * Returns the layer of a place: -1 for the embedding, the number of layers for the last norm.
 * @param {string} place
 * @param {import('../../models/family-shapes/parts.js').StackSpec} spec
 */
function layerOf(place, { layers }) {
  const [, number] = /layers\.(\d+)\./.exec(place) ?? []
  return number === undefined ? (place.endsWith('norm') ? layers.length : -1) : Number(number)
}

/** Repeats the numbers of one text N times. @param {{ data: Float32Array, dims: readonly number[] }} x (1, ...) @param {number} N @returns {FloatTensor} */
function repeat({ data, dims }, N) {
  const out = new Float32Array(N * data.length)
  for (let n = 0; n < N; n++) out.set(data, n * data.length)
  return new Tensor(out, [N, ...dims.slice(1)])
}

/** @param {import('../../models/run/network.js').Turns} turns @param {number} N */
const repeatTurns = ({ cos, sin, ...more }, N) => ({ ...more, cos: repeat(cos, N), sin: repeat(sin, N) })

/** Matches the places of scores, weights, logits and single heads, which Jacobian products do not support. */
const UNCOVERED = /(scores|weights|logits)|heads\.\d+$/

/**
 * Computes products of vectors with the Jacobian of the numbers at one place with respect to those at an earlier place, for one text.
 * @param {Model} model
 * @param {string | ModelInput} input as in forward: one text without padding
 * @param {JacobianOptions} options
 * @returns {Promise<FloatTensor>} (N, L, ...) with the dims of `to` (forward) or of `from` (reverse)
 */
export async function jacobianProducts(model, input, options) {
  const where = 'jacobianProducts'
  const parts = Model.parts(model)
  const { from, to, vectors, mode = 'forward' } = readOptions(options, ['from', 'to', 'vectors', 'mode'], where)
  oneOf(mode, ['forward', 'reverse'], `${where}: mode`, { jvp: 'forward', vjp: 'reverse', backward: 'reverse' })
  const stacks = stackNames(parts.family)
  const [source, target] = [from, to].map((place, i) => {
    const at = `${where}: ${i ? 'to' : 'from'}`
    if (typeof place !== 'string') throw new TypeError(`${at}: expected the name of a place, got ${describe(place)}`)
    /** @type {string} */
    const name = place
    const [one] = expandPlace(name, stacks, at)
    if (one !== name || UNCOVERED.test(name))
      throw new RangeError(
        `${at}: expected one place with a row for each token, such as "layers.0.output"; got ${describe(name)}`,
      )
    return name
  })
  const stackOf = (/** @type {string} */ place) => /^(?:encoder\.|decoder\.)?/.exec(place)?.[0] ?? ''
  const specOf = (/** @type {string} */ place) => present(stacks.find(({ stack }) => stack === stackOf(place))?.spec)
  if (stackOf(source) !== stackOf(target))
    throw new RangeError(`${where}: expected two places of one stack, got ${describe(source)} and ${describe(target)}`)
  const given = toFloats(vectors, `${where}: vectors`)
  if (source !== target && layerOf(source, specOf(source)) > layerOf(target, specOf(target)))
    throw new RangeError(`${where}: expected \`from\` before \`to\`, got ${describe(source)} and ${describe(target)}`)
  return parts.qkv.scope(() => {
    const start = mode === 'forward' ? source : target
    /** @type {readonly number[]} */
    let sizes = []
    const read = (/** @type {FloatTensor} */ { dims }) => {
      sizes = dims.slice(1)
    }
    const run = finish(linearise(parts, input, stackOf(source), where, { [start]: read }))
    const [N, ...rest] = given.dims
    if (!N || String(rest) !== String(sizes))
      throw new RangeError(
        `${where}: vectors: expected (N, ${sizes.join(', ')}), N vectors at ${describe(start)}; got ${shape(given.dims)}`,
      )
    if (source === target) return copyOf(given)
    const size = count(rest)
    const most = Math.max(1, Math.floor(PART / size))
    /** @type {FloatTensor[]} */
    const made = []
    for (let n = 0; n < N; n += most) {
      const part = new Tensor(given.data.slice(n * size, Math.min(N, n + most) * size), [
        Math.min(most, N - n),
        ...rest,
      ])
      made.push(
        mode === 'forward'
          ? finish(pushForward(run, { from: source, to: target, vectors: part }))
          : /** @type {FloatTensor} */ (
              finish(pullBack(run, { to: target, vectors: part, from: [source] })).get(source)
            ),
      )
    }
    const [, ...dims] = made[0].dims
    const out = new Float32Array(N * count(dims))
    let at = 0
    for (const { data } of made) {
      out.set(data, at)
      at += data.length
    }
    return new Tensor(out, [N, ...dims])
  })
}
