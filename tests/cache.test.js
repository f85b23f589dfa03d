// The KV cache of generation, to which keys and values are appended step by step.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { load, tensor } from '../src/entries/index.js'
import { kvCache } from '../src/entries/nn.js'
import { close } from './helpers.js'
import * as reference from './reference.js'

const share = Number(process.env.SHARE ?? 1) // fraction of the runs, smaller in slow builds
const TOKENS = 10_000 * share

const qkv = await load()
const cache = kvCache(qkv, { batch: 2, numKvHeads: 2, headDim: 3, valueDim: 4, capacity: 5 })
const sliding = kvCache(qkv, { headDim: 1, window: 4, capacity: 7 })
for (let i = 0; i < 9; i++) sliding.append([[i]], [[i]])
const gone = kvCache(qkv, { headDim: 1, capacity: 1 })
gone.dispose()
gone.dispose()
const standing = qkv.memory.resident
/** Casts to any, for calls with wrong arguments. @type {(value: any) => any} */
const any = value => value

/** @param {ArrayLike<number>} got @param {ArrayLike<number>} want */
const largestError = (got, want) => Array.from(got).reduce((most, x, i) => Math.max(most, Math.abs(x - want[i])), 0)

test(`${TOKENS} tokens one by one give what one causal call gives, and each step what the whole past gives`, t => {
  const [H, G, D, E, n] = [4, 2, 16, 24, TOKENS]
  const g = qkv.generator(1)
  const [q, k, v] = [g.randn([H, n, D]), g.randn([G, n, D]), g.randn([G, n, E])]
  const cache = kvCache(qkv, { numKvHeads: G, headDim: D, valueDim: E, capacity: 64, limit: n })
  const want = qkv.attention(q, k, v, { causal: true }).output
  let most = 0
  for (let i = 0; i < n; i++) {
    cache.append(k.slice(-2, i, i + 1), v.slice(-2, i, i + 1))
    const query = q.slice(-2, i, i + 1)
    const { output } = cache.attention(query)
    most = Math.max(most, largestError(output.data, want.slice(-2, i, i + 1).data))
    if (i % 999 === 0)
      assert.deepEqual(
        output,
        qkv.attention(query, k.slice(-2, 0, i + 1), v.slice(-2, 0, i + 1)).output,
        `step ${i}: the bits`,
      )
  }
  t.diagnostic(`largest difference ${most.toExponential(1)}: a step adds its values up in another order than tiles do`)
  assert.ok(most <= 2e-6)
  assert.equal(cache.total, n)
  assert.throws(() => cache.append(k.slice(-2, 0, 1), v.slice(-2, 0, 1)), { message: new RegExp(`its limit is ${n}`) })
  cache.dispose()
})

test('steps of 32 tokens give the bits of one causal call', () => {
  const g = qkv.generator(2)
  const [q, k, v] = [g.randn([2, 1000, 9]), g.randn([2, 1000, 9]), g.randn([2, 1000, 5])]
  const cache = kvCache(qkv, { numKvHeads: 2, headDim: 9, valueDim: 5, capacity: 1000 })
  const want = qkv.attention(q, k, v, { causal: true }).output
  for (let i = 0; i < 1000; i += 32) {
    const end = Math.min(i + 32, 1000)
    const { output } = cache.append(k.slice(-2, i, end), v.slice(-2, i, end)).attention(q.slice(-2, i, end))
    assert.deepEqual(output, want.slice(-2, i, end))
  }
  cache.dispose()
})

const step = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 9 }) },
  { weight: 1, arbitrary: fc.constant(40) },
)
const steps = fc.array(step, { minLength: 1, maxLength: 9 })
const shapes = fc.record({
  B: fc.integer({ min: 1, max: 2 }),
  G: fc.integer({ min: 1, max: 3 }),
  group: fc.integer({ min: 1, max: 2 }),
  D: fc.integer({ min: 1, max: 9 }),
  E: fc.integer({ min: 1, max: 9 }),
  steps,
  capacity: fc.integer({ min: 1, max: 50 }),
  window: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  seed: fc.nat(),
})
const scores = fc.constantFrom('dot', 'gaussian', 'additive')

test('whatever the sizes and steps: a cache that grows, and one that slides, give the causal attention', () => {
  fc.assert(
    fc.property(shapes, scores, ({ B, G, group, D, E, steps, capacity, window, seed }, kind) => {
      const g = qkv.generator(seed)
      const n = steps.reduce((a, b) => a + b, 0)
      const [q, k, v] = [g.randn([B, G * group, n, D]), g.randn([B, G, n, D]), g.randn([B, G, n, E])]
      const additive = { kind, wQuery: g.randn([3, D]), wKey: g.randn([3, D]), v: g.randn([3]) }
      const options = { score: any(kind === 'additive' ? additive : kind) }
      const span = window === undefined ? {} : { window: /** @type {[number, number]} */ ([window - 1, 0]) }
      const want = reference.attention(q, k, v, { ...options, ...span, causal: true }).output
      const size = { batch: B, numKvHeads: G, headDim: D, valueDim: E }
      const cache = kvCache(
        qkv,
        window === undefined ? { ...size, capacity, limit: Infinity } : { ...size, window, capacity: window + 40 },
      )
      let at = 0
      for (const count of steps) {
        cache.append(k.slice(-2, at, at + count), v.slice(-2, at, at + count))
        const { output } = cache.attention(q.slice(-2, at, at + count), options)
        at += count
        const part = tensor(want.data, want.dims).slice(-2, at - count, at)
        close(output, part, { abs: 5e-6, rel: 5e-6 }, `tokens ${at - count} to ${at}`)
        assert.equal(cache.total, at)
        assert.deepEqual(cache.keys, k.slice(-2, at - cache.length, at))
        assert.deepEqual(cache.values, v.slice(-2, at - cache.length, at))
      }
      cache.dispose()
    }),
    { numRuns: 300 * share, seed: 1 },
  )
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, standing])
})

test('a cache grows by doubling up to its limit, a window keeps its capacity', () => {
  const growing = kvCache(qkv, { headDim: 2, capacity: 3, limit: 10 })
  const sliding = kvCache(qkv, { headDim: 2, window: 3 })
  const capacities = []
  for (let i = 0; i < 10; i++) {
    growing.append([[i, 0]], [[0, i]])
    sliding.append([[i, 0]], [[0, i]])
    capacities.push(growing.capacity)
  }
  assert.deepEqual(capacities, [3, 3, 3, 6, 6, 6, 10, 10, 10, 10])
  assert.deepEqual([sliding.capacity, sliding.length, sliding.total], [6, 3, 10])
  assert.deepEqual(sliding.values.tolist(), [[[[0, 7], [0, 8], [0, 9]]]]) // biome-ignore format: rows
  growing.clear()
  assert.deepEqual([growing.length, growing.total, growing.capacity], [0, 0, 10])
  assert.deepEqual(
    growing
      .append([[1, 2]], [[3, 4]])
      .attention([[1, 1]])
      .output.tolist(),
    [[3, 4]],
  )
  growing.dispose()
  sliding.dispose()
})

test('many caches keep their contents while others grow and are disposed of', () => {
  const caches = Array.from({ length: 50 }, () => kvCache(qkv, { headDim: 3, capacity: 1, limit: 64 }))
  for (let i = 0; i < 64; i++)
    caches.forEach((cache, n) => {
      cache.append([[n, i, 0]], [[n, i, 1]])
    })
  caches.forEach((cache, n) => {
    if (n % 3 === 0) cache.dispose()
  })
  caches.forEach((cache, n) => {
    if (n % 3 === 0) return
    assert.deepEqual([...cache.values.data], Array.from({ length: 64 }, (_, i) => [n, i, 1]).flat())
    cache.dispose()
  })
  assert.equal(qkv.memory.resident, standing)
})

test('options of attention hold over a cache; a mask has as many columns as it has keys', () => {
  const g = qkv.generator(3)
  const [q, k, v] = [g.randn([4, 3, 5]), g.randn([2, 8, 5]), g.randn([2, 8, 5])]
  const cache = kvCache(qkv, { numKvHeads: 2, headDim: 5, capacity: 20 }).append(k, v)
  const out = qkv.alloc([4, 3, 5])
  const options = { softcap: 2, bias: g.randn([3, 8]), keyLengths: [7], scale: 0.3 }
  const want = qkv.attention(q, k, v, { ...options, causal: true, pastLength: 5 }).output
  assert.deepEqual(cache.attention(q, options).output, want)
  assert.equal(cache.attention(q, { ...options, out }).output, out)
  assert.deepEqual(out.data, want.data)
  const all = qkv.attention(q, k, v, options).output
  assert.deepEqual(cache.attention(q, { ...options, causal: false }).output, all)
  out.dispose()
  cache.dispose()
})

test('the memory of a cache that was collected is freed', async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  const make = () => {
    for (let i = 0; i < 20; i++) kvCache(qkv, { headDim: 4, capacity: 1, limit: 9 }).append([[1, 2, 3, 4], [1, 2, 3, 4]], [[1, 2, 3, 4], [1, 2, 3, 4]]) // biome-ignore format: one row
  }
  make()
  assert.ok(qkv.memory.resident > standing)
  for (let i = 0; i < 100 && qkv.memory.resident > standing; i++) {
    gc()
    await new Promise(resolve => setImmediate(resolve)) // lets finalizers run
  }
  assert.equal(qkv.memory.resident, standing)
})

/** @param {...number} dims */
const zeros = (...dims) => tensor(new Float32Array(dims.reduce((a, b) => a * b, 1)), dims)

/** @type {[title: string, call: () => unknown, Type: ErrorConstructor, ...parts: string[]][]} */
const bad = [
  ['no headDim', () => kvCache(qkv, any({ capacity: 3 })), TypeError, 'kvCache: headDim', 'undefined', 'a number'],
  ['no capacity', () => kvCache(qkv, { headDim: 3 }), TypeError, 'kvCache: capacity', 'undefined', 'a number'],
  ['a capacity of 0', () => kvCache(qkv, { headDim: 3, capacity: 0 }), RangeError, 'kvCache: capacity', 'got 0', 'from 1'],
  ['half a head', () => kvCache(qkv, { headDim: 3, capacity: 1, numKvHeads: 0.5 }), RangeError, 'numKvHeads', '0.5', 'whole'],
  ['a limit below', () => kvCache(qkv, { headDim: 3, capacity: 9, limit: 8 }), RangeError, 'limit', 'got 8', 'from 9'],
  ['a window above', () => kvCache(qkv, { headDim: 1, capacity: 3, window: 4 }), RangeError, 'capacity', 'from 4'],
  ['window and limit', () => kvCache(qkv, { headDim: 1, window: 4, limit: 9 }), TypeError, 'limit or window', 'got both'],
  ['another name', () => kvCache(qkv, any({ headDims: 1 })), TypeError, '"headDims"', 'did you mean "headDim"'],
  ['8 GiB', () => kvCache(qkv, { headDim: 1024, capacity: 2 ** 20 }), RangeError, 'out of memory', '8589934592'],
  ['keys of one head', () => cache.append(zeros(2, 1, 1, 3), zeros(2, 2, 1, 4)), RangeError, 'k: expected', 'got dims (2, 1, 1, 3)', '(2, 2, T, 3)'],
  ['values of another size', () => cache.append(zeros(2, 2, 1, 3), zeros(2, 2, 1, 3)), RangeError, 'v: expected', '(2, 2, T, 4)'],
  ['no batch', () => cache.append(zeros(2, 1, 3), zeros(2, 1, 4)), RangeError, 'k: expected', 'got dims (2, 1, 3)', '(2, 2, T, 3)'],
  ['a key too many', () => cache.append(zeros(2, 2, 2, 3), zeros(2, 2, 1, 4)), RangeError, '2 rows', '1', 'its value'],
  ['6 of 5 rows', () => cache.append(zeros(2, 2, 6, 3), zeros(2, 2, 6, 4)), RangeError, '6 rows', 'it holds 5', 'limit', 'window'],
  ['5 at once in a window', () => sliding.append(zeros(5, 1), zeros(5, 1)), RangeError, 'window of 4', 'takes 4 at once'],
  ['text as keys', () => cache.append(any('k'), zeros(2, 2, 1, 4)), TypeError, 'cache.append: k', '"k"', 'a tensor'],
  ['queries before keys', () => cache.attention(zeros(2, 2, 1, 3)), RangeError, '1 queries', '0 keys', 'append'],
  ['3 heads for 2', () => cache.attention(zeros(2, 3, 1, 3)), RangeError, 'q: expected dims', 'got (2, 3, 1, 3)', 'multiple of', '2 key heads'],
  ['queries of another size', () => sliding.attention(zeros(1, 2)), RangeError, 'rows of 2, k of 1', 'same size'],
  ['queries whose keys are gone', () => sliding.attention(zeros(2, 1)), RangeError, '2 queries', '4 keys', 'sees 3 earlier keys'],
  ['pastLength', () => sliding.attention(zeros(1, 1), any({ pastLength: 3 })), TypeError, 'no option "pastLength"'],
  ['an append after disposal', () => gone.append([[1]], [[1]]), Error, 'disposed', 'kvCache'],
  ['attention after disposal', () => gone.attention([[1]]), Error, 'disposed', 'kvCache'],
  ['keys after disposal', () => gone.keys, Error, 'disposed', 'kvCache'],
] // biome-ignore format: a line each

for (const [title, call, Type, ...parts] of bad)
  test(`${title}: a ${Type.name} that says ${parts.join(' ... ')}`, () => {
    const before = qkv.memory.resident
    assert.throws(call, error => {
      assert.ok(error instanceof Error)
      assert.equal(error.constructor, Type, error.message)
      for (const part of parts) assert.ok(error.message.includes(part), `"${error.message}" lacks "${part}"`)
      return true
    })
    assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, before])
    assert.deepEqual([cache.length, sliding.length, sliding.total], [0, 4, 9])
    assert.deepEqual(sliding.attention([[0]]).output.tolist(), [[6.5]])
  })

test('the bare data of a resident tensor is appended while the cache grows, and a buffer that shrank is refused', async () => {
  const own = await load()
  const small = kvCache(own, { headDim: 1, capacity: 1, limit: 1e6 }).append([[5]], [[7]])
  const big = own.alloc([500_000, 1])
  big.data.fill(3)
  const bare = { data: big.data, dims: [500_000, 1] }
  assert.equal(small.append(bare, bare).keys.at(0, 0, 500_000, 0), 3)
  const buffer = new /** @type {any} */ (ArrayBuffer)(8, { maxByteLength: 8 })
  const keys = { data: new Float32Array(buffer), dims: [2, 1] }
  const values = {
    dims: [2, 1],
    get data() {
      buffer.resize(4)
      return new Float32Array(2)
    },
  }
  assert.throws(() => small.append(keys, values), {
    name: 'TypeError',
    message: /shrunk while the arguments were read/,
  })
  assert.equal(small.length, 500_001)
})

test('a cache cannot be made to seem larger than its memory', async () => {
  const qkv = await load()
  const cache = kvCache(qkv, { headDim: 2, capacity: 3 })
  for (const name of ['headDim', 'valueDim', 'numKvHeads', 'batch', 'window', 'length', 'capacity'])
    assert.throws(() => Object.assign(cache, { [name]: 1000 }), TypeError, name)
  cache.dispose()
})
