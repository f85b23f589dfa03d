// Layers with weights, named and laid out as PyTorch's.

import { checkNames, expectDims, toBoolean, toNumber } from '../base/arguments.js'
import { describe, shape } from '../base/errors.js'
import { Tensor, toFloats } from '../base/tensor.js'
import { multiplyOut } from '../ops/attention.js'
import { embedding } from '../ops/embedding.js'
import { ResidentTensor } from '../runtime/resident.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('./generator.js').Generator} Generator */
/** @typedef {import('../base/tensor.js').TensorLike} TensorLike */
/** @typedef {import('../base/tensor.js').Nested} Nested */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/** What sizes of layers may be. */
export const SIZE = { least: 0, most: 2 ** 32 - 1, whole: true }

/**
 * y = x W^T + bias for x (..., in).
 * @param {Core} core
 * @param {unknown} x
 * @param {FloatTensor} weight (out, in)
 * @param {FloatTensor | undefined} bias (out)
 * @param {string} name
 * @returns {FloatTensor} (..., out)
 */
export function linear(core, x, weight, bias, name) {
  return apply(core, x, weight, weight.dims, false, bias, name)
}

/**
 * @param {Core} core
 * @param {unknown} x
 * @param {FloatTensor} weight
 * @param {readonly number[]} weightDims (out, in)
 * @param {boolean} isPacked
 * @param {FloatTensor | undefined} bias
 * @param {string} name
 */
function apply(core, x, weight, weightDims, isPacked, bias, name) {
  const input = toFloats(x, `${name}: x`)
  const { dims } = input
  const [N, K] = weightDims
  if (dims.length === 0 || dims[dims.length - 1] !== K)
    throw new RangeError(
      `${name}: x has dims ${shape(dims)}, weight (out, in) = ${shape(weightDims)}: the last axis of x must be ${K}`,
    )
  const M = dims.slice(0, -1).reduce((a, b) => a * b, 1)
  return core.scope(() => {
    const y = multiplyOut(core, core.toMemory(input), M, weight, weightDims, isPacked, bias)
    return new Tensor(y, [...dims.slice(0, -1), N])
  })
}

/**
 * Takes tensors out of a state dict, which must have all that is asked for and nothing else.
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
    /** Throws if something was not taken. */
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
    checkNames(options, ['paddingIdx'], 'embedding')
    toNumber(num, 'embedding: num', SIZE)
    toNumber(dim, 'embedding: dim', SIZE)
    const padding = options.paddingIdx
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
    return embedding(this.#core, ids, this.weight, {})
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
    checkNames(options, ['bias'], 'linear')
    toNumber(inFeatures, 'linear: inFeatures', SIZE)
    toNumber(outFeatures, 'linear: outFeatures', SIZE)
    const bound = inFeatures === 0 ? 0 : 1 / Math.sqrt(inFeatures)
    const weight = generator.uniform([outFeatures, inFeatures], -bound, bound)
    const hasBias = options.bias === undefined || toBoolean(options.bias, 'linear: bias')
    return new Linear(core, weight, hasBias ? generator.uniform([outFeatures], -bound, bound) : undefined)
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
   * @returns {FloatTensor} (..., out)
   */
  forward(x) {
    const weight = toFloats(this.weight, 'linear: weight')
    return linear(this.#core, x, weight, this.bias && toFloats(this.bias, 'linear: bias'), 'linear')
  }
}

/**
 * A linear layer that is only run: its weight lies in the module's memory as the kernel reads it, so that a call neither
 * copies nor packs it. The memory is free again after `dispose()`, or when the layer is collected.
 */
export class PackedLinear {
  #core
  #dims
  /** @type {ResidentTensor | undefined} */
  #weight
  /** @type {ResidentTensor | undefined} */
  #bias

  /**
   * @internal
   * @param {Core} core
   * @param {FloatTensor} weight (out, in)
   * @param {FloatTensor} [bias] (out)
   */
  constructor(core, weight, bias) {
    const [N, K] = weight.dims
    const panels = Math.ceil(N / 8)
    this.#core = core
    this.#dims = [N, K]
    try {
      const packed = new ResidentTensor(core, [panels, K, 8])
      this.#weight = packed
      core.scope(() => core.call('qkv_pack_linear', core.toMemory(weight), packed.address, K, N))
      if (!bias) return
      const kept = new ResidentTensor(core, [N])
      this.#bias = kept
      core.scope(() => {
        const from = core.toMemory(bias) / 4
        core.floats.copyWithin(kept.address / 4, from, from + N)
      })
    } catch (error) {
      this.dispose()
      throw error
    }
  }

  /**
   * The same bits as qkv.linear(x, weight, bias).
   * @param {TensorLike | Nested} x (..., in)
   * @returns {FloatTensor} (..., out)
   */
  forward(x) {
    if (!this.#weight) throw new Error('this layer was disposed: make another with qkv.packLinear')
    return apply(this.#core, x, this.#weight, this.#dims, true, this.#bias, 'packLinear: forward')
  }

  /** Gives the memory back; any later use throws. */
  dispose() {
    this.#weight?.dispose()
    this.#bias?.dispose()
    this.#weight = this.#bias = undefined
  }
}
