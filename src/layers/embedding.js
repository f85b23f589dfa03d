// The embedding layer, with PyTorch's names and layout.

import { readOptions, toNumber } from '../base/arguments.js'
import { proxied } from '../base/errors.js'
import { gatherRows } from '../ops/embedding/gather-rows.js'
import { checkStream } from '../ops/random/generator.js'
import { readState, SIZE } from './state-dict.js'

/** @import { Core } from '../runtime/memory.js' */
/** @import { Generator } from '../ops/random/generator.js' */
/** @import { Nested, TensorLike } from '../base/tensor.js' */
/** @typedef {import('../base/tensor.js').Tensor<Float32Array>} FloatTensor */

/**
 * Makes a torch.nn.Embedding(num, dim) with a weight drawn from the standard normal distribution.
 * @param {Generator} generator
 * @param {number} num rows
 * @param {number} dim size of a row
 * @param {{ paddingIdx?: number }} [options] paddingIdx: index of a row to set to zeros; a negative index counts from the end
 */
export function embeddingLayer(generator, num, dim, options = {}) {
  const { core } = checkStream(generator, 'embeddingLayer: generator')
  const { paddingIdx: padding } = readOptions(options, ['paddingIdx'], 'embeddingLayer')
  toNumber(num, 'embeddingLayer: num', SIZE)
  toNumber(dim, 'embeddingLayer: dim', SIZE)
  if (padding !== undefined)
    toNumber(padding, 'embeddingLayer: paddingIdx', { least: -num, most: num - 1, whole: true })
  const weight = generator.randn([num, dim])
  if (padding !== undefined) weight.row(padding).data.fill(0)
  return new Embedding(core, weight)
}

/** A torch.nn.Embedding, which looks up rows of a table. */
export class Embedding {
  #core

  /** @internal @param {Core} core @param {FloatTensor} weight (num, dim) */
  constructor(core, weight) {
    this.#core = core
    this.weight = weight
  }

  /** Returns the weights themselves, not copies, by PyTorch's names. @returns {Record<string, FloatTensor>} */
  stateDict() {
    return { weight: this.weight }
  }

  /**
   * Loads the weights from a state dict.
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
   * Returns the rows of the table at `ids`.
   * @param {TensorLike | Nested | ArrayLike<number>} ids integers, any dims
   * @returns {FloatTensor} the dims of ids, then dim
   */
  forward(ids) {
    if (!(#core in this)) throw proxied('embedding')
    return gatherRows(this.#core, ids, this.weight, {})
  }
}
