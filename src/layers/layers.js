// Layers with weights. Names and layout are PyTorch's.

import { expectDims, readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { describe, proxied, shape } from '../base/errors.js'
import { toFloats } from '../base/operand.js'
import { Tensor } from '../base/tensor.js'
import { gatherRows } from '../ops/gather-rows.js'
import { checkWeights, forward } from '../ops/linear.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../runtime/outputs.js').OutOptions} OutOptions */
/** @typedef {import('./generator.js').Generator} Generator */
/** @typedef {import('../base/tensor.js').TensorLike} TensorLike */
/** @typedef {import('../base/tensor.js').Nested} Nested */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/** The range of the sizes of layers. */
export const SIZE = { least: 0, most: 2 ** 32 - 1, whole: true }

/**
 * Takes tensors out of a state dict; throws if one is missing or if one is left over.
 * @param {unknown} given tensors by name
 */
export function readState(given) {
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`loadStateDict: ${describe(given)} given, an object of weights by name expected`)
  const state = /** @type {Record<string, unknown>} */ (given)
  const names = Object.keys(state)
  const rest = new Set(names)
  return {
    has: (/** @type {string} */ name) => names.includes(name),
    /** @type {(name: string, letters: string, ...dims: number[]) => FloatTensor} */
    take(name, letters, ...dims) {
      if (!rest.delete(name))
        throw new RangeError(
          `loadStateDict: ${name} ${letters} = ${shape(dims)} is missing; given: ${names.join(', ') || 'nothing'}`,
        )
      const tensor = toFloats(state[name], `loadStateDict: ${name}`)
      expectDims(tensor, dims, `loadStateDict: ${name}`, letters)
      return new Tensor(tensor.data.slice(), tensor.dims)
    },
    /** Throws if a tensor was not taken. */
    end() {
      if (rest.size) throw new RangeError(`loadStateDict: no place for ${[...rest].join(', ')}`)
    },
  }
}

/** torch.nn.Embedding: rows of a table. */
export class Embedding {
  #core

  /** @internal @param {Core} core @param {FloatTensor} weight (num, dim) */
  constructor(core, weight) {
    this.#core = core
    this.weight = weight
  }

  /**
   * @internal
   * @param {Core} core
   * @param {Generator} generator
   * @param {number} num
   * @param {number} dim
   * @param {{ paddingIdx?: number }} options
   */
  static random(core, generator, num, dim, options) {
    const { paddingIdx: padding } = readOptions(options, ['paddingIdx'], 'embedding')
    toNumber(num, 'embedding: num', SIZE)
    toNumber(dim, 'embedding: dim', SIZE)
    if (padding !== undefined) toNumber(padding, 'embedding: paddingIdx', { least: 0, most: num - 1, whole: true })
    const weight = generator.randn([num, dim])
    if (padding !== undefined) weight.row(padding).data.fill(0)
    return new Embedding(core, weight)
  }

  /** Its weights by PyTorch's names, not copied. @returns {Record<string, FloatTensor>} */
  stateDict() {
    return { weight: this.weight }
  }

  /**
   * @param {Record<string, TensorLike | Nested>} given weight (num, dim)
   * @returns {this}
   */
  loadStateDict(given) {
    const state = readState(given)
    const weight = state.take('weight', '(num, dim)', ...this.weight.dims)
    state.end()
    this.weight = weight
    return this
  }

  /**
   * @param {TensorLike | Nested | ArrayLike<number>} ids whole numbers, any dims
   * @returns {FloatTensor} the dims of ids, then dim
   */
  forward(ids) {
    if (!(#core in this)) throw proxied('embedding')
    return gatherRows(this.#core, ids, this.weight, {})
  }
}

/** torch.nn.Linear: y = x W^T + bias. */
export class Linear {
  #core

  /**
   * @internal
   * @param {Core} core
   * @param {FloatTensor} weight (out, in)
   * @param {FloatTensor} [bias] (out)
   */
  constructor(core, weight, bias) {
    this.#core = core
    this.weight = weight
    this.bias = bias
  }

  /**
   * @internal
   * @param {Core} core
   * @param {Generator} generator
   * @param {number} inFeatures
   * @param {number} outFeatures
   * @param {{ bias?: boolean }} options
   */
  static random(core, generator, inFeatures, outFeatures, options) {
    const { bias = true } = readOptions(options, ['bias'], 'linear')
    toNumber(inFeatures, 'linear: inFeatures', SIZE)
    toNumber(outFeatures, 'linear: outFeatures', SIZE)
    toBoolean(bias, 'linear: bias')
    const bound = inFeatures === 0 ? 0 : 1 / Math.sqrt(inFeatures)
    const weight = generator.uniform([outFeatures, inFeatures], -bound, bound)
    return new Linear(core, weight, bias ? generator.uniform([outFeatures], -bound, bound) : undefined)
  }

  /** Its weights by PyTorch's names, not copied. @returns {Record<string, FloatTensor>} */
  stateDict() {
    return { weight: this.weight, ...(this.bias && { bias: this.bias }) }
  }

  /**
   * @param {Record<string, TensorLike | Nested>} given weight (out, in), and bias (out) if this layer has one
   * @returns {this}
   */
  loadStateDict(given) {
    const state = readState(given)
    const [N, K] = this.weight.dims
    const weight = state.take('weight', '(out, in)', N, K)
    const bias = this.bias && state.take('bias', '(out)', N)
    state.end()
    this.weight = weight
    this.bias = bias
    return this
  }

  /**
   * @param {TensorLike | Nested} x (..., in)
   * @param {import('../ops/linear.js').FusedOptions & OutOptions} [options]
   * @returns {FloatTensor} (..., out)
   */
  forward(x, options = {}) {
    if (!(#core in this)) throw proxied('linear')
    return forward(this.#core, x, checkWeights(this.weight, this.bias, 'linear'), options, 'linear')
  }
}
