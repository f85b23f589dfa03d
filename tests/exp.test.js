// exp and tanh over their whole range, compared with Math.exp and Math.tanh, within the bounds stated in src/kernel/exp.h.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/entries/index.js'

const qkv = await load()
const BOUND = 2e-7 // the relative error that the docs allow; STATED is the tighter bound in exp.h and qkv.js
const STATED = { exp: 1.3e-7, tanh: 1.5e-7 }
const EVERY = process.env.SHARE ? 487 : 97 // the step between bit patterns, larger for slow builds; a prime, so that all low bits occur
const BATCH = 1 << 20

const bits = new Uint32Array(1)
const asFloat = new Float32Array(bits.buffer)
/** @param {number} x */
const bitsOf = x => {
  asFloat[0] = x
  return bits[0]
}

/**
 * Yields batches of every EVERY-th float from `from` to `to`, then the last 1,000 floats up to `to`. Both have the same sign; |from| <= |to|.
 * @param {number} from
 * @param {number} to
 */
function* floats(from, to) {
  const last = bitsOf(to)
  for (let at = bitsOf(from); at <= last; at += EVERY * BATCH) {
    const n = Math.min(BATCH, Math.ceil((last - at + 1) / EVERY))
    yield new Float32Array(new Uint32Array(n).map((_, i) => at + i * EVERY).buffer)
  }
  yield new Float32Array(new Uint32Array(1000).map((_, i) => last - i).buffer)
}

/**
 * Returns the largest relative error of a function over the ranges, and the value at which it occurs.
 * @param {'exp' | 'tanh'} name
 * @param {...[number, number]} ranges
 */
function largestError(name, ...ranges) {
  let [most, where, count] = [0, 0, 0]
  for (const [from, to] of ranges)
    for (const x of floats(from, to)) {
      const y = qkv[name]({ data: x, dims: [x.length] }).data
      for (let i = 0; i < x.length; i++) {
        const want = Math[name](x[i])
        const error = y[i] === want ? 0 : Math.abs(y[i] - want) / Math.abs(want)
        if (!(error <= most || Number.isNaN(most))) [most, where] = [error, x[i]]
      }
      count += x.length
    }
  return { most, where, count }
}

for (const [name, ...ranges] of /** @type {const} */ ([
  ['exp', [0, 88], [-0, -87.33]],
  ['tanh', [0, 3.4028234663852886e38], [-0, -3.4028234663852886e38]],
]))
  test(`${name} is as precise over its whole range as exp.h states`, t => {
    const { most, where, count } = largestError(
      name,
      ...ranges.map(([from, to]) => /** @type {[number, number]} */ ([from, to])),
    )
    t.diagnostic(`${name}: largest relative error ${most.toExponential(3)} at ${where}, of ${count} values`)
    assert.ok(most <= STATED[name], `${most} at ${where}`)
    assert.ok(STATED[name] <= BOUND)
  })

test('exp beyond 88 is as precise as exp.h states, and infinity from 88.73 on', t => {
  const { most, where, count } = largestError('exp', [88, 88.72])
  t.diagnostic(`largest relative error ${most.toExponential(3)} at ${where}, of ${count} values`)
  assert.ok(most <= 3e-7, `${most} at ${where}`)
  for (const x of floats(88.73, 3.4028234663852886e38))
    assert.ok(qkv.exp({ data: x, dims: [x.length] }).data.every(y => y === Infinity))
  assert.deepEqual(qkv.exp([Infinity, 88.73, 1e30]).tolist(), [Infinity, Infinity, Infinity])
})

test('exp is exactly 0 below -87.33, also where exp itself is subnormal, and exactly 1 at 0', () => {
  for (const x of floats(Math.fround(-87.33001), -3.4028234663852886e38))
    assert.ok(qkv.exp({ data: x, dims: [x.length] }).data.every(y => Object.is(y, 0)))
  assert.deepEqual(qkv.exp([-Infinity, -103, -87.34, 0, -0]).tolist(), [0, 0, 0, 1, 1])
  assert.ok(qkv.exp([-87.33]).at(0) > 0)
})

test('tanh is exactly 0 at 0 with its sign, +-1 far out, and odd', () => {
  assert.deepEqual(qkv.tanh([0, -0, 10, -10, Infinity, -Infinity]).tolist(), [0, -0, 1, -1, 1, -1])
  for (const x of floats(1e-8, 11)) {
    const negative = qkv.tanh({ data: x.map(a => -a), dims: [x.length] }).data
    assert.ok(qkv.tanh({ data: x, dims: [x.length] }).data.every((y, i) => Object.is(y, -negative[i])))
  }
})

test('NaN stays NaN, in every place of the four that are computed at once', () => {
  for (let n = 1; n <= 9; n++)
    for (let i = 0; i < n; i++) {
      const x = Array(n).fill(-1)
      x[i] = NaN
      for (const name of /** @type {const} */ (['exp', 'tanh']))
        assert.deepEqual(
          [...qkv[name](x).data].map(Number.isNaN),
          x.map(y => Number.isNaN(y)),
        )
    }
})

test('both kernels keep small weights down to e^-87 to a hundred-thousandth', t => {
  const n = 8700
  const q = { data: Float32Array.from({ length: n }, (_, i) => -i / 100), dims: [n, 1] }
  const zeroAndOne = [[0], [1]] // both keys and values, so that the output is the weight of the second key
  for (const kernel of /** @type {const} */ (['attention', 'trace'])) {
    const { data } = qkv[kernel](q, zeroAndOne, zeroAndOne).output
    const errors = data.map((weight, i) => Math.abs(weight * (1 + Math.exp(-q.data[i])) - 1))
    const most = Math.max(...errors)
    t.diagnostic(`${kernel}: largest relative error of a weight ${most.toExponential(1)}`)
    assert.ok(most <= 1e-5)
  }
})
