// The summary of attention matches a summary of the whole matrix in float64, for every option and at every edge of blocks and tiles.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { load, tensor } from '../src/entries/index.js'
import { attentionWindow, kvCache } from '../src/entries/nn.js'
import { ATTENTION_OPTIONS } from '../src/ops/attention/arguments.js'
import { attention } from './reference.js'
import { summary as reference } from './reference-summary.js'

const qkv = await load()
const seed = Number(process.env.SEED ?? 1)
const share = Number(process.env.SHARE ?? 1) // fraction of the runs, smaller in slow builds
const ALL = { logSumExp: true, entropy: true, sinkWeight: true, distance: true, scores: true }
/** The largest errors seen. @type {Record<string, number>} */
const largest = {}

/**
 * Compares a summary with the reference in float64.
 * @param {any} got
 * @param {any} q
 * @param {any} k
 * @param {any} options
 * @param {any} asked
 * @param {string} title
 * @param {number} [allowed]
 */
function compare(got, q, k, options, asked, title, allowed = 3e-6) {
  const want = reference(q, k, options, asked)
  const near = (/** @type {number} */ a, /** @type {number} */ b, /** @type {string} */ what, scale = 1) => {
    const isClose = Number.isFinite(b) ? Math.abs(a - b) <= allowed * scale * Math.max(1, Math.abs(b)) : Object.is(a, b)
    assert.ok(isClose, `${title}: ${what} is ${a}, ${b} expected`)
    if (Number.isFinite(b)) largest[what] = Math.max(largest[what] ?? 0, Math.abs(a - b) / Math.max(1, Math.abs(b)))
  }
  want.forEach((head, n) => {
    for (const name of /** @type {const} */ (['map', 'logSumExp', 'entropy', 'distance', 'sinkWeight'])) {
      if (!got[name]) continue
      const values = head[name]
      const all = got[name].data
      assert.equal(all.length, values.length * want.length, `${title}: ${name}`)
      for (const [i, x] of values.entries()) near(all[n * values.length + i], x, name, name === 'entropy' ? 8 : 1)
    }
    for (const [name, x] of Object.entries(head.scores)) near(got.scores[name].data[n], x, `scores.${name}`, 4)
    const size = head.top.length
    for (const [i, { key, weight }] of head.top.entries()) {
      const [ours, w] = [got.topKeys.data[n * size + i], got.topWeights.data[n * size + i]]
      near(w, weight, 'topWeights')
      if (ours === key || Number.isNaN(weight)) continue
      // Keys whose weights are equal within the tolerance may be swapped.
      /** @type {{ weight: number }[]} */
      const others = head.top.filter(other => Math.abs(other.weight - weight) <= allowed)
      assert.ok(
        others.length > 1 || weight <= 1e-36 || i % asked.topK === asked.topK - 1,
        `${title}: key ${ours}, ${key} expected`,
      )
    }
  })
}

/** @param {fc.Arbitrary<any>} arbitrary @param {number} numRuns @param {(value: any) => void} property */
const check = (arbitrary, numRuns, property) =>
  fc.assert(fc.property(arbitrary, property), { numRuns: Math.ceil(numRuns * share), seed, includeErrorInReport: true })

const few = fc.integer({ min: 0, max: 9 })
const queries = fc.oneof({ weight: 5, arbitrary: few }, { weight: 2, arbitrary: fc.constantFrom(31, 63, 64, 65, 130) })
const keys = fc.oneof(
  { weight: 4, arbitrary: few },
  { weight: 2, arbitrary: fc.constantFrom(31, 127, 128, 255, 256, 257, 513) },
)
const sides = fc.oneof(few, fc.constantFrom(40, 256, Infinity))
const calls = fc.record({
  B: fc.integer({ min: 0, max: 2 }),
  G: fc.constantFrom(1, 1, 2),
  group: fc.integer({ min: 1, max: 2 }),
  L: queries,
  S: keys,
  D: fc.constantFrom(0, 1, 3, 8),
  E: fc.constantFrom(0, 1, 8, 9),
  map: fc.tuple(fc.constantFrom(1, 2, 3, 7, 63, 200), fc.constantFrom(1, 2, 3, 7, 100, 1000)),
  topK: fc.constantFrom(1, 2, 3, 8, 600),
  tokens: fc.constantFrom(0, 1, 2, 5, 100),
  inRows: fc.boolean(),
  seed: fc.nat(),
  options: fc.record(
    {
      scale: fc.constantFrom(0, 1, 0.37, -0.5, 4),
      score: fc.constantFrom('gaussian', 'additive'),
      softcap: fc.constantFrom(0.8, 5),
      causal: fc.boolean(),
      window: fc.tuple(sides, sides),
      pastLength: fc.oneof(few, fc.constantFrom(200, 256, -3, 'each')),
      alibi: fc.constant('drawn'),
      sinks: fc.constant('drawn'),
      mask: fc.boolean(),
      bias: fc.boolean(),
      keyLengths: fc.double({ min: 0, max: 1, noNaN: true }),
    },
    { requiredKeys: [] },
  ),
})

/** Makes tensors and options for qkv.attention and for the reference. @param {any} call */
function make({ B, G, group, L, S, D, E, seed, options, tokens }) {
  const H = G * group
  const g = qkv.generator(seed)
  const random = (/** @type {number[]} */ ...dims) => g.uniform(dims, -1, 1)
  const { score, pastLength, alibi, sinks, mask, bias, keyLengths, ...made } = options
  if (pastLength !== undefined) made.pastLength = pastLength === 'each' ? [...g.randint(-4, 300, [B]).data] : pastLength
  if (alibi) made.alibi = g.uniform([H], -0.01, 0.01)
  if (sinks) {
    made.sinks = g.uniform([H], -3, 3)
    made.sinks.data[1] = -Infinity
  }
  if (mask) made.mask = tensor(Uint8Array.from(g.bernoulli([L, S], 0.6).data), [L, S])
  if (bias) {
    made.bias = random(H, 1, S)
    for (let i = 3; i < made.bias.data.length; i += 7) made.bias.data[i] = -Infinity
  }
  if (keyLengths !== undefined) made.keyLengths = Array.from({ length: B }, (_, b) => Math.round(S * keyLengths ** b))
  if (score === 'gaussian') made.score = { kind: 'gaussian', sigma: 1.5 }
  if (score === 'additive')
    made.score = { kind: 'additive', wQuery: random(5, D), wKey: random(5, D), v: random(5), bias: random(5) }
  const ids = tokens ? Array.from(g.randint(0, tokens, [S]).data) : undefined
  return { q: random(B, H, L, D), k: random(B, G, S, D), v: random(B, G, S, E), options: made, ids }
}

/** Converts (B, heads, rows, size) to (B, rows, heads * size). @param {any} x */
function toRows(x) {
  const [B, heads, rows, size] = x.dims
  return x.permute([0, 2, 1, 3]).reshape([B, rows, heads * size])
}

test('a summary is that of float64, and the output is that without one, for every mix of options', () => {
  check(calls, 400, call => {
    const { q, k, v, options, ids } = make(call)
    const { map, topK } = call
    const asked = { ...ALL, map, topK, ...(ids && { ids }) }
    const { output, summary } = qkv.attention(q, k, v, { ...options, summary: asked })
    compare(summary, q, k, options, asked, JSON.stringify(call))
    if (call.L > 5) assert.deepEqual(output, qkv.attention(q, k, v, options).output)
    if (!call.inRows) return
    const rows = { numHeads: q.dims[1], numKvHeads: k.dims[1] }
    const other = qkv.attention(toRows(q), toRows(k), toRows(v), { ...options, ...rows, summary: asked })
    assert.deepEqual(other.summary, summary)
    assert.deepEqual(other.output, toRows(output))
  })
})

test('the sweep has every option that attention takes, dropout aside, grouped heads and heads in rows', () => {
  const drawn = fc.sample(calls, { numRuns: 400, seed })
  const names = new Set(drawn.flatMap(({ options }) => Object.keys(options)))
  const all = ATTENTION_OPTIONS.filter(name => name !== 'dropout')
  assert.deepEqual([...names].sort(), [...all].sort())
  const has = (/** @type {(call: any) => unknown} */ is) => assert.ok(drawn.some(is), String(is))
  for (const kind of ['gaussian', 'additive']) has(({ options }) => options.score === kind)
  has(({ options, G, group, L }) => !options.score && G > 1 && group > 1 && L > 8)
  has(({ options, inRows }) => inRows && options.causal && options.sinks && options.pastLength)
})

/** Checks output and summary of one call. @param {any} q @param {any} k @param {any} v @param {any} options @param {any} asked @param {string} title */
function checkOne(q, k, v, options, asked, title) {
  const { output, summary } = qkv.attention(q, k, v, { ...options, summary: asked })
  compare(summary, q, k, options, asked, title)
  return { output, summary: /** @type {any} */ (summary) }
}

test('every size around the borders of blocks, panels, tiles and cells is right', () => {
  const g = qkv.generator(5)
  for (const [L, S] of [7, 8, 9, 63, 64, 65, 127, 128, 129].flatMap(L =>
    [127, 128, 129, 255, 256, 257].map(S => [L, S]),
  ))
    for (const [causal, map] of /** @type {const} */ ([
      [true, [L - 1, S - 1]],
      [false, [3, 100]],
    ])) {
      const [q, k, v] = [g.randn([1, 1, L, 4]), g.randn([1, 1, S, 4]), g.randn([1, 1, S, 4])]
      const options = { causal, pastLength: S - L, window: [L, S] }
      checkOne(
        q,
        k,
        v,
        options,
        { ...ALL, map, topK: 5, ids: Array.from({ length: S }, (_, j) => j % 11) },
        `${L} x ${S}`,
      )
    }
})

/** Makes q and k whose scores are given: q is the identity. @param {number} L @param {number} S @param {(i: number, j: number) => number} score */
function withScores(L, S, score) {
  const q = tensor(
    Float32Array.from({ length: L * L }, (_, n) => (n % (L + 1) === 0 ? 1 : 0)),
    [1, 1, L, L],
  )
  const k = tensor(
    Float32Array.from({ length: S * L }, (_, n) => score(n % L, Math.floor(n / L))),
    [1, 1, S, L],
  )
  return [q, k, qkv.generator(1).randn([1, 1, S, 3])]
}

/** Scores of 600 keys that a naive softmax gets wrong. @type {Record<string, (i: number, j: number) => number>} */
const HARD = {
  'all equal': () => 3,
  'all 1e30': () => 1e30,
  'growing by 1e28': (_, j) => j * 1e28,
  'from -1e30': (i, j) => -1e30 + ((i + j) % 3) * 1e29,
  'one of 1e30 at the end': (i, j) => (j === 599 ? 1e30 : i),
  'one of 40 at the end': (i, j) => (j === 599 ? 40 : (i * j) % 7),
  'growing slowly': (i, j) => j * 0.05 * i,
}

test('huge scores, equal ones, and one at the end that rescales every sum, are right', () => {
  const [L, S] = [9, 600]
  for (const [name, score] of Object.entries(HARD)) {
    const [q, k, v] = withScores(L, S, score)
    const ids = Array.from({ length: S }, (_, j) => j % 5)
    for (const options of [{ scale: 1 }, { scale: 1, causal: true, pastLength: S - L }])
      checkOne(q, k, v, options, { ...ALL, map: [4, 7], topK: 6, ids }, name)
  }
})

test('of equal weights the smaller keys come first, exactly; -1 and 0 fill up if fewer keys are visible', () => {
  const [L, S] = [70, 600]
  const [q, k, v] = withScores(L, S, (i, j) => (i * 7 + j * 5 + (j >> 4)) % 6)
  for (const pastLength of [0, S - L])
    for (const topK of [1, 4, 8, 33]) {
      const options = { causal: true, pastLength, scale: 1 }
      const { topKeys, topWeights } = /** @type {any} */ (qkv.attention(q, k, v, { ...options, summary: { topK } }))
        .summary
      const [{ top }] = reference(q, k, options, { map: [1, 1], topK })
      assert.deepEqual(
        [...topKeys.data],
        top.map(({ key }) => key),
        `${topK} of ${pastLength}`,
      )
      for (let i = 0; i + pastLength + 1 < topK; i++)
        for (let n = i + 1; n < topK; n++)
          assert.deepEqual([topKeys.data[i * topK + n], topWeights.data[i * topK + n]], [-1, 0])
    }
})

test('a query with NaN has NaN, and no other query has; hidden NaN has no effect', () => {
  const [L, S] = [70, 300]
  const g = qkv.generator(8)
  const [q, k, v] = [g.randn([1, 1, L, 4]), g.randn([1, 1, S, 4]), g.randn([1, 1, S, 4])]
  /** @type {any} */
  const asked = { ...ALL, topK: 4, map: [L, 5] }
  const whole = /** @type {any} */ (qkv.attention(q, k, v, { summary: asked }).summary)
  q.data[33 * 4] = NaN
  const { summary } = /** @type {any} */ (qkv.attention(q, k, v, { summary: asked }))
  for (const name of ['map', 'topKeys', 'topWeights', 'logSumExp', 'entropy']) {
    const [a, b] = [whole[name].data, summary[name].data]
    const size = a.length / L
    for (let n = 0; n < a.length; n++)
      if (Math.floor(n / size) !== 33) assert.equal(b[n], a[n], `${name} ${n}`)
      else assert.ok(Number.isNaN(b[n]) || b[n] === -1, `${name} ${n}: ${b[n]}`)
  }
  k.data.fill(NaN, 200 * 4)
  v.data.fill(NaN, 200 * 4)
  const seen = /** @type {any} */ (qkv.attention(q, k, v, { keyLengths: [200], summary: asked }))
  for (const x of [seen.output, seen.summary.topWeights, seen.summary.logSumExp])
    assert.equal(x.data.filter(Number.isNaN).length, x.data.length / L)
})

test('a query with NaN spoils its whole row of the map, also where it sees few keys; ids are whole numbers', () => {
  const g = qkv.generator(5)
  for (const [L, R, C] of [
    [4, 2, 4],
    [300, 10, 10],
    [130, 130, 7],
  ]) {
    const [q, k, v] = [g.randn([L, 4]), g.randn([L, 4]), g.randn([L, 4])]
    q.data[4 * 2 + 1] = NaN
    const { map } = /** @type {any} */ (qkv.attention(q, k, v, { causal: true, summary: { map: [R, C] } })).summary
    const row = Math.floor((2 * R) / L)
    map.data.forEach((/** @type {number} */ value, /** @type {number} */ n) => {
      assert.equal(Number.isNaN(value), Math.floor(n / C) === row, `${L}: ${n}`)
    })
  }
  const x = g.randn([3, 4])
  for (const ids of [
    [1, 2.5, 3],
    [1, NaN, 3],
  ])
    assert.throws(() => qkv.attention(x, x, x, { summary: { ids } }), /ids: expected whole numbers, got (2\.5|NaN)/)
})

test('a largest error of 3e-6 holds for all of 2,048 tokens', () => {
  const g = qkv.generator(4)
  const [q, k, v] = [g.randn([1, 1, 2048, 8]), g.randn([1, 1, 2048, 8]), g.randn([1, 1, 2048, 8])]
  const ids = Array.from(g.randint(0, 300, [2048]).data)
  const options = { causal: true, sinks: tensor([1]), alibi: tensor([0.002]), softcap: 20 }
  checkOne(q, k, v, options, { ...ALL, map: [64, 512], topK: 8, ids }, 'L2048')
})

test('a largest error of 3e-6 holds for the last 128 of 2,048 tokens, with every option', () => {
  const [L, S] = [128, 2048]
  const pastLength = S - L
  const g = qkv.generator(3)
  const [q, k, v] = [g.randn([1, 2, L, 8]), g.randn([1, 1, S, 8]), g.randn([1, 1, S, 8])]
  const ids = Array.from(g.randint(0, 300, [S]).data)
  const random = (/** @type {number[]} */ ...dims) => g.uniform(dims, -1, 1)
  const mask = tensor(Uint8Array.from(g.bernoulli([L, S], 0.6).data), [L, S])
  const score = { kind: 'additive', wQuery: random(5, 8), wKey: random(5, 8), v: random(5), bias: random(5) }
  for (const options of [
    { causal: true, pastLength },
    { pastLength, sinks: tensor([2, -1]), alibi: tensor([0.01, 0.1]), softcap: 20, window: [900, 100] },
    { mask, bias: random(2, 1, S), keyLengths: [2001], scale: 0.7 },
    { causal: true, pastLength, score: { kind: 'gaussian', sigma: 1.5 }, sinks: tensor([0, -Infinity]) },
    { causal: true, pastLength, score, mask },
  ])
    checkOne(q, k, v, options, { ...ALL, map: [32, 512], topK: 8, ids }, JSON.stringify(Object.keys(options)))
})

test('a cache reports what attention over all its keys does, also when it slides', () => {
  const g = qkv.generator(2)
  const [k, v] = [g.randn([1, 2, 40, 4]), g.randn([1, 2, 40, 4])]
  const q = g.randn([1, 4, 3, 4])
  const asked = {
    ...ALL,
    map: /** @type {[number, number]} */ ([2, 5]),
    topK: 3,
    ids: Array.from({ length: 40 }, (_, j) => j % 6),
  }
  const cache = kvCache(qkv, { headDim: 4, numKvHeads: 2, capacity: 64 }).append(k, v)
  assert.deepEqual(
    cache.attention(q, { summary: asked }),
    qkv.attention(q, k, v, { causal: true, pastLength: 37, summary: asked }),
  )
  cache.dispose()
  const sliding = kvCache(qkv, { headDim: 4, numKvHeads: 2, window: 8 })
  for (let j = 0; j < 40; j++) {
    const part = (/** @type {any} */ x) =>
      tensor([[0, 1].map(h => [[...x.data.subarray((h * 40 + j) * 4, (h * 40 + j + 1) * 4)]])])
    sliding.append(part(k), part(v))
  }
  const last = tensor([[0, 1, 2, 3].map(h => [[...q.data.subarray((h * 3 + 2) * 4, (h * 3 + 3) * 4)]])])
  const { summary } = /** @type {any} */ (sliding.attention(last, { summary: { logSumExp: true } }))
  const want = /** @type {any} */ (
    qkv.attention(last, k, v, { pastLength: 39, window: [7, 0], summary: { logSumExp: true } }).summary
  )
  assert.ok([...summary.logSumExp.data].every((x, n) => Math.abs(x - want.logSumExp.data[n]) < 1e-6))
  sliding.dispose()
})

/** Returns for each row the cell to which it belongs. @param {number} rows @param {number} cells */
const cellsOf = (rows, cells) => Array.from({ length: rows }, (_, i) => Math.floor((i * cells) / rows))

test('a window has the weights of the trace, or their means and sums in cells, with a logSumExp or without', () => {
  check(
    fc.record({
      call: calls,
      cut: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 }),
      resolution: fc.tuple(fc.constantFrom(1, 2, 7, 64, 600), fc.constantFrom(1, 3, 64, 600)),
    }),
    150,
    ({ call, cut, resolution }) => {
      const { q, k, v, options } = make(call)
      const [L, S] = [q.dims[2], k.dims[2]]
      const range = (/** @type {number[]} */ ends, /** @type {number} */ size) =>
        /** @type {[number, number]} */ (ends.map(x => Math.floor(x * (size + 0.99))).sort((a, b) => a - b))
      const [rows, columns] = [range(cut.slice(0, 2), L), range(cut.slice(2), S)]
      const { weights } = qkv.trace(q, k, v, { ...options, keep: ['weights'] })
      const { logSumExp } = /** @type {any} */ (
        qkv.attention(q, k, v, { ...options, summary: { logSumExp: true } }).summary
      )
      const inRows = { numHeads: q.dims[1], numKvHeads: k.dims[1], rows, columns }
      const all = [
        attentionWindow(qkv, q, k, { ...options, rows, columns }),
        attentionWindow(qkv, q, k, { ...options, rows, columns, logSumExp }),
        attentionWindow(qkv, toRows(q), toRows(k), { ...options, ...inRows, logSumExp }),
      ]
      const [R, C] = [rows[1] - rows[0], columns[1] - columns[0]]
      for (const { data, dims } of all) {
        assert.deepEqual(dims, [q.dims[0], q.dims[1], R, C])
        for (let n = 0; n < data.length; n++) {
          const row = Math.floor(n / C)
          const want = weights.data[(Math.floor(row / R) * L + rows[0] + (row % R)) * S + columns[0] + (n % C)]
          if (!(Math.abs(data[n] - want) <= 3e-6)) assert.fail(`${JSON.stringify(call)}: ${data[n]}, ${want} expected`)
        }
      }
      const cells = attentionWindow(qkv, q, k, { ...options, rows, columns, resolution, logSumExp })
      const [down, across] = [Math.min(R, resolution[0]), Math.min(C, resolution[1])]
      assert.deepEqual(cells.dims, [q.dims[0], q.dims[1], down, across])
      const sums = new Float64Array(cells.data.length)
      const many = Array.from({ length: down }, (_, r) => cellsOf(R, down).filter(cell => cell === r).length)
      all[0].data.forEach((weight, n) => {
        const [head, i, j] = [Math.floor(n / (R * C)), Math.floor(n / C) % R, n % C]
        const r = cellsOf(R, down)[i]
        sums[(head * down + r) * across + Math.floor((j * across) / C)] += weight / many[r]
      })
      for (const [n, want] of sums.entries()) {
        const error = Math.abs(cells.data[n] - want)
        if (!(error <= 3e-6)) assert.fail(`${JSON.stringify({ call, rows, columns, resolution })}: ${error}`)
        largest['a cell of a window'] = Math.max(largest['a cell of a window'] ?? 0, error)
      }
    },
  )
})

test('a window of hard scores is that of all keys; with a logSumExp its error is at most that of the rounded logSumExp', () => {
  const [L, S] = [9, 600]
  const options = { scale: 1, causal: true, pastLength: S - L }
  const parts = /** @type {const} */ ([
    [0, 2],
    [3, 300],
    [590, S],
  ])
  /** @type {typeof HARD} */
  const all = {
    ...HARD,
    'around 100': (i, j) => 100 + Math.sin(i + 3 * j),
    'around -100': (i, j) => Math.sin(i + 3 * j) - 100,
  }
  for (const [name, score] of Object.entries(all)) {
    const [q, k, v] = withScores(L, S, score)
    const { weights } = attention(q, k, v, options)
    const { logSumExp } = /** @type {any} */ (qkv.attention(q, k, v, { ...options, summary: { logSumExp: true } }))
      .summary
    for (const columns of parts)
      for (const given of [{}, { logSumExp }]) {
        const { data } = attentionWindow(qkv, q, k, { ...options, ...given, rows: [1, L], columns })
        const width = columns[1] - columns[0]
        for (const [n, weight] of data.entries()) {
          const row = 1 + Math.floor(n / width)
          const want = weights.data[row * S + columns[0] + (n % width)]
          const rounded = 'logSumExp' in given ? Math.expm1(Math.abs(logSumExp.data[row]) * 2 ** -23) : 0
          const bound = 3e-6 + (want && Math.min(want * rounded, 1))
          assert.ok(Math.abs(weight - want) <= bound && weight <= 1 + 3e-6, `${name}: ${weight}, ${want} expected`)
        }
      }
  }
})

test('a bad summary or window is refused by name, and nothing stays in memory', () => {
  const q = qkv.generator(1).randn([1, 2, 6, 4])
  const attend = (/** @type {any} */ summary, options = {}) => qkv.attention(q, q, q, { ...options, summary })
  const view = (/** @type {any} */ options) => attentionWindow(qkv, q, q, options)
  /** @type {[() => unknown, RegExp][]} */
  const calls = [
    [() => attend({ map: [0, 3] }), /map\[0\]: expected a whole number from 1.*got 0/],
    [() => attend({ map: [2.5, 3] }), /map\[0\]: .*got 2.5/],
    [() => attend({ map: [2 ** 13, 2 ** 12] }), /expected at most 16777216 cells, got 8192 x 4096/],
    [() => attend({ map: 3 }), /map: expected \[rows, columns\], got 3/],
    [() => attend({ topK: 0 }), /topK: .*got 0/],
    [() => attend({ topK: 1.5 }), /topK: .*got 1.5/],
    [() => attend({ entropy: 1 }), /entropy: expected true or false, got 1/],
    [() => attend({ ids: [1, 2, 3] }), /ids: expected 6 tokens, got dims \(3\)/],
    [() => attend({ maps: [1, 1] }), /there is no option "maps"/],
    [() => attend(7), /attention: summary: expected an object of options, got 7/],
    [
      () => attend({ topK: 1 }, { dropout: { p: 0.5, generator: qkv.generator(1) } }),
      /summary: cannot be combined with dropout/,
    ],
    [() => view({ rows: [3, 2] }), /rows\[1\]: expected a whole number from 3 to 6.*got 2/],
    [() => view({ columns: [0, 7] }), /columns\[1\]: .*got 7/],
    [() => view({ rows: [-1, 2] }), /rows\[0\]: .*got -1/],
    [() => view({ rows: 4 }), /rows: expected \[from, to\], got 4/],
    [() => view({ resolution: [2, 0] }), /resolution\[1\]: expected a whole number from 1.*got 0/],
    [() => view({ resolution: 5 }), /resolution: expected \[rows, columns\], got 5/],
    [() => view({ resolution: [2 ** 13, 2 ** 12] }), /expected at most 16777216 cells, got 8192 x 4096/],
    [() => view({ logSumExp: [1, 2] }), /logSumExp: .*got dims \(2\)/],
    [() => view({ dropout: {} }), /there is no option "dropout"/],
  ]
  for (const [call, message] of calls)
    assert.throws(
      call,
      error => (error instanceof TypeError || error instanceof RangeError) && message.test(error.message),
    )
  assert.equal(qkv.memory.used, 0)
  const { summary } = /** @type {any} */ (attend({ map: [100, 100], topK: 100, sinkWeight: true }))
  assert.deepEqual(
    [summary.map.dims, summary.topKeys.dims, summary.topKeys.dtype],
    [[1, 2, 6, 6], [1, 2, 6, 6], 'int32'],
  )
  assert.ok(!('sinkWeight' in summary), 'without sinks')
  const flat = /** @type {any} */ (
    qkv.attention([[1]], [[1]], [[1]], { summary: { map: [1, 1], scores: true } }).summary
  )
  assert.deepEqual([flat.map.dims, flat.scores.first.dims, flat.scores.first.data[0]], [[1, 1], [], 1])
})

// Prints the largest errors, which are relative for numbers above 1.
after(() => console.error(largest))
