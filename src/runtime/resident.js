import { whenCollected } from '../base/collected.js'
import { proxied, shape } from '../base/errors.js'
import { count, Tensor } from '../base/tensor.js'

/** @import { Core } from './memory.js' */

/**
 * A float32 tensor in the module's memory, initially zeros. Calls of the same module use it, and its views `row(i)` and `reshape(dims)`,
 * without copying. When the memory grows, `data` becomes a new array, so read it from the tensor each time. The memory is freed by
 * `dispose()`, or when the tensor and all its views are garbage-collected.
 * @extends {Tensor<Float32Array>}
 */
export class ResidentTensor extends Tensor {
  #core
  /** The tensor that owns the memory: this one, or the one that this is a view of. @type {ResidentTensor} */
  #base = this
  /** Address of the owner's memory; 0 after dispose. */
  #pointer
  /** Bytes from the owner's address to the first value of this tensor. */
  #offset
  #length
  /** @type {{ output: Tensor<Float32Array> } | undefined} */
  #output
  /** The getter of `data` for all tensors. With a closure per tensor, V8 would give each tensor another hidden class. */
  static #data = {
    enumerable: true,
    /** @this {ResidentTensor} */
    get() {
      const { address } = this // throws after dispose
      const { views } = this.#core
      const known = views.get(this)
      if (known) return known
      const view = this.#core.view(Float32Array, address, this.#length)
      views.set(this, view)
      return view
    },
  }

  /**
   * @internal
   * @param {Core} core
   * @param {readonly number[]} dims checked
   * @param {number} [pointer] 0 for a view; an address of memory to use; by default memory is allocated
   * @param {ResidentTensor} [base] for a view, the tensor that owns the memory
   * @param {number} [offset] for a view, bytes from the owner's address
   * @param {boolean} [isZeroed] false to skip zeroing new memory, because every value will be written
   */
  constructor(core, dims, pointer, base, offset = 0, isZeroed = true) {
    super(undefined, Object.freeze(dims))
    // Read-only, because larger dims would reach beyond the tensor's memory.
    Object.defineProperty(this, 'dims', { value: this.dims, writable: false, configurable: false })
    Object.defineProperty(this, 'data', ResidentTensor.#data)
    this.#core = core
    this.#length = count(dims)
    this.#offset = offset
    this.#pointer = pointer ?? core.blocks.take(this.#length * 4)
    if (base) this.#base = base
    if (pointer !== undefined) return
    if (isZeroed) core.floats.fill(0, this.#pointer / 4, this.#pointer / 4 + this.#length)
    released.register(this, { core, pointer: this.#pointer }, this)
  }

  /**
   * @internal
   * Returns { output: this }, the result of an attention with this tensor as `out`. It is always the same object, so that calls allocate
   * none.
   * @returns {{ output: Tensor<Float32Array> }}
   */
  get asOutput() {
    this.#output ??= Object.freeze({ output: this })
    return this.#output
  }

  /** Returns the type of the values, also after dispose. @returns {'float32'} */
  get dtype() {
    return 'float32'
  }

  /** @internal Returns the address of the first value; throws after dispose. */
  get address() {
    const pointer = this.base.#pointer
    if (pointer === 0) throw new Error('this resident tensor was disposed: make another with qkv.alloc')
    return pointer + this.#offset
  }

  /** @internal @param {Core} core */
  isIn(core) {
    return this.#core === core
  }

  /**
   * @internal
   * True if this tensor and another share bytes.
   * @param {Tensor | undefined} tensor
   */
  overlaps(tensor) {
    if (!tensor?.isResident) return false
    const other = /** @type {ResidentTensor} */ (tensor)
    const [a, b] = [this.address, other.address]
    return this.#core === other.#core && a < b + other.#length * 4 && b < a + this.#length * 4
  }

  /** @internal Returns the tensor that owns the memory. */
  get base() {
    if (!(#core in this)) throw proxied('resident tensor')
    return this.#base
  }

  get isResident() {
    return true
  }

  /** @internal @param {string} name */
  checked(name) {
    if (!(#core in this)) throw proxied(name)
    return this
  }

  /**
   * @internal
   * @param {number} from
   * @param {readonly number[]} dims
   * @returns {Tensor<Float32Array>}
   */
  part(from, dims) {
    this.address // throws after dispose
    return new ResidentTensor(this.#core, [...dims], 0, this.#base, this.#offset + from * 4)
  }

  /** Frees the memory of this tensor and its views; any later use of them throws. */
  dispose() {
    if (this.base !== this) throw new Error('this is a view of a resident tensor: dispose that one')
    if (this.#pointer === 0) return
    released.unregister(this)
    this.#core.blocks.give(this.#pointer)
    this.#pointer = 0
  }

  toString() {
    return this.base.#pointer ? super.toString() : `tensor(disposed, size=${shape(this.dims)})`
  }
}

/** @type {ReturnType<typeof whenCollected<{ core: Core, pointer: number }>>} */
const released = /* @__PURE__ */ whenCollected(({ core, pointer }) => core.blocks.give(pointer))

/** Returns the address of a resident tensor. @param {Tensor} tensor */
export const addressOf = tensor => /** @type {ResidentTensor} */ (tensor).address
