// Writes GGUF files for tests, valid and invalid ones.

import { BLOCK_TYPES } from '../../../src/models/gguf/block-types.js'

/** Numeric codes of the types of values. */
const TYPES = /** @type {const} */ ([
  'uint8',
  'int8',
  'uint16',
  'int16',
  'uint32',
  'int32',
  'float32',
  'bool',
  'string',
  'array',
  'uint64',
  'int64',
  'float64',
])
/** @typedef {typeof TYPES[number]} ValueType */
/**
 * A value with its type, or an array with the type of its values. Numbers without a type are uint32 if they are whole, else float32.
 * @typedef {number | bigint | string | boolean | readonly string[] | { type: ValueType, value: any }} Value
 */
/** A tensor of a file; its dims are listed outermost first. @typedef {{ name: string, dims: readonly number[], type: string | number, bytes: Uint8Array, offset?: number | bigint }} WrittenTensor */

/** @param {Value} value @returns {{ type: ValueType, value: any }} */
function typed(value) {
  if (typeof value === 'string' || Array.isArray(value)) return { type: 'string', value }
  if (typeof value === 'boolean') return { type: 'bool', value }
  if (typeof value === 'bigint') return { type: 'uint64', value }
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'uint32' : 'float32', value }
  return /** @type {{ type: ValueType, value: any }} */ (value)
}

/**
 * @param {readonly (readonly [string, Value])[]} metadata
 * @param {readonly WrittenTensor[]} [tensors]
 * @param {{ version?: number, magic?: string, tensorCount?: bigint, keyCount?: bigint, isShort?: boolean }} [how]
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeGguf(metadata, tensors = [], how = {}) {
  /** @type {Uint8Array[]} */
  const parts = []
  let at = 0
  const add = (/** @type {Uint8Array} */ bytes) => {
    parts.push(bytes)
    at += bytes.length
  }
  /** @param {ValueType} type @param {any} value */
  const number = (type, value) => {
    if (type === 'string') return text(value)
    if (type === 'bool') return add(Uint8Array.of(Number(value)))
    const view = new DataView(new ArrayBuffer(8))
    const bits = Number(/\d+/.exec(type)?.[0])
    const big = bits === 64 && type !== 'float64' ? 'Big' : ''
    const name = `set${big}${type[0].toUpperCase()}${type.slice(1)}`
    const methods = /** @type {any} */ (view)
    methods[name](0, big ? BigInt(value) : value, true)
    add(new Uint8Array(view.buffer, 0, bits / 8))
  }
  const text = (/** @type {string | Uint8Array} */ value) => {
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
    number('uint64', bytes.length)
    add(bytes)
  }
  add(new TextEncoder().encode(how.magic ?? 'GGUF'))
  number('uint32', how.version ?? 3)
  number('uint64', how.tensorCount ?? tensors.length)
  number('uint64', how.keyCount ?? metadata.length)
  let alignment = 32
  for (const [key, given] of metadata) {
    const { type, value } = typed(given)
    if (key === 'general.alignment') alignment = Number(value) || 32
    text(key)
    if (typeof value === 'object' && !(value instanceof Uint8Array && type === 'string')) {
      number('uint32', TYPES.indexOf('array'))
      number('uint32', TYPES.indexOf(type))
      number('uint64', value.length)
      for (const one of value) number(type, one)
    } else {
      number('uint32', TYPES.indexOf(type))
      number(type, value)
    }
  }
  let offset = 0
  for (const tensor of tensors) {
    text(tensor.name)
    number('uint32', tensor.dims.length)
    for (const size of [...tensor.dims].reverse()) number('uint64', size)
    number('uint32', typeof tensor.type === 'number' ? tensor.type : BLOCK_TYPES[tensor.type][0])
    number('uint64', tensor.offset ?? offset)
    offset += Math.ceil(tensor.bytes.length / alignment) * alignment
  }
  const pad = () => add(new Uint8Array((alignment - (at % alignment)) % alignment))
  if (tensors.length) pad()
  for (const [n, { bytes }] of tensors.entries()) {
    add(bytes)
    if (n < tensors.length - 1) pad()
  }
  const out = new Uint8Array(at)
  at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}
