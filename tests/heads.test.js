// With numHeads, heads side by side in rows, (B, L, H * D), give the same bits as separate heads, (B, H, L, D).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { joinHeads, load, splitHeads, tensor } from '../src/entries/index.js'
import '../src/entries/nn.js' // registers the options of its calls, because errors mention them
import { attentionBackward, kvCache } from '../src/entries/nn.js'

const qkv = await load()

const sizes = fc.record({
  B: fc.integer({ min: 1, max: 3 }),
  G: fc.integer({ min: 1, max: 3 }),
  group: fc.integer({ min: 1, max: 3 }),
  L: fc.integer({ min: 1, max: 9 }),
  S: fc.integer({ min: 1, max: 37 }),
  D: fc.integer({ min: 1, max: 11 }),
  E: fc.integer({ min: 1, max: 9 }),
  seed: fc.nat({ max: 1000 }),
  causal: fc.boolean(),
})

/** @param {{ B: number, G: number, group: number, L: number, S: number, D: number, E: number, seed: number }} given */
function operands({ B, G, group, L, S, D, E, seed }) {
  const random = qkv.generator(seed)
  const H = G * group
  const q = random.randn([B, L, H * D])
  const k = random.randn([B, S, G * D])
  const v = random.randn([B, S, G * E])
  return {
    H,
    rows: /** @type {const} */ ([q, k, v]),
    heads: /** @type {const} */ ([splitHeads(q, H), splitHeads(k, G), splitHeads(v, G)]),
  }
}

test('attention with numHeads gives the bits of attention over split heads', () => {
  fc.assert(
    fc.property(sizes, given => {
      const { H, rows, heads } = operands(given)
      const { G: numKvHeads, causal, B, L, E } = given
      const { output } = qkv.attention(...rows, { numHeads: H, numKvHeads, causal })
      const expected = joinHeads(qkv.attention(...heads, { causal }).output)
      assert.deepEqual(output, expected)
      const out = qkv.alloc([B, L, H * E])
      assert.equal(qkv.attention(...rows, { numHeads: H, numKvHeads, causal, out }).output, out)
      assert.deepEqual(out.data, expected.data)
      out.dispose()
    }),
    { numRuns: 60, seed: 1 },
  )
})

test('trace with numHeads has the steps of split heads and an output in rows', () => {
  fc.assert(
    fc.property(sizes, given => {
      const { H, rows, heads } = operands(given)
      const { G: numKvHeads, causal } = given
      const traced = qkv.trace(...rows, { numHeads: H, numKvHeads, causal })
      const { output, ...steps } = qkv.trace(...heads, { causal })
      assert.deepEqual(traced, { ...steps, output: joinHeads(output) })
    }),
    { numRuns: 30, seed: 2 },
  )
})

test('additive scores, masks and gradients work with numHeads, too', () => {
  const given = { B: 2, G: 2, group: 2, L: 5, S: 7, D: 3, E: 4, seed: 3 }
  const { H, rows, heads } = operands(given)
  const random = qkv.generator(4)
  const mask = tensor([1, 0, 1, 1, 0, 1, 1].map(Boolean))
  const score = /** @type {const} */ ({
    kind: 'additive',
    wQuery: random.randn([6, 3]),
    wKey: random.randn([6, 3]),
    v: random.randn([6]),
  })
  const inRows = { numHeads: H, numKvHeads: 2, mask, score }
  assert.deepEqual(qkv.attention(...rows, inRows).output, joinHeads(qkv.attention(...heads, { mask, score }).output))
  const dOutput = random.randn([2, 5, H * 4])
  for (const options of [
    { mask, score },
    { mask, causal: true },
  ]) {
    const flat = attentionBackward(qkv, ...rows, dOutput, { ...options, numHeads: H, numKvHeads: 2 })
    const split = attentionBackward(qkv, ...heads, splitHeads(dOutput, H), options)
    for (const name of /** @type {const} */ (['dQ', 'dK', 'dV'])) assert.deepEqual(flat[name], joinHeads(split[name]))
  }
})

test('a cache takes rows of heads, and queries in rows, step by step', () => {
  const { H, rows, heads } = operands({ B: 2, G: 2, group: 2, L: 6, S: 6, D: 3, E: 4, seed: 5 })
  const make = () => kvCache(qkv, { batch: 2, numKvHeads: 2, headDim: 3, valueDim: 4, capacity: 4, window: 3 })
  const [flat, split] = [make(), make()]
  for (const [from, to] of [
    [0, 2],
    [2, 3],
    [3, 5],
    [5, 6],
  ]) {
    const [q, k, v] = rows.map(x => x.slice(1, from, to))
    const [qh, kh, vh] = heads.map(x => x.slice(2, from, to))
    flat.append(k, v, { numKvHeads: 2 })
    split.append(kh, vh)
    assert.deepEqual(flat.keys, split.keys)
    assert.deepEqual(flat.attention(q, { numHeads: H }).output, joinHeads(split.attention(qh).output))
  }
  assert.throws(
    () => flat.append(rows[1], rows[2], { numKvHeads: 3 }),
    /numKvHeads: expected a whole number from 2 to 2.*got 3/,
  )
  assert.throws(
    () => flat.append(heads[1], heads[2], { numKvHeads: 2 }),
    /k: expected \(B, T, G \* size\) = \(2, T, 6\), .*got dims \(2, 2, 6, 3\)/,
  )
  flat.dispose()
  split.dispose()
})

test('operands that do not fit numHeads are refused with the reason', () => {
  const x = tensor(new Float32Array(24), [1, 4, 6])
  const call =
    (/** @type {object} */ options, a = x, b = x) =>
    () =>
      qkv.attention(a, b, b, options)
  for (const [run, message] of /** @type {[() => unknown, RegExp][]} */ ([
    [call({ numHeads: 4 }), /attention: q: expected dims \(B, L, 4 \* D\), 4 heads in a row, got \(1, 4, 6\)/],
    [call({ numHeads: 2 }, x.reshape([4, 6])), /q: expected dims \(B, L, 2 \* D\), 2 heads in a row, got \(4, 6\)/],
    [call({ numHeads: 2 }, x, x.reshape([4, 6])), /k: expected dims .*got \(4, 6\)/],
    [call({ numHeads: 0 }), /numHeads: expected a whole number from 1.*got 0/],
    [call({ numHeads: 3, numKvHeads: 2 }), /the 2 heads of k and v do not divide the 3 heads of q/],
    [call({ numKvHeads: 2 }), /numKvHeads requires numHeads/],
    [call({ numHeads: 2, out: tensor(new Float32Array(24), [1, 2, 4, 3]) }), /expected \(B, L, H \* E\) = \(1, 4, 6\)/],
  ]))
    assert.throws(run, message)
})

test('an option of another call is named with that call', () => {
  const call = (/** @type {object} */ options) => () => qkv.attention([[1]], [[1]], [[1]], options)
  assert.throws(call({ softmaxAxis: 'keys' }), /no option "softmaxAxis", it belongs to trace/)
  assert.throws(call({ needWeights: true }), /no option "needWeights", it belongs to forward/)
  assert.throws(call({ rotaryDim: 2 }), /no option "rotaryDim", it belongs to rope/)
  assert.throws(call({ casual: true }), /no option "casual"; did you mean "causal"\?/)
})
