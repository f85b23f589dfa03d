// Rotary position embedding (Su et al. 2021; ONNX RotaryEmbedding).

import { expectDims, readOptions, register, sizeOf, toBoolean, toNumber } from '../../base/arguments.js'
import { toFloats, toTensor } from '../../base/operand.js'
import { count, Tensor } from '../../base/tensor.js'
import { OUT_OPTIONS, produce, toTarget } from '../../runtime/outputs.js'
import { HEADS, rowSize } from '../attention/arguments.js'
import { launch } from '../launch.js'

/** @import { Core } from '../../runtime/memory.js' */
/** @import { Nested, TensorLike } from '../../base/tensor.js' */
/** @typedef {Tensor<Float32Array>} FloatTensor */

/**
 * @typedef {object} RopeOptions
 * @property {TensorLike | Nested | ArrayLike<number>} [positions] (L) or (B, L), integers from 0; default 0, 1, 2, ...
 * @property {number} [pastLength] position of the first row, if positions are not given; default 0
 * @property {boolean} [interleaved] true if pairs are neighbours (2d, 2d + 1), false (default) for (d, d + rotaryDim / 2)
 * @property {number} [rotaryDim] the first rotaryDim of the D values of a head are rotated; even, default D
 * @property {number} [base] pair d rotates by position * base^(-2d / rotaryDim); default 10000
 * @property {TensorLike | Nested} [cos] cosines, given with sin and without base: a table (positions, rotaryDim / 2), or a row for each row
 *   of x, (B, L, rotaryDim / 2). In the second case leave out positions and pastLength
 * @property {TensorLike | Nested} [sin] sines, with the dims of cos
 * @property {number} [numHeads] number of heads in x (B, L, numHeads * D)
 */

/** @type {readonly (keyof RopeOptions)[]} */
export const ROPE_OPTIONS = ['positions', 'pastLength', 'interleaved', 'rotaryDim', 'base', 'cos', 'sin', 'numHeads']
const OPTIONS = register('rope', [...ROPE_OPTIONS, ...OUT_OPTIONS])
const SIZE = { least: 0, most: 2 ** 32 - 1, whole: true }

/**
 * Returns the positions of the rows: L numbers if all batches share them, else B * L.
 * @param {RopeOptions} options
 * @param {number} B
 * @param {number} L
 */
function checkPositions({ positions, pastLength }, B, L) {
  if (positions === undefined) {
    const first = toNumber(pastLength ?? 0, 'rope: pastLength', { ...SIZE, most: 2 ** 32 - 1 - L })
    return Uint32Array.from({ length: L }, (_, i) => first + i)
  }
  if (pastLength !== undefined)
    throw new TypeError('rope: expected either positions or pastLength, got both; leave pastLength out')
  const given = toTensor(positions, 'rope: positions', true)
  const { data } = given
  const isOne = given.dims.length === 1
  expectDims(given, isOne ? [L] : [B, L], 'rope: positions', isOne ? '(L)' : '(B, L)')
  const at = (/** @type {number} */ n) => toNumber(data[n], `rope: positions[${n}]`, SIZE)
  return Uint32Array.from({ length: isOne ? L : B * L }, (_, n) => at(n))
}

/**
 * Returns the cosines and sines of the distinct positions, and for each position its row in these tables.
 * @param {Uint32Array} positions
 * @param {number} half
 * @param {number} base
 */
function tables(positions, half, base) {
  const distinct = [...new Set(positions)]
  const rowOf = new Map(distinct.map((position, row) => [position, row]))
  const dims = [distinct.length, half]
  /** @type {(f: (angle: number) => number) => FloatTensor} */
  const table = f => {
    const data = new Float32Array(distinct.length * half)
    distinct.forEach((position, row) => {
      for (let d = 0; d < half; d++) data[row * half + d] = f(position * base ** (-d / half))
    })
    return new Tensor(data, dims)
  }
  return { cos: table(Math.cos), sin: table(Math.sin), rows: positions.map(position => Number(rowOf.get(position))) }
}

/**
 * Checks the options cos and sin, and returns them with the row of the tables for each position.
 * @param {RopeOptions} options
 * @param {number} B
 * @param {number} L
 * @param {number} half
 */
function givenTables(options, B, L, half) {
  const cos = toFloats(options.cos, 'rope: cos')
  const sin = toFloats(options.sin, 'rope: sin')
  const isTable = cos.dims.length === 2
  const expected = isTable ? [cos.dims[0], half] : [B, L, half]
  expectDims(cos, expected, 'rope: cos', isTable ? '(positions, rotaryDim / 2)' : '(B, L, rotaryDim / 2)')
  expectDims(sin, cos.dims, 'rope: sin', 'the dims of cos')
  /** @type {(keyof RopeOptions)[]} */
  const idle = ['base', 'positions', 'pastLength']
  for (const name of idle.slice(0, isTable ? 1 : 3))
    if (options[name] !== undefined)
      throw new TypeError(`rope: ${name} has no effect with cos and sin, which define the rotation; leave it out`)
  if (!isTable) return { cos, sin, rows: Uint32Array.from({ length: B * L }, (_, n) => n) }
  const rows = checkPositions(options, B, L)
  const beyond = rows.find(position => position >= cos.dims[0])
  if (beyond !== undefined)
    throw new RangeError(`rope: position ${beyond} lies outside of cos and sin, which have ${cos.dims[0]} rows`)
  return { cos, sin, rows }
}

/**
 * Checks the options for x of these dims, and returns what struct qkv_rope needs besides x and y.
 * @param {readonly number[]} dims
 * @param {RopeOptions} options
 */
export function checkRope(dims, options) {
  // x as (B, A, L, C, D): the heads are before the rows (A) or within them (C).
  const { numHeads } = options
  const C = numHeads === undefined ? 1 : toNumber(numHeads, 'rope: numHeads', HEADS)
  const x = { dims }
  const D = rowSize(x, numHeads ?? 0, 'rope: x')
  const L = sizeOf(x, 2)
  const [B, A] = numHeads === undefined ? [sizeOf(x, 4), sizeOf(x, 3)] : [sizeOf(x, 3), 1]
  const rotaryDim = toNumber(options.rotaryDim ?? D, 'rope: rotaryDim', { least: 0, most: D, whole: true })
  if (rotaryDim % 2)
    throw new RangeError(`rope: rotaryDim: expected an even number, got ${rotaryDim}; values turn in pairs`)
  const half = rotaryDim / 2
  const interleaved = Number(options.interleaved !== undefined && toBoolean(options.interleaved, 'rope: interleaved'))
  const isGiven = options.cos !== undefined || options.sin !== undefined
  const base = toNumber(options.base ?? 10000, 'rope: base', { least: 1e-30 })
  const isEmpty = count(dims) === 0 // an empty x may still have many rows; they need no tables
  const { cos, sin, rows } = isGiven
    ? givenTables(options, B, L, half)
    : tables(isEmpty ? new Uint32Array(0) : checkPositions(options, B, L), half, base)
  const table = half ? count(cos.dims) / half : 2 ** 32 - 1
  // if all batches have the same positions, they are treated as one batch with B * A heads
  const sizes = rows.length === B * L ? { B, A } : { B: 1, A: B * A }
  return { cos, sin, rows, sizes: { ...sizes, L, C, D, table, half, interleaved } }
}

/**
 * Rotates rows with the result of checkRope. Must be called within a scope.
 * @param {Core} core
 * @param {ReturnType<typeof checkRope>} prepared
 * @param {number} x address
 * @param {number} y address, which may be x
 */
export function rotate(core, { cos, sin, rows, sizes }, x, y) {
  const { B, A, L, C, D, table, half, interleaved } = sizes
  const [cosine, sine, rowsAt] = [core.toMemory(cos), core.toMemory(sin), core.copyIn(rows)]
  const args = core.copyIn(Uint32Array.of(x, y, cosine, sine, rowsAt, B, A, L, C, D, table, half, interleaved)) // struct qkv_rope
  launch(core, 'qkv_rope_part', [args], B * A * L, B * A * L * C * D)
}

/**
 * @param {Core} core
 * @param {unknown} x
 * @param {RopeOptions & import('../../runtime/outputs.js').OutOptions} options
 * @returns {FloatTensor}
 */
export function rope(core, x, options) {
  options = readOptions(options, OPTIONS, 'rope')
  const input = toFloats(x, 'rope: x')
  const prepared = checkRope(input.dims, options)
  const target = toTarget(options, input.dims, 'rope', [input])
  return produce(core, target, y => {
    if (count(input.dims)) rotate(core, prepared, core.toMemory(input), y)
  })
}
