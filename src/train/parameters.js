// The parameters of a model, their gradients, and the memory of a training step.

import { describe, proxied } from '../base/errors.js'
import { toFloats } from '../base/operand.js'
import { count, Tensor } from '../base/tensor.js'
import { readState } from '../layers/state-dict.js'
import { expectCore } from '../runtime/core-of.js'
import { addressOf, ResidentTensor } from '../runtime/resident.js'

/** @import { Core } from '../runtime/memory.js' */
/** @import { FloatTensor } from '../base/tensor.js' */
/** @import { Operand } from '../ops/operation.js' */

/**
 * A tensor on a tape: a parameter, a result or a constant.
 * @typedef {object} Variable
 * @property {FloatTensor} tensor
 * @property {Parameters} owner
 * @property {boolean} isLearned true if it depends on parameters
 * @property {number} step -1 for a parameter; else the step that last computed it
 * @property {number} gradient address of its gradient; 0 for a result that no planned backward pass reaches
 *
 * An operation of a step. It is recorded once; later steps with the same operation at the same index run it again.
 * @typedef {object} Entry
 * @property {string} name
 * @property {readonly (Variable | undefined)[]} inputs
 * @property {readonly unknown[]} key dims and options on which the memory of the operation depends
 * @property {import('../ops/operation.js').Prepared} prepared
 * @property {number[]} at addresses of the inputs
 * @property {number} saved address of what the operation saves for its gradient
 * @property {Variable} output
 * @property {Mark} end the end of the operation's memory
 *
 * The end of the arena's used memory: the index of a chunk, and the floats used in that chunk.
 * @typedef {readonly [chunk: number, used: number]} Mark
 */

const CHUNK = 2 ** 18 // floats

/** The memory of a step: a stack in a list of chunks. Later steps with the same operations reuse what the first one allocated. */
class Arena {
  /** @type {ResidentTensor[]} */
  #chunks = []
  #core
  /** The end of the used memory. Setting it to an earlier mark frees what was allocated since. @type {Mark} */
  mark = [0, 0]

  /** @param {Core} core */
  constructor(core) {
    this.#core = core
  }

  /** Allocates floats. @param {number} n number of floats @returns {FloatTensor} a view, valid until this memory is disposed */
  take(n) {
    let [at, used] = this.mark
    const fits = () => used + n <= (this.#chunks[at]?.dims[0] ?? -1)
    if (!fits()) [at, used] = [used ? at + 1 : at, 0]
    if (!fits()) {
      for (const chunk of this.#chunks.splice(at)) chunk.dispose()
      this.#chunks.push(new ResidentTensor(this.#core, [Math.max(CHUNK, n)]))
    }
    this.mark = [at, used + Math.ceil(n / 4) * 4]
    return this.#chunks[at].part(used, [n])
  }

  /** True if the tensor is in this memory. @param {ResidentTensor} tensor */
  holds(tensor) {
    return this.#chunks.some(chunk => tensor.overlaps(chunk))
  }

  dispose() {
    for (const chunk of this.#chunks) chunk.dispose()
  }
}

/** The variable of each tensor. @type {WeakMap<Tensor, Variable>} */
export const variables = new WeakMap()

/** Returns the size of a tensor in floats, rounded up so that the tensor after it is 16-byte aligned. @param {readonly number[]} dims */
export const paddedSize = dims => Math.ceil(count(dims) / 4) * 4

/** The parameters of a model, their gradients, and the recorded operations of a step. Made by the function `parameters`. */
export class Parameters {
  #isOurs = true
  /** The parameters by name: resident tensors, which optimisers update in place. @type {Readonly<Record<string, FloatTensor>>} */
  values
  /** The gradients of the last `backward()`, by name. @type {Readonly<Record<string, FloatTensor>>} */
  gradients
  /** @internal Operations in the order in which they ran. @type {Entry[]} */
  entries = []
  /** @internal @type {import('./backward.js').Backward | undefined} */
  planned
  /**
   * @internal
   * The tensors of `values` that the last backward pass reached, with `accumulate` also those that earlier passes reached; undefined before
   * the first pass.
   * @type {Set<FloatTensor> | undefined}
   */
  reached
  /** @internal Number of tapes so far. */
  step = 0
  /** @internal */
  isBusy = false
  /** @internal */
  isDisposed = false
  /** @internal Called after the values have changed. @type {(() => void) | undefined} */
  onChange

  /** @internal @param {Core} core @param {Record<string, FloatTensor>} tensors */
  constructor(core, tensors) {
    /** @internal */
    this.core = core
    /** @internal */
    this.arena = new Arena(core)
    /** @internal Size of all values in floats, padding included; the gradients have the same size. */
    this.n = Object.values(tensors).reduce((sum, { dims }) => sum + paddedSize(dims), 0)
    /** @internal All values, then all gradients. */
    this.memory = new ResidentTensor(core, [2, this.n])
    /** @internal */
    this.all = [0, 1].map(i => this.memory.row(i))
    const [values, gradients] = this.all.map(all => Object.freeze(this.parts(all, '', tensors)))
    this.values = values
    this.gradients = gradients
    fill(values, tensors)
    for (const name in values) this.add(values[name], -1, true, addressOf(gradients[name]))
  }

  /** @internal Returns itself; throws for a Proxy of it, and after dispose. */
  checked() {
    if (!(#isOurs in this)) throw proxied('parameters')
    if (this.isDisposed) throw new Error('these parameters were disposed: make them again')
    return this
  }

  /**
   * @internal False if no backward pass reached a parameter and nobody set its gradient, like `grad is None` in PyTorch.
   * @param {string} name
   */
  hasGradient(name) {
    const isReached = this.reached?.has(this.values[name]) ?? true
    return isReached || this.gradients[name].data.some(value => value !== 0)
  }

  /** Returns copies of the values, by name. @returns {Record<string, FloatTensor>} */
  stateDict() {
    return copies(this.checked().values)
  }

  /** Restores the values. @param {Record<string, Operand>} state all parameters, with the same names and dims @returns {this} */
  loadStateDict(state) {
    fill(this.checked().values, state)
    this.onChange?.()
    return this
  }

  /** Frees the memory; any later use of the parameters throws. */
  dispose() {
    if (!(#isOurs in this)) throw proxied('parameters')
    for (const held of [this.memory, this.arena]) held.dispose()
    this.isDisposed = true
  }

  /**
   * @internal Splits an array into views with the dims of the parameters, by name.
   * @param {FloatTensor} all n floats
   * @param {string} prefix prepended to each name
   * @param {Record<string, FloatTensor>} [like] default: the parameters
   */
  parts(all, prefix, like = this.values) {
    /** @type {Record<string, FloatTensor>} */
    const parts = {}
    let from = 0
    for (const [name, { dims }] of Object.entries(like)) {
      parts[prefix + name] = all.part(from, dims)
      from += paddedSize(dims)
    }
    return parts
  }

  /** @internal True for a tensor in the memory of the values or of a step's results. @param {unknown} value */
  holds(value) {
    return value instanceof ResidentTensor && (value.overlaps(this.all[0]) || this.arena.holds(value))
  }

  /** @internal @param {FloatTensor} tensor @param {number} step @param {boolean} isLearned @param {number} [gradient] @returns {Variable} */
  add(tensor, step, isLearned, gradient = 0) {
    const variable = { tensor, owner: this, step, isLearned, gradient }
    variables.set(tensor, variable)
    return variable
  }

  /** @internal Allocates the memory of an operation and records it. @param {Pick<Entry, 'name' | 'inputs' | 'key' | 'prepared'>} operation */
  record(operation) {
    const { inputs, prepared } = operation
    const { dims, saved = 0, isView } = prepared
    const n = isView ? 0 : paddedSize(dims)
    const memory = this.arena.take(n + saved)
    const tensor = (isView ? /** @type {Variable} */ (inputs[0]).tensor : memory).part(0, dims)
    const at = inputs.map(x => (x ? addressOf(x.tensor) : 0))
    const isLearned = inputs.some(x => x?.isLearned)
    const output = this.add(tensor, this.step, isLearned)
    const entry = { ...operation, at, saved: addressOf(memory) + n * 4, output, end: this.arena.mark }
    this.entries.push(entry)
    return entry
  }

  /**
   * @internal
   * Forgets the recorded operations from index `from` on, and the planned backward pass.
   * @param {number} from
   */
  forget(from) {
    this.planned = undefined
    this.entries.splice(from)
    this.arena.mark = this.entries[from - 1]?.end ?? [0, 0]
  }
}

/** @param {unknown} p @param {string} where @returns {Parameters} */
export function expectParameters(p, where) {
  if (!(p instanceof Parameters)) {
    const own = Object(p).parameters instanceof Parameters ? '; a module has them as model.parameters' : ''
    throw new TypeError(`${where}: expected what parameters() returns, got ${describe(p)}${own}`)
  }
  return p.checked()
}

/** @param {Readonly<Record<string, FloatTensor>>} tensors */
export const copies = tensors =>
  Object.fromEntries(Object.entries(tensors).map(([name, { data, dims }]) => [name, new Tensor(data.slice(), dims)]))

/**
 * Copies a state dict into tensors. If a name or dims do not match, it throws and copies nothing.
 * @param {Readonly<Record<string, FloatTensor>>} tensors
 * @param {Readonly<Record<string, unknown>>} state by name
 */
export function fill(tensors, state) {
  const { take, end } = readState(state)
  const given = Object.entries(tensors).map(([name, { dims }]) => take(name, 'dims', ...dims))
  end()
  for (const [n, tensor] of Object.values(tensors).entries()) tensor.data.set(given[n].data)
}

/**
 * Copies tensors into the module's memory as the parameters of a model, `p.values`.
 * @param {import('../qkv.js').Qkv} qkv
 * @param {Record<string, Operand>} tensors by name, such as a state dict
 * @returns {Parameters}
 */
export function parameters(qkv, tensors) {
  const core = expectCore(qkv, 'parameters')
  if (typeof tensors !== 'object' || tensors === null || Array.isArray(tensors) || !Object.keys(tensors).length)
    throw new TypeError(`parameters: expected an object of tensors by name, got ${describe(tensors)}`)
  const entries = Object.entries(tensors).map(([name, value]) => [
    checkName(name, 'parameters'),
    toFloats(value, `parameters: ${name}`),
  ])
  return new Parameters(core, Object.fromEntries(entries))
}

/** Throws for a name that plain objects cannot have as a key. @param {string} name @param {string} where */
export function checkName(name, where) {
  if (name === '__proto__') throw new RangeError(`${where}: expected another name of a tensor, got ${name}`)
  return name
}
