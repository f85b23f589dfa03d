// The loss of a classifier, and its gradient in the same pass.

import { expectDims, oneOf, readOptions, toBoolean, toNumber } from '../../base/arguments.js'
import { toFloats, valuesOf } from '../../base/operand.js'
import { count, Tensor } from '../../base/tensor.js'
import { expectCore } from '../../runtime/core-of.js'
import { produce } from '../../runtime/outputs.js'
import { writeStruct } from '../../runtime/structs.js'
import { toIds } from '../embedding/gather-rows.js'
import { launch, toTargetInPlace } from '../launch.js'
import { CROSS_ENTROPY_STRUCT } from '../nn-abi.js'

/** @import { Core } from '../../runtime/memory.js' */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * @typedef {object} CrossEntropyOptions
 * @property {number} [ignoreIndex] rows with this target have no loss and no gradient; default -100
 * @property {number} [labelSmoothing] probability mass spread evenly over all classes; default 0
 * @property {'mean' | 'sum'} [reduction] sum of the losses times their weights; 'mean', the default, divides it by the sum of the weights
 * @property {import('../../base/tensor.js').TensorLike | import('../../base/tensor.js').Nested} [weights] the weight of each target, with
 *   the dims of the targets; default 1
 */
export const LOSS_OPTIONS = ['ignoreIndex', 'labelSmoothing', 'reduction', 'weights']

/**
 * Checks targets and options against the dims of the logits.
 * @param {readonly number[]} dims
 * @param {unknown} targets
 * @param {CrossEntropyOptions} options already read by readOptions
 */
export function checkLoss(dims, targets, options) {
  const where = 'crossEntropy'
  const { ignoreIndex = -100, labelSmoothing = 0, reduction = 'mean', weights } = options
  const V = dims[dims.length - 1] ?? 0
  const ignore = toNumber(ignoreIndex, `${where}: ignoreIndex`, { least: -(2 ** 31), most: 2 ** 31 - 1, whole: true })
  const smoothing = toNumber(labelSmoothing, `${where}: labelSmoothing`, { least: 0, most: 1 })
  const isMean = oneOf(reduction, ['mean', 'sum'], `${where}: reduction`) === 'mean'
  const { ids, dims: given } = toIds(targets, `${where}: targets`, V, ignore)
  expectDims({ dims: given }, dims.slice(0, -1), `${where}: targets`, 'the dims of the logits without the last')
  const shares = weights === undefined ? undefined : toFloats(weights, `${where}: weights`)
  if (shares) expectDims(shares, given, `${where}: weights`, 'the dims of the targets')
  const values = shares && valuesOf(shares).slice()
  let total = 0
  for (let n = 0; n < ids.length; n++) if (ids[n] !== ignore) total += values ? values[n] : 1
  return { ids, values, V, ignore, smoothing, scale: isMean ? 1 / total : 1, rows: ids.length }
}

/** Returns `scale` times the sum of the losses, added in float64 and in order. @param {Float32Array} losses @param {number} scale */
function reduce(losses, scale) {
  let sum = 0
  for (let n = 0; n < losses.length; n++) sum += losses[n]
  return sum * scale
}

/**
 * Computes the losses of rows of logits and, in the same pass, their gradients.
 * @param {Core} core
 * @param {ReturnType<typeof checkLoss>} checked
 * @param {{ logits: number, ids: number, weights: number, losses: number, dLogits: number }} at addresses, 0: none
 * @returns {number} the loss
 */
function launchLoss(core, { V, ignore, smoothing, scale, rows }, { logits, ids, weights, losses, dLogits }) {
  const fields = { logits, targets: ids, weights, losses, d_logits: dLogits, V, ignore, smoothing, scale }
  launch(
    core,
    'qkv_cross_entropy',
    [writeStruct(core, CROSS_ENTROPY_STRUCT, fields)],
    rows,
    rows * V * (dLogits ? 2 : 1),
  )
  return reduce(core.floats.subarray(losses / 4, losses / 4 + rows), scale)
}

/**
 * Prepares the loss as an operation of a tape. `run` receives the result of checkLoss.
 * @param {Core} core
 * @param {readonly number[]} dims of the logits
 * @returns {import('../operation.js').Prepared}
 */
export function prepareLoss(core, dims) {
  const rows = Math.ceil(count(dims.slice(0, -1)) / 4) * 4 // rounded up, so that each array is 16-byte aligned
  return {
    dims: [],
    saved: 3 * rows + count(dims),
    ready: 3 * rows,
    run([logits], y, saved, /** @type {ReturnType<typeof checkLoss>} */ given) {
      const [ids, weights, losses, dLogits] = [0, 1, 2, 3].map(n => saved + n * rows * 4)
      core.words.set(given.ids, ids / 4)
      if (given.values) core.floats.set(given.values, weights / 4)
      const at = { logits, ids, weights: given.values ? weights : 0, losses, dLogits }
      core.floats[y / 4] = launchLoss(core, given, at)
    },
  }
}

/**
 * Returns torch.nn.functional.cross_entropy of logits (..., V) and targets (...). With `gradient` the same pass computes dLogits, into
 * `out` if given (which may be the logits).
 * @param {import('../../qkv.js').Qkv} qkv
 * @param {import('../operation.js').Operand} logits
 * @param {import('../operation.js').IdOperand} targets
 * @param {CrossEntropyOptions & { gradient?: boolean } & import('../../runtime/outputs.js').OutOptions} [options]
 * @returns {{ loss: number, losses: FloatTensor, dLogits?: FloatTensor }} losses: one per target
 */
export function crossEntropy(qkv, logits, targets, options = {}) {
  const core = expectCore(qkv, 'crossEntropy')
  const given = readOptions(options, [...LOSS_OPTIONS, 'gradient', 'out', 'resident'], 'crossEntropy')
  const { gradient = false } = given
  const z = toFloats(logits, 'crossEntropy: logits')
  const checked = checkLoss(z.dims, targets, given)
  const { ids, values, rows } = checked
  const target = toTargetInPlace(given, z.dims, 'crossEntropy', [z])
  const losses = new Float32Array(rows)
  let loss = 0
  const run = (/** @type {number} */ dLogits) => {
    const at = { logits: core.toMemory(z), ids: core.copyIn(ids), weights: values ? core.copyIn(values) : 0 }
    const to = core.allocFloats(rows)
    loss = launchLoss(core, checked, { ...at, losses: to, dLogits })
    core.copyOut(to, rows, losses)
  }
  /** @type {FloatTensor | undefined} */
  let dLogits
  if (toBoolean(gradient, 'crossEntropy: gradient')) dLogits = produce(core, target, run)
  else core.scope(() => run(0))
  return { loss, losses: new Tensor(losses, z.dims.slice(0, -1)), ...(dLogits && { dLogits }) }
}
