import { describe, proxied, shape } from './errors.js'
import { fromFloat16, toFloat16 } from './float16.js'
import { format } from './printing.js'

/**
 * Anything that is accepted as a tensor: a tensor, an object with data and dims (or shape), such as a tensor of onnxruntime or
 * transformers.js, or nested arrays of numbers or booleans.
 * @typedef {{ data: ArrayLike<number> | ArrayLike<boolean>, dims: ArrayLike<number>, shape?: ArrayLike<number> }
 *   | { data: ArrayLike<number> | ArrayLike<boolean>, dims?: undefined, shape: ArrayLike<number> }} TensorLike
 * @typedef {Tensor<Float32Array>} FloatTensor
 * @typedef {Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array | Uint16Array} TensorData
 */

/**
 * Anything that is accepted as floats. Arrays of integers are refused, because they are ids or masks.
 * @typedef {ArrayLike<number> & { readonly [Symbol.toStringTag]?: 'Float32Array' | 'Float64Array' | 'Uint16Array' }} Floats
 * @typedef {Tensor | { data: Floats, dims: ArrayLike<number>, shape?: ArrayLike<number> } | { data: Floats, dims?: undefined, shape: ArrayLike<number> }} FloatLike
 */

/**
 * Nested arrays.
 * @template {number | boolean} [T=number | boolean]
 * @typedef {T | readonly Nested<T>[]} Nested
 */

export const DTYPES = /** @type {const} */ ({
  Float32Array: 'float32',
  Float64Array: 'float64',
  Int32Array: 'int32',
  Uint32Array: 'uint32',
  Uint8Array: 'bool',
  Uint16Array: 'float16', // bits, as in onnxruntime
  Float16Array: 'float16',
})

/**
 * Returns the built-in getter `name` of typed arrays as a function. Neither a subclass nor a property of the array can override it.
 * @param {string | symbol} name
 */
const intrinsic = name => {
  const prototype = Object.getPrototypeOf(Uint8Array.prototype)
  const { get } = /** @type {{ get: Function }} */ (Object.getOwnPropertyDescriptor(prototype, name))
  return (/** @type {unknown} */ data) => get.call(data)
}

/**
 * Returns the type name of a typed array, such as 'Float32Array', also for subclasses and arrays of another window; else undefined.
 * @type {{ (data: TensorData): keyof typeof DTYPES, (data: unknown): string | undefined }}
 */
export const kindOf = intrinsic(Symbol.toStringTag)
export const lengthOf = intrinsic('length')

/**
 * The modules' memories by buffer. When a memory grows, its buffer is replaced and typed arrays on it are detached; `viewAt` makes a tensor
 * that stays valid.
 * @type {WeakMap<ArrayBufferLike, { viewAt(address: number, dims: readonly number[]): Tensor<Float32Array> | undefined }>}
 */
export const memories = new WeakMap()

/**
 * A row-major array with dims. `data` is the given array itself, not a copy. Prints as in PyTorch.
 * @template {TensorData} [T=TensorData]
 */
export class Tensor {
  /**
   * @param {T | undefined} data undefined only from a resident tensor, which defines a getter instead
   * @param {readonly number[]} dims
   */
  constructor(data, dims) {
    if (data !== undefined) {
      /** @type {T} */
      this.data = data
    }
    this.dims = dims
  }

  /** @returns {'float32' | 'float64' | 'float16' | 'int32' | 'uint32' | 'bool'} */
  get dtype() {
    return DTYPES[kindOf(this.data)]
  }

  /** True if the data is in a module's memory, see qkv.alloc. */
  get isResident() {
    return false
  }

  /** Returns dims, under PyTorch's name. */
  get shape() {
    return this.dims
  }

  /**
   * Returns the number at an index, `x.at(1, 0)`; negative indices count from the end.
   * @param {...number} index one for each dim
   * @returns {number}
   */
  at(...index) {
    if (index.length !== this.dims.length) {
      const got = Array.isArray(index[0]) ? 'an array; write at(...index)' : index.length
      throw new RangeError(`at: expected one index for each axis of dims ${shape(this.dims)}, got ${got}`)
    }
    const offset = index.reduce((sum, i, axis) => sum * this.dims[axis] + indexOf(this, i, axis, 'at'), 0)
    return this.dtype === 'float16' ? fromFloat16(this.data.subarray(offset, offset + 1))[0] : this.data[offset]
  }

  /**
   * Returns the tensor at index i of the first axis, on the same data: `x.row(1)` is PyTorch's `x[1]`.
   * @param {number} i
   * @returns {Tensor<T>}
   */
  row(i) {
    const dims = this.dims.slice(1)
    return this.part(indexOf(this, i, 0, 'row') * count(dims), dims)
  }

  /**
   * @internal
   * Returns consecutive values as a tensor with other dims, on the same data.
   * @param {number} from index of the first value
   * @param {readonly number[]} dims checked
   * @returns {Tensor<T>}
   */
  part(from, dims) {
    const { data } = this
    const end = from + count(dims)
    return new Tensor(end - from === data.length ? data : /** @type {T} */ (data.subarray(from, end)), dims)
  }

  /**
   * Returns a tensor with other dims on the same data.
   * @param {readonly number[]} dims
   * @returns {Tensor<T>}
   */
  reshape(dims) {
    const sizes = checkDims(dims, 'reshape')
    if (count(sizes) !== count(this.dims))
      throw new RangeError(
        `reshape: dims ${shape(sizes)} do not hold the ${count(this.dims)} values of ${shape(this.dims)}`,
      )
    return this.part(0, sizes)
  }

  /** Returns a copy with the last two axes exchanged. */
  get T() {
    const rank = this.dims.length
    if (rank < 2) throw new RangeError(`T: a tensor of dims ${shape(this.dims)} has no two axes to exchange`)
    const order = this.dims.map((_, axis) => axis)
    order.push(...order.splice(rank - 2).reverse())
    return this.permute(order)
  }

  /**
   * Returns a copy with the axes in another order, `x.permute([0, 2, 1, 3])`.
   * @param {readonly number[]} order
   * @returns {Tensor<T>}
   */
  permute(order) {
    const rank = this.dims.length
    if (!Array.isArray(order))
      throw new TypeError(`permute: expected the axes in their new order, such as [1, 0], got ${describe(order)}`)
    if (
      order.length !== rank ||
      new Set(order).size !== rank ||
      Array.from(order).some(axis => typeof axis !== 'number' || this.dims[axis] === undefined)
    )
      throw new RangeError(`permute: order ${shape(order)} is no order of the ${rank} axes of ${shape(this.dims)}`)
    const dims = order.map(axis => this.dims[axis])
    const source = this.data
    const data = emptyLike(source)
    if (data.length === 0) return new Tensor(data, dims)
    const strides = stridesOf(this.dims)
    const steps = order.map(axis => strides[axis]) // stride of each new axis in the source
    const jumps = stridesOf(dims) // strides in the copy
    // Copies tiles of two axes, the innermost of the source and the innermost of the copy, so that each cache line is used fully. An
    // odometer runs over the other axes.
    const last = rank - 1
    const row = order.indexOf(last)
    const outer = order.map((_, axis) => axis).filter(axis => axis !== last && axis !== row)
    const index = dims.map(() => 0)
    for (let from = 0, to = 0, more = true; more; ) {
      if (row === last) data.set(source.subarray(from, from + (dims[last] ?? 1)), to)
      else transpose(source, from, steps[last], data, to, jumps[row], dims[row], dims[last])
      more = false
      for (let n = outer.length - 1; n >= 0 && !more; n--) {
        const axis = outer[n]
        more = ++index[axis] < dims[axis]
        const turns = more ? 1 : 1 - dims[axis]
        from += turns * steps[axis]
        to += turns * jumps[axis]
        if (!more) index[axis] = 0
      }
    }
    return new Tensor(data, dims)
  }

  /**
   * Copies the indices from <= i < to of one axis: `x.slice(1, 0, 2)` is PyTorch's `x[:, 0:2]`. Negative indices count
   * from the end; indices out of range are clamped.
   * @param {number} axis
   * @param {number} from
   * @param {number} [to] default: the end
   * @returns {Tensor<T>}
   */
  slice(axis, from, to) {
    const n = axisOf(this, axis, 'slice')
    const size = this.dims[n]
    const [first, end] = [from, to ?? size].map(i => {
      const isNumber = typeof i === 'number' && Number.isFinite(i)
      return indexOf(this, isNumber ? Math.max(-size, Math.min(size, i)) : i, n, 'slice', size)
    })
    if (end < first)
      throw new RangeError(`slice: from ${describe(from)} to ${describe(to)} of axis ${axis}: from is after to`)
    const inner = count(this.dims.slice(n + 1))
    const run = (end - first) * inner
    const dims = this.dims.map((length, i) => (i === n ? end - first : length))
    const { data } = this
    const part = emptyLike(data, count(dims))
    for (let at = first * inner, out = 0; out < part.length; at += size * inner, out += run)
      part.set(data.subarray(at, at + run), out)
    return new Tensor(part, dims)
  }

  /**
   * Splits an axis and returns copies, either of the given sizes, `x.split([768, 768, 768], -1)`, or all of one size, `x.split(768, -1)`,
   * where the last one may be smaller.
   * @template {number | readonly number[]} const S
   * @param {S} sizes
   * @param {number} [axis] default 0
   * @returns {S extends readonly number[] ? { -readonly [i in keyof S]: Tensor<T> } : Tensor<T>[]}
   */
  split(sizes, axis = 0) {
    const size = this.dims[axisOf(this, axis, 'split')]
    const isOne = typeof sizes === 'number'
    const isList = Array.isArray(sizes) && sizes.length <= Math.max(size, MOST_AXES)
    const list = isList ? Array.from(sizes, part => checkDims([part], 'split')[0]) : [Number(sizes)]
    if (!isList && !(isOne && Number.isInteger(sizes) && sizes > 0))
      throw new RangeError(`split: expected a size from 1 or a list of sizes, got ${describe(sizes)}`)
    if (isOne) for (let rest = size - sizes; rest > 0; rest -= sizes) list.push(sizes)
    if (isOne) list[list.length - 1] = size - sizes * (list.length - 1)
    else if (list.reduce((sum, part) => sum + part, 0) !== size)
      throw new RangeError(
        `split: sizes ${shape(list)} do not add up to the ${size} of axis ${axis} of ${shape(this.dims)}`,
      )
    let from = 0
    const parts = list.map(part => {
      from += part
      return this.slice(axis, from - part, from)
    })
    return /** @type {any} */ (parts)
  }

  /** Converts to float32. @returns {Tensor<Float32Array>} */
  float() {
    if (this.dtype === 'float32') return /** @type {Tensor<Float32Array>} */ (this)
    return new Tensor(this.dtype === 'float16' ? fromFloat16(this.data) : Float32Array.from(this.data), this.dims)
  }

  /** Rounds to float16, as bits in a Uint16Array. @returns {Tensor<Uint16Array>} */
  half() {
    return new Tensor(toFloat16(this.float().data), this.dims)
  }

  /**
   * Converts to nested arrays.
   * @returns {Nested}
   */
  tolist() {
    if (this.dtype === 'float16') return this.float().tolist()
    /** @type {(axis: number, offset: number) => Nested} */
    const nest = (axis, offset) => {
      if (axis === this.dims.length) return this.dtype === 'bool' ? this.data[offset] !== 0 : this.data[offset]
      const step = count(this.dims.slice(axis + 1))
      return Array.from({ length: this.dims[axis] }, (_, i) => nest(axis + 1, offset + i * step))
    }
    return nest(0, 0)
  }

  /**
   * @internal
   * Throws, because this is a Proxy of a resident tensor or was derived from one. A resident tensor overrides this method and
   * returns itself.
   * @param {string} name
   * @returns {Tensor}
   */
  checked(name) {
    throw proxied(name)
  }

  toString() {
    return format(this.dtype === 'float16' ? this.float() : this)
  }

  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.toString()
  }
}

/**
 * Returns the number of values of dims.
 * @param {readonly number[]} dims
 */
export function count(dims) {
  let product = 1
  for (let axis = 0; axis < dims.length; axis++) product *= dims[axis]
  return product
}

/** Returns the row-major stride of each axis, in values. @param {readonly number[]} dims */
const stridesOf = dims => dims.map((_, axis) => count(dims.slice(axis + 1)))

/**
 * Makes a typed array of zeros, of the type of `data`.
 * @template {TensorData} T
 * @param {T} data
 * @param {number} [length]
 * @returns {T}
 */
export const emptyLike = (data, length = data.length) => new /** @type {any} */ (globalThis)[kindOf(data)](length)

/**
 * @param {Tensor} tensor
 * @param {number} axis
 * @param {string} name
 */
function axisOf({ dims }, axis, name) {
  const n = axis < 0 ? axis + dims.length : axis
  if (dims[n] === undefined)
    throw new RangeError(`${name}: expected an axis of dims ${shape(dims)}, got ${describe(axis)}`)
  return n
}

/**
 * Checks an index along an axis and returns it; negative ones count from the end.
 * @param {Tensor} tensor
 * @param {number} i
 * @param {number} axis
 * @param {string} name
 * @param {number} [most] largest index; default: the index of the last value
 */
function indexOf({ dims }, i, axis, name, most = dims[axis] - 1) {
  const n = Number.isInteger(i) && i < 0 ? i + dims[axis] : i
  if (!(Number.isInteger(n) && n >= 0 && n <= most))
    throw new RangeError(`${name}: index ${describe(i)} of axis ${axis} is outside of dims ${shape(dims)}`)
  return n
}

/**
 * Sets data[to + i * jump + j] = source[from + j * step + i] for i < rows, j < columns.
 * @param {TensorData} source
 * @param {number} from
 * @param {number} step
 * @param {TensorData} data
 * @param {number} to
 * @param {number} jump
 * @param {number} rows
 * @param {number} columns
 */
function transpose(source, from, step, data, to, jump, rows, columns) {
  for (let j0 = 0; j0 < columns; j0 += 64)
    for (let i0 = 0; i0 < rows; i0 += 16)
      for (let i = i0; i < Math.min(i0 + 16, rows); i++) {
        let at = from + j0 * step + i
        const end = to + i * jump + Math.min(j0 + 64, columns)
        for (let n = to + i * jump + j0; n < end; n++, at += step) data[n] = source[at]
      }
}

/** The maximum number of axes, as in PyTorch. This limit also ends the walk into an array that contains itself. */
export const MOST_AXES = 64

/**
 * Checks dims, and copies them.
 * @param {ArrayLike<number>} dims
 * @param {string} name of the tensor, for errors
 * @returns {number[]} a checked copy
 */
export function checkDims(dims, name) {
  if (typeof dims !== 'object' || dims === null || typeof dims.length !== 'number')
    throw new TypeError(`${name}: dims: expected an array of sizes, such as [6, 3], got ${describe(dims)}`)
  if (!(Number.isInteger(dims.length) && dims.length >= 0 && dims.length <= MOST_AXES))
    throw new RangeError(`${name}: dims: expected at most ${MOST_AXES} axes, got ${dims.length}`)
  const sizes = []
  let product = 1
  for (let axis = 0; axis < dims.length; axis++) {
    const size = dims[axis]
    if (!Number.isInteger(size) || size < 0 || size >= 2 ** 32)
      throw new RangeError(
        `${name}: dims: expected whole numbers from 0 to 2^32 - 1, got ${describe(size)} in ${shape(dims)}`,
      )
    sizes.push(size + 0) // -0 becomes 0
    product *= size || 1 // 0 counts as 1, so that the limit holds for the other sizes
  }
  if (product > 2 ** 32) throw new RangeError(`${name}: dims: ${shape(sizes)} is more than 2^32 values`)
  return sizes
}
