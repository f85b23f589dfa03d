// The parameters of a model, their gradients, and the memory of a training step.

import { describe, proxied } from '../base/errors.js'
import { toFloats } from '../base/operand.js'
import { count, Tensor } from '../base/tensor.js'
import { readState } from '../nn/layers.js'
import { expectCore } from '../qkv.js'
import { ResidentTensor } from '../runtime/resident.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../block/operation.js').Operand} Operand */

/**
 * A tensor on a tape: a parameter, a result or a constant.
 * @typedef {object} Variable
 * @property {FloatTensor} tensor
 * @property {readonly number[]} dims
 * @property {number} address
 * @property {Parameters} owner
 * @property {boolean} isLearned does it depend on parameters?
 * @property {number} step -1: a parameter; else the step that computed it last; -2: its memory was reused
 * @property {number} gradient its address; 0 until the first gradient is planned
 * @property {number} ownGradient address of a parameter's gradient; 0 for other variables
 *
 * An operation of a step. It is recorded once; later steps with the same operation at this place run it again.
 * @typedef {object} Entry
 * @property {string} name
 * @property {readonly (Variable | undefined)[]} inputs
 * @property {readonly unknown[]} key dims and options that its memory depends on
 * @property {import('../block/operation.js').Prepared} prepared
 * @property {[number, number]} mark
 * @property {number[]} at addresses of the inputs
 * @property {number} saved address
 * @property {Variable} output
 */

const CHUNK = 2 ** 18 // floats

/** The memory of a step: a bump allocator over a list of chunks. The first step lays it out, later ones reuse it. */
class Arena {
  /** @type {ResidentTensor[]} */
  #chunks = []
  #core
  /** The current chunk and the floats used in it; set it to an earlier value to free what was taken since. @type {[number, number]} */
  mark = [0, 0]

  /** @param {Core} core */
  constructor(core) {
    this.#core = core
  }

  /** A tensor here, which ends with this. @param {readonly number[]} dims @returns {FloatTensor} */
  tensor(dims) {
    const address = this.take(count(dims))
    const chunk = this.#chunks[this.mark[0]]
    return chunk.part((address - chunk.address) / 4, dims)
  }

  /** @param {number} n floats, or other words @returns {number} their address */
  take(n) {
    const size = Math.ceil(n / 4) * 4 || 4
    let [at, used] = this.mark
    const room = () => (this.#chunks[at]?.dims[0] ?? 0) - used
    if (room() < size) {
      if (used > 0) at++
      used = 0
      if (room() < size) {
        for (const chunk of this.#chunks.splice(at)) chunk.dispose()
        this.#chunks.push(new ResidentTensor(this.#core, [Math.max(CHUNK, size)]))
      }
    }
    this.mark = [at, used + size]
    return this.#chunks[at].address + used * 4
  }

  dispose() {
    for (const chunk of this.#chunks) chunk.dispose()
  }
}

/** The variable of each tensor. @type {WeakMap<Tensor, Variable>} */
export const variables = new WeakMap()

/** The tensors that a model learns, their gradients, and the recorded operations of a step. Made by `parameters`. */
export class Parameters {
  #isOurs = true
  /** The parameters by name: resident tensors, which the optimisers update in place. @type {Readonly<Record<string, FloatTensor>>} */
  values
  /** The gradients of the last `backward()`, by name. @type {Readonly<Record<string, FloatTensor>>} */
  gradients
  /** @internal Two arrays of n floats: all values, and all gradients. @type {ResidentTensor[]} */
  all = []
  /** @internal Where each parameter begins in them, in floats. @type {Record<string, number>} */
  offsets = {}
  /** @internal */
  n = 0
  /** @internal @type {Entry[]} */
  entries = []
  /** @internal @type {import('./backward.js').Backward | undefined} */
  planned
  /** @internal Number of tapes so far. */
  step = 0
  /** @internal */
  isBusy = false

  /** @internal @param {Core} core @param {Record<string, FloatTensor>} tensors */
  constructor(core, tensors) {
    /** @internal */
    this.core = core
    /** @internal */
    this.arena = new Arena(core)
    for (const [name, { dims }] of Object.entries(tensors)) {
      this.offsets[name] = this.n
      this.n += Math.ceil(count(dims) / 4) * 4
    }
    try {
      for (const _ of ['values', 'gradients']) this.all.push(new ResidentTensor(core, [this.n]))
    } catch (error) {
      this.dispose()
      throw error
    }
    this.values = Object.freeze(this.parts(this.all[0], '', tensors))
    this.gradients = Object.freeze(this.parts(this.all[1], '', tensors))
    fill(this.values, tensors)
    for (const [name, tensor] of Object.entries(this.values))
      this.add(tensor, -1, true, addressOf(this.gradients[name]))
  }

  /** @internal Itself; throws for a Proxy of it, and after dispose. */
  checked() {
    if (!(#isOurs in this)) throw proxied('parameters')
    addressOf(this.all[0])
    return this
  }

  /** Copies of the values, by name. @returns {Record<string, FloatTensor>} */
  stateDict() {
    return copies(this.checked().values)
  }

  /** @param {Record<string, Operand>} state all parameters, with the same names and dims @returns {this} */
  loadStateDict(state) {
    fill(this.checked().values, state)
    return this
  }

  /** Frees the memory; any later use throws. */
  dispose() {
    if (!(#isOurs in this)) throw proxied('parameters')
    for (const held of [...this.all, this.arena]) held.dispose()
  }

  /** @internal Views of an array, with the dims of the parameters. @param {ResidentTensor} all @param {string} prefix of their names @param {Record<string, FloatTensor>} [like] */
  parts(all, prefix, like = this.values) {
    const part = (/** @type {string} */ name) => [prefix + name, all.part(this.offsets[name], like[name].dims)]
    return Object.fromEntries(Object.keys(like).map(part))
  }

  /** @internal @param {FloatTensor} tensor @param {number} step @param {boolean} isLearned @param {number} ownGradient @returns {Variable} */
  add(tensor, step, isLearned, ownGradient) {
    const place = { tensor, dims: tensor.dims, address: addressOf(tensor), owner: this }
    const variable = { ...place, step, isLearned, ownGradient, gradient: 0 }
    variables.set(tensor, variable)
    return variable
  }

  /** @internal Allocates the memory of an operation and records it. @param {Pick<Entry, 'name' | 'inputs' | 'key' | 'prepared'>} operation @returns {Entry} */
  record(operation) {
    const { name, inputs, prepared } = operation
    const { mark } = this.arena
    try {
      const at = inputs.map(x => x?.address ?? 0)
      const { dims } = prepared
      const tensor =
        name === 'reshape' ? /** @type {Variable} */ (inputs[0]).tensor.part(0, dims) : this.arena.tensor(dims)
      const saved = prepared.saved ? this.arena.take(prepared.saved) : 0
      const isLearned = inputs.some(x => x?.isLearned)
      const entry = { ...operation, mark, at, saved, output: this.add(tensor, this.step, isLearned, 0) }
      this.entries.push(entry)
      return entry
    } catch (error) {
      this.arena.mark = mark
      throw error
    }
  }

  /** @internal Removes the recorded operations from index `from` on, and the backward pass. @param {number} from */
  forget(from) {
    if (this.planned) this.arena.mark = this.planned.mark
    this.planned = undefined
    if (from >= this.entries.length) return
    this.arena.mark = this.entries[from].mark
    for (const { output } of this.entries.splice(from)) output.step = -2
  }
}

/** @param {unknown} p @param {string} where @returns {Parameters} */
export function expectParameters(p, where) {
  if (!(p instanceof Parameters))
    throw new TypeError(`${where}: ${describe(p)} given, what parameters() returns expected`)
  return p.checked()
}

/** @param {Tensor} tensor resident */
export const addressOf = tensor => /** @type {ResidentTensor} */ (tensor).address

/** @param {Readonly<Record<string, FloatTensor>>} tensors */
export const copies = tensors =>
  Object.fromEntries(Object.entries(tensors).map(([name, { data, dims }]) => [name, new Tensor(data.slice(), dims)]))

/** Copies a state dict into tensors; throws before the first copy if a name or dims do not fit. @param {Readonly<Record<string, FloatTensor>>} tensors @param {unknown} state by name */
export function fill(tensors, state) {
  const { take, end } = readState(state)
  const given = Object.entries(tensors).map(([name, { dims }]) => take(name, 'dims', ...dims))
  end()
  for (const [n, tensor] of Object.values(tensors).entries()) tensor.data.set(given[n].data)
}

/**
 * Copies tensors into the module's memory as the parameters of a model: `p.values`.
 * @param {import('../qkv.js').Qkv} qkv
 * @param {Record<string, Operand>} tensors by name, such as a state dict
 * @returns {Parameters}
 */
export function parameters(qkv, tensors) {
  const core = expectCore(qkv, 'parameters')
  if (typeof tensors !== 'object' || tensors === null || Array.isArray(tensors) || !Object.keys(tensors).length)
    throw new TypeError(`parameters: ${describe(tensors)} given, an object of tensors by name expected`)
  const entries = Object.entries(tensors).map(([name, value]) => [name, toFloats(value, `parameters: ${name}`)])
  return new Parameters(core, Object.fromEntries(entries))
}
