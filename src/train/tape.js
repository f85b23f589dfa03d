// A tape: the operations of one step, each run at once and recorded, so that their gradients can be computed backwards.
// What an operation needs (addresses, dims, its kernel's arguments) is made when it is recorded; a step that does the
// same operations in the same order runs the recorded ones again.

import { expectDims, readOptions, toBoolean } from '../base/arguments.js'
import { describe, shape } from '../base/errors.js'
import { count, Tensor, toFloats, valuesOf } from '../base/tensor.js'
import { toIds } from '../ops/embedding.js'
import { expectCore } from '../qkv.js'
import { ResidentTensor } from '../runtime/resident.js'
import { Backward } from './backward.js'
import { checkLoss, LOSS_OPTIONS, reduce } from './loss.js'
import { OPERATIONS, TAPE_ATTENTION } from './operations.js'
import { addressOf, Parameters, variables } from './parameters.js'

/** @typedef {import('../base/tensor.js').TensorLike} TensorLike */
/** @typedef {import('../base/tensor.js').Nested} Nested */
/** @typedef {import('./parameters.js').Variable} Variable */
/** @typedef {import('./parameters.js').Entry} Entry */
/** @typedef {Tensor<Float32Array>} FloatTensor */
/** @typedef {TensorLike | Nested} Operand a parameter, a result of this tape or a constant */

const same = (/** @type {readonly unknown[]} */ a, /** @type {readonly unknown[]} */ b) =>
  a.length === b.length && a.every((x, i) => Object.is(x, b[i]))

/** Options as a key: their names and values. @param {object} options */
const keyOf = options => Object.entries(options).flat(2)

/** The operations that a model may use; all results are resident tensors, which are valid until the next tape. */
export class Tape {
  #p
  #at = 0
  #isOpen = true

  /** @internal @param {Parameters} p */
  constructor(p) {
    this.#p = p
  }

  /** @internal The tensor's place on this tape. @param {unknown} value @param {string} name @returns {Variable} */
  variable(value, name) {
    if (!this.#isOpen)
      throw new Error(`${name}: this tape has ended: use it within the function that was given to tape`)
    const found = value instanceof Tensor ? variables.get(value) : undefined
    if (found) {
      if (found.owner !== this.#p) throw new TypeError(`${name}: a tensor of other parameters given`)
      if (found.step !== -1 && found.step !== this.#p.step)
        throw new Error(`${name}: a tensor of an earlier tape given, whose memory is in use again`)
      addressOf(found.tensor) // throws after dispose
      return found
    }
    const constant = toFloats(value, name)
    return this.#run(
      'constant',
      [],
      constant.dims,
      () => OPERATIONS.constant(this.#p, constant.dims),
      valuesOf(constant),
    )
  }

  /**
   * @param {string} name
   * @param {readonly (Variable | undefined)[]} inputs
   * @param {readonly unknown[]} key
   * @param {() => import('./operations.js').Operation} make
   * @param {unknown} [given] what changes from step to step
   * @returns {Variable}
   */
  #run(name, inputs, key, make, given) {
    const p = this.#p
    let entry = p.entries[this.#at]
    if (!entry || entry.name !== name || !same(entry.inputs, inputs) || !same(entry.key, key)) {
      p.forget(this.#at)
      const { mark } = p.arena
      try {
        entry = record(p, name, inputs, key, mark, make())
      } catch (error) {
        p.arena.reset(mark)
        throw error
      }
      p.entries.push(entry)
    }
    const { core } = p
    const { top } = core
    try {
      entry.forward(given)
    } finally {
      core.top = top
    }
    entry.output.step = p.step
    this.#at++
    return entry.output
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} operands by name; those that are undefined are not there
   * @param {object} options
   * @param {unknown} [given]
   */
  #do(name, operands, options, given) {
    const inputs = Object.entries(operands).map(([operand, value]) =>
      value === undefined ? undefined : this.variable(value, `${name}: ${operand}`),
    )
    const read = readOptions(options, Object.keys(options), name)
    const make = () => OPERATIONS[name](this.#p, inputs, read)
    return this.#run(name, inputs, keyOf(read), make, given).tensor
  }

  /** y = x W^T + bias. @param {Operand} x (..., in) @param {Operand} weight (out, in) @param {Operand} [bias] (out) */
  linear(x, weight, bias) {
    return this.#do('linear', { x, weight, bias }, {})
  }

  /** @param {Operand} x (..., C) @param {Operand} [weight] (C) @param {Operand} [bias] (C) @param {{ eps?: number }} [options] */
  layerNorm(x, weight, bias, options = {}) {
    return this.#do('layerNorm', { x, weight, bias }, options)
  }

  /** @param {Operand} x (..., C) @param {Operand} [weight] (C) @param {import('../block/norm.js').NormOptions} [options] */
  rmsNorm(x, weight, options = {}) {
    return this.#do('rmsNorm', { x, weight }, options)
  }

  /** @param {Operand} x @param {import('../block/elementwise.js').GeluOptions} [options] */
  gelu(x, options = {}) {
    return this.#do('gelu', { x }, options)
  }

  /** @param {Operand} x */
  relu(x) {
    return this.#do('relu', { x }, {})
  }

  /** @param {Operand} x */
  silu(x) {
    return this.#do('silu', { x }, {})
  }

  /** silu(gate) * up. @param {Operand} gate (..., C), or (..., 2 C) without up @param {Operand} [up] (..., C) */
  swiglu(gate, up) {
    return this.#do('swiglu', { gate, up }, {})
  }

  /** gelu(gate) * up. @param {Operand} gate @param {Operand} [up] @param {import('../block/elementwise.js').GeluOptions} [options] */
  geglu(gate, up, options = {}) {
    return this.#do('geglu', { gate, up }, options)
  }

  /** a + b; b may lack leading axes. @param {Operand} a @param {Operand} b */
  add(a, b) {
    return this.#do('add', { a, b }, {})
  }

  /** a * b; b may lack leading axes. @param {Operand} a @param {Operand} b */
  mul(a, b) {
    return this.#do('mul', { a, b }, {})
  }

  /** @param {Operand} x (B, L, H * D) with numHeads, or as qkv.rope @param {import('../ops/rope.js').RopeOptions} [options] */
  rope(x, options = {}) {
    return this.#do('rope', { x }, options)
  }

  /**
   * Attention on rows of heads side by side: q (B, L, H * D), k (B, S, G * D), v (B, S, G * E), or all without B; or all
   * three in one, (B, L, (H + 2 G) * D), as one linear layer makes them.
   * @param {Operand} q
   * @param {Operand | undefined} k
   * @param {Operand | undefined} v
   * @param {import('./operations.js').HeadOptions} options
   * @returns {FloatTensor} (B, L, H * E)
   */
  attention(q, k, v, options) {
    const { numHeads, kvHeads, bias, ...given } = readOptions(options, TAPE_ATTENTION.known, 'attention')
    const size = { numHeads, kvHeads }
    return this.#do('attention', { q, k, v, bias }, size, given)
  }

  /** The same values under other dims. @param {Operand} x @param {readonly number[]} dims */
  reshape(x, dims) {
    return this.#do('reshape', { x }, { dims })
  }

  /**
   * A bias of scores by distance, for attention: [h, i, j] is table[h, i - j]; keys beyond the query have distance 0,
   * keys farther than the table reaches its last one.
   * @param {Operand} table (H, T)
   * @param {number} L
   * @param {number} [S]
   * @returns {FloatTensor} (H, L, S)
   */
  relativeBias(table, L, S = L) {
    const { dims } = this.variable(table, 'relativeBias: table')
    const [H, T] = dims
    if (dims.length !== 2) throw new RangeError(`relativeBias: table has dims ${shape(dims)}, (H, T) expected`)
    const data = Int32Array.from({ length: H * L * S }, (_, n) => {
      const distance = (Math.floor(n / S) % L) - (n % S)
      return Math.floor(n / S / L) * T + Math.max(0, Math.min(T - 1, distance))
    })
    const each = this.embedding({ data, dims: [H, L, S] }, this.reshape(table, [H * T, 1]))
    return this.reshape(each, [H, L, S])
  }

  /** Zeroes each value with probability p and divides the others by 1 - p. @param {Operand} x @param {{ p: number, generator: import('../nn/generator.js').Generator }} options */
  dropout(x, { p, generator }) {
    return this.#do('dropout', { x }, { p }, generator)
  }

  /**
   * Rows of a table.
   * @param {TensorLike | Nested | ArrayLike<number>} ids
   * @param {Operand} weight (num, dim)
   * @param {{ paddingIdx?: number }} [options] whose row gets no gradient
   */
  embedding(ids, weight, options = {}) {
    const given = readOptions(options, ['paddingIdx'], 'embedding')
    const table = this.variable(weight, 'embedding: weight')
    const rows = toIds(ids, 'embedding: ids', table.dims[0])
    const make = () => OPERATIONS.embedding(this.#p, table, rows.dims, given)
    return this.#run('embedding', [table], [given.paddingIdx, ...rows.dims], make, rows.ids).tensor
  }

  /**
   * @param {Operand} logits (..., V)
   * @param {TensorLike | Nested | ArrayLike<number>} targets (...)
   * @param {import('./loss.js').CrossEntropyOptions} [options]
   * @returns {FloatTensor} of no axes
   */
  crossEntropy(logits, targets, options = {}) {
    const z = this.variable(logits, 'crossEntropy: logits')
    const loss = checkLoss(z.dims, targets, readOptions(options, LOSS_OPTIONS, 'crossEntropy'))
    const make = () => OPERATIONS.crossEntropy(this.#p, z, loss.rows, reduce)
    return this.#run('crossEntropy', [z], [], make, loss).tensor
  }

  /** @internal Ends it: operations of an earlier step that were not done again are forgotten. */
  end() {
    this.#isOpen = false
    if (this.#at < this.#p.entries.length) this.#p.forget(this.#at)
  }
}

/**
 * @param {Parameters} p
 * @param {string} name
 * @param {readonly (Variable | undefined)[]} inputs
 * @param {readonly unknown[]} key
 * @param {[number, number]} mark
 * @param {import('./operations.js').Operation} operation
 * @returns {Entry}
 */
function record(p, name, inputs, key, mark, { dims, address, forward, backward }) {
  const tensor = new ResidentTensor(p.core, [...dims], address)
  const isLearned = inputs.some(x => x?.isLearned)
  const output = { tensor, dims, address, owner: p, isLearned, step: p.step, gradient: 0, ownGradient: 0 }
  variables.set(tensor, output)
  return { name, inputs, key: [...key], mark, output, forward, backward }
}

/**
 * A step that has run forwards.
 * @typedef {object} TrainingStep
 * @property {number} loss the number, where the function returned a tensor of one value; else NaN
 * @property {FloatTensor} output what the function returned; resident, valid until the next tape
 * @property {(options?: BackwardOptions) => TrainingStep} backward computes `p.gradients`, once
 *
 * @typedef {object} BackwardOptions
 * @property {TensorLike | Nested} [gradient] of the output; default 1, for a loss
 * @property {boolean} [accumulate] adds to `p.gradients` instead of replacing them; default false
 */

/**
 * Runs a model and records it.
 * @param {import('../qkv.js').Qkv} qkv
 * @param {Parameters} p
 * @param {(t: Tape) => FloatTensor} run synchronous; uses p.values and the operations of t
 * @param {{ finite?: boolean }} [options] finite: a loss that is NaN or infinite throws; default false
 * @returns {TrainingStep}
 */
export function tape(qkv, p, run, options = {}) {
  const core = expectCore(qkv, 'tape')
  if (!(p instanceof Parameters)) throw new TypeError(`tape: ${describe(p)} given, what parameters() returns expected`)
  if (p.core !== core) throw new TypeError('tape: the parameters are those of another module')
  if (typeof run !== 'function') throw new TypeError(`tape: ${describe(run)} given, a function of the tape expected`)
  const { finite = false } = readOptions(options, ['finite'], 'tape')
  if (p.isBusy) throw new Error('tape: another tape of these parameters is running: end that one first')
  addressOf(p.all.values) // throws after dispose
  const step = ++p.step
  const t = new Tape(p)
  p.isBusy = true
  /** @type {Variable} */
  let root
  try {
    const output = run(t)
    if (!(output instanceof Tensor))
      throw new TypeError(`tape: its function returned ${describe(output)}, a tensor of the tape expected`)
    root = t.variable(output, 'tape: what its function returned')
  } finally {
    p.isBusy = false
    t.end()
  }
  const loss = count(root.dims) === 1 ? root.tensor.data[0] : NaN
  if (toBoolean(finite, 'tape: finite') && !Number.isFinite(loss))
    throw new RangeError(
      `tape: the loss is ${loss}: nothing was changed. A smaller learning rate, or clipGradNorm, may help`,
    )
  let isUsed = false
  /** @type {TrainingStep} */
  const result = {
    loss,
    output: root.tensor,
    backward(options = {}) {
      const given = readOptions(options, ['gradient', 'accumulate'], 'backward')
      if (p.step !== step) throw new Error('backward: this step is over: another tape has used its memory')
      if (isUsed) throw new Error('backward: it was called before for this step: its gradients are in p.gradients')
      addressOf(p.all.values) // throws after dispose
      const accumulate = toBoolean(given.accumulate ?? false, 'backward: accumulate')
      if (given.gradient === undefined && root.dims.length)
        throw new RangeError(`backward: the output has dims ${shape(root.dims)}: give its gradient, or return a loss`)
      const upstream = given.gradient === undefined ? undefined : toFloats(given.gradient, 'backward: gradient')
      if (upstream) expectDims(upstream, root.dims, 'backward: gradient', 'the dims of the output')
      if (p.planned?.root !== root || p.planned.accumulate !== accumulate) {
        p.forget(p.entries.length)
        p.planned = new Backward(p, root, accumulate)
      }
      isUsed = true
      p.planned.run(upstream ? valuesOf(upstream) : ONE)
      return result
    },
  }
  return result
}

const ONE = [1]
