import { QkvError } from '../base/errors.js'
import { valuesOf } from '../base/operand.js'
import { count, memories } from '../base/tensor.js'
import { ABI } from './abi.js'
import { AttentionCall } from './attention-call.js'
import { Blocks } from './heap.js'
import { ResidentTensor } from './resident.js'
import { STATUS } from './structs.js'

const PAGE = 65536
const LIMIT = 65536 * PAGE // the 4 GiB that a 32-bit address reaches
const ALIGNMENT = 16

/** @typedef {Record<string, CallableFunction> & { memory: WebAssembly.Memory }} Exports */

/**
 * One instance of the core and its memory: the core's own data, blocks that outlive a call, and above them a stack. A
 * call allocates inside `scope`, which frees everything when the call returns or throws.
 */
export class Core {
  bytes = new Uint8Array(0)
  words = new Uint32Array(0)
  floats = new Float32Array(0)
  /** The data of resident tensors. Not in the tensors, because in V8 a view holds its memory even when it is detached. @type {WeakMap<ResidentTensor, Float32Array>} */
  views = new WeakMap()
  /** Memory that outlives a call. */
  blocks = new Blocks(this)
  /** Resident tensors that the innermost qkv.scope frees. @type {Set<ResidentTensor> | undefined} */
  inScope
  /** @type {AttentionCall | undefined} */
  #spare
  /** Threads that share the work of large calls. @type {import('../threads/pool.js').Threads | undefined} */
  threads
  /** The reason for one thread where `load` was asked for more; '' elsewhere. */
  threadsReason = ''
  /** With threads: a second core whose memory is not shared, because copies into it take half the time. @type {Core | undefined} */
  unshared
  /** The kernels of integer weights, once they are loaded. @type {WebAssembly.Module | undefined} */
  integers
  /** The class that keeps the rows of a cache as int8; undefined unless the kernels of integer weights are loaded. @type {typeof import('./int8-rows.js').Int8Rows | undefined} */
  Int8Rows
  /** The last change of the instance. @type {Promise<unknown>} */
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
    this.exports = { ...exports } // a plain object: V8 reads the engine's own by a hash
    this.base = Math.ceil((exports.qkv_heap() >>> 0) / ALIGNMENT) * ALIGNMENT
    this.top = this.base
    this.renew()
    this.leastPages = this.bytes.length / PAGE
  }

  /**
   * Changes the instance: one change after the other, whatever becomes of them.
   * @template T
   * @param {() => Promise<T>} change
   */
  inTurn(change) {
    const now = this.#changed.then(change)
    this.#changed = now.catch(() => {})
    return now
  }

  /** The record of a call. A call within a call (from a getter of its options, say) gets another one. */
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

  /** Views on all of the memory, for indices of whole elements; alloc renews them when the memory grows. */
  renew() {
    const buffer = this.exports.memory.buffer
    this.bytes = new Uint8Array(buffer)
    this.words = new Uint32Array(buffer)
    this.floats = new Float32Array(buffer)
    this.views = new WeakMap()
    const { memory } = this.exports
    // After trim the buffers of a shared memory live on with the arrays over them, but what resident tensors hold lies elsewhere.
    const viewAt = (/** @type {number} */ address, /** @type {readonly number[]} */ dims) =>
      memory === this.exports.memory ? this.viewAt(address, dims) : undefined
    memories.set(buffer, { viewAt })
  }

  /** Bytes in use by calls that run now: 0 between calls. */
  get used() {
    return this.top - this.base
  }

  /**
   * Runs `call` and frees the memory that it allocated. The mark counts from `base`, which moves only while no call has memory: a
   * resident tensor may be made or disposed of within `call`.
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
   * @returns {number} the address of that many bytes, 16-byte aligned, content undefined
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
   * A view on the memory; valid until the next `alloc`, which may detach it.
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
   * @param {import('../base/tensor.js').Tensor} operand of toFloats or toOperand
   * @param {import('../threads/pool.js').DeferredCopies} [deferredCopies] the copy, of float32 numbers, is added to this list
   *   instead of being made
   * @param {number} [at] address of the copy; by default memory of this call
   * @returns {number} its address if it lies in this memory, else that of a copy
   */
  toMemory(operand, deferredCopies, at) {
    const resident = this.residentOf(operand)
    if (resident) return resident.address
    const values = valuesOf(operand)
    if (!deferredCopies) return this.copyIn(values, at)
    const n = count(operand.dims)
    const data = new Float32Array(values.buffer, values.byteOffset, n) // a view of ours, whose methods cannot fail
    const pointer = at ?? this.allocFloats(n)
    deferredCopies.push([n, (from, to) => this.floats.set(data.subarray(from, to), pointer / 4 + from)])
    return pointer
  }

  /** The tensor, if it lies in this memory. @param {import('../base/tensor.js').Tensor} tensor */
  residentOf(tensor) {
    const resident = /** @type {ResidentTensor} */ (tensor)
    return tensor.isResident && resident.isIn(this) ? resident : undefined
  }

  /** A resident view at an address; undefined if the address is in the stack of calls. @param {number} address @param {readonly number[]} dims */
  viewAt(address, dims) {
    return address + count(dims) * 4 <= this.base ? new ResidentTensor(this, [...dims], address) : undefined
  }

  /**
   * @param {import('../base/tensor.js').TensorData} data not a view of this memory
   * @param {number} [pointer] address of the copy; by default memory of this call
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
   * @returns a copy of that many floats
   */
  copyOut(pointer, length, to) {
    const [from, end] = [pointer / 4, pointer / 4 + length]
    if (!to) return this.floats.slice(from, end)
    to.set(this.floats.subarray(from, end))
    return to
  }

  /** Grows the memory so that `bytes` more fit; if they cannot, throws and leaves the memory as it was. @param {number} bytes */
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
