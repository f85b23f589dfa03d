import { QkvError } from '../base/errors.js'
import { valuesOf } from '../base/operand.js'
import { count, memories } from '../base/tensor.js'
import { ABI } from './abi.js'
import { AttentionCall } from './attention-call.js'
import { Blocks } from './heap.js'
import { ResidentTensor } from './resident.js'
import { STATUS } from './structs.js'

const PAGE = 65536
const LIMIT = 65536 * PAGE // 4 GiB, the range of a 32-bit address
const ALIGNMENT = 16

/** @typedef {Record<string, CallableFunction> & { memory: WebAssembly.Memory }} Exports */

/**
 * An instance of the wasm module and its memory. The memory has the module's static data, then blocks that outlive a call, then a stack. A
 * call allocates on the stack within `scope`, which frees everything when the call returns or throws.
 */
export class Core {
  bytes = new Uint8Array(0)
  words = new Uint32Array(0)
  floats = new Float32Array(0)
  /**
   * The `data` of each resident tensor. Tensors do not store it, because in V8 a view keeps its memory alive, even a detached one.
   * @type {WeakMap<ResidentTensor, Float32Array>}
   */
  views = new WeakMap()
  /** Memory that outlives a call. */
  blocks = new Blocks(this)
  /** Resident tensors that the innermost qkv.scope will free. @type {Set<ResidentTensor> | undefined} */
  inScope
  /** @type {AttentionCall | undefined} */
  #spare
  /** Threads that share the work of large calls. @type {import('../threads/pool.js').Threads | undefined} */
  threads
  /** Why only one thread runs, if `load` was called with more; else ''. */
  threadsReason = ''
  /**
   * With threads, a second core whose memory is not shared. Copies into unshared memory take half the time.
   * @type {Core | undefined}
   */
  unshared
  /** The kernels of integer weights, if loaded. @type {WebAssembly.Module | undefined} */
  integers
  /**
   * The class that stores the rows of a cache as int8; undefined unless the kernels of integer weights are loaded.
   * @type {typeof import('./int8-rows.js').Int8Rows | undefined}
   */
  Int8Rows
  /** Settles when the function that was last passed to `inTurn` has ended. @type {Promise<unknown>} */
  #changed = Promise.resolve()

  /**
   * @param {{ exports: Exports }} instance
   * @param {WebAssembly.Module} module that it was made from
   */
  constructor(instance, module) {
    this.module = module
    const { exports } = instance
    const isOurs = exports.qkv_abi && exports.qkv_heap && exports.memory
    const abi = isOurs ? exports.qkv_abi() : undefined
    if (abi !== ABI)
      throw new QkvError(
        'WASM_VERSION',
        `the wasm file has version ${abi ?? 'none'} of the interface, this JavaScript ${ABI}: take both from one package`,
      )
    /** @type {Exports} */
    this.exports = { ...exports } // a plain object, because V8 looks names up by hash in the engine's exports object
    this.base = Math.ceil((exports.qkv_heap() >>> 0) / ALIGNMENT) * ALIGNMENT
    this.top = this.base
    this.renew()
    this.leastPages = this.bytes.length / PAGE
  }

  /**
   * Runs a function that replaces the exports or the memory. Such functions run one after another; a failed one does not stop the next.
   * @template T
   * @param {() => Promise<T>} change
   */
  inTurn(change) {
    const now = this.#changed.then(change)
    this.#changed = now.catch(() => {})
    return now
  }

  /** Takes the spare call record. Makes a new one if a running call has it, whose options have a getter that makes another call. */
  takeCall() {
    const call = this.#spare ?? new AttentionCall()
    this.#spare = undefined
    return call
  }

  /** @param {AttentionCall} call to be reused by the next call */
  giveCall(call) {
    call.clear()
    this.#spare = call
  }

  /** Renews `bytes`, `words` and `floats`, the views of the whole memory; alloc calls it when the memory has grown. */
  renew() {
    const buffer = this.exports.memory.buffer
    this.bytes = new Uint8Array(buffer)
    this.words = new Uint32Array(buffer)
    this.floats = new Float32Array(buffer)
    this.views = new WeakMap()
    const { memory } = this.exports
    // After trim, arrays of the old shared memory still work, but resident tensors have moved, so their old addresses are invalid.
    const viewAt = (/** @type {number} */ address, /** @type {readonly number[]} */ dims) =>
      memory === this.exports.memory ? this.viewAt(address, dims) : undefined
    memories.set(buffer, { viewAt })
  }

  /** Returns the bytes in use by running calls: 0 between calls. */
  get used() {
    return this.top - this.base
  }

  /**
   * Runs `call` and frees the memory that it allocated on the stack. The number of used bytes is restored, not `top`, because `call` may
   * move `base` when it makes or disposes of resident tensors.
   * @template T
   * @param {() => T} call
   * @returns {T}
   */
  scope(call) {
    const { used } = this
    try {
      return call()
    } finally {
      this.top = this.base + used
    }
  }

  /**
   * @param {number} bytes
   * @returns {number} the address of `bytes` bytes, 16-byte aligned, content undefined
   */
  alloc(bytes) {
    const pointer = this.top
    const end = pointer + Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
    if (!(end <= LIMIT))
      throw new RangeError(
        `out of memory: this call needs ${bytes} bytes more, a WebAssembly module has ${LIMIT} in all: ` +
          'use smaller tensors, or qkv.attention instead of qkv.trace',
      )
    const size = this.bytes.length
    if (end > size) {
      try {
        this.exports.memory.grow(Math.ceil((end - size) / PAGE))
        this.renew()
      } catch (cause) {
        throw new RangeError(`out of memory: the engine gave no ${bytes} bytes more`, { cause })
      }
    }
    this.top = end
    return pointer
  }

  /**
   * Returns a view of the memory, valid until the next `alloc`, which may detach it.
   * @template {Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array} T
   * @param {new (buffer: ArrayBuffer, byteOffset: number, length: number) => T} Type
   * @param {number} pointer
   * @param {number} length
   * @returns {T}
   */
  view(Type, pointer, length) {
    return new Type(this.exports.memory.buffer, pointer, length)
  }

  /**
   * @param {import('../base/tensor.js').Tensor} operand a result of toFloats or toOperand
   * @param {import('../threads/pool.js').DeferredCopies} [deferredCopies] if given, a float32 copy is not made but added to this list
   * @param {number} [at] address of the copy; by default allocated for this call
   * @returns {number} the operand's address if it is in this memory, else the address of a copy
   */
  toMemory(operand, deferredCopies, at) {
    const resident = this.residentOf(operand)
    if (resident) return resident.address
    const values = valuesOf(operand)
    if (!deferredCopies) return this.copyIn(values, at)
    const n = count(operand.dims)
    const data = new Float32Array(values.buffer, values.byteOffset, n) // a view made here, because methods of the caller's array may throw
    const pointer = at ?? this.allocFloats(n)
    deferredCopies.push([n, (from, to) => this.floats.set(data.subarray(from, to), pointer / 4 + from)])
    return pointer
  }

  /** Returns the tensor as a resident tensor if it is in this memory, else undefined. @param {import('../base/tensor.js').Tensor} tensor */
  residentOf(tensor) {
    const resident = /** @type {ResidentTensor} */ (tensor)
    return tensor.isResident && resident.isIn(this) ? resident : undefined
  }

  /**
   * Makes a resident view of an address; undefined if the address is in the stack of calls.
   * @param {number} address
   * @param {readonly number[]} dims
   */
  viewAt(address, dims) {
    return address + count(dims) * 4 <= this.base ? new ResidentTensor(this, [...dims], address) : undefined
  }

  /**
   * @param {import('../base/tensor.js').TensorData} data not a view of this memory
   * @param {number} [pointer] address of the copy; by default allocated for this call
   * @returns {number} the address of a copy
   */
  copyIn(data, pointer = this.alloc(data.byteLength)) {
    if (data instanceof Float32Array) this.floats.set(data, pointer / 4)
    else this.bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), pointer)
    return pointer
  }

  /**
   * @param {number} pointer
   * @param {number} length
   * @param {Float32Array} [to] an existing array to copy into
   * @returns `to`, or a new array, with a copy of `length` floats
   */
  copyOut(pointer, length, to) {
    const [from, end] = [pointer / 4, pointer / 4 + length]
    if (!to) return this.floats.slice(from, end)
    to.set(this.floats.subarray(from, end))
    return to
  }

  /** Grows the memory so that `bytes` more fit, or throws and leaves it unchanged. @param {number} bytes */
  reserve(bytes) {
    this.scope(() => this.alloc(bytes))
  }

  /** @param {number} n @returns {number} the address of n floats */
  allocFloats(n) {
    return this.alloc(n * 4)
  }

  /**
   * Calls a kernel.
   * @param {string} kernel
   * @param {...number} args
   */
  call(kernel, ...args) {
    this.check(kernel, this.exports[kernel](...args))
  }

  /** @param {string} kernel @param {number} status what it returned */
  check(kernel, status) {
    if (status !== 0) throw new QkvError('KERNEL', `${kernel}: ${STATUS[status] ?? status} out of range`)
  }
}
