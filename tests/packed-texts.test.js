// With cuSeqlens, packed texts give the same bits as each text alone, forward and backward, on any number of threads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { load, tensor } from '../src/entries/index.js'
import { attentionBackward } from '../src/entries/nn.js'
import { close, isNative } from './helpers.js'

/** @import { FloatTensor } from '../src/base/tensor.js' */

const qkv = await load()
const two = isNative ? qkv : await load({ threads: 2 })
const least = (await import('../src/threads/pool.js')).Threads.least

const sizes = fc.record({
  lengths: fc.array(fc.oneof(fc.nat({ max: 9 }), fc.nat({ max: 70 })), { minLength: 1, maxLength: 5 }),
  more: fc.nat({ max: 1 }), // keys of a text minus its queries
  G: fc.integer({ min: 1, max: 2 }),
  group: fc.integer({ min: 1, max: 3 }),
  D: fc.integer({ min: 1, max: 18 }),
  E: fc.integer({ min: 1, max: 12 }),
  kind: fc.constantFrom('none', 'causal', 'window', 'alibi', 'bias', 'mask', 'sinks', 'gaussian', 'past'),
  seed: fc.nat({ max: 1000 }),
})
/** @typedef {{ lengths: number[], more: number, G: number, group: number, D: number, E: number, kind: string, seed: number }} Given */

/** @param {number[]} lengths */
function startsOf(lengths) {
  const starts = [0]
  for (const n of lengths) starts.push(starts[starts.length - 1] + n)
  return starts
}

/** Returns the rows of text b, as a batch with heads side by side. @param {FloatTensor} x (T, H, D) @param {number[]} starts @param {number} b @returns {FloatTensor} */
function rowsOf({ data, dims: [, H, D] }, starts, b) {
  const [from, to] = [starts[b], starts[b + 1]]
  return tensor(data.slice(from * H * D, to * H * D), [1, to - from, H * D])
}

/** Returns the options of a kind for the packed texts, and a function that returns them for text b alone. @param {Given} given @param {number[]} q @param {number[]} k @param {number} H */
function optionsOf({ kind, lengths, seed }, q, k, H) {
  const B = lengths.length
  const g = qkv.generator(seed + 1)
  const longest = (/** @type {number[]} */ starts) => Math.max(...starts.slice(1).map((end, b) => end - starts[b]))
  const [L, S] = [longest(q), longest(k)]
  const table = g.randn([B, 1, L, S])
  /** @type {Record<string, [object, (b: number) => object]>} */
  const all = {
    none: [{}, () => ({})],
    causal: [{ causal: true, softcap: 3 }, () => ({ causal: true, softcap: 3 })],
    window: [{ window: [3, 1] }, () => ({ window: [3, 1] })],
    alibi: [{ alibi: true }, () => ({ alibi: true })],
    gaussian: [{ score: 'gaussian' }, () => ({ score: 'gaussian' })],
    past: [{ pastLength: lengths.map((_, b) => b - 1), causal: true }, b => ({ pastLength: b - 1, causal: true })],
  }
  const corner = (/** @type {FloatTensor} */ x, /** @type {number} */ b) =>
    x
      .part(b * L * S, [1, L, S])
      .slice(1, 0, q[b + 1] - q[b])
      .slice(2, 0, k[b + 1] - k[b])
  const sinks = g.randn([H])
  all.sinks = [{ sinks }, () => ({ sinks })]
  all.bias = [{ bias: table }, b => ({ bias: corner(table, b) })]
  const seen = (/** @type {FloatTensor} */ x) =>
    tensor(
      Uint8Array.from(x.data, value => Number(value > -1)),
      [...x.dims],
    )
  all.mask = [{ mask: seen(table) }, b => ({ mask: seen(corner(table, b)) })]
  return all[kind]
}

/** @param {Given} given */
function operands(given) {
  const { lengths, more, G, group, D, E, seed } = given
  const g = qkv.generator(seed)
  const H = G * group
  const [q, k] = [startsOf(lengths), startsOf(lengths.map((/** @type {number} */ n) => n + more))]
  const [T, S] = [q, k].map(starts => starts[lengths.length])
  const [options, alone] = optionsOf(given, q, k, H)
  const cu = { cuSeqlens: q, ...(more && { cuSeqlensK: k }), ...options }
  const tensors = [g.randn([T, H, D]), g.randn([S, G, D]), g.randn([S, G, E]), g.randn([T, H, E])]
  return { H, q, k, tensors, cu, alone: (/** @type {number} */ b) => ({ ...alone(b), numHeads: H, numKvHeads: G }) }
}

/** @param {FloatTensor} got (T, ...) @param {number[]} starts @param {number} b @param {FloatTensor} want */
const same = (got, starts, b, want) => assert.deepEqual(rowsOf(got, starts, b).data, want.data)

test('packed texts and their gradients have the bits of each text alone, also on two threads', t => {
  const before = { ...least }
  t.after(() => Object.assign(least, before))
  Object.assign(least, { burst: 0, work: 0, share: 0, chunk: 1 })
  fc.assert(
    fc.property(sizes, given => {
      const { q, k, tensors, cu, alone } = operands(given)
      const [first, keys, values, dOutput] = /** @type {[FloatTensor, FloatTensor, FloatTensor, FloatTensor]} */ (
        tensors
      )
      const all = [qkv, two].map(own => ({
        output: own.attention(first, keys, values, cu).output,
        ...attentionBackward(own, first, keys, values, dOutput, cu),
      }))
      assert.deepEqual(all[1], all[0])
      for (let b = 0; b < given.lengths.length; b++) {
        const rows = /** @type {[FloatTensor, FloatTensor, FloatTensor, FloatTensor]} */ (
          tensors.map((x, i) => rowsOf(x, i === 1 || i === 2 ? k : q, b))
        )
        const [own, ownK, ownV, dOwn] = rows
        same(all[0].output, q, b, qkv.attention(own, ownK, ownV, alone(b)).output)
        const back = attentionBackward(qkv, own, ownK, ownV, dOwn, alone(b))
        same(all[0].dQ, q, b, back.dQ)
        same(all[0].dK, k, b, back.dK)
        same(all[0].dV, k, b, back.dV)
      }
    }),
    { numRuns: Math.ceil(80 * Number(process.env.SHARE ?? 1)), seed: 3 },
  )
})

test('a bias gets the sum of the gradients of all texts, in their corners', () => {
  const g = qkv.generator(5)
  const cuSeqlens = [0, 2, 5]
  const [q, k, v, d] = [0, 1, 2, 3].map(() => g.randn([5, 1, 4]))
  const bias = g.randn([3, 3])
  const { dBias } = attentionBackward(qkv, q, k, v, d, { cuSeqlens, bias })
  const want = new Float32Array(9)
  for (const [b, L] of [2, 3].entries()) {
    const [own, ownK, ownV, dOwn] = [q, k, v, d].map(x => rowsOf(x, cuSeqlens, b))
    const corner = bias.slice(0, 0, L).slice(1, 0, L)
    const one = attentionBackward(qkv, own, ownK, ownV, dOwn, { numHeads: 1, bias: corner }).dBias
    for (let n = 0; n < L * L; n++) want[Math.floor(n / L) * 3 + (n % L)] += Number(one?.data[n])
  }
  assert.ok(dBias)
  close(dBias, { data: want, dims: [3, 3] }, { abs: 1e-6, rel: 1e-6 }, 'dBias')
})

test('operands and offsets that do not fit are refused with the reason', () => {
  const x = tensor(new Float32Array(24), [4, 2, 3])
  const call =
    (/** @type {any} */ options, q = x, k = x) =>
    () =>
      qkv.attention(q, k, x, options)
  for (const [run, message] of /** @type {[() => unknown, RegExp][]} */ ([
    [call({ cuSeqlens: [0, 3] }), /attention: cuSeqlens: the last text ends at 3, there are 4 rows/],
    [call({ cuSeqlens: [1, 4] }), /cuSeqlens\[0\]: .*got 1/],
    [call({ cuSeqlens: [0, 3, 2, 4] }), /cuSeqlens\[2\]: expected a whole number from 3 to 4.*got 2/],
    [call({ cuSeqlens: [0, 5] }), /cuSeqlens\[1\]: .*got 5/],
    [call({ cuSeqlens: [] }), /cuSeqlens\[0\]: .*got undefined/],
    [call({ cuSeqlens: 4 }), /cuSeqlens: expected the start of each text.*got 4/],
    [call({ cuSeqlensK: [0, 4] }), /cuSeqlensK requires cuSeqlens/],
    [call({ cuSeqlens: [0, 4], cuSeqlensK: [0, 1, 4] }), /cuSeqlens has 1 text.* cuSeqlensK 2/],
    [call({ cuSeqlens: [0, 4], numHeads: 2 }), /attention: cuSeqlens: expected either cuSeqlens or numHeads, got both/],
    [call({ cuSeqlens: [0, 4], summary: {} }), /summary is not made of packed texts/],
    [
      call({ cuSeqlens: [0, 4] }, x.reshape([4, 6])),
      /q: with cuSeqlens, expected dims \(T, heads, size\), got \(4, 6\)/,
    ],
    [call({ cuSeqlens: [0, 4] }, x, x.reshape([8, 1, 3])), /each key needs its value/],
    [call({ cuSeqlens: [0, 4], out: tensor(new Float32Array(24), [1, 4, 6]) }), /expected \(T, H, E\) = \(4, 2, 3\)/],
    [
      () => qkv.trace(x, x, x, /** @type {any} */ ({ cuSeqlens: [0, 4] })),
      /trace: there is no option "cuSeqlens", it belongs to attention/,
    ],
  ]))
    assert.throws(run, message)
})
