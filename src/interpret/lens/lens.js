// Lenses: for each layer, an affine map from its output to the output of the last layer. The Jacobian lens is from "Verbalizable
// Representations Form a Global Workspace in Language Models" (Gurnee et al. 2026, transformer-circuits.pub/2026/workspace), the tuned lens
// from "Eliciting Latent Predictions from Transformers with the Tuned Lens" (Belrose et al. 2023, arxiv.org/abs/2303.08112).

import { entryOf } from '../../base/entry.js'
import { describe } from '../../base/errors.js'
import { Tensor } from '../../base/tensor.js'
import { stackOf } from '../stack-of.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @typedef {ReturnType<typeof import('../../models/model.js').Model.parts>} Parts */
/** @typedef {'jacobian' | 'tuned'} LensKind */

/**
 * The contents of a lens.
 * @typedef {object} LensContent
 * @property {LensKind} kind
 * @property {number} width d
 * @property {number} layers number of layers of the model, 0 if unknown
 * @property {number} count number of texts, 0 if unknown
 * @property {Map<number, Float32Array>} matrices (d, d) by layer: the sum of the texts' matrices; for a tuned lens, W of h + W h + b
 * @property {Map<number, Float32Array>} [offsets] (d) by layer: b of a tuned lens
 * @property {Map<number, number>} [squares] by layer, for a Jacobian lens: sum over texts of the squared Frobenius norms
 * @property {Map<number, Losses>} [losses] by layer, for a tuned lens
 * @property {number[]} [marks] hash of the ids of each text
 * @property {number} [first] first position that counts
 * @property {Training} [training] of a tuned lens that fitLens made
 *
 * KL divergences of a layer in the last or current pass over the texts: the number of texts so far, the sum of their divergences, and the
 * sum of the squared divergences.
 * @typedef {{ texts: number, sum: number, squares: number }} Losses
 *
 * @typedef {object} Training
 * @property {Map<number, number>} steps that each layer has taken
 * @property {number} total steps: texts times passes
 * @property {number} rate of the first step
 * @property {Map<number, Float32Array[]>} momenta of the optimiser by layer, of W and of b
 */

/** Holds, for some layers of a model, an affine map from the state h after the layer to the state after the last layer. */
export class Lens {
  /** @type {LensContent} */
  #own
  /** @type {Map<number, FloatTensor>} */
  #made = new Map()

  /** @internal @param {LensContent} own */
  constructor(own) {
    this.#own = own
  }

  /** @internal @param {Lens} lens */
  static contentOf(lens) {
    if (!(Object(lens) === lens && #own in lens))
      throw new TypeError(
        `lens: expected 'logit' or a lens of fitLens, mergeLenses or readLens, got ${describe(lens)}${insteadOf(lens)}`,
      )
    return lens.#own
  }

  /**
   * @internal
   * Applies a change to the contents of a lens.
   * @param {Lens} lens
   * @param {(own: LensContent) => void} apply
   */
  static change(lens, apply) {
    apply(lens.#own)
    lens.#made.clear()
  }

  /** Returns 'jacobian' for the mean derivative of the last state, 'tuned' for a lens trained on the model's answers. */
  get kind() {
    return this.#own.kind
  }

  /** Returns the layers that have a matrix. */
  get sourceLayers() {
    return layersOf(this.#own)
  }

  /** Returns the number of texts that the lens was fitted on; 0 if its file does not contain this number. */
  get numPrompts() {
    return this.#own.count
  }

  /** Returns the width d of the residual stream. */
  get width() {
    return this.#own.width
  }

  /**
   * Returns the matrix of a layer, (d, d). For a Jacobian lens, row i is the mean gradient of number i of the last state.
   * @param {number} layer
   * @returns {FloatTensor}
   */
  matrix(layer) {
    const { kind, matrices, count, width } = this.#own
    const held = matrices.get(layer)
    if (!held)
      throw new RangeError(`lens: expected one of its layers, ${this.sourceLayers.join(', ')}; got ${describe(layer)}`)
    const known = this.#made.get(layer)
    if (known) return known
    const data =
      kind === 'tuned'
        ? held.map((value, i) => value + (i % (width + 1) === 0 ? 1 : 0)) // I + W
        : held.map(value => value / count)
    const made = new Tensor(data, [width, width])
    this.#made.set(layer, made)
    return made
  }

  /**
   * Returns the offset of a tuned lens, (d), which is added after the product with the matrix; undefined for a Jacobian lens.
   * @param {number} layer
   * @returns {FloatTensor | undefined}
   */
  offset(layer) {
    const { offsets, width } = this.#own
    this.matrix(layer)
    const held = offsets?.get(layer)
    return held && new Tensor(held.slice(), [width])
  }

  /**
   * Returns the relative standard error of a Jacobian lens's matrix, which is a mean over texts: the Frobenius norm of the error divided by
   * that of the matrix. Undefined for a tuned lens, for a single text, and for a file without sums of squares.
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

  /**
   * Returns the divergence of a tuned lens from the model's answer: the mean over texts of KL(model || lens) in nats. Each text is measured
   * in the last or current pass, just before the lens is trained on it. Undefined for a Jacobian lens, and for a file without divergences.
   * @param {number} layer
   * @returns {{ mean: number, standardError: number | undefined } | undefined} with the standard error of the mean, undefined for a single
   *   text
   */
  divergence(layer) {
    const { texts, sum, squares } = this.#own.losses?.get(layer) ?? { texts: 0, sum: 0, squares: 0 }
    if (!texts) return undefined
    const mean = sum / texts
    const variance = Math.max(0, squares - texts * mean * mean) / (texts - 1)
    return { mean, standardError: texts > 1 ? Math.sqrt(variance / texts) : undefined }
  }
}

/** Returns a hint for an error: how to get a lens from a value of another kind. @param {unknown} value */
function insteadOf(value) {
  if (value instanceof Promise) return '; await it'
  const isFile =
    (typeof value === 'string' && /^.+\.\w+$/.test(value)) || ArrayBuffer.isView(value) || value instanceof ArrayBuffer
  return isFile ? '; a file becomes one by await readLens(source)' : ''
}

/** Returns the layers of a lens, in order. @param {Pick<LensContent, 'matrices'>} content */
export const layersOf = ({ matrices }) => [...matrices.keys()].sort((a, b) => a - b)

/** Returns the prefix of the stack that a lens reads, the number of its layers, and its width. @param {Parts} parts @param {string} where */
export function lensStack(parts, where) {
  const { family } = parts
  if (!family.decoder)
    throw new RangeError(
      `${where}: expected a decoder, whose last state gives the next token; this ${family.type} is an encoder`,
    )
  const { stack, spec } = stackOf(parts, 'decoder', where)
  return { stack, layers: spec.layers.length, width: family.width }
}

/**
 * Throws if a hook acts after the last state. There, a lens applies the model's norm and head to each state, without hooks.
 * @param {unknown} hooks
 * @param {{ stack: string }} of
 * @param {string} where
 */
export function expectBefore(hooks, { stack }, where) {
  const after = Object.keys(Object(hooks)).find(name => name === 'logits' || name === `${stack}norm`)
  if (after)
    throw new RangeError(
      `${where}: hooks: ${describe(after)} comes after the states that a lens reads: hook a place of a layer`,
    )
}

/** Throws unless a lens fits a model. @param {Lens} lens @param {{ layers: number, width: number }} model @param {string} where */
export function checkLens(lens, { layers, width }, where) {
  const own = Lens.contentOf(lens)
  if (own.width !== width)
    throw new RangeError(`${where}: expected a lens of width ${width}, as the model's; got one of width ${own.width}`)
  const most = Math.max(...own.matrices.keys())
  if (most >= layers || (own.layers && own.layers !== layers))
    throw new RangeError(
      `${where}: expected a lens of a model with ${layers} layers, got one of ${own.layers || `at least ${most + 1}`}`,
    )
  return own
}

/**
 * Merges Jacobian lenses fitted on different texts, weighted by their numbers of texts.
 * @param {readonly Lens[]} lenses of one model, with the same layers
 * @returns {Lens}
 */
export function mergeLenses(lenses) {
  const where = 'mergeLenses'
  if (!Array.isArray(lenses) || !lenses.length)
    throw new TypeError(`${where}: expected a list of lenses, got ${describe(lenses)}`)
  const all = Array.from(lenses, lens => Lens.contentOf(lens))
  const [{ width, matrices: ofFirst, layers, first }] = all
  for (const [n, own] of all.entries()) {
    if (own.kind === 'tuned')
      throw new RangeError(
        `${where}: lenses[${n}] is a tuned lens: lenses trained apart are not the lens of all texts; train one with fitLens`,
      )
    if (
      own.width !== width ||
      String(layersOf(own)) !== String(layersOf(all[0])) ||
      (own.layers && layers && own.layers !== layers)
    )
      throw new RangeError(
        `${where}: expected lenses of one model, of width ${width} and layers ${layersOf(all[0])}; lenses[${n}] has width ${own.width} and layers ${layersOf(own)}`,
      )
    if (own.first !== undefined && first !== undefined && own.first !== first)
      throw new RangeError(
        `${where}: expected lenses that count positions from ${first}, as lenses[0]; those of lenses[${n}] count from ${own.first}`,
      )
  }
  return new Lens({
    kind: 'jacobian',
    width,
    layers: Math.max(...all.map(own => own.layers)),
    count: all.reduce((sum, { count }) => sum + count, 0),
    first: all.every(own => own.first !== undefined) ? first : undefined,
    matrices: new Map(
      Array.from(ofFirst.keys(), layer => {
        const sum = new Float32Array(width * width)
        const parts = all.map(({ matrices }) => entryOf(matrices, layer))
        for (let i = 0; i < sum.length; i++) {
          let value = 0
          for (const part of parts) value += part[i]
          sum[i] = value
        }
        return [layer, sum]
      }),
    ),
    squares: all.every(({ squares }) => squares)
      ? new Map(
          Array.from(ofFirst.keys(), layer => [
            layer,
            all.reduce((sum, { squares }) => sum + (squares?.get(layer) ?? 0), 0),
          ]),
        )
      : undefined,
    marks: all.every(({ marks }) => marks) ? all.flatMap(({ marks }) => marks ?? []) : undefined,
  })
}
