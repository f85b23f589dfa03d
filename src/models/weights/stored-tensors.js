// Lists the stored tensors of a model, and finds each `Piece` of weights.js in them.

import { describe, didYouMean } from '../../base/errors.js'
import { count, Tensor } from '../../base/tensor.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Family, LinearSpec } from '../family-shapes/parts.js' */
/** @import { ModelWeights } from './weights.js' */

/**
 * Returns the stored tensors that a model uses. Each has two keys: its name in the file, and the family's name, which has no prefix.
 * @param {Family} family
 * @param {ModelWeights} weights
 * @returns {Map<string, { name: string, need: import('./weights.js').Need }>}
 */
export function storedTensors(family, weights) {
  const needs = [...weights.needs(family)]
  /** @type {(isBare: boolean) => [string, { name: string, need: (typeof needs)[number][1] }][]} */
  const names = isBare => needs.map(([name, need], i) => [isBare ? name : weights.used[i].name, { name, need }])
  return new Map([...names(true), ...names(false)])
}

/**
 * Finds the numbers of a `Piece` in its stored tensor. Calls `use` for each run of evenly spaced numbers.
 * @param {readonly number[]} dims of the stored tensor
 * @param {LinearSpec | undefined} spec of the piece
 * @param {number} size of the piece
 * @param {(from: number, to: number, length: number, step: number) => void} use from: start in the piece; to: start in the stored tensor;
 *   length: numbers of the run; step: their distance in the stored tensor
 */
export function forEachRun(dims, spec, size, use) {
  if (!spec?.row && !(spec?.layout && dims.length > 1)) return use(0, 0, size, 1)
  const width = size / spec.out
  const isTurned = spec.layout && dims.length > 1
  for (let n = 0; n < spec.out; n++) {
    const row = spec.row ? spec.row(n) : n
    use(n * width, isTurned ? row : row * width, width, isTurned ? dims[1] : 1)
  }
}

/**
 * @param {{ family: Family, weights: ModelWeights }} model
 * @param {string} name
 * @returns {FloatTensor}
 */
export function weight({ family, weights }, name) {
  const stored = storedTensors(family, weights)
  const found = stored.get(name)
  if (!found)
    throw new RangeError(
      `weight: ${describe(name)} is no tensor of this model${didYouMean(String(name), [...stored.keys()]) || ';'} describe() lists them`,
    )
  const { dims, pieces } = found.need
  const out = new Float32Array(count(dims))
  for (const { key, spec } of pieces) {
    const data = weights.read(key)
    forEachRun(dims, spec, data.length, (from, to, length, step) => {
      for (let i = 0; i < length; i++) out[to + i * step] = data[from + i]
    })
  }
  return new Tensor(out, [...dims])
}
