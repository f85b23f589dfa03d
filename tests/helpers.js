// Reads the golden cases and compares results with them.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

/** True in the native build of the kernels (tests/native), which has no threads and always includes the kernels for integer weights. */
export const isNative = globalThis.process?.env.NODE_OPTIONS?.includes('native/register.js')

/**
 * @typedef {Float32Array | Float64Array | Uint8Array} GoldenData
 * @typedef {{ data: any, dims: number[] }} GoldenTensor data is GoldenData; float64 only for expected or printed values
 * @typedef {{ shape: number[], dtype: string, data: (number | string)[] }} RawTensor
 * @typedef {{ abs: number, rel: number }} Tolerance
 * @typedef {Record<string, GoldenTensor>} GoldenTensors
 * @typedef {{ data: ArrayLike<number>, dims: readonly number[] }} Comparable
 */

/**
 * A golden case with its tensors converted; `raw` is the unconverted case.
 * @typedef {object} Case
 * @property {string} name
 * @property {string} kind
 * @property {Record<string, any>} params
 * @property {GoldenTensors} inputs
 * @property {GoldenTensors} expected
 * @property {GoldenTensors} expected_scalar values of the scalar build of PyTorch, {} if both builds agree
 * @property {GoldenTensors} oracle {} if there is none
 * @property {any} [expected_json]
 * @property {Tolerance} tolerance
 * @property {Tolerance} [tolerance_f64]
 * @property {Tolerance} [oracle_tolerance]
 * @property {string} [document]
 * @property {string} [reproduced]
 * @property {string} note
 * @property {Record<string, any>} raw
 */

/** @type {Record<string, new (data: number[]) => GoldenData>} */
const ARRAYS = { float32: Float32Array, float64: Float64Array, int64: Float64Array, bool: Uint8Array }

/**
 * @param {RawTensor} golden numbers that JSON lacks are the strings "NaN", "Infinity" and "-Infinity"
 * @returns {GoldenTensor}
 */
export function toTensor({ shape, dtype, data }) {
  const Data = ARRAYS[dtype]
  assert.ok(Data, `a golden tensor of ${dtype}`)
  return { data: new Data(data.map(Number)), dims: shape }
}

/** @param {Record<string, RawTensor> | undefined} group @returns {GoldenTensors} */
const toTensors = group =>
  Object.fromEntries(Object.entries(group ?? {}).map(([name, golden]) => [name, toTensor(golden)]))

/**
 * @param {'seeds' | 'torch-rng' | 'torch-attention'} file
 * @returns {Case[]}
 */
export function cases(file) {
  const json = JSON.parse(readFileSync(new URL(`./goldens/${file}.json`, import.meta.url), 'utf8'))
  return json.cases.map((/** @type {Record<string, any>} */ raw) => ({
    ...raw,
    inputs: toTensors(raw.inputs),
    expected: toTensors(raw.expected),
    expected_scalar: toTensors(raw.expected_scalar),
    oracle: toTensors(raw.oracle),
    raw,
  }))
}

/**
 * Fails unless every |got - want| <= abs + rel * |want|. NaN matches only NaN, an infinity only itself.
 * @param {Comparable} got
 * @param {Comparable} want
 * @param {Tolerance} tolerance
 * @param {string} title what is compared
 */
export function close(got, want, { abs, rel }, title) {
  assert.deepEqual([...got.dims], [...want.dims], `${title}: dims`)
  assert.equal(got.data.length, want.data.length, `${title}: length of data`)
  let worst = -1
  let most = 0
  for (let i = 0; i < want.data.length; i++) {
    const [a, b] = [got.data[i], want.data[i]]
    const isClose = Number.isFinite(b) ? Math.abs(a - b) <= abs + rel * Math.abs(b) : Object.is(a, b)
    if (isClose) continue
    const error = Math.abs(a - b)
    if (worst >= 0 && !(error > most)) continue
    worst = i
    most = error
  }
  if (worst >= 0)
    assert.fail(
      `${title}: value ${worst} of ${want.data.length} is ${got.data[worst]}, ${want.data[worst]} expected: ` +
        `off by ${most}, allowed ${abs} + ${rel} * |expected|`,
    )
}
