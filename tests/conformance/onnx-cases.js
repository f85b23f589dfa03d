// Reads cases of ONNX's node tests, from JSON files or from folders with model.onnx and test_data_set_*/*.pb.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import protobuf from 'protobufjs'
import { tensor } from '../../src/entries/index.js'

/**
 * @typedef {object} OnnxTensor
 * @property {string} name
 * @property {number[]} dims
 * @property {string} dtype float32, float16, int64 or bool
 * @property {Float32Array | Uint16Array | Float64Array | Uint8Array} data float16 as its bits, int64 as numbers
 *
 * @typedef {object} Case
 * @property {string} name
 * @property {string} op
 * @property {number} opset
 * @property {Record<string, number>} attributes
 * @property {(OnnxTensor | null)[]} inputs
 * @property {(OnnxTensor | null)[]} outputs null: this output is not checked
 */

/** A case that is not supported, with the reason. Such cases are counted; a damaged file is an error. */
export class Unsupported extends Error {}

const root = new protobuf.Root().loadSync(fileURLToPath(new URL('onnx.proto', import.meta.url)), { keepCase: true })
/** @type {(name: string) => protobuf.Type} */
export const message = name => root.lookupType(name)

/** ONNX's numeric codes of element types and attributes. */
export const TYPES = { float32: 1, int64: 7, bool: 9, float16: 10 }
export const ATTRIBUTES = { float: 1, int: 2 }

/** @type {Record<string, new (buffer: ArrayBuffer) => any>} */
const ARRAYS = { float32: Float32Array, int64: BigInt64Array, bool: Uint8Array, float16: Uint16Array }

/**
 * @param {number} type
 * @returns {string}
 */
function dtypeOf(type) {
  const dtype = Object.entries(TYPES).find(([, number]) => number === type)?.[0]
  if (dtype === undefined) throw new Unsupported(`element type ${type}`)
  return dtype
}

/** @param {string} path @param {string} type */
const decode = (path, type) =>
  message(type).toObject(message(type).decode(readFileSync(path)), { longs: Number, defaults: true, arrays: true })

/** @param {string} path @returns {OnnxTensor} */
function readTensor(path) {
  const { name, dims, data_type, data_location, raw_data, ...lists } = decode(path, 'Tensor')
  const dtype = dtypeOf(data_type)
  if (data_location) throw new Unsupported('data in another file')
  const listed = dtype === 'float32' ? lists.float_data : dtype === 'int64' ? lists.int64_data : lists.int32_data
  const bytes = Uint8Array.from(raw_data)
  const count = dims.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1)
  const Type = ARRAYS[dtype]
  const size = /** @type {any} */ (Type).BYTES_PER_ELEMENT
  if (bytes.length % size || (bytes.length || listed.length * size) !== count * size)
    throw new Error(`${basename(path)}: ${bytes.length} bytes or ${listed.length} values for dims (${dims.join(', ')})`)
  const data = bytes.length
    ? new Type(bytes.buffer)
    : dtype === 'int64'
      ? listed.map(BigInt)
      : new /** @type {any} */ (Type)(listed)
  return { name, dims, dtype, data: dtype === 'int64' ? Float64Array.from(data, Number) : data }
}

/**
 * Reads a folder in ONNX's own format. Each of its data sets is a case.
 * @param {string} folder
 * @returns {Case[]}
 */
function readFolder(folder) {
  const { graph, opset_import } = decode(join(folder, 'model.onnx'), 'Model')
  if (graph?.node.length !== 1) throw new Unsupported(`a graph of ${graph?.node.length ?? 'no'} nodes`)
  const [node] = graph.node
  if (node.domain && node.domain !== 'ai.onnx') throw new Unsupported(`domain ${node.domain}`)
  for (const value of [...graph.input, ...graph.output])
    if (!value.type?.tensor_type) throw new Unsupported(`${value.name} is no tensor`)
  /** @type {Record<string, number>} */
  const attributes = {}
  for (const { name, type, f, i } of node.attribute) {
    if (type !== ATTRIBUTES.float && type !== ATTRIBUTES.int) throw new Unsupported(`attribute ${name} of type ${type}`)
    attributes[name] = type === ATTRIBUTES.float ? f : i
  }
  const opset =
    opset_import.find((/** @type {any} */ { domain }) => domain === '' || domain === 'ai.onnx')?.version ?? 0
  const sets = readdirSync(folder).filter(name => name.startsWith('test_data_set_'))
  if (sets.length === 0) throw new Error('no test_data_set_0')
  return sets.sort().map(set => {
    /** @type {(kind: 'input' | 'output') => (OnnxTensor | null)[]} reads the inputs or outputs of the node, in the order of its schema */
    const read = kind => {
      const names = graph[kind].map((/** @type {any} */ value) => value.name)
      return node[kind].map((/** @type {string} */ name) =>
        names.includes(name) ? readTensor(join(folder, set, `${kind}_${names.indexOf(name)}.pb`)) : null,
      )
    }
    const name = basename(folder) + (sets.length > 1 ? `/${set}` : '')
    return { name, op: node.op_type, opset, attributes, inputs: read('input'), outputs: read('output') }
  })
}

/** @param {any} raw @returns {OnnxTensor | null} */
function fromJson(raw) {
  if (raw === null) return null
  const { name, shape, dtype, data } = raw
  if (!(dtype in TYPES)) throw new Unsupported(`element type ${dtype}`)
  const numbers = data.map(Number)
  const typed =
    dtype === 'float32'
      ? Float32Array.from(numbers)
      : dtype === 'bool'
        ? Uint8Array.from(numbers)
        : Float64Array.from(numbers)
  return { name, dims: shape, dtype, data: dtype === 'float16' ? tensor(typed, shape).half().data : typed }
}

/** @param {string} path @returns {Case[]} */
function readJson(path) {
  const { name, op, opset, attributes, inputs, outputs } = JSON.parse(readFileSync(path, 'utf8'))
  if (!name || !op || !Array.isArray(inputs) || !Array.isArray(outputs))
    throw new Error('not a case: name, op, inputs, outputs')
  return [{ name, op, opset, attributes, inputs: inputs.map(fromJson), outputs: outputs.map(fromJson) }]
}

/**
 * Lists the cases below a folder without reading them. `read` reads one. It throws Unsupported, or the error of a damaged file.
 * @param {string} folder
 * @returns {{ name: string, read: () => Case[] }[]}
 */
export function findCases(folder) {
  if (existsSync(join(folder, 'model.onnx'))) return [{ name: basename(folder), read: () => readFolder(folder) }]
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return findCases(path)
      return entry.name.endsWith('.json') ? [{ name: basename(path, '.json'), read: () => readJson(path) }] : []
    })
}
