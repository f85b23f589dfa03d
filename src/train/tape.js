// A tape runs the operations of one step and records them, so that `backward` can compute gradients. A step with the same operations as
// the step before reuses the recorded operations and their memory.

import { expectDims, readOptions, toBoolean } from '../base/arguments.js'
import { describe, shape } from '../base/errors.js'
import { toFloats, toTensor, valuesOf } from '../base/operand.js'
import { count, Tensor } from '../base/tensor.js'
import { relativeBias } from '../ops/attention/relative-bias.js'
import { LABELS, rowAttention } from '../ops/attention/rows.js'
import { ACTIVATIONS } from '../ops/elementwise/activations.js'
import { prepareRows } from '../ops/embedding/embedding.js'
import { toIds } from '../ops/embedding/gather-rows.js'
import { linear } from '../ops/linear/backward.js'
import { toActivation } from '../ops/linear/forward.js'
import { checkLoss, LOSS_OPTIONS, prepareLoss } from '../ops/loss/cross-entropy.js'
import { definitionOf, toOperation } from '../ops/operation.js'
import { OPERATIONS } from '../ops/operations.js'
import { DROPOUT } from '../ops/random/dropout.js'
import { checkStream } from '../ops/random/generator.js'
import { expectCore } from '../runtime/core-of.js'
import { addressOf } from '../runtime/resident.js'
import { planBackward } from './backward.js'
import { expectParameters, variables } from './parameters.js'
import { broadcastDims, cat, expand, expectList, permute, slice } from './rearrange.js'
import { mean, mseLoss, sum } from './reduce.js'

/** @import { Parameters, Variable } from './parameters.js' */
/** @import { FloatTensor } from '../base/tensor.js' */
/** @import { IdOperand, Operand, Prepared } from '../ops/operation.js' */

/** @typedef {Recorder & import('../ops/operations.js').Operations} Tape */

/**
 * True if the keys of two operations are equal. Tensors are compared by value.
 * @param {readonly unknown[]} a
 * @param {readonly unknown[]} b
 * @returns {boolean}
 */
const same = (a, b) =>
  a.length === b.length &&
  a.every((x, i) => {
    const y = b[i]
    if (!(x instanceof Tensor && y instanceof Tensor)) return Object.is(x, y)
    return (
      same(x.dims, y.dims) &&
      x.data.every((/** @type {number} */ value, /** @type {number} */ n) => value === y.data[n])
    )
  })

/** Copies arrays and tensors among the options to new tensors, because the caller may change them later. @param {unknown} value @param {string} name */
function copyOf(value, name) {
  if (typeof value !== 'object' || value === null) return value
  const { data, dims } = toTensor(value, name, true)
  return new Tensor(data.slice(), dims)
}

/** Returns the tape operation of a function of qkv/nn. @param {Function} operation made by defineOperation */
const operationOf = operation => toOperation(definitionOf(operation).operands, definitionOf(operation))

const LINEAR = operationOf(linear)
const ADD = operationOf(OPERATIONS.add)
/** Operations that broadcast their operands a and b. */
const BROADCASTS = ['add', 'sub', 'mul']

class Recorder {
  #p
  #at = 0
  #isOpen = true

  static {
    const methods = /** @type {any} */ (Recorder.prototype)
    for (const [name, made] of Object.entries(OPERATIONS)) {
      const operation = operationOf(made)
      const { operands, options } = operation
      methods[name] = /** @this {Recorder} @param {any[]} args operands, then options */ function (...args) {
        const { [operands.length]: given = {} } = args
        const values = Array.from(operands, (_, i) => args[i])
        const read = readOptions(given, options, name)
        return this.#apply(name, operation, BROADCASTS.includes(name) ? this.#broadcast(name, values) : values, read)
      }
    }
  }

  /** @internal @param {Parameters} p */
  constructor(p) {
    this.#p = p
  }

  /**
   * @internal Returns the variable of an operand. An operand that is neither a parameter nor a result becomes a constant.
   * @param {unknown} value
   * @param {string} name
   * @returns {Variable}
   */
  variable(value, name) {
    if (!this.#isOpen) throw new Error(`${name}: this tape has ended; use it only within the function passed to tape`)
    const p = this.#p
    const found = value instanceof Tensor ? variables.get(value) : undefined
    if (!found) {
      if (p.holds(value))
        throw new TypeError(
          `${name}: expected a parameter or a result, got a view of one, which would get no gradient; use reshape or slice of the tape`,
        )
      const constant = toFloats(value, name)
      const { dims } = constant
      /** @type {Prepared} */
      const prepared = { dims, run: (_, y, __, given) => p.core.floats.set(valuesOf(given), y / 4) }
      return this.#record('constant', [], dims, () => prepared, constant)
    }
    if (found.owner !== p)
      throw new TypeError(`${name}: expected a tensor of its own parameters, got one of other parameters`)
    if (found.step !== -1 && found.step !== p.step)
      throw new Error(
        `${name}: expected a tensor of this tape, got one of an earlier tape, whose memory has been reused`,
      )
    addressOf(found.tensor) // throws after dispose
    return found
  }

  /**
   * Runs the next recorded operation if it is this one. Else forgets the rest, and records and runs a new one.
   * @param {string} name
   * @param {readonly (Variable | undefined)[]} inputs
   * @param {readonly unknown[]} key dims and options on which the memory of the operation depends
   * @param {() => Prepared} prepare
   * @param {unknown} [given] arguments that may differ between steps
   */
  #record(name, inputs, key, prepare, given) {
    const p = this.#p
    let entry = p.entries[this.#at]
    if (!entry || entry.name !== name || !same(entry.inputs, inputs) || !same(entry.key, key)) {
      p.forget(this.#at)
      entry = p.record({ name, inputs, key: [...key], prepared: prepare() })
    }
    const { at, output, saved, prepared } = entry
    p.core.scope(() => prepared.run(at, addressOf(output.tensor), saved, given))
    output.step = p.step
    this.#at++
    return output
  }

  /**
   * Runs an operation and returns its output.
   * @param {string} name
   * @param {import('../ops/operation.js').Operation} operation
   * @param {readonly unknown[]} values operands; undefined if not given
   * @param {Record<string, any>} [options] an object that may be changed
   * @param {unknown} [given] arguments that may differ between steps
   */
  #apply(name, { operands, required, prepare }, values, options = {}, given) {
    const inputs = values.map((value, i) =>
      value === undefined && i >= required ? undefined : this.variable(value, `${name}: ${operands[i]}`),
    )
    const tensors = inputs.map(x => x?.tensor)
    for (const option in options) options[option] = copyOf(options[option], `${name}: ${option}`)
    const key = Object.entries(options).flat()
    return this.#record(name, inputs, key, () => prepare(this.#p.core, tensors, options, name), given).tensor
  }

  /**
   * Returns the operands a and b of a sum, difference or product, expanded as the kernel requires: the dims of b are the last dims of a.
   * @param {string} name
   * @param {any[]} operands
   */
  #broadcast(name, operands) {
    const [a, b] = operands.map((x, i) => this.variable(x, `${name}: ${'ab'[i]}`).tensor)
    const dims = broadcastDims(a.dims, b.dims, name)
    const isAll = (/** @type {FloatTensor} */ x) => same(x.dims, dims)
    const isLast = same(b.dims, dims.slice(dims.length - b.dims.length))
    return [isAll(a) ? a : this.expand(a, dims), isLast ? b : this.expand(b, dims)]
  }

  /**
   * Computes activation(x W^T + bias) + residual.
   * @param {Operand} x (..., in)
   * @param {Operand} weight (out, in)
   * @param {Operand} [bias] (out)
   * @param {import('../ops/linear/forward.js').FusedOptions & import('../ops/linear/forward.js').LayoutOption} [options]
   */
  linear(x, weight, bias, options = {}) {
    const given = readOptions(options, ['layout', 'activation', 'residual'], 'linear')
    const { layout, activation = 'none', residual } = given
    toActivation(activation, 'linear')
    if (activation === 'none') return this.#apply('linear', LINEAR, [x, weight, bias, residual], { layout })
    const z = this.#apply('linear', LINEAR, [x, weight, bias, undefined], { layout })
    const { run, options: own } = ACTIVATIONS[activation]
    const y = this.#apply(activation, operationOf(run), [z], { ...own })
    return residual === undefined ? y : this.#apply('add', ADD, [y, residual])
  }

  /**
   * Computes attention with the heads side by side in each row; the result is (B, L, H * E). Letters: B batch (may be absent), L queries,
   * S keys, H query heads, G key/value heads, D size of q and k, E size of v.
   * @param {Operand} q (B, L, H * D); without k and v (B, L, (H + 2 G) * D), with all three side by side
   * @param {Operand | undefined} k (B, S, G * D)
   * @param {Operand | undefined} v (B, S, G * E)
   * @param {import('../ops/attention/rows.js').RowOptions} options bias and sinks may be parameters
   */
  attention(q, k, v, options) {
    const { numHeads, numKvHeads, bias, sinks, ...given } = readOptions(options, LABELS.attention.known, 'attention')
    return this.#apply('attention', rowAttention, [q, bias, sinks, k, v], { numHeads, numKvHeads }, given)
  }

  /** Zeroes each value with probability p and divides the others by 1 - p. @param {Operand} x @param {{ p: number, generator: import('../ops/random/generator.js').Generator }} options */
  dropout(x, options) {
    const { p, generator } = readOptions(options, ['p', 'generator'], 'dropout')
    return this.#apply('dropout', DROPOUT, [x], { p }, checkStream(generator, 'dropout: generator'))
  }

  /**
   * Returns the rows `ids` of a table; the row paddingIdx gets no gradient.
   * @param {IdOperand} ids
   * @param {Operand} weight (num, dim)
   * @param {{ paddingIdx?: number }} [options]
   */
  embedding(ids, weight, options = {}) {
    const { paddingIdx } = readOptions(options, ['paddingIdx'], 'embedding')
    const table = this.variable(weight, 'embedding: weight')
    const { dims } = table.tensor
    const rows = toIds(ids, 'embedding: ids', dims[0])
    const prepare = () => prepareRows(this.#p.core, dims, rows.dims, paddingIdx, 'embedding')
    return this.#record('embedding', [table], [paddingIdx, ...rows.dims], prepare, rows.ids).tensor
  }

  /**
   * Computes the cross-entropy loss, a tensor without axes.
   * @param {Operand} logits (..., V)
   * @param {IdOperand} targets (...)
   * @param {import('../ops/loss/cross-entropy.js').CrossEntropyOptions} [options]
   */
  crossEntropy(logits, targets, options = {}) {
    const z = this.variable(logits, 'crossEntropy: logits')
    const { dims } = z.tensor
    const loss = checkLoss(dims, targets, readOptions(options, LOSS_OPTIONS, 'crossEntropy'))
    return this.#record('crossEntropy', [z], [], () => prepareLoss(this.#p.core, dims), loss).tensor
  }

  /** Returns the values of x with other dims. @param {Operand} x @param {readonly number[]} dims */
  reshape(x, dims) {
    const input = this.variable(x, 'reshape: x')
    const sizes = input.tensor.reshape(dims).dims // checks them
    return this.#record('reshape', [input], sizes, () => ({ dims: sizes, isView: true, passes: [0], run() {} })).tensor
  }

  /** Reorders the axes, like torch.Tensor.permute. @param {Operand} x @param {readonly number[]} dims axes of x in their new order */
  permute(x, dims) {
    return this.#apply('permute', permute, [x], { dims })
  }

  /**
   * Copies the indices `from` to `to` (exclusive) of an axis, like Tensor.slice, or x[:, from:to] in PyTorch.
   * @param {Operand} x
   * @param {number} dim
   * @param {number} from
   * @param {number} [to] default: the end
   */
  slice(x, dim, from, to) {
    return this.#apply('slice', slice, [x], { dim, from, to })
  }

  /**
   * Repeats axes of size 1, and adds axes at the start, like torch.Tensor.expand.
   * @param {Operand} x
   * @param {readonly number[]} dims of the result; -1 keeps the size of an axis
   */
  expand(x, dims) {
    return this.#apply('expand', expand, [x], { dims })
  }

  /** Concatenates tensors along an axis, like torch.cat. @param {readonly Operand[]} tensors @param {{ dim?: number }} [options] dim: default 0 */
  cat(tensors, options = {}) {
    const list = expectList(tensors, 'cat: tensors')
    const { dim = 0 } = readOptions(options, ['dim'], 'cat')
    return this.#apply('cat', cat(list.length), list, { dim })
  }

  /**
   * Sums over axes, in float64, like torch.sum.
   * @param {Operand} x
   * @param {import('./reduce.js').ReduceOptions} [options] by default the sum is over all axes, and the result has none
   */
  sum(x, options = {}) {
    return this.#apply('sum', sum, [x], readOptions(options, sum.options, 'sum'))
  }

  /** Computes the mean over axes, like torch.mean. @param {Operand} x @param {import('./reduce.js').ReduceOptions} [options] as in sum */
  mean(x, options = {}) {
    return this.#apply('mean', mean, [x], readOptions(options, mean.options, 'mean'))
  }

  /**
   * Computes squared differences, like torch.nn.functional.mse_loss. With reduction 'mean' (default) or 'sum', the result has no axes.
   * @param {Operand} input
   * @param {Operand} target same dims as input
   * @param {{ reduction?: 'mean' | 'sum' | 'none' }} [options]
   */
  mseLoss(input, target, options = {}) {
    return this.#apply('mseLoss', mseLoss, [input, target], readOptions(options, mseLoss.options, 'mseLoss'))
  }

  /**
   * Returns a bias (H, L, S) for attention scores, by distance: bias[h, i, j] = table[h, clamp(i - j, 0, T - 1)].
   * @param {Operand} table (H, T)
   * @param {number} L
   * @param {number} [S]
   */
  relativeBias(table, L, S = L) {
    return this.#apply('relativeBias', relativeBias, [table], { L, S })
  }

  /** @internal Closes the tape and forgets recorded operations that this step did not run. */
  end() {
    this.#isOpen = false
    if (this.#at < this.#p.entries.length) this.#p.forget(this.#at)
  }
}

/**
 * A step whose forward pass has run.
 * @typedef {object} TrainingStep
 * @property {number} loss the value of `output`; NaN if it has several
 * @property {FloatTensor} output what `run` returned; resident, valid until the next tape
 * @property {(options?: BackwardOptions) => TrainingStep} backward computes `p.gradients`; may be called once
 *
 * @typedef {object} BackwardOptions
 * @property {Operand} [gradient] gradient of the output; default 1, if the output has no axes
 * @property {boolean} [accumulate] true adds to `p.gradients` instead of replacing them; default false
 */

/** True for the tape that `tape` passes to its function. @param {unknown} value @returns {value is Tape} */
export const isTape = value => value instanceof Recorder

/**
 * Runs a model on a new tape, which records its operations.
 * @param {import('../qkv.js').Qkv} qkv
 * @param {Parameters} p
 * @param {(t: Tape) => FloatTensor} run a synchronous function that computes the output from p.values by operations of t
 * @param {{ finite?: boolean }} [options] finite: true throws if the loss is NaN or infinite; default false
 * @returns {TrainingStep}
 */
export function tape(qkv, p, run, options = {}) {
  const core = expectCore(qkv, 'tape')
  expectParameters(p, 'tape')
  if (p.core !== core) throw new TypeError('tape: the parameters are those of another module')
  if (typeof run !== 'function') throw new TypeError(`tape: expected a function of the tape, got ${describe(run)}`)
  const finite = toBoolean(readOptions(options, ['finite'], 'tape').finite ?? false, 'tape: finite')
  if (p.isBusy) throw new Error('tape: another tape of these parameters is running: end that one first')
  const step = ++p.step
  const t = new Recorder(p)
  p.isBusy = true
  /** @type {Variable} */
  let root
  try {
    const output = run(/** @type {Tape} */ (t))
    if (!(output instanceof Tensor))
      throw new TypeError(`tape: expected its function to return a tensor of the tape, got ${describe(output)}`)
    root = t.variable(output, 'tape: what its function returned')
  } finally {
    p.isBusy = false
    t.end()
  }
  const { tensor: output } = root
  const loss = count(output.dims) === 1 ? output.data[0] : NaN
  if (finite && !Number.isFinite(loss))
    throw new RangeError(
      `tape: the loss is ${loss}: nothing was changed. A smaller learning rate, or clipGradNorm, may help`,
    )
  let isUsed = false
  /** @type {TrainingStep['backward']} */
  function backward(options = {}) {
    const given = readOptions(options, ['gradient', 'accumulate'], 'backward')
    const accumulate = toBoolean(given.accumulate ?? false, 'backward: accumulate')
    const isOne = given.gradient === undefined
    if (isOne && output.dims.length)
      throw new RangeError(`backward: the output has dims ${shape(output.dims)}: give its gradient, or return a loss`)
    const upstream = isOne ? new Tensor(Float32Array.of(1), []) : toFloats(given.gradient, 'backward: gradient')
    expectDims(upstream, output.dims, 'backward: gradient', 'the dims of the output')
    valuesOf(upstream)
    // Checked after all arguments were read, because a getter among them may run a step or dispose of the parameters.
    if (p.step !== step) throw new Error('backward: this step is over: another tape has used its memory')
    if (isUsed) throw new Error('backward: it was called before for this step: its gradients are in p.gradients')
    expectParameters(p, 'backward')
    if (!root.isLearned)
      throw new Error(
        'backward: the result depends on no parameter, so there are no gradients: use the operations of the tape, such as t.relu(x); functions of qkv and qkv/nn, and methods that copy, such as x.T, return constants',
      )
    const { planned } = p
    if (planned?.root !== root || planned.accumulate !== accumulate || planned.isOne !== isOne) {
      p.forget(p.entries.length)
      p.planned = planBackward(p, root, accumulate, isOne)
    }
    isUsed = true
    p.planned?.run(valuesOf(upstream)) // read after planning, which may have made the memory grow
    return result
  }
  const result = { loss, output, backward }
  return result
}
