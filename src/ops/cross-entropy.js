import { expectDims, oneOf, readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { Tensor, toFloats, valuesOf } from '../base/tensor.js'
import { produce } from '../runtime/outputs.js'
import { toIds } from './embedding.js'
import { launch, toTargetInPlace } from './launch.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * @typedef {object} CrossEntropyOptions
 * @property {number} [ignoreIndex] targets that do not count; default -100
 * @property {number} [labelSmoothing] share of the target that is spread over all classes; default 0
 * @property {'mean' | 'sum'} [reduction] over the targets that count, by weight; default 'mean'
 * @property {import('../base/tensor.js').TensorLike | import('../base/tensor.js').Nested} [weights] of the targets, of
 *   their dims; default 1 each
 */
export const LOSS_OPTIONS = ['ignoreIndex', 'labelSmoothing', 'reduction', 'weights']

/**
 * Targets and options, held against the dims of the logits.
 * @param {readonly number[]} dims
 * @param {unknown} targets
 * @param {CrossEntropyOptions} options
 * @param {readonly string[]} known
 */
export function checkLoss(dims, targets, options, known) {
  const where = 'crossEntropy'
  options = readOptions(options, known, where)
  const { ignoreIndex = -100, labelSmoothing = 0, reduction = 'mean', weights } = options
  const V = dims[dims.length - 1] ?? 0
  const ignore = toNumber(ignoreIndex, `${where}: ignoreIndex`, { least: -(2 ** 31), most: 2 ** 31 - 1, whole: true })
  const smoothing = toNumber(labelSmoothing, `${where}: labelSmoothing`, { least: 0, most: 1 })
  const isMean = oneOf(reduction, ['mean', 'sum'], `${where}: reduction`) === 'mean'
  const { ids, dims: given } = toIds(targets, `${where}: targets`, V, ignore)
  expectDims(
    /** @type {any} */ ({ dims: given }),
    dims.slice(0, -1),
    `${where}: targets`,
    'the dims of the logits without the last',
  )
  const shares = weights === undefined ? undefined : toFloats(weights, `${where}: weights`)
  if (shares) expectDims(shares, given, `${where}: weights`, 'the dims of the targets')
  const values = shares && valuesOf(shares).slice()
  let total = 0
  for (let n = 0; n < ids.length; n++) if (ids[n] !== ignore) total += values ? values[n] : 1
  return { ids, values, V, ignore, smoothing, scale: isMean ? 1 / total : 1, rows: ids.length }
}

/** The sum of the losses, in float64 and in order. @param {Float32Array} losses @param {number} scale */
export function reduce(losses, scale) {
  let sum = 0
  for (let n = 0; n < losses.length; n++) sum += losses[n]
  return sum * scale
}

/**
 * @param {Core} core
 * @param {unknown} logits
 * @param {unknown} targets
 * @param {CrossEntropyOptions & { gradient?: boolean } & import('../runtime/outputs.js').OutOptions} options
 * @returns {{ loss: number, losses: FloatTensor, dLogits?: FloatTensor }}
 */
export function crossEntropy(core, logits, targets, options) {
  const z = toFloats(logits, 'crossEntropy: logits')
  const checked = checkLoss(z.dims, targets, options, [...LOSS_OPTIONS, 'gradient', 'out', 'resident'])
  const { ids, values, V, ignore, smoothing, scale, rows } = checked
  const { gradient = false, out, resident } = options
  const target = toTargetInPlace({ out, resident }, z.dims, 'crossEntropy', [z])
  /** @type {Float32Array} */
  let losses = new Float32Array(0)
  const run = (/** @type {number} */ dLogits) => {
    const to = core.allocFloats(rows)
    const args = [core.toMemory(z), core.copyIn(ids), values ? core.copyIn(values) : 0, to, dLogits, V, ignore]
    launch(core, 'qkv_cross_entropy', [...args, smoothing, scale], rows, rows * V)
    losses = core.copyOut(to, rows)
  }
  /** @type {FloatTensor | undefined} */
  let dLogits
  if (toBoolean(gradient, 'crossEntropy: gradient')) dLogits = produce(core, target, run)
  else core.scope(() => run(0))
  return { loss: reduce(losses, scale), losses: new Tensor(losses, z.dims.slice(0, -1)), ...(dLogits && { dLogits }) }
}
