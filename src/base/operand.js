// Turns arguments (nested arrays, typed arrays, tensors of other libraries) into checked tensors that stay valid when the module's memory
// grows.

import { describe, shape } from './errors.js'
import { fromBfloat16, fromFloat16 } from './float16.js'
import { checkDims, count, DTYPES, kindOf, lengthOf, MOST_AXES, memories, Tensor } from './tensor.js'

/** @import { FloatTensor, TensorData, TensorLike } from './tensor.js' */
/**
 * @template {number | boolean} [T=number | boolean]
 * @typedef {import('./tensor.js').Nested<T>} Nested
 */

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
 * Returns the sizes of nested arrays and their values in order.
 * @param {readonly unknown[]} nested
 * @param {string} name
 */
function flatten(nested, name) {
  /** @type {number[]} */
  const dims = []
  /** @type {(number | boolean)[]} */
  const values = []
  for (let level = nested; Array.isArray(level); level = level[0]) {
    if (dims.push(level.length) > MOST_AXES)
      throw new RangeError(`${name}: expected arrays nested at most ${MOST_AXES} deep, got deeper ones`)
  }
  /** @type {(value: unknown, axis: number) => void} */
  const visit = (value, axis) => {
    if (axis === dims.length) {
      if (typeof value !== 'number' && typeof value !== 'boolean')
        throw new TypeError(
          `${name}: value ${values.length}: expected numbers (or booleans, for a mask), got ${describe(value)}`,
        )
      values.push(value)
    } else {
      if (!Array.isArray(value) || value.length !== dims[axis])
        throw new RangeError(
          `${name}: its arrays are ragged: expected an array of ${dims[axis]}, got ${describe(value)}`,
        )
      for (const part of value) visit(part, axis + 1)
    }
  }
  visit(nested, 0)
  return { dims, values }
}

/**
 * Copies plain values into a typed array, booleans into a Uint8Array.
 * @param {ArrayLike<unknown>} values
 * @param {number} length
 * @param {string} name
 * @param {typeof Float32Array | typeof Float64Array} Numbers the array type for numbers
 */
function pack(values, length, name, Numbers) {
  const isMask = length > 0 && typeof values[0] === 'boolean'
  const data = isMask ? new Uint8Array(length) : new Numbers(length)
  for (let i = 0; i < length; i++) {
    const value = values[i]
    if (typeof value !== (isMask ? 'boolean' : 'number'))
      throw new TypeError(`${name}: value ${i}: expected ${isMask ? 'a boolean' : 'a number'}, got ${describe(value)}`)
    data[i] = Number(value)
  }
  return data
}

/** The array type for the bytes of a view, by dtype; bfloat16 is widened to float32 afterwards. */
const FROM_BYTES = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  bool: Uint8Array,
}

/**
 * @typedef {{
 *   (source: Float32Array | Nested<number>, dims?: ArrayLike<number>): FloatTensor
 *   (source: Nested<boolean>, dims?: ArrayLike<number>): Tensor<Uint8Array>
 *   <T extends TensorData>(source: T | { data: T, dims: ArrayLike<number> }, dims?: ArrayLike<number>): Tensor<T>
 *   (source: ArrayBufferView, dims: ArrayLike<number>, options: { dtype: 'float32' | 'bfloat16' }): FloatTensor
 *   (source: ArrayBufferView, dims: ArrayLike<number>, options: { dtype: Tensor['dtype'] }): Tensor
 *   (source: Nested | TensorLike | ArrayLike<number>, dims?: ArrayLike<number>): Tensor
 * }} MakeTensor
 */

/**
 * Makes a tensor: `tensor([[1, 2], [3, 4]])`, `tensor(new Float32Array(6), [2, 3])`, `tensor(ortTensor)`. By default, nested arrays give
 * the dims; other data gets one axis. Numbers become float32, booleans a mask; typed arrays are not copied. With a dtype, the bytes of any
 * view are read as numbers of that type: `tensor(dataView, [2, 3], { dtype: 'float32' })`; bfloat16 is widened to float32.
 * @throws {TypeError} for values that are not numbers; {RangeError} for ragged arrays, or dims that do not fit the data
 */
export const tensor = /** @type {MakeTensor} */ (make)

/**
 * @param {unknown} source
 * @param {ArrayLike<number>} [dims]
 * @param {{ dtype?: string }} [options]
 * @returns {Tensor<any>}
 */
function make(source, dims, options) {
  if (options !== undefined && typeof dims !== 'number')
    return toTensor({ data: reread(source, options.dtype), dims }, 'tensor')
  if (typeof source === 'number' && dims !== undefined)
    throw new TypeError('tensor: expected the numbers as an array, tensor([1, 2, 3]), got them as arguments')
  if (dims !== undefined) return toTensor({ data: source, dims }, 'tensor')
  const isView = ArrayBuffer.isView(source)
  return toTensor(isView ? { data: source, dims: [/** @type {any} */ (source).length] } : source, 'tensor')
}

/**
 * Reads the bytes of a view as numbers of a dtype. The result shares the view's memory if it is aligned, else it is a copy.
 * @param {unknown} view
 * @param {unknown} dtype
 * @returns {TensorData}
 */
function reread(view, dtype) {
  const Type = Object.hasOwn(FROM_BYTES, String(dtype)) && FROM_BYTES[/** @type {'float32'} */ (dtype)]
  if (!Type)
    throw new RangeError(`tensor: dtype: expected one of ${Object.keys(FROM_BYTES).join(', ')}, got ${describe(dtype)}`)
  if (!ArrayBuffer.isView(view))
    throw new TypeError(
      `tensor: with dtype: expected an ArrayBufferView (a DataView, a Uint8Array), got ${describe(view)}`,
    )
  const size = Type.BYTES_PER_ELEMENT
  if (view.byteLength % size)
    throw new RangeError(`tensor: expected a multiple of ${size} bytes for ${dtype}, got ${view.byteLength}`)
  const kind = /** @type {keyof typeof DTYPES} */ (kindOf(view))
  if (kind && kind !== 'Uint8Array' && kind !== Type.name && DTYPES[kind] !== dtype)
    throw new TypeError(`tensor: with dtype ${dtype}: expected bytes (a DataView, a Uint8Array), got ${describe(view)}`)
  const { buffer, byteOffset, byteLength } = view
  const data =
    byteOffset % size
      ? new Type(buffer.slice(byteOffset, byteOffset + byteLength))
      : new Type(buffer, byteOffset, byteLength / size)
  return dtype === 'bfloat16' ? fromBfloat16(/** @type {Uint16Array} */ (/** @type {unknown} */ (data))) : data
}

/** Returns a hint on how to make a tensor from a value of another kind. @param {unknown} value @param {boolean} areIds */
function insteadOf(value, areIds) {
  if (areIds && typeof value === 'string') return 'a text becomes ids by model.tokenize(text).ids'
  if (value instanceof Promise) return 'await it'
  if (typeof value === 'string' && value.startsWith('tensor(')) return 'tensors are added by add, not by +'
  const key = ['ids', 'input_ids', 'inputIds'].find(name => name in Object(value))
  return key
    ? `give its ${key}`
    : 'make one with tensor([[...], ...]), tensor(Float32Array, dims), or an object with data and dims'
}

/**
 * Converts an argument to a tensor, and checks it.
 * @param {unknown} value a tensor, a tensor-like object, nested arrays or a number
 * @param {string} name the argument's name, for errors
 * @param {boolean} [areIds] true for integers: accepts int64, and does not round plain numbers to float32
 * @returns {Tensor}
 */
export function toTensor(value, name, areIds = false) {
  const Numbers = areIds ? Float64Array : Float32Array
  if (areIds && kindOf(value)) value = { data: value, dims: [lengthOf(value)] }
  if (typeof value === 'number' || typeof value === 'boolean') return new Tensor(pack([value], 1, name, Numbers), [])
  if (Array.isArray(value)) {
    const { dims, values } = flatten(value, name)
    return new Tensor(pack(values, values.length, name, Numbers), dims)
  }
  const like = /** @type {{ data?: unknown, dims?: ArrayLike<number>, shape?: ArrayLike<number> } | null} */ (value)
  const given = typeof like === 'object' && like !== null ? (like.dims ?? like.shape) : undefined
  let data = /** @type {any} */ (given === undefined ? undefined : like?.data)
  const kind = kindOf(data)
  const length = kind ? lengthOf(data) : data?.length
  if (given === undefined || typeof data !== 'object' || data === null || typeof length !== 'number')
    throw new TypeError(`${name}: expected a tensor, got ${describe(value)}; ${insteadOf(value, areIds)}`)
  const dims = checkDims(given, name)
  if (kind) {
    if (length === 0 && isDetached(data))
      throw new TypeError(`${name}: its buffer is detached: pass the array that received it`)
    if (data.length !== length)
      throw new TypeError(`${name}: its data: expected length ${length}, the size of the array, got ${data.length}`)
    if (areIds && kind === 'BigInt64Array') data = Float64Array.from(data, Number)
    else if (!(kind in DTYPES))
      throw new TypeError(`${name}: its data: expected one of ${Object.keys(DTYPES).join(', ')}, got ${describe(data)}`)
  }
  if (count(dims) !== length)
    throw new RangeError(`${name}: dims ${shape(dims)} make ${count(dims)} values, its data has ${length}`)
  return new Tensor(kind ? data : pack(data, length, name, Numbers), dims)
}

/**
 * Like toTensor, but the result stays valid when a module's memory grows. Float32 data in such a memory becomes a resident tensor; data of
 * other dtypes is copied out of it.
 * @param {unknown} value
 * @param {string} name
 * @returns {Tensor}
 */
export function toOperand(value, name) {
  if (value instanceof Tensor && value.isResident) return value.checked(name)
  const tensor = toTensor(value, name)
  const { data, dims } = tensor
  const memory = data.byteOffset > 0 ? memories.get(data.buffer) : undefined // an operand in a module's memory is never at address 0
  if (!memory) return tensor
  return (tensor.dtype === 'float32' && memory.viewAt(data.byteOffset, dims)) || new Tensor(data.slice(), dims)
}

/**
 * Returns an operand as float32; float64 is rounded, float16 widened.
 * @param {unknown} value
 * @param {string} name
 * @returns {Tensor<Float32Array>}
 */
export function toFloats(value, name) {
  const tensor = toOperand(value, name)
  if (tensor.dtype === 'float32') return /** @type {Tensor<Float32Array>} */ (tensor)
  const { data, dims, dtype } = tensor
  if (dtype === 'float64') return new Tensor(Float32Array.from(data), dims)
  if (dtype === 'float16') return new Tensor(fromFloat16(data), dims)
  const how = /mask$/i.test(name) ? 'Uint8Array.from(data) is a boolean one' : 'Float32Array.from(data) is one'
  throw new TypeError(`${name}: its data: expected a Float32Array, got ${describe(data)}; ${how}`)
}

/**
 * Returns the values of an operand. Use them immediately, because an allocation or a caller's getter may detach the array.
 * @template {TensorData} T
 * @param {Tensor<T>} tensor
 * @returns {T}
 */
export function valuesOf({ data, dims }) {
  if (lengthOf(data) !== count(dims))
    throw new TypeError('the buffer of a tensor was detached or shrunk while the arguments were read')
  return data
}

/**
 * Splits each row into H heads, (..., L, H * d) -> (..., H, L, d), as PyTorch's `x.view(B, L, H, d).transpose(1, 2)`.
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
 * Joins the heads of each row, (..., H, L, d) -> (..., L, H * d). The inverse of splitHeads.
 * @param {TensorLike | Nested} x
 * @returns {Tensor<Float32Array>}
 */
export function joinHeads(x) {
  const heads = toFloats(x, 'joinHeads: x')
  const { dims } = heads
  if (dims.length < 3) throw new RangeError(`joinHeads: expected dims (..., H, L, d), got ${shape(dims)}`)
  const at = dims.length - 3
  const batch = dims.slice(0, at)
  const rows = heads.permute([...batch.map((_, axis) => axis), at + 1, at, at + 2])
  return rows.reshape([...batch, dims[at + 1], dims[at] * dims[at + 2]])
}
