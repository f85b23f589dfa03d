// Writes tensors as a safetensors file.

import { describe } from '../../base/errors.js'
import { fromBfloat16, fromFloat16, toFloat16 } from '../../base/float16.js'
import { toFloats } from '../../base/operand.js'

/** @import { FloatLike, Nested } from '../../base/tensor.js' */

/** Converts to float16 or bfloat16. Returns undefined if a number would change. @param {Float32Array} data @param {string} dtype */
function narrow(data, dtype) {
  const words = new Uint32Array(data.buffer, data.byteOffset, data.length)
  const bits = dtype === 'F16' ? toFloat16(data) : Uint16Array.from(words, word => word >>> 16)
  const back = dtype === 'F16' ? fromFloat16(bits) : fromBfloat16(bits)
  return back.every((value, n) => Object.is(value, data[n])) ? bits : undefined
}

/**
 * Returns the bytes of a safetensors file.
 * @param {Record<string, FloatLike | Nested<number>>} tensors by name, as float32; a number is a tensor without axes
 * @param {Record<string, string>} [dtypes] by name, F16 or BF16 for a tensor to write in that type, unless a number would change
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeSafetensors(tensors, dtypes = {}) {
  if (typeof tensors !== 'object' || tensors === null || Array.isArray(tensors))
    throw new TypeError(`writeSafetensors: expected an object of tensors by name, got ${describe(tensors)}`)
  if (Object.hasOwn(tensors, '__metadata__'))
    throw new RangeError('writeSafetensors: expected another tensor name, got __metadata__, which is reserved')
  let end = 0
  const parts = Object.entries(tensors).map(([name, value]) => {
    const { data, dims } = toFloats(value, `writeSafetensors: ${name}`)
    const small = ['F16', 'BF16'].includes(dtypes[name]) ? narrow(data, dtypes[name]) : undefined
    const numbers = small ?? data
    const from = end
    end += numbers.byteLength
    return {
      name,
      numbers,
      entry: { dtype: small ? dtypes[name] : 'F32', shape: [...dims], data_offsets: [from, end] },
    }
  })
  const entries = parts.map(({ name, entry }) => [name, entry])
  const json = new TextEncoder().encode(
    JSON.stringify({ __metadata__: { format: 'pt' }, ...Object.fromEntries(entries) }),
  )
  const start = 8 + Math.ceil(json.length / 8) * 8
  const bytes = new Uint8Array(start + end)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(start - 8), true)
  bytes.fill(32, 8, start)
  bytes.set(json, 8)
  for (const { numbers, entry } of parts)
    bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), start + entry.data_offsets[0])
  return bytes
}
