// Properties that hold for every shape and every combination of options, in the traced kernel, the tiled kernel and the reference.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { load } from '../src/entries/index.js'
import { close } from './helpers.js'
import { attention } from './reference.js'

/** @import { Comparable } from './helpers.js' */
/** @typedef {{ data: Float32Array, dims: readonly number[] }} Floats */

const qkv = await load()
const seed = Number(process.env.SEED ?? 1)
const share = Number(process.env.SHARE ?? 1) // fraction of the runs, smaller in slow builds
/** The largest error seen so far, by step. @type {Record<string, number>} */
const largest = {}

/** @template T @param {fc.Arbitrary<T>} arbitrary @param {number} numRuns @param {(value: T) => void} property */
const check = (arbitrary, numRuns, property) =>
  fc.assert(fc.property(arbitrary, property), { numRuns: numRuns * share, seed })

const few = fc.integer({ min: 0, max: 9 })
/** Sizes around the limits of the kernel: register tiles of 4, tiling from 6 queries on, panels of 8, blocks of 64 queries, tiles of 256 keys. */
const queries = fc.oneof({ weight: 6, arbitrary: few }, { weight: 1, arbitrary: fc.constantFrom(31, 63, 64, 65) })
const keys = fc.oneof({ weight: 5, arbitrary: few }, { weight: 1, arbitrary: fc.constantFrom(31, 255, 256, 257, 513) })
const columns = fc.oneof({ weight: 6, arbitrary: few }, { weight: 1, arbitrary: fc.constantFrom(16, 33, 64, 65) })
const sizes = fc.record({
  B: fc.integer({ min: 0, max: 2 }),
  G: fc.constantFrom(1, 1, 2, 3),
  group: fc.integer({ min: 1, max: 3 }), // H / G
  L: queries,
  S: keys,
  D: columns,
  E: columns,
})
/** Draws the shape of a mask: the last `rank` axes of (B, H, L, S), some of size 1. The mask hides the first `away` keys. */
const spread = fc.record({
  rank: fc.integer({ min: 0, max: 4 }),
  own: fc.tuple(...Array(4).fill(fc.boolean())),
  away: fc.constantFrom(0, 0, 256, 300),
})
const sides = fc.oneof(few, fc.constantFrom(40, 256, 300, Infinity))
const options = fc.record(
  {
    scale: fc.constantFrom(0, 1, 0.37, -0.5),
    score: fc.constantFrom('gaussian', 'additive'),
    softcap: fc.constantFrom(0.8, 5),
    causal: fc.boolean(),
    window: fc.tuple(sides, sides),
    pastLength: fc.oneof(few, fc.constantFrom(200, 256, 480, -3, 'each')), // 'each': a different one for each batch
    alibi: fc.constant('drawn'),
    sinks: fc.constant('drawn'),
    mask: spread,
    bias: spread,
    keyLengths: fc.double({ min: 0, max: 1, noNaN: true }),
    softmaxAxis: fc.constant('queries'),
    masking: fc.constant('after'),
  },
  { requiredKeys: [] },
)
const calls = fc.record({ sizes, options, seed: fc.nat() })

/**
 * Makes the tensors and options of a call that fast-check has drawn, for qkv.trace and for the reference.
 * @param {any} call
 */
function make({ sizes, options, seed }) {
  const { B, G, group, L, S, D, E } = sizes
  const H = G * group
  const g = qkv.generator(seed)
  const random = (/** @type {number[]} */ ...dims) => g.uniform(dims, -1, 1)
  const full = [B, H, L, S]
  /** @type {(spread: { rank: number, own: boolean[] }) => number[]} */
  const dimsOf = ({ rank, own }) => full.map((size, axis) => (own[axis] ? size : 1)).slice(4 - rank)
  const { softmaxAxis, masking, mask, bias, keyLengths, score, pastLength, alibi, sinks, ...rest } = options
  const isAdditive = score === 'additive'
  const q = random(B, H, L, isAdditive ? D + 1 : D)
  const k = random(B, G, S, D)
  const v = random(B, G, S, E)
  const common = { ...rest, ...(pastLength !== undefined && { pastLength }) }
  if (pastLength === 'each') common.pastLength = [...g.randint(-4, 300, [B]).data]
  if (alibi) common.alibi = g.uniform([H], -0.01, 0.01) // small slopes, because the rounding of large scores would hide errors
  if (sinks && !softmaxAxis) {
    common.sinks = g.uniform([H], -3, 3)
    common.sinks.data[2] = -Infinity // head 2, if it exists, has no sink
  }
  if (mask) {
    const dims = dimsOf(mask)
    const away = dims.at(-1) === S ? Math.min(mask.away, S) : 0
    const seen = g.bernoulli(dims, 0.7).data
    common.mask = { data: Uint8Array.from(seen, (x, i) => (i % S < away ? 0 : x)), dims }
  }
  if (bias) {
    common.bias = random(...dimsOf(bias))
    for (let i = 3; i < common.bias.data.length; i += 7) common.bias.data[i] = -Infinity
  }
  if (keyLengths !== undefined) common.keyLengths = Array.from({ length: B }, (_, b) => Math.round(S * keyLengths ** b))
  if (score === 'gaussian') common.score = { kind: 'gaussian', sigma: 1.5 }
  if (isAdditive) {
    const [wQuery, wKey, v, bias] = [random(5, D + 1), random(5, D), random(5), random(5)]
    common.score = { kind: 'additive', wQuery, wKey, v, bias }
  }
  const traceOnly = { ...(softmaxAxis && { softmaxAxis }), ...(masking && { masking }) }
  return { q, k, v, options: common, traceOnly, H }
}

/**
 * @param {Comparable} got
 * @param {Comparable} want
 * @param {string} title
 * @param {number} [weight] the sum of the weights, which scales the error
 */
function near(got, want, title, weight = 1) {
  close(got, want, { abs: 3e-6 * weight, rel: 3e-6 }, title)
  for (let i = 0; i < want.data.length; i++)
    if (Number.isFinite(want.data[i]))
      largest[title] = Math.max(largest[title] ?? 0, Math.abs(got.data[i] - want.data[i]))
}

/** @param {Comparable} got @param {Comparable} want @param {string} title */
function same(got, want, title) {
  assert.deepEqual([...got.dims], [...want.dims], title)
  for (let i = 0; i < want.data.length; i++)
    if (!Object.is(got.data[i], want.data[i])) assert.fail(`${title}: ${got.data[i]} at ${i}, ${want.data[i]} expected`)
}

test('the traced and the tiled kernel give what the formulas give, for every shape and mix of options', () => {
  check(calls, 1000, call => {
    const { q, k, v, options, traceOnly } = make(call)
    const traced = qkv.trace(q, k, v, { ...options, ...traceOnly })
    /** @type {Record<string, any>} */
    const want = attention(q, k, v, { ...options, ...traceOnly })
    for (const [step, tensor] of Object.entries(traced))
      if (step in want && step !== 'output') near(tensor, want[step], step)
    // With softmax over queries, the weights of one query sum to up to S, which scales the rounding error of its output.
    near(traced.output, want.output, 'traced output', traceOnly.softmaxAxis ? Math.max(1, call.sizes.S / 16) : 1)
    const { output } = traceOnly.softmaxAxis ? attention(q, k, v, options) : want
    near(qkv.attention(q, k, v, options).output, output, 'tiled output')
  })
})

test('a single query gives what the formulas give with several tiles of keys: of 2048, or of 512 where heads share them', () => {
  const long = fc.record({ call: calls, S: fc.constantFrom(2047, 2048, 2049, 4100) })
  check(long, 60, ({ call, S }) => {
    const { q, k, v, options } = make({ ...call, sizes: { ...call.sizes, B: 1, G: 1, L: 1, S } })
    near(qkv.attention(q, k, v, options).output, attention(q, k, v, options).output, 'output of a single query')
  })
})

test('a query that sees no key gives zeros, whatever the values are', () => {
  check(calls, 400, call => {
    const { q, k, v, options } = make(call)
    const { sees } = attention(q, k, v, options)
    const traced = qkv.trace(q, k, v, options)
    v.data.fill(NaN)
    const [B, H, L, E] = traced.output.dims
    const S = k.dims[2]
    for (const { output } of [qkv.attention(q, k, v, options), qkv.trace(q, k, v, options)])
      for (let n = 0; n < B * H * L; n++) {
        const [b, h, i] = [Math.floor(n / (H * L)), Math.floor(n / L) % H, n % L]
        const seen = Array.from({ length: S }, (_, j) => sees(b, h, i, j))
        const isBlind = !seen.includes(true)
        const row = [...output.data.subarray(n * E, (n + 1) * E)]
        assert.deepEqual(row, Array(E).fill(isBlind ? 0 : NaN))
        seen.forEach((isSeen, j) => {
          if (!isSeen) assert.equal(traced.weights.at(b, h, i, j), 0)
        })
      }
  })
})

test('hiding before softmax and hiding after it give the same weights', () => {
  check(calls, 400, call => {
    const { q, k, v, options, traceOnly } = make(call)
    const axis = traceOnly.softmaxAxis ? { softmaxAxis: /** @type {const} */ ('queries') } : {}
    const before = qkv.trace(q, k, v, { ...options, ...axis, masking: 'before' })
    const after = qkv.trace(q, k, v, { ...options, ...axis, masking: 'after' })
    near(after.weights, before.weights, 'weights masked after')
    near(after.output, before.output, 'output masked after')
  })
})

test('the weights of a line sum to one, or to zero where nothing is seen', () => {
  check(calls, 400, call => {
    const { q, k, v, options, traceOnly } = make(call)
    const { weights } = qkv.trace(q, k, v, { ...options, ...traceOnly })
    const lines = traceOnly.softmaxAxis ? weights.T : weights
    const n = lines.dims[3]
    for (let at = 0; at < lines.data.length; at += n) {
      const total = lines.data.subarray(at, at + n).reduce((a, b) => a + b, 0)
      if (options.sinks) assert.ok(total <= 1 + 1e-6, `sum ${total}`)
      else assert.ok(total === 0 || Math.abs(total - 1) <= 1e-6, `sum ${total}`)
    }
  })
})

test('two equal calls give the same bits, whatever ran between them', () => {
  check(calls, 300, call => {
    const { q, k, v, options, traceOnly } = make(call)
    const run = () => [qkv.attention(q, k, v, options), qkv.trace(q, k, v, { ...options, ...traceOnly })]
    const first = run()
    qkv.softmax({ data: new Float32Array(200_000).fill(NaN), dims: [200_000] }) // leaves NaN in the memory that the next call uses
    run().forEach(({ output }, i) => {
      same(output, first[i].output, 'second call')
    })
  })
})

/** @param {Floats} x @param {number} factor */
const times = ({ data, dims }, factor) => ({ data: data.map(x => factor * x), dims })

test('twice the queries and half the scale are the same; twice the values are twice the output', () => {
  check(calls, 300, call => {
    const { q, k, v, options } = make({ ...call, options: { ...call.options, score: undefined } })
    const { scale = 1 } = options
    for (const kernel of /** @type {const} */ (['attention', 'trace'])) {
      const run = (/** @type {Floats} */ q, /** @type {number} */ scale, /** @type {Floats} */ v) =>
        qkv[kernel](q, k, v, { ...options, scale }).output
      const output = run(q, scale, v)
      same(run(times(q, 2), scale / 2, v), output, 'half the scale')
      same(run(q, scale, times(v, 2)), times(output, 2), 'twice the values')
    }
  })
})

test('a bias equal for all keys changes nothing', () => {
  check(calls, 300, call => {
    const { q, k, v, options } = make({ ...call, options: { ...call.options, bias: undefined, sinks: undefined } })
    const bias = { data: Float32Array.of(2), dims: [1] }
    for (const kernel of /** @type {const} */ (['attention', 'trace']))
      near(qkv[kernel](q, k, v, { ...options, bias }).output, qkv[kernel](q, k, v, options).output, 'equal bias')
  })
})

test('a sink is a further key of that score whose value is zero; slopes are a bias', () => {
  check(calls, 300, call => {
    const { B, L, S, E } = call.sizes
    const plain = { scale: call.options.scale, causal: call.options.causal, window: call.options.window }
    const { q, k, v, options, H } = make({ ...call, options: { ...plain, alibi: true, sinks: true } })
    const [, G, , D] = k.dims
    /** @type {(x: Floats, width: number) => Floats} adds a row of zeros before the rows of each head */
    const led = ({ data }, width) => {
      const out = new Float32Array(B * G * (S + 1) * width)
      for (let n = 0; n < B * G; n++)
        out.set(data.subarray(n * S * width, (n + 1) * S * width), (n * (S + 1) + 1) * width)
      return { data: out, dims: [B, G, S + 1, width] }
    }
    const { sinks, alibi, ...rest } = options
    const { sees } = attention(q, k, v, rest)
    const bias = new Float32Array(H * L * (S + 1))
    for (let h = 0, at = 0; h < H; h++)
      for (let i = 0; i < L; i++)
        for (let j = -1; j < S; j++, at++)
          bias[at] = j < 0 ? sinks.data[h] : sees(0, h, i, j) ? -alibi.data[h] * Math.abs(i - j) : -Infinity
    for (const kernel of /** @type {const} */ (['attention', 'trace'])) {
      const want = qkv[kernel](q, led(k, D), led(v, E), {
        scale: rest.scale,
        bias: { data: bias, dims: [H, L, S + 1] },
      })
      near(qkv[kernel](q, k, v, options).output, want.output, 'sink')
    }
  })
})

test('shared key heads are the same as repeated ones, bit for bit', () => {
  check(calls, 300, call => {
    const { q, k, v, options, H } = make(call)
    /** @type {(x: Floats) => Floats} */
    const repeat = ({ data, dims }) => {
      const [B, G, S, D] = dims
      const out = new Float32Array(B * H * S * D)
      for (let n = 0; n < B * H; n++) {
        const head = Math.floor(n / H) * G + Math.floor((n % H) / (H / G))
        out.set(data.subarray(head * S * D, (head + 1) * S * D), n * S * D)
      }
      return { data: out, dims: [B, H, S, D] }
    }
    for (const kernel of /** @type {const} */ (['attention', 'trace']))
      same(qkv[kernel](q, repeat(k), repeat(v), options).output, qkv[kernel](q, k, v, options).output, 'heads')
  })
})

test('causal is a window with nothing to the right, and key lengths are a mask', () => {
  check(calls, 300, call => {
    const { q, k, v, options } = make({ ...call, options: { pastLength: call.options.pastLength ?? 0 } })
    const [B, , S] = k.dims
    const keyLengths = Array.from({ length: B }, (_, b) => Math.floor(S / (b + 2)))
    const mask = {
      data: Uint8Array.from({ length: B * S }, (_, n) => (n % S < keyLengths[Math.floor(n / S)] ? 1 : 0)),
      dims: [B, 1, 1, S],
    }
    const run = (/** @type {import('qkv').AttentionOptions} */ more) =>
      qkv.trace(q, k, v, { ...options, ...more }).output
    same(run({ causal: true }), run({ window: [Infinity, 0] }), 'causal')
    same(run({ keyLengths }), run({ mask }), 'key lengths')
  })
})

test('the largest pastLength leaves every key visible', () => {
  const q = qkv.generator(1).randn([3, 2])
  for (const kernel of /** @type {const} */ (['attention', 'trace']))
    same(qkv[kernel](q, q, q, { causal: true, pastLength: 2 ** 31 - 1 }).output, qkv[kernel](q, q, q).output, kernel)
})

test('NaN and Infinity in one row spoil the rows that see it and leave the others as they were', () => {
  const places = fc.record({ operand: fc.constantFrom('q', 'k', 'v'), row: fc.nat(), column: fc.nat() })
  const spoilers = fc.constantFrom(NaN, Infinity, -Infinity)
  const wide = calls.filter(({ sizes: { B, L, S, D, E } }) => Math.min(B, L, S, D, E) > 0)
  check(fc.tuple(wide, places, spoilers), 400, ([call, { operand, row, column }, drawn]) => {
    const { q, k, v, options } = make({ ...call, options: { ...call.options, scale: undefined, score: undefined } })
    const spoiler = options.softcap ? NaN : drawn // a softcap makes an infinite score finite
    const { sees } = attention(q, k, v, options)
    const [, H, L] = q.dims
    const [, G, S, E] = v.dims
    const x = { q, k, v }[/** @type {'q' | 'k' | 'v'} */ (operand)]
    const width = x.dims[3]
    const place = row % (x.data.length / width)
    const at = place * width + (column % width)
    if (operand !== 'v') {
      // Gives the numbers that the spoiler is multiplied with its sign, so that an infinite score is +Infinity; -Infinity would be a weight of 0.
      const partner = operand === 'q' ? k : q
      for (let i = column % width; i < partner.data.length; i += width)
        partner.data[i] = Math.abs(partner.data[i] || 1) * (spoiler < 0 ? -1 : 1)
    }
    const run = () => [qkv.attention(q, k, v, options), qkv.trace(q, k, v, options)]
    const clean = run()
    x.data[at] = spoiler
    run().forEach(({ output }, kernel) => {
      for (let n = 0; n < output.data.length; n++) {
        const e = n % E
        const line = Math.floor(n / E)
        const [b, h, i] = [Math.floor(line / (H * L)), Math.floor(line / L) % H, line % L]
        const head = b * G + Math.floor(h / (H / G))
        const isHit =
          operand === 'q'
            ? line === place && Array.from({ length: S }, (_, j) => sees(b, h, i, j)).includes(true)
            : head === Math.floor(place / S) && sees(b, h, i, place % S) && (operand === 'k' || e === column % width)
        const value = output.data[n]
        if (isHit) assert.ok(!Number.isFinite(value), `kernel ${kernel}, ${operand}: value ${n} is ${value}`)
        else
          assert.ok(Object.is(value, clean[kernel].output.data[n]), `kernel ${kernel}, ${operand}: value ${n} changed`)
      }
    })
  })
})

test('scores of +-12087 give the weights of the formula', () => {
  check(fc.record({ L: queries, S: keys, seed: fc.nat() }), 60, ({ L, S, seed }) => {
    const g = qkv.generator(seed)
    // whole numbers, so that the scores are exact
    const whole = (/** @type {number[]} */ ...dims) => ({ data: Float32Array.from(g.randint(-3, 4, dims).data), dims })
    const [q, k, v] = [times(whole(L, 2), 4029), whole(S, 2), g.uniform([S, 3], -1, 1)]
    const want = attention(q, k, v, { scale: 1 })
    const traced = qkv.trace(q, k, v, { scale: 1 })
    /** @type {(x: Comparable) => Comparable} */
    const alike = ({ data, dims }) => ({ data, dims: dims.slice(2) })
    near(traced.weights, alike(want.weights), 'weights of scores up to 72522')
    near(traced.output, alike(want.output), 'output of scores up to 72522')
    near(qkv.attention(q, k, v, { scale: 1 }).output, alike(want.output), 'output of scores up to 72522')
  })
})

test('scores near 12087 that differ by a half are told apart', () => {
  const k = { data: Float32Array.of(12087, 12086, 12085.5, -12087), dims: [4, 1] }
  const v = { data: Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1), dims: [4, 4] }
  const q = { data: Float32Array.of(1), dims: [1, 1] }
  const want = { data: attention(q, k, v).output.data, dims: [1, 4] }
  near(qkv.trace(q, k, v).output, want, 'traced output near 12087')
  near(qkv.attention(q, k, v).output, want, 'tiled output near 12087')
})

test('the most negative float as a bias hides a key beside others, and changes nothing in a row that has only it', () => {
  check(fc.record({ L: few, S: keys, seed: fc.nat() }), 100, ({ L, S, seed }) => {
    const g = qkv.generator(seed)
    const [q, k, v] = [g.randn([L, 4]), g.randn([S, 4]), g.randn([S, 3])]
    const bias = g.bernoulli([L, S])
    bias.data.forEach((x, i) => {
      bias.data[i] = i < S ? -3.4028234663852886e38 : x * -3.4028234663852886e38
    })
    const { output } = qkv.trace(q, k, v, { bias })
    near(qkv.attention(q, k, v, { bias }).output, output, 'tiled output with the most negative bias')
    for (let e = 0; L > 0 && S > 0 && e < 3; e++) {
      const mean = v.T.row(e).data.reduce((a, b) => a + b, 0) / S
      assert.ok(Math.abs(output.at(0, e) - mean) < 1e-6)
    }
  })
})

after(() => {
  for (const [title, error] of Object.entries(largest))
    console.log(`largest error, ${title}: ${error.toExponential(1)}`)
})
