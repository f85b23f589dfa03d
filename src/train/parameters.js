// What a model learns, and the memory that a step of training works in.

import { expectDims } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { count, Tensor, toFloats } from '../base/tensor.js'
import { expectCore } from '../qkv.js'
import { ResidentTensor } from '../runtime/resident.js'

/** @typedef {import('../runtime/memory.js').Core} Core */
/** @typedef {import('../base/tensor.js').TensorLike} TensorLike */
/** @typedef {import('../base/tensor.js').Nested} Nested */
/** @typedef {Tensor<Float32Array>} FloatTensor */

const CHUNK = 2 ** 18 // floats

/** Memory of one step, laid out in the first one: chunks that are filled from the first on. */
class Arena {
  /** @type {ResidentTensor[]} */
  #chunks = []
  #core
  #at = 0
  #used = 0

  /** @param {Core} core */
  constructor(core) {
    this.#core = core
  }

  /** Where the next array will lie: `reset` comes back to it. @returns {[chunk: number, used: number]} */
  get mark() {
    return [this.#at, this.#used]
  }

  /** @param {[chunk: number, used: number]} mark */
  reset([at, used]) {
    this.#at = at
    this.#used = used
  }

  /** @param {number} n floats, or other words @returns {number} their address */
  take(n) {
    const size = Math.ceil(n / 4) * 4 || 4
    const room = () => (this.#chunks[this.#at]?.dims[0] ?? 0) - this.#used
    if (room() < size) {
      if (this.#used > 0) this.#at++
      this.#used = 0
      if (room() < size) {
        for (const chunk of this.#chunks.splice(this.#at)) chunk.dispose()
        this.#chunks.push(new ResidentTensor(this.#core, [Math.max(CHUNK, size)]))
      }
    }
    this.#used += size
    return this.#chunks[this.#at].address + (this.#used - size) * 4
  }

  dispose() {
    for (const chunk of this.#chunks) chunk.dispose()
  }
}

/**
 * A tensor on a tape: a parameter, a result or a constant.
 * @typedef {object} Variable
 * @property {FloatTensor} tensor
 * @property {readonly number[]} dims
 * @property {number} address
 * @property {Parameters} owner
 * @property {boolean} isLearned does it depend on parameters?
 * @property {number} step -1: a parameter; which step computed it last; -2: its memory is another's now
 * @property {number} gradient address; 0 as long as nothing has been added
 * @property {number} ownGradient of a parameter
 *
 * An operation of a step. It is recorded once; later steps find it at the same place and run it again.
 * @typedef {object} Entry
 * @property {string} name
 * @property {readonly (Variable | undefined)[]} inputs
 * @property {readonly unknown[]} key what its memory depends on
 * @property {import('../block/operation.js').Prepared} prepared
 * @property {[number, number]} mark
 * @property {number[]} at addresses of the inputs
 * @property {number} saved address
 * @property {Variable} output
 */

/** Variables by their tensors, of all parameters. @type {WeakMap<Tensor, Variable>} */
export const variables = new WeakMap()

/** Tensors that are learned, their gradients, and the plan of a step. Made by `parameters`. */
export class Parameters {
  /** By name: resident tensors, which the optimisers change in place. @type {Readonly<Record<string, FloatTensor>>} */
  values
  /** By name, of the last `backward()`. @type {Readonly<Record<string, FloatTensor>>} */
  gradients
  /** @internal All values, and all gradients: one array each. @type {ResidentTensor[]} */
  all = []
  /** @internal Where each begins in them. @type {Record<string, number>} */
  offsets = {}
  /** @internal @type {Entry[]} */
  entries = []
  /** @internal @type {import('./backward.js').Backward | undefined} */
  planned
  /** @internal Counts tapes. */
  step = 0
  /** @internal */
  isBusy = false

  /** @internal @param {Core} core @param {Record<string, FloatTensor>} tensors */
  constructor(core, tensors) {
    /** @internal */
    this.core = core
    /** @internal */
    this.arena = new Arena(core)
    /** @internal Values of all, each filled up to 16 bytes. */
    this.n = 0
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
    const [values, gradients] = this.all
    this.values = Object.freeze(this.parts(values, tensors))
    this.gradients = Object.freeze(this.parts(gradients, tensors))
    for (const [name, tensor] of Object.entries(this.values)) {
      tensor.data.set(tensors[name].data)
      this.add(tensor, -1, true, addressOf(this.gradients[name]))
    }
  }

  /** @internal An array as tensors of the dims of the parameters. @param {ResidentTensor} all @param {Record<string, FloatTensor>} [like] */
  parts(all, like = this.values) {
    return Object.fromEntries(
      Object.entries(like).map(([name, { dims }]) => [name, all.part(this.offsets[name], dims)]),
    )
  }

  /** @internal @param {FloatTensor} tensor @param {number} step @param {boolean} isLearned @param {number} ownGradient @returns {Variable} */
  add(tensor, step, isLearned, ownGradient) {
    const { dims } = tensor
    const own = { step, isLearned, ownGradient, gradient: 0 }
    const variable = { tensor, dims, address: addressOf(tensor), owner: this, ...own }
    variables.set(tensor, variable)
    return variable
  }

  /** @internal Gives an operation its memory. @param {Pick<Entry, 'name' | 'inputs' | 'key' | 'prepared'>} operation @returns {Entry} */
  record(operation) {
    const { name, inputs, prepared } = operation
    const { arena } = this
    const { mark } = arena
    try {
      const at = inputs.map(x => x?.address ?? 0)
      const address = name === 'reshape' ? at[0] : arena.take(count(prepared.dims))
      const saved = prepared.saved ? arena.take(prepared.saved) : 0
      const tensor = new ResidentTensor(this.core, [...prepared.dims], address)
      const isLearned = inputs.some(x => x?.isLearned)
      const entry = { ...operation, mark, at, saved, output: this.add(tensor, this.step, isLearned, 0) }
      this.entries.push(entry)
      return entry
    } catch (error) {
      arena.reset(mark)
      throw error
    }
  }

  /** Copies of the values, by name. @returns {Record<string, FloatTensor>} */
  stateDict() {
    return copies(this.values)
  }

  /** Takes values of the same names and dims; all must be there. @param {Record<string, TensorLike | Nested>} state @returns {this} */
  loadStateDict(state) {
    fill(this.values, state, 'loadStateDict')
    return this
  }

  /** Gives the memory back; any later use throws. */
  dispose() {
    for (const held of [...this.all, this.arena]) held.dispose()
  }

  /** @internal Forgets the operations from `from` on, and the plan of the gradients. @param {number} from */
  forget(from) {
    if (this.planned) this.arena.reset(this.planned.mark)
    this.planned = undefined
    if (from >= this.entries.length) return
    this.arena.reset(this.entries[from].mark)
    for (const { output } of this.entries.splice(from)) output.step = -2
  }
}

/** @param {unknown} p @param {string} where @returns {Parameters} */
export function expectParameters(p, where) {
  if (!(p instanceof Parameters))
    throw new TypeError(`${where}: ${describe(p)} given, what parameters() returns expected`)
  addressOf(p.all[0]) // throws after dispose
  return p
}

/** @param {Tensor} tensor resident */
export const addressOf = tensor => /** @type {ResidentTensor} */ (tensor).address

/** @param {Readonly<Record<string, FloatTensor>>} tensors */
export const copies = tensors =>
  Object.fromEntries(Object.entries(tensors).map(([name, { data, dims }]) => [name, new Tensor(data.slice(), dims)]))

/**
 * Copies values into tensors, if all of them fit.
 * @param {Readonly<Record<string, FloatTensor>>} tensors
 * @param {Record<string, unknown>} state
 * @param {string} where
 */
export function fill(tensors, state, where) {
  if (typeof state !== 'object' || state === null)
    throw new TypeError(`${where}: ${describe(state)} given, an object of tensors by name expected`)
  const names = Object.keys(tensors)
  const others = Object.keys(state).filter(name => !names.includes(name))
  if (others.length) throw new RangeError(`${where}: no place for ${others.join(', ')}. Known: ${names.join(', ')}`)
  const given = names.map(name => {
    if (!Object.hasOwn(state, name)) throw new RangeError(`${where}: ${name} is missing`)
    const tensor = toFloats(state[name], `${where}: ${name}`)
    expectDims(tensor, tensors[name].dims, `${where}: ${name}`, 'its dims')
    return tensor
  })
  for (const [n, name] of names.entries()) tensors[name].data.set(given[n].data)
}

/**
 * Copies tensors into the module's memory, where a model finds them as `p.values`.
 * @param {import('../qkv.js').Qkv} qkv
 * @param {Record<string, TensorLike | Nested>} tensors by name; or a state dict
 * @returns {Parameters}
 */
export function parameters(qkv, tensors) {
  const core = expectCore(qkv, 'parameters')
  if (typeof tensors !== 'object' || tensors === null || Array.isArray(tensors))
    throw new TypeError(`parameters: ${describe(tensors)} given, an object of tensors by name expected`)
  const entries = Object.entries(tensors).map(([name, value]) => [name, toFloats(value, `parameters: ${name}`)])
  return new Parameters(core, Object.fromEntries(entries))
}
