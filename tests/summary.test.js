// What attention reports of its weights is what float64 makes of the whole matrix, for every option and at every border of
// blocks and tiles.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { kvCache } from '../src/cache.js'
import { load, splitHeads, tensor } from '../src/index.js'
import { summary as reference } from './reference-summary.js'

const qkv = await load()
const seed = Number(process.env.SEED ?? 1)
const share = Number(process.env.SHARE ?? 1) // of the runs, where each takes longer
const ALL = { logSumExp: true, entropy: true, sinkWeight: true, distance: true, scores: true }
/** The largest errors seen. @type {Record<string, number>} */
const largest = {}

/**
 * Compares a summary with that of float64.
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
      values.forEach((x, i) => near(all[n * values.length + i], x, name, name === 'entropy' ? 8 : 1))
    }
    for (const [name, x] of Object.entries(head.scores)) near(got.scores[name].data[n], x, `scores.${name}`, 4)
    const size = head.top.length
    head.top.forEach(({ key, weight }, i) => {
      const [ours, w] = [got.topKeys.data[n * size + i], got.topWeights.data[n * size + i]]
      near(w, weight, 'topWeights')
      if (ours === key || Number.isNaN(weight)) return
      // Another key of a weight that float32 cannot tell from it.
      const others = head.top.slice(i - (i % asked.topK)).filter(other => Math.abs(other.weight - weight) <= allowed)
      assert.ok(others.length > 1 || weight <= 1e-36 || i % asked.topK === asked.topK - 1, `${title}: key ${ours}, ${key} expected`)
    })
  })
}

/** @param {fc.Arbitrary<any>} arbitrary @param {number} numRuns @param {(value: any) => void} property */
const check = (arbitrary, numRuns, property) =>
  fc.assert(fc.property(arbitrary, property), { numRuns: Math.ceil(numRuns * share), seed, includeErrorInReport: true })

const few = fc.integer({ min: 0, max: 9 })
const queries = fc.oneof({ weight: 5, arbitrary: few }, { weight: 2, arbitrary: fc.constantFrom(31, 63, 64, 65, 130) })
const keys = fc.oneof({ weight: 4, arbitrary: few }, { weight: 2, arbitrary: fc.constantFrom(31, 127, 128, 255, 256, 257, 513) })
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

/** Tensors and options for qkv.attention and for the reference. @param {any} call */
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

/** (B, heads, rows, size) -> (B, rows, heads * size). @param {any} x */
function toRows(x) {
  const [B, heads, rows, size] = x.dims
  return x.permute([0, 2, 1, 3]).reshape([B, rows, heads * size])
}

test('a summary is that of float64, and the output is that without one, for every mix of options', () => {
  check(calls, 700, call => {
    const { q, k, v, options, ids } = make(call)
    const { map, topK } = call
    const asked = { ...ALL, map, topK, ...(ids && { ids }) }
    const { output, summary } = qkv.attention(q, k, v, { ...options, summary: asked })
    compare(summary, q, k, options, asked, JSON.stringify(call))
    if (call.L > 5) assert.deepEqual(output, qkv.attention(q, k, v, options).output)
    if (!call.inRows) return
    const rows = { numHeads: q.dims[1], kvHeads: k.dims[1] }
    const other = qkv.attention(toRows(q), toRows(k), toRows(v), { ...options, ...rows, summary: asked })
    assert.deepEqual(other.summary, summary)
    assert.deepEqual(other.output, toRows(output))
  })
})

after(() => console.error(largest))
