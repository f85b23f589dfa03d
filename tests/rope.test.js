// Rotary embedding and softmax over any axis, against formulas in float64.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { load, tensor } from '../src/entries/index.js'
import { close } from './helpers.js'
import { softmax } from './reference.js'

const qkv = await load()
const TOLERANCE = { abs: 2e-6, rel: 2e-6 }
const seed = Number(process.env.SEED ?? 1)

/**
 * Rotates one head: pair d by the angle position * base^(-2d / rotaryDim).
 * @param {number[]} x
 * @param {number} position
 * @param {{ rotaryDim: number, base: number, interleaved: boolean }} options
 */
function rotated(x, position, { rotaryDim, base, interleaved }) {
  const y = [...x]
  for (let d = 0; d < rotaryDim / 2; d++) {
    const angle = position * base ** ((-2 * d) / rotaryDim)
    const [first, second] = interleaved ? [2 * d, 2 * d + 1] : [d, d + rotaryDim / 2]
    y[first] = x[first] * Math.cos(angle) - x[second] * Math.sin(angle)
    y[second] = x[first] * Math.sin(angle) + x[second] * Math.cos(angle)
  }
  return y
}

const size = fc.integer({ min: 0, max: 4 })
const calls = fc.record({
  B: size,
  H: size,
  L: size,
  half: fc.constantFrom(0, 1, 2, 3, 4, 5, 8, 17),
  rest: size,
  interleaved: fc.boolean(),
  base: fc.constantFrom(10000, 500000, 2),
  positions: fc.constantFrom('default', 'past', 'row', 'batch'),
  seed: fc.nat(),
})

test('rope turns each pair by its angle, in both layouts, partly, at any position', () => {
  const property = fc.property(calls, ({ B, H, L, half, rest, positions, seed, ...options }) => {
    const D = 2 * half + rest
    const g = qkv.generator(seed)
    const x = g.randn([B, H, L, D])
    const list = g.randint(0, 300, [B, L])
    const given =
      positions === 'default'
        ? {}
        : positions === 'past'
          ? { pastLength: 7 }
          : { positions: positions === 'row' ? list.data.slice(0, L) : list }
    if (positions === 'row' && list.data.length < L) return
    const at = (/** @type {number} */ b, /** @type {number} */ i) =>
      positions === 'default' ? i : positions === 'past' ? 7 + i : list.data[positions === 'row' ? i : b * L + i]
    const want = new Float64Array(x.data.length)
    for (let n = 0; n < B * H * L; n++) {
      const [b, i] = [Math.floor(n / (H * L)), n % L]
      const head = [...x.data.subarray(n * D, (n + 1) * D)]
      want.set(rotated(head, at(b, i), { rotaryDim: 2 * half, ...options }), n * D)
    }
    const rotaryDim = 2 * half
    const got = qkv.rope(x, { ...options, ...given, rotaryDim })
    close(got, { data: want, dims: x.dims }, TOLERANCE, 'rope')
    // Rows with the heads side by side, (B, L, H * D), give the same result.
    if (H > 0) {
      const rows = x.permute([0, 2, 1, 3]).reshape([B, L, H * D])
      const inRows = qkv.rope(rows, { ...options, ...given, rotaryDim, numHeads: H })
      assert.deepEqual(inRows.data, got.permute([0, 2, 1, 3]).data)
      assert.deepEqual(inRows.dims, rows.dims)
    }
  })
  fc.assert(property, { numRuns: 400, seed })
})

test('with rope, the score of a query and a key depends on their distance only', () => {
  const g = qkv.generator(3)
  const [q, k] = [g.randn([1, 16]), g.randn([1, 16])]
  const score = (/** @type {number} */ i, /** @type {number} */ j) =>
    qkv.matmul(qkv.rope(q, { positions: [i] }), qkv.rope(k, { positions: [j] }).T).data[0]
  for (const [i, j] of [
    [5, 2],
    [103, 100],
    [1003, 1000],
  ])
    assert.ok(Math.abs(score(i, j) - score(3, 0)) < 1e-4)
  assert.ok(Math.abs(score(4, 0) - score(3, 0)) > 1e-3)
})

test('wrong arguments of rope throw an error that says what is wrong', () => {
  const x = tensor(new Float32Array(24), [2, 3, 4])
  const table = tensor(new Float32Array(10), [5, 2])
  /** @type {[any, any, ErrorConstructor, RegExp][]} */
  const bad = [
    [[1, 2], {}, RangeError, /x: expected dims .*got \(2\)/],
    [x, { rotaryDim: 3 }, RangeError, /rotaryDim: expected an even number.*got 3/],
    [x, { rotaryDim: 6 }, RangeError, /rotaryDim: expected a whole number from 0 to 4.*got 6/],
    [x, { numHeads: 3 }, RangeError, /expected dims \(B, L, 3 \* D\), 3 heads in a row/],
    [x, { positions: [0, 1] }, RangeError, /positions: expected \(L\) = \(3\).*got dims \(2\)/],
    [x, { positions: [0, 1, -1] }, RangeError, /positions\[2\]: .*got -1/],
    [x, { positions: [0, 1, 2], pastLength: 1 }, TypeError, /leave pastLength out/],
    [x, { cos: table }, TypeError, /sin: expected a tensor, got undefined/],
    [x, { cos: table, sin: table, base: 2 }, TypeError, /base has no effect with cos and sin/],
    [
      x,
      { cos: table, sin: table, positions: [0, 1, 5] },
      RangeError,
      /position 5 lies outside of cos and sin, which have 5/,
    ],
    [x, { cos: [[[1, 2]]], sin: [[[1, 2]]] }, RangeError, /\(B, L, rotaryDim \/ 2\) = \(1, 3, 2\)/],
    [x, { base: 0 }, RangeError, /base: .*got 0/],
    [x, { interleaved: 1 }, TypeError, /true or false/],
    [x, { rotaryDims: 2 }, TypeError, /did you mean "rotaryDim"/],
  ]
  for (const [input, options, kind, message] of bad)
    assert.throws(
      () => qkv.rope(input, options),
      error => error instanceof kind && message.test(error.message),
      `${message}`,
    )
  assert.equal(qkv.memory.used, 0)
})

test('softmax over any axis is the formula', () => {
  const dims = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 4 })
  const property = fc.property(
    dims,
    fc.integer({ min: 0, max: 3 }),
    fc.boolean(),
    fc.nat(),
    (dims, pick, negative, seed) => {
      const axis = pick % dims.length
      const x = qkv.generator(seed).normal(dims, 0, 10)
      for (let i = 0; i < x.data.length; i += 3) x.data[i] = -Infinity
      const got = qkv.softmax(x, { dim: negative ? axis - dims.length : axis })
      close(got, softmax(x, axis).weights, TOLERANCE, `softmax ${dims} over ${axis}`)
    },
  )
  fc.assert(property, { numRuns: 500, seed })
})

test('the error of softmax lists the axes', () => {
  assert.throws(() => qkv.softmax([[1]], { dim: 2 }), {
    name: 'RangeError',
    message: /dim: expected a whole number from -2 to 1.*got 2/,
  })
  assert.throws(() => qkv.softmax([[1]], /** @type {any} */ ({ axis: 1 })), {
    name: 'TypeError',
    message: /no option "axis"/,
  })
})
