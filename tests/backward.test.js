// Compares gradients with the chain rule in float64 and with finite differences. goldens.test.js compares them with PyTorch.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { load, tensor } from '../src/entries/index.js'
import { attentionBackward, linearBackward } from '../src/entries/nn.js'
import { close } from './helpers.js'
import * as reference from './reference.js'
import * as reference64 from './reference-backward.js'

/** @import { Comparable } from './helpers.js' */

const qkv = await load()
/** Casts to any, for calls with wrong arguments. @type {(value: any) => any} */
const any = value => value

const small = fc.integer({ min: 1, max: 5 })
/** Lengths around 64 and 128, because blocks have 64 rows, tiles 64 keys, and register tiles are 4 x 8. */
const long = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 9 }) },
  { weight: 2, arbitrary: fc.constantFrom(63, 64, 65, 130) },
)
const wide = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 9 }) },
  { weight: 1, arbitrary: fc.constantFrom(16, 33) },
)
/** @param {fc.Arbitrary<number>} length @param {fc.Arbitrary<number>} size */
const calls = (length, size) =>
  fc.record({
    sizes: fc.record({
      B: fc.integer({ min: 1, max: 2 }),
      G: fc.constantFrom(1, 2),
      group: fc.constantFrom(1, 1, 2),
      L: length,
      S: length,
      D: size,
      E: size,
    }),
    options: fc.record(
      {
        scale: fc.constantFrom(0, 1, 0.37, -0.5),
        score: fc.constantFrom('gaussian', 'additive'),
        softcap: fc.constantFrom(0.8, 5),
        causal: fc.boolean(),
        window: fc.tuple(fc.constantFrom(0, 2, 40, Infinity), fc.constantFrom(0, 3, Infinity)),
        pastLength: fc.constantFrom(0, 1, 70),
        mask: fc.tuple(...Array(4).fill(fc.boolean())),
        bias: fc.tuple(...Array(4).fill(fc.boolean())),
        keyLengths: fc.double({ min: 0, max: 1, noNaN: true }),
        alibi: fc.boolean(),
        sinks: fc.boolean(),
        dropout: fc.constantFrom(0.25, 1),
      },
      { requiredKeys: [] },
    ),
    seed: fc.nat(),
  })

/** Makes the tensors and options of a call that fast-check has drawn, for our kernels and for the reference. @param {any} call */
function make({ sizes, options, seed }) {
  const { B, G, group, L, S, D, E } = sizes
  const H = G * group
  const g = qkv.generator(seed)
  const random = (/** @type {number[]} */ ...dims) => g.uniform(dims, -1, 1)
  const { mask, bias, keyLengths, score, dropout, alibi, sinks, ...common } = options
  const own = (/** @type {boolean[]} */ axes) => [B, H, L, S].map((size, axis) => (axes[axis] ? size : 1))
  const isAdditive = score === 'additive'
  const [q, k, v, dOutput] = [
    random(B, H, L, isAdditive ? D + 1 : D),
    random(B, G, S, D),
    random(B, G, S, E),
    random(B, H, L, E),
  ]
  if (alibi) common.alibi = g.uniform([H], 0, 0.5)
  if (sinks) common.sinks = random(H)
  if (mask) common.mask = { data: Uint8Array.from(g.bernoulli(own(mask), 0.7).data), dims: own(mask) }
  if (bias) {
    common.bias = random(...own(bias))
    for (let i = 3; i < common.bias.data.length; i += 7) common.bias.data[i] = -Infinity
  }
  if (keyLengths !== undefined) common.keyLengths = Array.from({ length: B }, (_, b) => Math.round(S * keyLengths ** b))
  if (score === 'gaussian') common.score = { kind: 'gaussian', sigma: 1.5 }
  if (isAdditive)
    common.score = {
      kind: 'additive',
      wQuery: random(5, D + 1),
      wKey: random(5, D),
      v: random(5),
      bias: random(5),
    }
  const ones = tensor(new Float32Array(B * H * L * S).fill(1), [B, H, L, S])
  const keep = dropout && {
    data: Float64Array.from(qkv.generator(seed).dropout(any(ones), dropout).data),
    dims: ones.dims,
  }
  const ours = { ...common, ...(dropout && { dropout: { p: dropout, generator: qkv.generator(seed) } }) }
  return { q, k, v, dOutput, ours, theirs: { ...common, ...(keep && { keep }) } }
}

/** Lists all gradients with their names, those of the score included. @param {any} gradients @returns {[name: string, gradient: Comparable][]} */
const list = ({ dScore = {}, ...rest }) =>
  /** @type {any} */ (Object.entries({ ...rest, ...dScore }).filter(([, x]) => x !== undefined))

test('gradients are those of the chain rule, for every shape and mix of options', t => {
  let most = 0
  fc.assert(
    fc.property(calls(long, wide), call => {
      const { q, k, v, dOutput, ours, theirs } = make(call)
      const got = list(attentionBackward(qkv, q, k, v, dOutput, ours))
      const want = list(reference64.attentionBackward(q, k, v, dOutput, theirs))
      assert.deepEqual(got.map(([name]) => name).sort(), want.map(([name]) => name).sort())
      const all = Object.fromEntries(want)
      for (const [name, gradient] of got) {
        // rounding errors scale with the largest gradient
        const size = Math.max(1, ...Array.from(all[name].data, Math.abs))
        close(gradient, all[name], { abs: 4e-6 * size, rel: 4e-6 }, name)
        Array.from(gradient.data).forEach((x, i) => {
          most = Math.max(most, Math.abs(x - all[name].data[i]) / size)
        })
      }
    }),
    { numRuns: 300, seed: 1 },
  )
  t.diagnostic(`largest error: ${most.toExponential(1)} of the largest gradient`)
})

test('the chain rule is that of finite differences, in float64', () => {
  fc.assert(
    fc.property(calls(small, small), call => {
      const { q, k, v, dOutput, theirs } = make(call)
      /** Converts to float64, so that steps of 1e-5 are not rounded away. @param {any} x @returns {any} */
      const precise = x => ({ data: Float64Array.from(x.data), dims: x.dims })
      const inputs = { q: precise(q), k: precise(k), v: precise(v) }
      const options = {
        ...theirs,
        ...(theirs.bias && { bias: precise(theirs.bias) }),
        ...(theirs.sinks && { sinks: precise(theirs.sinks) }),
      }
      if (options.score?.kind === 'additive')
        for (const part of ['wQuery', 'wKey', 'v', 'bias']) options.score[part] = precise(options.score[part])
      const loss = () =>
        reference
          .attention(inputs.q, inputs.k, inputs.v, options)
          .output.data.reduce((sum, x, i) => sum + x * dOutput.data[i], 0)
      const { dQ, dK, dV, dBias, dSinks, dScore } = reference64.attentionBackward(
        inputs.q,
        inputs.k,
        inputs.v,
        dOutput,
        options,
      )
      /** @type {[any, any][]} */
      const pairs = [
        [inputs.q, dQ],
        [inputs.k, dK],
        [inputs.v, dV],
        ...(dBias ? [[options.bias, dBias]] : []),
        ...(dSinks ? [[options.sinks, dSinks]] : []),
        ...Object.entries(dScore ?? {}).map(([part, gradient]) => any([options.score[part], gradient])),
      ]
      for (const [input, gradient] of pairs)
        for (let n = 0; n < input.data.length; n += 1 + (n % 3)) {
          const before = input.data[n]
          if (before === -Infinity) continue
          const [up, down] = [1e-5, -1e-5].map(step => {
            input.data[n] = before + step
            return loss()
          })
          input.data[n] = before
          const want = (up - down) / 2e-5
          assert.ok(
            Math.abs(gradient.data[n] - want) <= 1e-8 + 1e-6 * Math.abs(want),
            `${gradient.data[n]}, ${want} by differences`,
          )
        }
    }),
    { numRuns: 60, seed: 2 },
  )
})

test('the gradients of linear are those of the formula, for all sizes', () => {
  const g = qkv.generator(2)
  const sizes = [0, 1, 3, 4, 5, 8, 9, 17]
  for (const M of sizes)
    for (const K of sizes)
      for (const N of sizes) {
        const [x, weight, dY] = [g.uniform([M, K], -1, 1), g.uniform([N, K], -1, 1), g.uniform([M, N], -1, 1)]
        const got = list(linearBackward(qkv, x, weight, dY))
        const want = Object.fromEntries(list(reference64.linearBackward(x, weight, dY)))
        for (const [name, gradient] of got)
          close(gradient, want[name], { abs: 2e-6, rel: 2e-6 }, `${name}, ${M} x ${K} by ${N}`)
      }
  const { dX } = linearBackward(qkv, g.randn([2, 3, 4]), g.randn([5, 4]), g.randn([2, 3, 5]))
  assert.deepEqual(dX.dims, [2, 3, 4])
})

test('a query that sees no key, and a key that no query sees, have gradients of zero, whatever the hidden values are', () => {
  const g = qkv.generator(3)
  const [q, k, v, dOutput] = [g.randn([70, 6]), g.randn([70, 6]), g.randn([70, 7]), g.randn([70, 7])]
  for (const score of any(['dot', 'gaussian'])) {
    const mask = { data: new Uint8Array(70 * 70).fill(1), dims: [70, 70] }
    mask.data.fill(0, 5 * 70, 6 * 70)
    for (let i = 0; i < 70; i++) mask.data[i * 70 + 66] = 0
    const want = attentionBackward(qkv, q, k, v, dOutput, { score, mask })
    for (const x of [q, dOutput]) x.row(5).data.fill(NaN)
    for (const x of [k, v]) x.row(66).data.fill(NaN)
    const { dQ, dK, dV } = attentionBackward(qkv, q, k, v, dOutput, { score, mask })
    for (const row of [dQ.row(5), dK.row(66), dV.row(66)]) assert.ok(row.data.every(x => x === 0))
    for (const [name, x] of Object.entries({ dQ, dK, dV })) close(x, any(want)[name], { abs: 2e-6, rel: 2e-6 }, name)
    for (const x of [q, dOutput]) x.row(5).data.fill(1)
    for (const x of [k, v]) x.row(66).data.fill(1)
  }
})

test('gradients replace what their tensors held, also where there are no queries, no keys, or no columns', () => {
  const g = qkv.generator(4)
  for (const [L, S, E] of [
    [5, 70, 3],
    [0, 4, 3],
    [4, 0, 3],
    [4, 4, 0],
  ]) {
    const [q, k, v, d] = [g.randn([2, L, 3]), g.randn([2, S, 3]), g.randn([2, S, E]), g.randn([2, L, E])]
    qkv.scope(() => {
      const [dQ, dK, dV] = [q, k, v].map(({ dims }) => qkv.alloc(dims))
      for (const { data } of [dQ, dK, dV]) data.fill(NaN)
      attentionBackward(qkv, q, k, v, d, { keyLengths: [S >> 1], out: { dQ, dK, dV } })
      for (const [name, { data }] of Object.entries({ dQ, dK, dV })) assert.ok(data.every(Number.isFinite), name)
      for (const { data } of [dK, dV]) assert.equal(data.at(-1) ?? 0, 0, 'a hidden key')
    })
  }
})

test('NaN spoils the gradients of the queries that see it and of the keys that these queries see, and no others', () => {
  const g = qkv.generator(4)
  for (const spoiled of ['q', 'k', 'v', 'dOutput']) {
    /** @type {Record<string, any>} */
    const inputs = {
      q: g.randn([2, 40, 5]),
      k: g.randn([2, 40, 5]),
      v: g.randn([2, 40, 5]),
      dOutput: g.randn([2, 40, 5]),
    }
    const run = () => attentionBackward(qkv, inputs.q, inputs.k, inputs.v, inputs.dOutput, { window: [3, 3] })
    const clean = any(run())
    inputs[spoiled].data[20 * 5 + 2] = NaN // row 20 of head 0
    const reach = spoiled === 'q' || spoiled === 'dOutput' ? { dQ: 0, dK: 3, dV: 3 } : { dQ: 3, dK: 6, dV: 6 }
    for (const [name, { data }] of list(run()))
      Array.from(data).forEach((x, n) => {
        const isNear = n < 200 && Math.abs(Math.floor(n / 5) - 20) <= any(reach)[name]
        if (!isNear) assert.ok(Math.abs(x - clean[name].data[n]) <= 2e-6, `${name} ${n}: ${x}`)
      })
    assert.ok(Number.isNaN(run().dQ.data[20 * 5]))
  }
})

test('weights below 2^-64 of the largest give gradients of zero, never subnormal ones, which make later products slow', () => {
  const [L, D] = [40, 8]
  const q = tensor(
    Array.from({ length: L * D }, (_, n) => (n % D ? 0 : 9)),
    [1, L, D],
  )
  const k = tensor(
    Array.from({ length: L * D }, (_, n) => (n % D ? Math.sin(n) : -Math.floor(n / D))),
    [1, L, D],
  )
  const v = qkv.generator(2).randn([1, L, D])
  const dOutput = tensor(
    v.data.map(x => x * 1e-9),
    v.dims,
  ) // tiny gradients, like those near the end of training
  const { dQ, dK, dV } = attentionBackward(qkv, q, k, v, dOutput, { scale: 0.3 }) // scores 0, -2.7, -5.4, ...
  for (const { data } of [dQ, dK, dV]) {
    assert.ok(data.some(x => x !== 0))
    for (const x of data) assert.ok(x === 0 || Math.abs(x) > 2 ** -126, `${x}`)
  }
})

test('dropout draws as many numbers as the attention does', () => {
  const g = qkv.generator(5)
  const [q, k, v] = [g.randn([70, 4]), g.randn([9, 4]), g.randn([9, 3])]
  const [forward, backward] = [qkv.generator(6), qkv.generator(6)]
  qkv.attention(q, k, v, { dropout: { p: 0.5, generator: forward } })
  attentionBackward(qkv, q, k, v, g.randn([70, 3]), { dropout: { p: 0.5, generator: backward } })
  assert.deepEqual(forward.words([3]), backward.words([3]))
})

test('memory grows with L, not with L^2', async () => {
  const own = await load()
  const x = own.generator(1).randn([4096, 16])
  attentionBackward(own, x, x, x, x, { causal: true })
  assert.ok(own.memory.size < 4096 * 16 * 4 * 12 + 1e6, `${own.memory.size} bytes; L x S floats are ${4096 * 4096 * 4}`)
})

test('a gradient of other dims, an unknown option and a wrong weight are refused', () => {
  const x = qkv.generator(1).randn([4, 4])
  const row = x.row(0)
  assert.throws(() => attentionBackward(qkv, x, x, x, row), {
    name: 'RangeError',
    message: /dOutput: expected .* \(4, 4\), got dims \(4\)/,
  })
  assert.throws(() => attentionBackward(qkv, x, x, x, x, any({ out: x })), {
    message: /attentionBackward: out: expected an object of tensors by name, got a tensor; .*{ dQ, dK, dV }/,
  })
  assert.throws(() => attentionBackward(qkv, x, x, x, any('x')), { name: 'TypeError', message: /dOutput: .*got "x"/ })
  assert.throws(() => linearBackward(qkv, x, row, x), {
    name: 'RangeError',
    message: /weight: expected dims .*got \(4\)/,
  })
  assert.throws(() => linearBackward(qkv, row, x, x), {
    name: 'RangeError',
    message: /dY: expected .* \(4\), got dims \(4, 4\)/,
  })
  assert.equal(qkv.memory.used, 0)
})
