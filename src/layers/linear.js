// The linear layer, with PyTorch's names and layout.

import { readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { proxied } from '../base/errors.js'
import { checkWeights, forward } from '../ops/linear/forward.js'
import { checkStream } from '../ops/random/generator.js'
import { readState, SIZE } from './state-dict.js'

/** @import { Core } from '../runtime/memory.js' */
/** @import { Generator } from '../ops/random/generator.js' */
/** @import { FloatLike, Nested, TensorLike } from '../base/tensor.js' */
/** @import { OutOptions } from '../runtime/outputs.js' */
/** @typedef {import('../base/tensor.js').Tensor<Float32Array>} FloatTensor */

/**
 * Makes a torch.nn.Linear(inFeatures, outFeatures) with weight and bias drawn uniformly from +-1/sqrt(inFeatures).
 * @param {Generator} generator
 * @param {number} inFeatures
 * @param {number} outFeatures
 * @param {{ bias?: boolean }} [options] bias: default true
 */
export function linearLayer(generator, inFeatures, outFeatures, options = {}) {
  const { core } = checkStream(generator, 'linearLayer: generator')
  const { bias = true } = readOptions(options, ['bias'], 'linearLayer')
  toNumber(inFeatures, 'linearLayer: inFeatures', SIZE)
  toNumber(outFeatures, 'linearLayer: outFeatures', SIZE)
  toBoolean(bias, 'linearLayer: bias')
  const bound = inFeatures === 0 ? 0 : 1 / Math.sqrt(inFeatures)
  const weight = generator.uniform([outFeatures, inFeatures], -bound, bound)
  return new Linear(core, weight, bias ? generator.uniform([outFeatures], -bound, bound) : undefined)
}

/** A torch.nn.Linear, y = x W^T + bias. */
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

  /** Returns the weights themselves, not copies, by PyTorch's names. @returns {Record<string, FloatTensor>} */
  stateDict() {
    return { weight: this.weight, ...(this.bias && { bias: this.bias }) }
  }

  /**
   * Loads the weights from a state dict.
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
   * Computes y = x W^T + bias, optionally with a fused activation and residual.
   * @param {FloatLike | Nested} x (..., in)
   * @param {import('../ops/linear/forward.js').FusedOptions & OutOptions} [options]
   * @returns {FloatTensor} (..., out)
   */
  forward(x, options = {}) {
    if (!(#core in this)) throw proxied('linear')
    return forward(this.#core, x, checkWeights(this.weight, this.bias, 'linear'), options, 'linear')
  }
}
