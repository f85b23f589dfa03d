import { describe, shape } from './errors.js'
import { fromFloat16, toFloat16 } from './float16.js'
import { format } from './printing.js'

/**
 * What can be passed where a tensor is wanted: a tensor, anything with data and dims (or shape), such
 * as a tensor of onnxruntime or transformers.js, or nested arrays of numbers or booleans.
 * @typedef {{ data: ArrayLike<number> | ArrayLike<boolean>, dims: ArrayLike<number> }
 *   | { data: ArrayLike<number> | ArrayLike<boolean>, shape: ArrayLike<number> }} TensorLike
 * @typedef {number | boolean | readonly Nested[]} Nested
 * @typedef {Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array | Uint16Array} TensorData
 */

const DTYPES = /** @type {const} */ ({
  Float32Array: 'float32',
  Float64Array: 'float64',
  Int32Array: 'int32',
  Uint32Array: 'uint32',
  Uint8Array: 'bool',
  Uint16Array: 'float16', // its bits, as onnxruntime has them
  Float16Array: 'float16',
})

/**
 * 'Float32Array', also of another window's or a subclass's.
 * @param {any} data
 * @returns {string}
 */
const kindOf = data => data[Symbol.toStringTag]

/**
 * A row-major array with dims. `data` is not copied: it is the array that was given. It prints itself
 * as PyTorch prints a tensor.
 * @template {TensorData} [T=TensorData]
 */
export class Tensor {
  /**
   * @param {T | undefined} data undefined only from a resident tensor, which has a getter of its own in its place
   * @param {readonly number[]} dims
   */
  constructor(data, dims) {
    if (data !== undefined) {
      /** @type {T} */
      this.data = data
    }
    this.dims = dims
  }

  /** 'float32', 'float64', 'float16', 'int32', 'uint32' or 'bool' */
  get dtype() {
    return DTYPES[/** @type {keyof typeof DTYPES} */ (kindOf(this.data))]
  }

  /** Does it lie in the memory of a module? See qkv.alloc. */
  get isResident() {
    return false
  }

  /** PyTorch's word for dims. */
  get shape() {
    return this.dims
  }

  /**
   * The number at an index: `x.at(1, 0)`; negative indices count from the end.
   * @param {...number} index one for each dim
   * @returns {number}
   */
  at(...index) {
    if (index.length !== this.dims.length)
      throw new RangeError(`at: ${index.length} indices given, dims are ${shape(this.dims)}: give one for each`)
    let offset = 0
    index.forEach((i, axis) => {
      const size = this.dims[axis]
      const n = Number.isInteger(i) && i < 0 ? i + size : i
      if (!(Number.isInteger(n) && n >= 0 && n < size))
        throw new RangeError(`at: index ${describe(i)} of axis ${axis} is outside of dims ${shape(this.dims)}`)
      offset = offset * size + n
    })
    return this.dtype === 'float16' ? fromFloat16(this.data.subarray(offset, offset + 1))[0] : this.data[offset]
  }

  /**
   * The part at index i of the first axis, on the same data: `x.row(1)` is PyTorch's `x[1]`.
   * @param {number} i
   * @returns {Tensor<T>}
   */
  row(i) {
    const [rows, ...dims] = this.dims
    const n = Number.isInteger(i) && i < 0 ? i + rows : i
    if (!(Number.isInteger(n) && n >= 0 && n < rows))
      throw new RangeError(`row: index ${describe(i)} is outside of dims ${shape(this.dims)}`)
    const size = count(dims)
    return new Tensor(/** @type {T} */ (this.data.subarray(n * size, (n + 1) * size)), dims)
  }

  /**
   * The same data under other dims.
   * @param {readonly number[]} dims
   * @returns {Tensor<T>}
   */
  reshape(dims) {
    const sizes = checkDims(dims, 'reshape')
    if (count(sizes) !== this.data.length)
      throw new RangeError(
        `reshape: dims ${shape(sizes)} do not hold the ${this.data.length} values of ${shape(this.dims)}`,
      )
    return new Tensor(this.data, sizes)
  }

  /** A copy with the last two axes exchanged. */
  get T() {
    const rank = this.dims.length
    if (rank < 2) throw new RangeError(`T: a tensor of dims ${shape(this.dims)} has no two axes to exchange`)
    const order = this.dims.map((_, axis) => axis)
    order.push(.../** @type {[number, number]} */ (order.splice(rank - 2).reverse()))
    return this.permute(order)
  }

  /**
   * A copy with the axes in another order: `x.permute([0, 2, 1, 3])`.
   * @param {readonly number[]} order
   * @returns {Tensor<T>}
   */
  permute(order) {
    const rank = this.dims.length
    if (!Array.isArray(order))
      throw new TypeError(`permute: ${describe(order)} given, the axes in their new order expected, such as [1, 0]`)
    if (
      order.length !== rank ||
      new Set(order).size !== rank ||
      Array.from(order).some(axis => typeof axis !== 'number' || this.dims[axis] === undefined)
    )
      throw new RangeError(`permute: order ${shape(order)} is no order of the ${rank} axes of ${shape(this.dims)}`)
    const strides = this.dims.map((_, axis) => count(this.dims.slice(axis + 1)))
    const dims = order.map(axis => this.dims[axis])
    const steps = order.map(axis => strides[axis])
    const source = this.data
    const data = /** @type {T} */ (source.slice())
    const inner = dims[rank - 1] ?? 1
    const step = steps[rank - 1] ?? 1
    const index = dims.map(() => 0)
    for (let n = 0, from = 0; n < data.length; ) {
      if (step === 1) data.set(/** @type {any} */ (source.subarray(from, from + inner)), n)
      else for (let i = 0, at = from; i < inner; i++, at += step) data[n + i] = source[at]
      n += inner
      for (let axis = rank - 2; axis >= 0; axis--) {
        from += steps[axis]
        if (++index[axis] < dims[axis]) break
        from -= steps[axis] * dims[axis]
        index[axis] = 0
      }
    }
    return new Tensor(data, dims)
  }

  /** The same numbers as float32. @returns {Tensor<Float32Array>} */
  float() {
    if (this.dtype === 'float32') return /** @type {Tensor<Float32Array>} */ (/** @type {Tensor} */ (this))
    return new Tensor(this.dtype === 'float16' ? fromFloat16(this.data) : Float32Array.from(this.data), this.dims)
  }

  /** Rounded to float16, as bits in a Uint16Array. @returns {Tensor<Uint16Array>} */
  half() {
    return new Tensor(toFloat16(this.float().data), this.dims)
  }

  /**
   * Nested arrays.
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

  toString() {
    return format(this.dtype === 'float16' ? this.float() : this)
  }

  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.toString()
  }
}

/**
 * The number of values of dims.
 * @param {readonly number[]} dims
 */
export function count(dims) {
  let product = 1
  for (let axis = 0; axis < dims.length; axis++) product *= dims[axis]
  return product
}

/** PyTorch's limit, too; and a nesting without end stops here. */
const MOST_AXES = 64

/**
 * @param {ArrayLike<number>} dims
 * @param {string} name whose dims they are
 * @returns {number[]} a copy, checked
 */
export function checkDims(dims, name) {
  if (typeof dims !== 'object' || dims === null || typeof dims.length !== 'number')
    throw new TypeError(`${name}: dims: ${describe(dims)} given, an array of sizes expected, such as [6, 3]`)
  if (!(dims.length <= MOST_AXES))
    throw new RangeError(`${name}: dims: ${dims.length} axes given, at most ${MOST_AXES}`)
  const sizes = []
  let product = 1
  for (let axis = 0; axis < dims.length; axis++) {
    const size = dims[axis]
    if (!Number.isInteger(size) || size < 0 || size >= 2 ** 32)
      throw new RangeError(
        `${name}: dims: ${describe(size)} in ${shape(dims)} is no size: use whole numbers from 0 to 2^32 - 1`,
      )
    sizes.push(size + 0) // -0 becomes 0
    product *= size || 1 // a zero makes any product small, so the sizes beside it are held to the same limit
  }
  if (product > 2 ** 32) throw new RangeError(`${name}: dims: ${shape(sizes)} is more than 2^32 values`)
  return sizes
}

/** @param {ArrayBufferView} view */
function isDetached(view) {
  try {
    new Uint8Array(view.buffer)
    return false
  } catch {
    return true
  }
}

/**
 * Sizes of nested arrays and their values, in order.
 * @param {readonly unknown[]} nested
 * @param {string} name
 */
function flatten(nested, name) {
  /** @type {number[]} */
  const dims = []
  /** @type {(number | boolean)[]} */
  const values = []
  for (let level = /** @type {unknown} */ (nested); Array.isArray(level); level = level[0]) {
    if (dims.push(level.length) > MOST_AXES)
      throw new RangeError(`${name}: arrays nested more than ${MOST_AXES} deep given`)
  }
  /** @type {(value: unknown, axis: number) => void} */
  const visit = (value, axis) => {
    if (axis === dims.length) {
      if (typeof value !== 'number' && typeof value !== 'boolean')
        throw new TypeError(`${name}: ${describe(value)} among its values, numbers (or booleans, for a mask) expected`)
      values.push(value)
    } else {
      if (!Array.isArray(value) || value.length !== dims[axis])
        throw new RangeError(
          `${name}: its arrays are ragged: ${describe(value)} where an array of ${dims[axis]} was expected`,
        )
      for (const part of value) visit(part, axis + 1)
    }
  }
  visit(nested, 0)
  return { dims, values }
}

/**
 * A typed array of plain values: booleans become Uint8Array, numbers Float32Array.
 * @param {ArrayLike<unknown>} values
 * @param {string} name
 */
function pack(values, name) {
  const isMask = values.length > 0 && typeof values[0] === 'boolean'
  const data = isMask ? new Uint8Array(values.length) : new Float32Array(values.length)
  for (let i = 0; i < values.length; i++) {
    if (typeof values[i] !== (isMask ? 'boolean' : 'number'))
      throw new TypeError(
        `${name}: value ${i} is ${describe(values[i])}, ${isMask ? 'a boolean' : 'a number'} expected`,
      )
    data[i] = Number(values[i])
  }
  return data
}

/**
 * Makes a tensor: `tensor([[1, 2], [3, 4]])`, `tensor(new Float32Array(6), [2, 3])`, `tensor(ortTensor)`.
 * Numbers become float32, booleans a mask; typed arrays are taken as they are, not copied.
 * @param {Nested | TensorLike | ArrayLike<number>} source
 * @param {ArrayLike<number>} [dims] default: the nesting of the arrays, or one axis
 * @returns {Tensor}
 * @throws {TypeError} not numbers; {RangeError} ragged arrays, or dims that do not fit the data
 */
export function tensor(source, dims) {
  if (dims !== undefined) return toTensor({ data: source, dims }, 'tensor')
  if (ArrayBuffer.isView(source)) {
    const data = /** @type {Float32Array} */ (/** @type {unknown} */ (source))
    return toTensor({ data, dims: [data.length] }, 'tensor')
  }
  return toTensor(source, 'tensor')
}

/**
 * @param {unknown} value a tensor, a tensor-like object, nested arrays or a number
 * @param {string} name the argument's name, for errors
 * @returns {Tensor}
 */
export function toTensor(value, name) {
  if (typeof value === 'number' || typeof value === 'boolean') return new Tensor(pack([value], name), [])
  if (Array.isArray(value)) {
    const { dims, values } = flatten(value, name)
    return new Tensor(pack(values, name), dims)
  }
  const like = /** @type {{ data?: unknown, dims?: ArrayLike<number>, shape?: ArrayLike<number> } | null} */ (value)
  const given = typeof like === 'object' && like !== null ? (like.dims ?? like.shape) : undefined
  let data = /** @type {any} */ (given === undefined ? undefined : like?.data)
  if (given === undefined || typeof data !== 'object' || data === null || typeof data.length !== 'number')
    throw new TypeError(
      `${name}: ${describe(value)} given, a tensor expected: tensor([[...], ...]), tensor(Float32Array, dims), ` +
        'or an object with data and dims',
    )
  const dims = checkDims(given, name)
  if (ArrayBuffer.isView(data)) {
    if (data.byteLength === 0 && isDetached(data))
      throw new TypeError(`${name}: its buffer is detached (it was transferred): pass the receiver's array`)
    if (kindOf(data) === 'BigInt64Array') data = Float64Array.from(/** @type {any} */ (data), Number) // int64 ids
    if (!(kindOf(data) in DTYPES))
      throw new TypeError(`${name}: its data is ${describe(data)}, one of ${Object.keys(DTYPES).join(', ')} expected`)
  } else {
    data = pack(data, name)
  }
  if (count(dims) !== data.length)
    throw new RangeError(`${name}: dims ${shape(dims)} make ${count(dims)} values, its data has ${data.length}`)
  return new Tensor(data, dims)
}

/**
 * A tensor of float32; float64 is rounded, float16 widened.
 * @param {unknown} value
 * @param {string} name
 * @returns {Tensor<Float32Array>}
 */
export function toFloats(value, name) {
  // A resident one was checked when it was made, and must come along itself: its view changes when the memory moves.
  if (value instanceof Tensor && value.isResident) return value
  const tensor = toTensor(value, name)
  const { data, dims, dtype } = tensor
  if (dtype === 'float32') return /** @type {Tensor<Float32Array>} */ (tensor)
  if (dtype === 'float64') return new Tensor(Float32Array.from(data), dims)
  if (dtype === 'float16') return new Tensor(fromFloat16(data), dims)
  throw new TypeError(`${name}: its data is ${describe(data)}, a Float32Array expected`)
}

/**
 * (..., L, H * d) -> (..., H, L, d): each row is cut into H heads side by side, as in PyTorch's
 * `x.view(B, L, H, d).transpose(1, 2)`.
 * @param {TensorLike | Nested} x
 * @param {number} numHeads
 * @returns {Tensor<Float32Array>}
 */
export function splitHeads(x, numHeads) {
  const { data, dims } = toFloats(x, 'splitHeads: x')
  const width = dims[dims.length - 1]
  if (dims.length < 2 || !Number.isInteger(numHeads) || numHeads < 1 || width % numHeads)
    throw new RangeError(`splitHeads: ${describe(numHeads)} heads do not divide the last of dims ${shape(dims)}`)
  const batch = dims.slice(0, -2)
  const order = batch.map((_, axis) => axis)
  const at = batch.length
  const view = new Tensor(data, [...batch, dims[at], numHeads, width / numHeads])
  return view.permute([...order, at + 1, at, at + 2])
}

/**
 * (..., H, L, d) -> (..., L, H * d): the heads of each row side by side; the inverse of splitHeads.
 * @param {TensorLike | Nested} x
 * @returns {Tensor<Float32Array>}
 */
export function joinHeads(x) {
  const heads = toFloats(x, 'joinHeads: x')
  const { dims } = heads
  if (dims.length < 3) throw new RangeError(`joinHeads: dims (..., H, L, d) expected, ${shape(dims)} given`)
  const at = dims.length - 3
  const batch = dims.slice(0, at)
  const rows = heads.permute([...batch.map((_, axis) => axis), at + 1, at, at + 2])
  return rows.reshape([...batch, dims[at + 1], dims[at] * dims[at + 2]])
}
