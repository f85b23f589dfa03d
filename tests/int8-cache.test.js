// Tests caches with int8 keys and values, which take 0.27 of the memory of float32.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tensor } from '../src/base/tensor.js'
import { load } from '../src/entries/index.js'
import { kvCache } from '../src/entries/nn.js'
import { close } from './helpers.js'
import * as reference from './reference.js'

const share = Number(process.env.SHARE ?? 1) // fraction of the runs, smaller in slow builds
const qkv = await load({ integers: true })
const standing = qkv.memory.resident
/** Casts to any, for calls with wrong arguments. @type {(value: any) => any} */
const any = value => value

test('a key and a value are off by at most half a step of their row; infinite and tiny ones stay so', () => {
  for (const [D, E] of [
    [1, 1],
    [7, 9],
    [64, 33],
  ]) {
    const g = qkv.generator(D)
    const [k, v] = [g.randn([2, 3, 140, D]), g.randn([2, 3, 140, E])]
    k.data.fill(0, 0, D)
    for (let i = D; i < 2 * D; i++) k.data[i] *= 1e-30
    v.data[3] = 1e30
    const cache = kvCache(qkv, { batch: 2, numKvHeads: 3, headDim: D, valueDim: E, capacity: 140, dtype: 'int8' })
    cache.append(k.slice(-2, 0, 5), v.slice(-2, 0, 5)).append(k.slice(-2, 5, 140), v.slice(-2, 5, 140))
    for (const [got, want, size] of /** @type {const} */ ([
      [cache.keys, k, D],
      [cache.values, v, E],
    ]))
      for (let at = 0; at < want.data.length; at += size) {
        const row = want.data.subarray(at, at + size)
        const step = row.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / 127
        for (const [i, x] of row.entries())
          assert.ok(
            Math.abs(got.data[at + i] - x) <= step * 0.50001,
            `${size}: ${at + i}: ${got.data[at + i]} for ${x}`,
          )
      }
    assert.ok(qkv.memory.resident - standing < (256 * 6 * (D + E + 9 + 8) * 4) / 3, 'bytes')
    cache.dispose()
  }
})

const OPTIONS = {
  plain: () => ({}),
  scaled: () => ({ scale: 0.3, softcap: 2 }),
  open: () => ({ causal: false }),
  window: () => ({ window: /** @type {[number, number]} */ ([3, Infinity]) }),
  boolean: (/** @type {any} */ g, /** @type {number[]} */ [, , L, S]) => ({
    mask: { data: Array.from(g.bernoulli([L, S], 0.6).data, x => x > 0.5), dims: [L, S] },
  }),
  bias: (/** @type {any} */ g, /** @type {number[]} */ [, H, L, S]) => ({ bias: g.randn([H, L, S]) }),
  alibi: (/** @type {any} */ g, /** @type {number[]} */ [, H]) => ({ alibi: g.rand([H]) }),
  sinks: (/** @type {any} */ g, /** @type {number[]} */ [, H]) => ({ sinks: g.randn([H]) }),
  lengths: (/** @type {any} */ _, /** @type {number[]} */ [B, , , S]) => ({
    keyLengths: Array.from({ length: B }, (_, b) => Math.max(0, S - 2 * b)),
  }),
}

test('whatever the sizes, from 1 to 70, and the masks: attention over the rounded keys and values, and the same bits for one query as for many', t => {
  const g = qkv.generator(4)
  const names = /** @type {(keyof typeof OPTIONS)[]} */ (Object.keys(OPTIONS))
  let most = 0
  for (let n = 0; n < 81 * share; n++) {
    const [B, G, group] = [1 + (n % 2), 1 + ((n >> 1) % 3), 1 + ((n >> 2) % 3)]
    const S = n % 20 === 19 ? 257 : 1 + ((n * 29) % 70)
    const [D, E, L] = [1 + ((n * 37) % 70), 1 + ((n * 11) % 70), 1 + ((n * 17) % S)]
    const H = G * group
    const name = names[n % names.length]
    const [q, k, v] = [g.randn([B, H, L, D]), g.randn([B, G, S, D]), g.randn([B, G, S, E])]
    const cache = kvCache(qkv, {
      batch: B,
      numKvHeads: G,
      headDim: D,
      valueDim: E,
      capacity: 1,
      limit: 300,
      dtype: 'int8',
    })
    for (let at = 0, step = 1; at < S; at += step, step = Math.min(step * 3, S - at))
      cache.append(k.slice(-2, at, Math.min(at + step, S)), v.slice(-2, at, Math.min(at + step, S)))
    const options = /** @type {any} */ (OPTIONS[name](g, [B, H, L, S]))
    const { output } = cache.attention(q, options)
    const given = { causal: true, pastLength: S - L, ...options }
    if (options.causal === false) given.pastLength = 0
    const want = reference.attention(q, cache.keys, cache.values, given).output
    // the kernel rounds x and the weights to 16 bits
    close(output, want, { abs: 6e-4, rel: 1e-3 }, `${name}: B${B} H${H} G${G} L${L} S${S} D${D} E${E}`)
    output.data.forEach((value, i) => {
      most = Math.max(most, Math.abs(value - want.data[i]))
    })
    const isAligned = !['boolean', 'bias', 'lengths', 'open'].includes(name)
    if (isAligned && L > 1) {
      const last = cache.attention(q.slice(-2, L - 1, L), options).output
      assert.deepEqual(last.data, output.slice(-2, L - 1, L).data, `${name}: the bits of one query`)
    }
    cache.dispose()
  }
  t.diagnostic(`largest difference ${most.toExponential(1)}`)
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, standing])
})

test('options that its kernel lacks run over the rounded numbers as floats: other scores, dropout, summaries', () => {
  const g = qkv.generator(5)
  const cache = kvCache(qkv, { numKvHeads: 2, headDim: 6, capacity: 9, dtype: 'int8' })
  cache.append(g.randn([1, 2, 9, 6]), g.randn([1, 2, 9, 6]))
  const plain = kvCache(qkv, { numKvHeads: 2, headDim: 6, capacity: 9 })
  plain.append(cache.keys, cache.values)
  const q = g.randn([1, 3, 24])
  for (const options of [
    { score: any({ kind: 'gaussian', sigma: 2 }) },
    { summary: any({ logSumExp: true, topK: 2 }) },
    { dropout: { p: 0.5, generator: qkv.generator(1) } },
  ]) {
    const again = 'dropout' in options ? { dropout: { p: 0.5, generator: qkv.generator(1) } } : options
    assert.deepEqual(
      cache.attention(q, { numHeads: 4, ...options }),
      plain.attention(q, { numHeads: 4, ...again }),
      Object.keys(options).join(),
    )
  }
  cache.dispose()
  plain.dispose()
})

test('a NaN or an infinity in a key or a value spoils the queries that see it, and no other', () => {
  for (const bad of [NaN, Infinity])
    for (const part of ['key', 'value']) {
      const g = qkv.generator(6)
      const cache = kvCache(qkv, { headDim: 8, capacity: 200, dtype: 'int8' })
      const [k, v, q] = [g.randn([200, 8]), g.randn([200, 8]), g.randn([200, 8])]
      const row = part === 'key' ? k : v
      row.data[150 * 8 + 3] = bad
      const { output } = cache.append(k, v).attention(q)
      for (let i = 0; i < 200; i++)
        assert.equal(Number.isNaN(output.data[i * 8]), i >= 150, `${part} ${bad}: query ${i}`)
      cache.dispose()
    }
})

test('a query that sees no key gives zeros, and a cache is empty when it was cleared', () => {
  const cache = kvCache(qkv, { headDim: 4, capacity: 3, dtype: 'int8' })
  cache.append([[1, 2, 3, 4]], [[4, 3, 2, 1]])
  assert.deepEqual([...cache.attention([[1, 2, 3, 4]], { mask: [[false]] }).output.data], [0, 0, 0, 0])
  cache.clear()
  assert.equal(cache.length, 0)
  cache.dispose()
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, standing])
})

test('dtype is float32 or int8, which needs the kernels of integer weights and takes no window', async () => {
  const plain = await load()
  const size = { headDim: 2, capacity: 4 }
  assert.throws(() => kvCache(qkv, { ...size, dtype: any('int4') }), /kvCache: dtype: expected .*"int8".*got "int4"/)
  assert.throws(() => kvCache(plain, { ...size, dtype: 'int8' }), /load\(\{ integers: true \}\)/)
  assert.throws(() => kvCache(qkv, { headDim: 2, window: 3, dtype: 'int8' }), /int8.*window.*float32/)
  assert.equal(kvCache(plain, size).dtype, 'float32')
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, standing])
})

test('small values keep the relative error of others', () => {
  const g = qkv.generator(6)
  const [H, L, D] = [2, 200, 16]
  const [q, k, v] = [g.randn([H, 3, D]), g.randn([H, L, D]), g.randn([H, L, D])]
  for (const scale of [1, 1e-20, 1e-32, 1e-34]) {
    const own = new Tensor(
      v.data.map(value => value * scale),
      [H, L, D],
    )
    const [exact, rounded] = /** @type {const} */ (['float32', 'int8']).map(dtype => {
      const cache = kvCache(qkv, { numKvHeads: H, headDim: D, capacity: 256, dtype })
      cache.append(k, own)
      const { data } = cache.attention(q).output
      cache.dispose()
      return data
    })
    const most = exact.reduce((all, value) => Math.max(all, Math.abs(value)), 0)
    exact.forEach((value, i) => {
      assert.ok(Math.abs(value - rounded[i]) <= 0.02 * most, `${scale}: ${rounded[i]} for ${value}`)
    })
  }
})
