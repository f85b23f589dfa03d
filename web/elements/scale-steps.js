// Reads the steps of a trace as matrices, from `qkv.trace` (named tensors) or a layer's trace (`steps`, with axes).

import { check, Problem, part } from './tensor-input.js'

/** @import { TensorLike } from './tensor-input.js' */
/** @typedef {{ name: string, axes: string, tensor: TensorLike }} Step axes: a letter per axis: B batch, H heads, G key heads, L queries, S keys; any other letter is a feature axis */
/** @typedef {Record<string, TensorLike | undefined> | { steps: readonly Step[] }} Trace */
/** @typedef {{ data: ArrayLike<number>, dims: [number, number], rowAxis: string, columnAxis: string }} Matrix */

/** The tensors of `qkv.trace`, in order, with their axes. @type {Record<string, string>} */
const AXES = {
  queries: 'BHLa',
  keys: 'BGSa',
  scores: 'BHLS',
  scaled: 'BHLS',
  capped: 'BHLS',
  masked: 'BHLS',
  logits: 'BHLS',
  maxima: 'BHL',
  exponentials: 'BHLS',
  sums: 'BHL',
  fullWeights: 'BHLS',
  zeroed: 'BHLS',
  zeroedSums: 'BHL',
  weights: 'BHLS',
  dropped: 'BHLS',
  output: 'BHLe',
}
/** Steps whose values are shares from 0 to 1. */
const SHARES = new Set(['exponentials', 'fullWeights', 'zeroed', 'weights', 'dropped'])

/** @param {TensorLike} tensor */
const dimsOf = ({ dims, shape }) => Array.from(dims ?? shape ?? [])

/** Lists the steps of a trace. @param {Trace} trace @returns {Step[]} */
export function stepsOf(trace) {
  if (typeof trace !== 'object') throw new Problem('problemTensor', { got: typeof trace })
  if (Array.isArray(trace?.steps)) {
    for (const { axes, tensor } of trace.steps)
      if (typeof axes !== 'string' || !tensor) throw new Problem('problemTensor', { got: typeof tensor })
    return [.../** @type {Step[]} */ (trace.steps)]
  }
  const tensors = /** @type {Record<string, TensorLike | undefined>} */ (trace ?? {})
  /** @type {Step[]} */
  const steps = []
  for (const [name, axes] of Object.entries(AXES)) {
    const tensor = tensors[name]
    if (!tensor) continue
    // Tensors of lower rank lack the leading axes. With softmax over the queries, `sums` has one number per key instead of one per query.
    const rank = dimsOf(tensor).length
    const { scores } = tensors
    const isOfColumns = axes === 'BHL' && scores && dimsOf(tensor).at(-1) !== dimsOf(scores).at(-2)
    steps.push({ name, axes: (isOfColumns ? 'BHS' : axes).slice(axes.length - rank), tensor })
  }
  return steps
}

/** Returns 'sequential' for shares, 'diverging' for signed values. @param {Step} step @returns {import('./colour-scale.js').Scale} */
export const scaleOf = ({ name }) => (SHARES.has(name) ? 'sequential' : 'diverging')

/** Returns the number of heads in a trace. @param {readonly Step[]} steps */
export function headsOf(steps) {
  const counts = steps.map(({ axes, tensor }) => (axes.includes('H') ? dimsOf(tensor)[axes.indexOf('H')] : 1))
  return Math.max(1, ...counts.filter(Number.isFinite))
}

/**
 * Returns the matrix of a step for one batch element and head. If the heads are an inner axis of the tensor, the matrix has the columns of
 * all heads.
 * @param {Step} step
 * @param {number} batch
 * @param {number} head
 * @param {number} heads
 * @returns {Matrix}
 */
export function matrixOf({ axes, tensor }, batch, head, heads) {
  const { data, dims } = check(tensor, axes.length)
  let [left, rest, at] = [axes, dims, 0]
  const take = (/** @type {number} */ index) => {
    const [count, ...inner] = rest
    at = at * count + Math.min(Math.max(index, 0), count - 1)
    rest = inner
    left = left.slice(1)
  }
  if (left.startsWith('B')) take(batch)
  if (left.startsWith('H')) take(head)
  else if (left.startsWith('G')) take(Math.floor((head * rest[0]) / heads))
  while (rest.length > 3) take(0)
  if (rest.length === 3) rest = [rest[0], rest[1] * rest[2]]
  if (rest.length === 1) [rest, left] = left[0] === 'S' ? [[1, rest[0]], `1${left}`] : [[rest[0], 1], `${left}1`]
  const size = rest[0] * rest[1]
  return { data: part(data, at, size), dims: [rest[0], rest[1]], rowAxis: left[0], columnAxis: left.slice(1) }
}
