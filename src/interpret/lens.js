// The Jacobian lens of "Verbalizable Representations Form a Global Workspace in Language Models" (Gurnee et al. 2026,
// transformer-circuits.pub/2026/workspace): one matrix for each layer, which carries what leaves the layer to what leaves the last one.

import { readOptions, toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { Tensor } from '../base/tensor.js'
import { checkSignal } from '../models/inputs.js'
import { Model } from '../models/model.js'
import { inTurns } from '../models/turns.js'
import { linearise, pullBack, pushForward } from './jacobian.js'
import { stackOf } from './stack-of.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../models/model.js').ModelInput} ModelInput */
/** @typedef {ReturnType<typeof Model.parts>} Parts */

/**
 * Which positions of a text count: from `first` to the one before the last, as sources and as targets.
 * @typedef {object} PositionOptions
 * @property {number} [first] default 16: the states of the first positions are unlike those of others
 * @property {number} [maxLength] tokens of a text that are read; default 128
 *
 * @typedef {object} OwnFitOptions
 * @property {readonly number[]} [layers] default: all but the last, whose matrix is the identity
 * @property {Lens} [resume] what onProgress gave, or a lens that was read: its texts are the first of `texts`, and are not run again
 * @property {AbortSignal} [signal] what is fitted by then is in the lens that onProgress gave last
 * @property {(progress: { done: number, total: number, lens: Lens }) => void} [onProgress] after each text
 *
 * @typedef {PositionOptions & OwnFitOptions} FitLensOptions
 */

/**
 * What a lens is made of: for each layer the sum of the matrices of its texts.
 * @typedef {object} LensSums
 * @property {number} width d
 * @property {number} layers of the model
 * @property {Map<number, Float64Array>} sums (d, d), by layer
 * @property {Map<number, number>} [squares] the sum over texts of the squared Frobenius norms, by layer
 * @property {number} count of texts
 * @property {number[]} [marks] a hash of the ids of each text
 */

/** A matrix (d, d) for each of some layers of a model: `J_l h` is what a state h of layer l is about to add to the last state. */
export class Lens {
  /** @type {LensSums} */
  #own
  /** @type {Map<number, FloatTensor>} */
  #means = new Map()

  /** @internal @param {LensSums} own */
  constructor(own) {
    this.#own = own
  }

  /** @internal @param {Lens} lens */
  static sumsOf(lens) {
    if (!(Object(lens) === lens && #own in lens))
      throw new TypeError(`expected a lens of fitLens, mergeLenses or readLens, got ${describe(lens)}`)
    return lens.#own
  }

  /** The layers that have a matrix. */
  get sourceLayers() {
    return [...this.#own.sums.keys()].sort((a, b) => a - b)
  }

  /** How many texts it is the mean of. */
  get numPrompts() {
    return this.#own.count
  }

  /** The width d of the residual stream. */
  get width() {
    return this.#own.width
  }

  /**
   * The matrix of a layer, (d, d): row i is the mean gradient of number i of the last state.
   * @param {number} layer
   * @returns {FloatTensor}
   */
  matrix(layer) {
    const { sums, count, width } = this.#own
    const sum = sums.get(layer)
    if (!sum)
      throw new RangeError(`lens: expected one of its layers, ${this.sourceLayers.join(', ')}; got ${describe(layer)}`)
    const known = this.#means.get(layer)
    const mean =
      known ??
      new Tensor(
        Float32Array.from(sum, value => value / count),
        [width, width],
      )
    this.#means.set(layer, mean)
    return mean
  }

  /**
   * The standard error of the mean over texts, as a share of the matrix, both as Frobenius norms; undefined of a lens that was read
   * from a file without it, and of one text.
   * @param {number} layer
   */
  standardError(layer) {
    const { squares, count } = this.#own
    const square = squares?.get(layer)
    if (square === undefined || count < 2) return undefined
    const ofMean = this.matrix(layer).data.reduce((sum, value) => sum + value * value, 0)
    const variance = Math.max(0, square - count * ofMean) / (count - 1)
    return Math.sqrt(variance / count / ofMean)
  }

  /** @internal Adds the matrices of a text. @param {Map<number, Float64Array>} matrices @param {number} mark */
  add(matrices, mark) {
    const own = this.#own
    for (const [layer, matrix] of matrices) {
      const sum = own.sums.get(layer) ?? new Float64Array(matrix.length)
      let square = 0
      for (let i = 0; i < matrix.length; i++) {
        sum[i] += matrix[i]
        square += matrix[i] * matrix[i]
      }
      own.sums.set(layer, sum)
      own.squares?.set(layer, (own.squares.get(layer) ?? 0) + square)
    }
    own.count++
    own.marks?.push(mark)
    this.#means.clear()
  }
}

/** The stack that a lens is of, and its layers. @param {Parts} parts @param {string} where */
export function lensStack(parts, where) {
  const { family } = parts
  if (!family.decoder)
    throw new RangeError(
      `${where}: expected a decoder, whose last state gives the next token; this ${family.type} is an encoder`,
    )
  const { stack, spec } = stackOf(parts, 'decoder', where)
  return { stack, layers: spec.layers.length, width: family.width }
}

/** Throws unless a lens fits a model. @param {Lens} lens @param {{ layers: number, width: number }} model @param {string} where */
export function checkLens(lens, { layers, width }, where) {
  const own = Lens.sumsOf(lens)
  if (own.width !== width)
    throw new RangeError(`${where}: expected a lens of width ${width}, as the model's; got one of width ${own.width}`)
  const most = Math.max(...own.sums.keys())
  if (most >= layers || (own.layers && own.layers !== layers))
    throw new RangeError(
      `${where}: expected a lens of a model with ${layers} layers, got one of ${own.layers || `at least ${most + 1}`}`,
    )
  return own
}

/** @param {PositionOptions} options @param {string} where */
function readPositions({ first = 16, maxLength = 128 }, where) {
  toNumber(first, `${where}: first`, { least: 0, whole: true })
  toNumber(maxLength, `${where}: maxLength`, { least: first + 2, whole: true })
  return { first, maxLength }
}

/**
 * The ids of texts, cut to `maxLength`; each is long enough to have a position that counts.
 * @param {Model} model
 * @param {unknown} texts
 * @param {{ first: number, maxLength: number }} positions
 * @param {string} where
 * @returns {number[][]}
 */
function idsOf(model, texts, { first, maxLength }, where) {
  if (!Array.isArray(texts) || !texts.length)
    throw new TypeError(`${where}: texts: expected a list of texts or of token ids, got ${describe(texts)}`)
  return texts.map((text, n) => {
    const at = `${where}: texts[${n}]`
    if (typeof text !== 'string' && !Array.isArray(text))
      throw new TypeError(`${at}: expected a text or token ids, got ${describe(text)}`)
    const ids = (typeof text === 'string' ? model.tokenize(text).ids : [...text]).slice(0, maxLength)
    if (ids.length < first + 2)
      throw new RangeError(
        `${at}: expected at least ${first + 2} tokens, as positions count from ${first} to the one before the last; got ${ids.length}`,
      )
    return ids
  })
}

/** A hash of ids, to tell texts apart. @param {readonly number[]} ids */
const markOf = ids => ids.reduce((hash, id) => Math.imul(hash ^ id, 0x01000193) >>> 0, 0x811c9dc5)

/** Rows of a text times vectors that go back at once. */
const ROWS = 4096

/**
 * The matrices of one text: J = 1/|V| * sum over sources t and targets t' >= t, both in V, of dh_final(t') / dh_l(t).
 * @param {Parts} parts
 * @param {readonly number[]} ids
 * @param {{ stack: string, layers: number, width: number }} of
 * @param {readonly number[]} layers
 * @param {number} first
 * @returns {import('../models/network.js').RunSteps<Map<number, Float64Array>>}
 */
function* matricesOf(parts, ids, { stack, layers: count, width: d }, layers, first) {
  const run = yield* linearise(parts, { ids: [...ids] }, stack, 'fitLens')
  const L = ids.length
  const valid = L - 1 - first
  const places = layers.map(layer => `${stack}layers.${layer}.output`)
  const to = `${stack}layers.${count - 1}.output`
  const matrices = new Map(layers.map(layer => [layer, new Float64Array(d * d)]))
  const most = Math.max(1, Math.floor(ROWS / L))
  for (let i = 0; i < d; i += most) {
    const N = Math.min(most, d - i)
    const vectors = new Tensor(new Float32Array(N * L * d), [N, L, d])
    for (let n = 0; n < N; n++) for (let t = first; t < L - 1; t++) vectors.data[(n * L + t) * d + i + n] = 1
    const found = yield* pullBack(run, { to, vectors, from: places })
    for (const [l, place] of places.entries()) {
      const { data } = /** @type {FloatTensor} */ (found.get(place))
      const matrix = /** @type {Float64Array} */ (matrices.get(layers[l]))
      for (let n = 0; n < N; n++)
        for (let t = first; t < L - 1; t++) {
          const at = (n * L + t) * d
          for (let c = 0; c < d; c++) matrix[(i + n) * d + c] += data[at + c]
        }
    }
  }
  for (const matrix of matrices.values()) for (let i = 0; i < d * d; i++) matrix[i] /= valid
  return matrices
}

/**
 * Fits the Jacobian lens of a decoder: the mean over texts of how the last state answers to a state of each layer.
 * @param {Model} model
 * @param {readonly (string | readonly number[])[]} texts about 100 are usable, published lenses have 1,000
 * @param {FitLensOptions} [options]
 * @returns {Promise<Lens>}
 */
export async function fitLens(model, texts, options = {}) {
  const where = 'fitLens'
  const parts = Model.parts(model)
  const known = ['layers', 'first', 'maxLength', 'resume', 'signal', 'onProgress']
  const { layers, resume, signal, onProgress, ...given } = readOptions(options, known, where)
  checkSignal(signal, where)
  const positions = readPositions(given, where)
  const of = lensStack(parts, where)
  const chosen = layersOf(layers, of.layers, where)
  const all = idsOf(model, texts, positions, where)
  const before = resume && checkLens(resume, of, `${where}: resume`)
  if (before) checkResumed(before, all, chosen, where)
  const lens = new Lens({
    width: of.width,
    layers: of.layers,
    sums: new Map(Array.from(before?.sums ?? [], ([layer, sum]) => [layer, sum.slice()])),
    squares: before && !before.squares ? undefined : new Map(before?.squares),
    count: before?.count ?? 0,
    marks: [...(before?.marks ?? [])],
  })
  for (const ids of all.slice(lens.numPrompts)) {
    const steps = matricesOf(parts, ids, of, chosen, positions.first)
    lens.add(await inTurns(parts.qkv, steps, { signal, layers: of.layers }), markOf(ids))
    onProgress?.({ done: lens.numPrompts, total: all.length, lens })
  }
  return lens
}

/** @param {readonly number[] | undefined} given @param {number} count @param {string} where */
function layersOf(given, count, where) {
  if (count < 2)
    throw new RangeError(`${where}: expected a model of at least 2 layers, as the last needs no lens; got ${count}`)
  if (given === undefined) return Array.from({ length: count - 1 }, (_, layer) => layer)
  if (!Array.isArray(given) || !given.length)
    throw new TypeError(`${where}: layers: expected a list of layers, got ${describe(given)}`)
  for (const [n, layer] of given.entries())
    toNumber(layer, `${where}: layers[${n}]`, { least: 0, most: count - 2, whole: true })
  return [...new Set(given)].sort((a, b) => a - b)
}

/** @param {LensSums} before @param {number[][]} all @param {number[]} layers @param {string} where */
function checkResumed({ sums, count, marks }, all, layers, where) {
  if (String([...sums.keys()].sort((a, b) => a - b)) !== String(layers))
    throw new RangeError(
      `${where}: resume: expected a lens of layers ${layers.join(', ')}; got ${[...sums.keys()].join(', ')}`,
    )
  if (count > all.length)
    throw new RangeError(
      `${where}: resume: expected at most as many texts as given, ${all.length}; the lens has ${count}`,
    )
  if (!marks || marks.length !== count)
    throw new RangeError(
      `${where}: resume: this lens does not tell its texts; fit the other texts apart and use mergeLenses`,
    )
  const other = marks.findIndex((mark, n) => mark !== markOf(all[n]))
  if (other >= 0)
    throw new RangeError(
      `${where}: resume: texts[${other}] is not the text that the lens was fitted on; use mergeLenses for other texts`,
    )
}

/**
 * One lens of the texts of several, each counted by its number of texts.
 * @param {readonly Lens[]} lenses of one model, with the same layers
 * @returns {Lens}
 */
export function mergeLenses(lenses) {
  const where = 'mergeLenses'
  if (!Array.isArray(lenses) || !lenses.length)
    throw new TypeError(`${where}: expected a list of lenses, got ${describe(lenses)}`)
  const all = lenses.map(lens => Lens.sumsOf(lens))
  const [{ width, sums: ofFirst }] = all
  const keys = (/** @type {LensSums} */ { sums }) => String([...sums.keys()].sort((a, b) => a - b))
  for (const [n, own] of all.entries())
    if (
      own.width !== width ||
      keys(own) !== keys(all[0]) ||
      (own.layers && all[0].layers && own.layers !== all[0].layers)
    )
      throw new RangeError(
        `${where}: expected lenses of one model, of width ${width} and layers ${keys(all[0])}; lenses[${n}] has width ${own.width} and layers ${keys(own)}`,
      )
  const hasSquares = all.every(({ squares }) => squares)
  /** @param {(own: LensSums) => Map<number, number> | undefined} of @param {number} layer */
  const total = (of, layer) => all.reduce((sum, own) => sum + (of(own)?.get(layer) ?? 0), 0)
  return new Lens({
    width,
    layers: Math.max(...all.map(({ layers }) => layers)),
    count: all.reduce((sum, { count }) => sum + count, 0),
    sums: new Map(
      Array.from(ofFirst.keys(), layer => {
        const sum = new Float64Array(width * width)
        for (const { sums } of all) {
          const part = /** @type {Float64Array} */ (sums.get(layer))
          for (let i = 0; i < sum.length; i++) sum[i] += part[i]
        }
        return [layer, sum]
      }),
    ),
    squares: hasSquares
      ? new Map(Array.from(ofFirst.keys(), layer => [layer, total(({ squares }) => squares, layer)]))
      : undefined,
    marks: all.every(({ marks }) => marks) ? all.flatMap(({ marks }) => marks ?? []) : undefined,
  })
}

/**
 * A state of the residual stream: what left a layer, (d).
 * @typedef {{ layer: number, vector: { data: ArrayLike<number> } | ArrayLike<number> }} LensState
 *
 * @typedef {object} OwnTransportOptions
 * @property {readonly (string | readonly number[])[]} texts a few suffice
 * @property {AbortSignal} [signal]
 * @typedef {PositionOptions & OwnTransportOptions} TransportOptions
 */

/**
 * J h without a fitted lens, by forward products over a few texts. Works with weights of any dtype.
 * @param {Model} model
 * @param {readonly LensState[]} states
 * @param {TransportOptions} options
 * @returns {Promise<FloatTensor>} (N, d) for N states
 */
export async function transportStates(model, states, options) {
  const where = 'transportStates'
  const parts = Model.parts(model)
  const { texts, signal, ...given } = readOptions(options, ['texts', 'first', 'maxLength', 'signal'], where)
  checkSignal(signal, where)
  const positions = readPositions(given, where)
  const of = lensStack(parts, where)
  const { width: d } = of
  if (!Array.isArray(states) || !states.length)
    throw new TypeError(`${where}: states: expected a list of { layer, vector }, got ${describe(states)}`)
  const read = states.map((state, n) => {
    const at = `${where}: states[${n}]`
    const { layer, vector } = readOptions(state, ['layer', 'vector'], at)
    toNumber(layer, `${at}.layer`, { least: 0, most: of.layers - 1, whole: true })
    const data = Float32Array.from(Object(vector).data ?? vector ?? [])
    if (data.length !== d || !data.every(Number.isFinite))
      throw new RangeError(`${at}.vector: expected ${d} finite numbers, got ${describe(vector)}`)
    return { layer, data }
  })
  const all = idsOf(model, texts, positions, where)
  const sum = new Float64Array(states.length * d)
  for (const ids of all) {
    const made = await inTurns(parts.qkv, transported(parts, ids, of, read, positions.first), {
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
 * The states as tangents at all positions that count, carried to the last state of one text. A layer is run once for all states below it.
 * @param {Parts} parts
 * @param {readonly number[]} ids
 * @param {{ stack: string, layers: number, width: number }} of
 * @param {readonly { layer: number, data: Float32Array }[]} states
 * @param {number} first
 * @returns {import('../models/network.js').RunSteps<Float64Array>} (N, d)
 */
function* transported(parts, ids, { stack, layers, width: d }, states, first) {
  const run = yield* linearise(parts, { ids: [...ids] }, stack, 'transportStates')
  const L = ids.length
  const out = new Float64Array(states.length * d)
  /** The states that are on their way, in the order of the batch. @type {number[]} */
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
  const { data } = /** @type {FloatTensor} */ (tangents)
  for (const [i, n] of moving.entries())
    for (let t = first; t < L - 1; t++)
      for (let c = 0; c < d; c++) out[n * d + c] += data[(i * L + t) * d + c] / (L - 1 - first)
  return out
}
