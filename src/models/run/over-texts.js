// Combines the results of several texts: each result, their mean, and their standard deviation.

import { Tensor } from '../../base/tensor.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/**
 * @template T
 * @typedef {{ mean: T, spread: T, each: T[] }} OverTexts spread: the standard deviation over the texts (sample, n - 1); 0 for a single text
 */

/**
 * Returns the mean and the standard deviation of tensors; undefined if their dims differ.
 * @param {readonly FloatTensor[]} list
 */
export function meanAndSpread(list) {
  const [{ dims, data: first }] = list
  if (list.some(one => String(one.dims) !== String(dims))) return undefined
  const n = list.length
  const mean = new Float64Array(first.length)
  for (const { data } of list) for (let i = 0; i < mean.length; i++) mean[i] += data[i] / n
  const spread = mean.map((m, i) =>
    Math.sqrt(list.reduce((sum, { data }) => sum + (data[i] - m) ** 2, 0) / Math.max(1, n - 1)),
  )
  const toTensor = (/** @type {Float64Array} */ values) => new Tensor(Float32Array.from(values), [...dims])
  return { mean: toTensor(mean), spread: toTensor(spread) }
}

/**
 * Combines the results of several texts with the mean and spread of their tensors and numbers. A tensor whose dims differ between texts
 * gets neither.
 * @template {Record<string, any>} T
 * @param {T[]} each
 * @param {readonly (keyof T & string)[]} names of the tensors and numbers
 * @returns {OverTexts<T>}
 */
export function overTexts(each, names) {
  /** @type {Record<string, any>} */
  const mean = {}
  /** @type {Record<string, any>} */
  const spread = {}
  for (const name of names) {
    const values = each.map(one => one[name])
    if (values.some(value => value === undefined)) continue
    const isNumber = typeof values[0] === 'number'
    const found = meanAndSpread(isNumber ? values.map(value => new Tensor(Float32Array.of(value), [1])) : values)
    if (!found) continue
    mean[name] = isNumber ? found.mean.data[0] : found.mean
    spread[name] = isNumber ? found.spread.data[0] : found.spread
  }
  return { mean: /** @type {T} */ (mean), spread: /** @type {T} */ (spread), each }
}
