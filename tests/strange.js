// Strange values for arguments, and the places in arguments where they can be put.

import assert from 'node:assert/strict'
import { Tensor } from '../src/entries/index.js'

const detached = new Float32Array(6)
structuredClone(detached.buffer, { transfer: [detached.buffer] })
/** Numbers whose products as sizes are small, or too large for any memory. */
const strangeNumbers = [0, 1, -1, -0, 0.5, NaN, Infinity, -Infinity, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 1e300, 7n]
/** The error that a getter among the strange values throws. */
export const thrown = new RangeError('a getter of the test')
/** @type {(() => unknown)[]} functions that make each value anew for each call, because a call may change its arguments */
export const strangeThings = [
  ...strangeNumbers.map(x => () => x),
  ...['', 'dot', 'additive', '__proto__', 'constructor', '\u202e\0', true, false, null, undefined].map(x => () => x),
  () => Symbol('strange'),
  () => () => 1,
  () => [],
  () => [[]],
  () => {
    /** @type {any[]} */
    const endless = []
    endless.push(endless)
    return endless
  },
  () => [[1, 2], [3]],
  () => Array(2), // an array with two holes
  () => ({}),
  () => Object.create(null),
  () => new Date(Number.NaN),
  () => new Map([['a', Number.NaN]]),
  () => new Proxy({}, { get: () => Number.NaN }),
  () => Object.defineProperty({ dims: [2, 3] }, 'data', { get: () => assert.fail(thrown), enumerable: true }),
  () => Object.defineProperty({}, 'scale', { get: () => assert.fail(thrown), enumerable: true }),
  () => ({ data: detached, dims: [2, 3] }),
  () => ({ data: new Float32Array(6), dims: [65536, 65536, 6] }),
  () => ({ data: new Float32Array(6), dims: [-2, -3] }),
  () => ({ data: new Float32Array(new SharedArrayBuffer(24)), dims: [2, 3] }),
  () => ({ data: new Float64Array(6).fill(Number.NaN), dims: [2, 3] }),
  () => ({ data: new Uint8Array(3), dims: [3] }),
  () => ({ data: { length: 2 ** 40 }, dims: [2 ** 20, 2 ** 20] }),
  () => new Float32Array(3),
  () => new Uint32Array(1).fill(2 ** 32 - 1),
]
/** Matches messages of the engine. In their place, callers should get a sentence about the argument. */
export const ENGINE =
  /cannot (read|convert|set|mix|destructure)|is not (a function|iterable|defined)|undefined \(|out of bounds|\boffset|Invalid (typed )?array|object null/i

/** Lists all places within arguments that can be replaced. @param {any} value @param {readonly object[]} [whole] objects to skip @param {number} [depth] @returns {[any, string][]} */
export const places = (value, whole = [], depth = 3) =>
  value !== null &&
  typeof value === 'object' &&
  depth > 0 &&
  !ArrayBuffer.isView(value) &&
  !(value instanceof Tensor) &&
  !whole.includes(value)
    ? Object.keys(value).flatMap(key => [[value, key], ...places(value[key], whole, depth - 1)])
    : []
