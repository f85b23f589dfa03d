// Memory is as large after a million calls as after the first few.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { load } from '../src/entries/index.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

/** @typedef {Awaited<ReturnType<typeof measure>>} Memory */

/** Returns the bytes of the module and, after garbage collection, of the JavaScript heap. @param {import('../src/entries/index.js').Qkv} qkv */
async function measure(qkv) {
  for (let heap = Infinity; ; ) {
    collect()
    await setImmediate()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    if (heapUsed + arrayBuffers >= heap) return { ...qkv.memory, heap }
    heap = heapUsed + arrayBuffers // repeat, because buffers are freed in another thread
  }
}

/** @param {import('node:test').TestContext} t @param {Memory} before @param {Memory} after */
function same(t, before, after) {
  t.diagnostic(`module ${before.size} and ${after.size} bytes, heap ${before.heap} and ${after.heap}`)
  assert.deepEqual([after.used, after.resident, after.size], [0, before.resident, before.size])
  assert.ok(after.heap < before.heap + 1_000_000)
}

test('1,000,000 small calls leave the memory as it was after the first 10,000', async t => {
  const qkv = await load()
  const g = qkv.generator(1)
  const [x, y, w] = [g.randn([6, 16]), g.randn([3, 16]), g.randn([4, 16])]
  const [q, out] = [qkv.alloc([6, 16]), qkv.alloc([6, 16])]
  const calls = [
    () => qkv.attention(x, y, y),
    () => qkv.attention(q, q, x, { causal: true, out }),
    () => qkv.attention(y, x, x, { score: 'gaussian', bias: [[1, 0, 0, 0, 0, 0]] }),
    () => qkv.softmax(x),
    () => qkv.linear(x, w),
    () => g.randn([5]),
    () => qkv.alloc([20]).dispose(),
    () => assert.throws(() => qkv.attention(x, w, y), RangeError),
  ]
  const run = (/** @type {number} */ n) => {
    for (let i = 0; i < n; i++) calls[i % 64 === 63 ? 7 : i % 7]()
  }
  run(10_000)
  const before = await measure(qkv)
  run(1_000_000)
  same(t, before, await measure(qkv))
})

test('2,000 calls of random sizes leave the memory as it was after the largest', async t => {
  const qkv = await load()
  const g = qkv.generator(2)
  const most = { H: 4, L: 200, S: 300, D: 40 }
  const call = (/** @type {typeof most} */ { H, L, S, D }, /** @type {number} */ i) => {
    const [q, k] = [g.rand([H, L, D]), g.rand([H, S, D])]
    const options = { causal: i % 2 === 0, ...(i % 3 === 0 && { bias: g.rand([L, S]) }) }
    if (i % 4) qkv.attention(q, k, k, options)
    else qkv.trace(q, k, k, options)
  }
  call(most, 0)
  const before = await measure(qkv)
  const size = (/** @type {number} */ n) => g.randint(0, n + 1, [1]).data[0]
  for (let i = 0; i < 2000; i++) call({ H: size(most.H), L: size(most.L), S: size(most.S), D: size(most.D) }, i)
  same(t, before, await measure(qkv))
})
