// Writes ONNX models as bytes in protobuf's wire format. A message is a list of fields; a field is a number (from onnx.proto), a wire type and
// a value.

/**
 * An input, an output or a constant of a graph. A dim may be a name. With `external`, the numbers are in a separate file.
 * @typedef {{ name: string, dims: (number | string)[], data?: Float32Array | Int32Array | Int8Array, type?: keyof typeof ELEMENT,
 *   external?: { location: string, offset: number, length: number } }} Value
 */
/** @typedef {{ op: string, inputs: string[], outputs: string[], domain?: string, attributes?: Record<string, Attribute> }} Node */
/** @typedef {number | { float: number } | number[]} Attribute a whole number, a float, a list of whole numbers */

const ELEMENT = { float: 1, int8: 3, int32: 6, int64: 7 }

/** Encodes a number from -128 to -1 as a varint: 64 bits of its two's complement. @param {number} value */
const negative = value => [(value + 128) | 128, ...Array(8).fill(255), 1]

/** @param {number} value not negative @returns {number[]} */
const varint = value => (value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))])

/** @param {number} field @param {number} value */
const int = (field, value) => Uint8Array.from([...varint(field * 8), ...(value < 0 ? negative(value) : varint(value))])

/** @param {number} field @param {number} value */
const float = (field, value) =>
  Uint8Array.from([...varint(field * 8 + 5), ...new Uint8Array(Float32Array.of(value).buffer)])

/** @param {number} field @param {...(Uint8Array | string)} parts */
function message(field, ...parts) {
  const bytes = parts.map(part => (typeof part === 'string' ? new TextEncoder().encode(part) : part))
  const head = varint(bytes.reduce((sum, part) => sum + part.length, 0))
  return join([Uint8Array.from([...varint(field * 8 + 2), ...head]), ...bytes])
}

/** @param {Uint8Array[]} parts */
function join(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** @param {string} name @param {Attribute} value */
function attribute(name, value) {
  if (typeof value === 'number') return message(5, message(1, name), int(3, value), int(20, 2))
  if (Array.isArray(value)) return message(5, message(1, name), ...value.map(x => int(8, x)), int(20, 7))
  return message(5, message(1, name), float(2, value.float), int(20, 1))
}

/** @param {Node} node */
const encodeNode = ({ op, inputs, outputs, domain = '', attributes = {} }) =>
  message(
    1,
    ...inputs.map(name => message(1, name)),
    ...outputs.map(name => message(2, name)),
    message(4, op),
    ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
    message(7, domain),
  )

/** @param {Value} value */
const typeOf = ({ type, data }) =>
  ELEMENT[type ?? (data instanceof Int32Array ? 'int32' : data instanceof Int8Array ? 'int8' : 'float')]

/** @param {Value} value */
function encodeConstant(value) {
  const { data, external } = value
  const content = data
    ? [message(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))]
    : Object.entries(external ?? {}).map(([key, text]) => message(13, message(1, key), message(2, String(text))))
  return message(
    5,
    ...value.dims.map(size => int(1, Number(size))),
    int(2, typeOf(value)),
    message(8, value.name),
    ...content,
    ...(data ? [] : [int(14, 1)]), // data_location
  )
}

/** @param {number} field 11 for an input, 12 for an output @param {Value} value */
const encodeValue = (field, value) =>
  message(
    field,
    message(1, value.name),
    message(
      2,
      message(
        1,
        int(1, typeOf(value)),
        message(2, ...value.dims.map(size => message(1, typeof size === 'string' ? message(2, size) : int(1, size)))),
      ),
    ),
  )

/**
 * Encodes a model, which may use the operators of ONNX 23 and of com.microsoft.
 * @param {{ nodes: Node[], inputs: Value[], outputs: Value[], constants?: Value[] }} graph constants have data
 * @returns {Uint8Array}
 */
export const encodeModel = ({ nodes, inputs, outputs, constants = [] }) =>
  join([
    int(1, 10), // ir_version
    message(
      7,
      ...nodes.map(encodeNode),
      message(2, 'attention'),
      ...constants.map(encodeConstant),
      ...inputs.map(value => encodeValue(11, value)),
      ...outputs.map(value => encodeValue(12, value)),
    ),
    message(8, message(1, ''), int(2, 23)),
    message(8, message(1, 'com.microsoft'), int(2, 1)),
  ])
