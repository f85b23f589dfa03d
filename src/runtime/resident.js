import { Tensor } from '../base/tensor.js'

/** @typedef {import('./memory.js').Core} Core */

/**
 * A float32 tensor inside the module's memory, of zeros at first: passed to a call of the same module it is used where
 * it lies, nothing is copied. `data` is a view that is made anew when the memory has moved, so take it from the tensor
 * each time instead of keeping it. The memory is free again after `dispose()`, or when the tensor is collected.
 * @extends {Tensor<Float32Array>}
 */
export class ResidentTensor extends Tensor {
  #core
  /** @type {number | undefined} */
  #pointer
  #length
  #view
  #output
  /** One getter for all: with a closure each, V8 would see every tensor as of a kind of its own. */
  static #data = {
    enumerable: true,
    /** @this {ResidentTensor} */
    get() {
      if (this.#view.buffer !== this.#core.floats.buffer || this.#pointer === undefined)
        this.#view = this.#core.view(Float32Array, this.address, this.#length)
      return this.#view
    },
  }

  /**
   * @internal
   * @param {Core} core
   * @param {readonly number[]} dims checked
   * @param {number} length their product
   */
  constructor(core, dims, length) {
    super(undefined, Object.freeze(dims))
    // Nobody makes it seem larger than its memory.
    Object.defineProperty(this, 'dims', { value: this.dims, writable: false, configurable: false })
    this.#core = core
    this.#length = length
    this.#pointer = core.blocks.take(length * 4)
    this.#view = core.view(Float32Array, this.#pointer, length).fill(0)
    this.#output = Object.freeze({ output: this })
    Object.defineProperty(this, 'data', ResidentTensor.#data)
    released.register(this, { core, pointer: this.#pointer }, this)
  }

  /**
   * @internal
   * What attention returns when it has written here: always the same object, so that a call makes none.
   * @returns {{ output: Tensor<Float32Array> }}
   */
  get asOutput() {
    return this.#output
  }

  /** Always; also after dispose. */
  get dtype() {
    return /** @type {const} */ ('float32')
  }

  /** @internal Where it lies. */
  get address() {
    if (this.#pointer === undefined) throw new Error('this resident tensor was disposed: make another with qkv.alloc')
    return this.#pointer
  }

  /** @internal @param {Core} core */
  isIn(core) {
    return this.#core === core
  }

  get isResident() {
    return true
  }

  /** Gives the memory back; any later use throws. */
  dispose() {
    if (this.#pointer === undefined) return
    released.unregister(this)
    this.#core.blocks.give(this.#pointer)
    this.#pointer = undefined
  }
}

/** @type {FinalizationRegistry<{ core: Core, pointer: number }>} */
const released = new FinalizationRegistry(({ core, pointer }) => core.blocks.give(pointer))
