import { expectDims, oneOf, readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { Tensor, toFloats, valuesOf } from '../base/tensor.js'
import { toIds } from '../ops/embedding.js'
import { launch, toTargetInPlace } from '../ops/launch.js'
import { expectCore } from '../qkv.js'
import { produce } from '../runtime/outputs.js'

/** @typedef {import('../base/tensor.js').TensorLike} TensorLike */
/** @typedef {import('../base/tensor.js').Nested} Nested */
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
 * @param {CrossEntropyOptions} options as readOptions has read them
 */
export function checkLoss(dims, targets, options) {
  const where = 'crossEntropy'
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
 * torch.nn.functional.cross_entropy and, in the same pass, its gradient.
 * @param {import('../qkv.js').Qkv} qkv
 * @param {TensorLike | Nested} logits (..., V)
 * @param {TensorLike | Nested | ArrayLike<number>} targets (...), classes
 * @param {CrossEntropyOptions & { gradient?: boolean } & import('../runtime/outputs.js').OutOptions} [options]
 *   gradient: dLogits is wanted, which goes to `out` (may be the logits); default false
 * @returns {{ loss: number, losses: FloatTensor, dLogits?: FloatTensor }} losses: of each target
 */
export function crossEntropy(qkv, logits, targets, options = {}) {
  const core = expectCore(qkv, 'crossEntropy')
  const given = readOptions(options, [...LOSS_OPTIONS, 'gradient', 'out', 'resident'], 'crossEntropy')
  const { gradient = false, out, resident, ...rest } = given
  const z = toFloats(logits, 'crossEntropy: logits')
  const checked = checkLoss(z.dims, targets, rest)
  const { ids, values, V, ignore, smoothing, scale, rows } = checked
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
