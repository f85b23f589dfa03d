// Tests that calls give the same bits on any number of threads, and what happens when a thread does not start, dies, or is ended.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../src/entries/index.js'
import { loadModel } from '../src/entries/models.js'
import * as nn from '../src/entries/nn.js'
import {
  attentionBackward,
  attentionWindow,
  kvCache,
  linearBackward,
  multiheadAttention,
  packLinear,
} from '../src/entries/nn.js'
import { addIntegers } from '../src/integers.js'
import { PackedLinear } from '../src/layers/packed-linear.js'
import { coreOf } from '../src/runtime/core-of.js'
import { WORDS } from '../src/threads/jobs.js'
import { Threads } from '../src/threads/pool.js'
import { importSharedMemory } from '../src/threads/shared-memory.js'
import * as AT from '../src/threads/words.js'
import { OPERATIONS } from './operations.js'

/** @import { Qkv } from '../src/entries/index.js' */

const here = fileURLToPath(new URL('.', import.meta.url))
const nodeThreads = createRequire(import.meta.url)('node:worker_threads')
const bytes = readFileSync(new URL('../src/qkv.wasm', import.meta.url))
const STACK = 16384
const LARGE = { ...Threads.least }
const SMALL = { burst: 0, work: 0, chunk: 0 }

const one = await load({ integers: true })

/** Runs `body` with threads that share even the smallest call. @param {() => Promise<void> | void} body */
async function withSmallJobs(body) {
  Object.assign(Threads.least, SMALL)
  try {
    await body()
  } finally {
    Object.assign(Threads.least, LARGE)
  }
}

/**
 * Replaces a property until the test ends.
 * @param {import('node:test').TestContext} t @param {any} object @param {string} name @param {unknown} value
 */
function replace(t, object, name, value) {
  const before = object[name]
  object[name] = value
  t.after(() => {
    object[name] = before
  })
}

/**
 * Records the workers that start from now on and their start messages; `file` replaces the worker's script.
 * @param {import('node:test').TestContext} t
 * @param {string} [file] in tests/threads
 */
function watchWorkers(t, file) {
  /** @type {{ worker: import('node:worker_threads').Worker, start: import('../src/threads/pool.js').Start }[]} */
  const started = []
  class Worker extends nodeThreads.Worker {
    /** @param {URL} url @param {import('node:worker_threads').WorkerOptions} options */
    constructor(url, options) {
      super(file ? new URL(`./threads/${file}`, import.meta.url) : url, options)
    }
    /** @param {any} start */
    postMessage(start) {
      started.push({ worker: /** @type {any} */ (this), start })
      super.postMessage(start)
    }
  }
  replace(t, nodeThreads, 'Worker', Worker)
  return started
}

/** Loads a module with two threads, the caller's and one worker. Also returns the words of the control block. @param {import('node:test').TestContext} t */
async function loadTwo(t) {
  const started = watchWorkers(t)
  const qkv = await load({ threads: 2 })
  const { start } = started[0]
  return { qkv, words: new Int32Array(start.memory.buffer, start.control, WORDS) }
}

/** Makes a call that is large enough for threads. @param {Qkv} qkv */
function attend(qkv) {
  const x = one.generator(7).randn([2, 200, 32])
  return qkv.attention(x, x, x, { causal: true }).output
}

/** @param {Qkv} qkv */
function assertWorks(qkv) {
  assert.deepEqual(attend(qkv), attend(one))
}

test('the wasm file for threads differs only in its memory, which is imported and shared', async () => {
  const { bytes: shared, pages } = importSharedMemory(bytes)
  const [before, after] = [new WebAssembly.Module(bytes), new WebAssembly.Module(shared)]
  assert.deepEqual(WebAssembly.Module.imports(after), [{ module: 'env', name: 'memory', kind: 'memory' }])
  assert.deepEqual(WebAssembly.Module.exports(after), WebAssembly.Module.exports(before))
  const { memory } = /** @type {any} */ (new WebAssembly.Instance(before)).exports
  assert.equal(memory.buffer.byteLength, pages * 65536)
  const offered = new WebAssembly.Memory({ initial: pages, maximum: pages + 1 })
  assert.throws(() => new WebAssembly.Instance(after, { env: { memory: offered } }), /shared/)
  assert.ok(shared.length - bytes.length < 20)
})

test('the goldens and the kernels are right on two and on four threads', { timeout: 300_000 }, () => {
  for (const file of ['goldens', 'kernels'])
    for (const QKV_THREADS of ['2', '4']) {
      const args = ['--import', `${here}threads/register.js`, `${here}${file}.test.js`]
      const { status, stdout } = spawnSync(process.execPath, args, {
        env: { ...process.env, QKV_THREADS, NODE_TEST_CONTEXT: '' },
        encoding: 'utf8',
      })
      assert.equal(status, 0, `${file} on ${QKV_THREADS} threads: ${stdout}`)
      assert.match(stdout, /# pass [1-9]/)
    }
})

test('any number of threads gives the same bits, for every option, dropout and multi-head attention', async () => {
  const pools = [await load({ threads: 2 }), await load({ threads: 4 })]
  const g = one.generator(11)
  /** @type {((qkv: Qkv) => unknown)[]} */
  const calls = []
  for (const [B, H, G, L, S, D, E] of [
    [1, 2, 2, 33, 65, 8, 8],
    [2, 4, 2, 64, 300, 13, 7],
    [1, 6, 3, 5, 600, 16, 24],
    [3, 2, 1, 1, 257, 64, 64],
    [1, 1, 1, 97, 31, 1, 1],
    [2, 3, 3, 0, 5, 4, 4],
    [1, 2, 2, 40, 0, 4, 4],
  ]) {
    const [q, k, v] = [g.randn([B, H, L, D]), g.randn([B, G, S, D]), g.randn([B, G, S, E])]
    const bias = g.randn([H, L, S])
    for (const options of [
      {},
      { causal: true },
      { window: /** @type {[number, number]} */ ([20, 3]), softcap: 2 },
      { bias },
      { score: /** @type {const} */ ({ kind: 'gaussian', sigma: 2 }), keyLengths: Array(B).fill(S >> 1) },
    ]) {
      calls.push(qkv => qkv.attention(q, k, v, options))
      calls.push(qkv => qkv.attention(q, k, v, { ...options, dropout: { p: 0.5, generator: qkv.generator(3) } }))
    }
    calls.push(qkv => qkv.trace(q, k, v))
  }
  for (const [M, K, N] of [
    [1, 30, 100],
    [50, 64, 61],
    [7, 0, 20],
    [0, 4, 16],
  ]) {
    const [x, weight, bias] = [g.randn([M, K]), g.randn([N, K]), g.randn([N])]
    calls.push(qkv => qkv.linear(x, weight, bias))
  }
  const x = g.randn([2, 50, 48])
  calls.push(qkv => multiheadAttention(qkv.generator(5), 48, 4).forward(x, x, x, { causal: true }))
  calls.push(qkv => multiheadAttention(qkv.generator(5), 48, 4).forward(x, x, x, { needWeights: false }))
  await withSmallJobs(() => {
    for (const [n, call] of calls.entries()) {
      const want = call(one)
      for (const qkv of pools) assert.deepEqual(call(qkv), want, `call ${n} on ${qkv.threads} threads`)
    }
  })
  for (const qkv of pools) {
    assert.equal(qkv.memory.used, 0)
    qkv.dispose()
  }
})

test('gradients, trace, softmax and rope have the same bits on three threads', async () => {
  const pool = await load({ threads: 3 })
  await withSmallJobs(() => {
    const [B, H, G, L, D] = [2, 4, 2, 70, 12]
    const g = one.generator(3)
    const [q, k, v, dOutput] = [H, G, G, H].map(n => g.randn([B, n, L, D]))
    const bias = g.randn([H, L, L])
    const both = (/** @type {(module: Qkv) => unknown} */ call) => assert.deepEqual(call(pool), call(one))
    for (const options of [{}, { causal: true }, { bias }, { sinks: g.randn([H]) }, { score: 'gaussian' }])
      both(module => attentionBackward(module, q, k, v, dOutput, /** @type {any} */ (options)))
    for (const options of [{}, { softmaxAxis: 'queries' }, { causal: true, masking: 'after' }])
      both(module => module.trace(q, k, v, /** @type {any} */ (options)))
    both(module => attentionWindow(module, q, q, { rows: [3, 60], columns: [5, 70], causal: true }))
    both(module => attentionWindow(module, q, q, { rows: [3, 70], resolution: [20, 30], causal: true }))
    for (const axis of [-1, 1, 0]) both(module => module.softmax(q, { dim: axis }))
    both(module => module.rope(q))
    const x = g.randn([B, L, H * D])
    both(module => module.rope(x, { numHeads: H, interleaved: true }))
    const draws = (/** @type {Qkv} */ module) => ({ dropout: { p: 0.3, generator: module.generator(1) } })
    both(module => attentionBackward(module, q, k, v, dOutput, draws(module)))
    both(module => module.trace(q, k, v, draws(module)))
  })
  pool.dispose()
})

test('workers run units of a large call and none of a small one, and do not fill their stacks', async t => {
  const started = watchWorkers(t)
  const qkv = await load({ threads: 2, integers: true })
  const { start } = started[started.length - 1]
  const memory = new Uint8Array(start.memory.buffer)
  const stack = memory.subarray(start.stack - STACK, start.stack).fill(0xaa)
  const words = new Int32Array(start.memory.buffer, start.control, WORDS)
  qkv.attention([[1]], [[1]], [[1]])
  qkv.linear([[1]], [[1]])
  assert.equal(words[AT.generation], 0)
  const g = one.generator(1)
  const integers = packLinear(qkv, g.randn([400, 400]), undefined, { dtype: 'int8' })
  for (const call of [
    attend,
    (/** @type {Qkv} */ qkv) => qkv.attention(g.randn([8, 1, 64]), g.randn([8, 5000, 64]), g.randn([8, 5000, 64])),
    (/** @type {Qkv} */ qkv) => qkv.linear(g.randn([200, 100]), g.randn([200, 100])),
    () => integers.forward(g.randn([400, 400])),
  ]) {
    words[AT.done] = 0
    for (let n = 0; n < 1000 && words[AT.done] === 0; n++) call(qkv)
    assert.equal(words[AT.done], 1)
  }
  const used = STACK - stack.findIndex(byte => byte !== 0xaa)
  t.diagnostic(`${used} of ${STACK} bytes of stack`)
  assert.ok(used > 0 && used < STACK / 4)
  qkv.dispose()
})

test('layers of whole numbers that share their rows have the same bits on three threads', async () => {
  const pool = await load({ threads: 3, integers: true })
  const g = one.generator(9)
  const weights = [g.randn([70, 40]), g.randn([33, 40]), g.randn([9, 40])]
  await withSmallJobs(() => {
    for (const M of [3, 50, 601]) {
      const x = g.randn([M, 40])
      const [want, got] = [one, pool].map(qkv => {
        const layers = weights.map(weight => packLinear(qkv, weight, undefined, { dtype: 'int8' }))
        return qkv.scope(() => (PackedLinear.forwardTogether(layers, x) ?? []).map(({ data }) => data.slice()))
      })
      assert.equal(want.length, 3)
      assert.deepEqual(got, want, `${M} rows`)
    }
  })
  pool.dispose()
})

/** Replaces the clock by one that advances 0.0001 ms at each reading. Returns `pass`, which advances it further. @param {import('node:test').TestContext} t */
function slowClock(t) {
  let now = 1000
  replace(t, performance, 'now', () => {
    now += 0.0001
    return now
  })
  return {
    /** @param {number} ms */
    pass(ms) {
      now += ms
    },
  }
}

/** Keeps calls from waking workers, so that the calling thread works alone. @param {import('node:test').TestContext} t */
function wakeNobody(t) {
  replace(t, Atomics, 'notify', () => 0)
}

/**
 * Simulates a machine that runs a woken worker at once on the core of the calling thread: Atomics.notify returns only when the worker has joined.
 * @param {import('node:test').TestContext} t
 */
function wakeOnOwnCore(t) {
  const { notify } = Atomics
  replace(
    t,
    Atomics,
    'notify',
    (/** @type {Int32Array} */ words, /** @type {number} */ at, /** @type {number[]} */ ...count) => {
      const woken = notify(words, at, ...count)
      if (at === AT.generation) while (Atomics.load(words, AT.gate) === 0);
      return woken
    },
  )
}

/** Wakes the sleeping workers, and returns their number. @param {Int32Array} words */
const sleeping = words => Atomics.notify(words, AT.generation)

test('calls of two microseconds wake nobody, whatever went before', async t => {
  const { qkv, words } = await loadTwo(t)
  const x = one.generator(1).randn([1, 6, 16])
  const w = one.generator(2).randn([16, 16])
  const tiny = () => [qkv.attention(x, x, x), qkv.linear(x, w)]
  const asleep = async () => {
    for (let n = 0; n < 200 && sleeping(words) === 0; n++) await new Promise(resolve => setTimeout(resolve, 5))
  }
  for (const [n, before] of [() => {}, () => attend(qkv)].entries()) {
    before()
    const { [AT.generation]: jobs } = words
    assert.equal(jobs, n)
    for (let i = 0; i < 50; i++) tiny()
    await asleep()
    for (let i = 0; i < 2000; i++) tiny()
    assert.equal(words[AT.generation], jobs, 'no job')
    assert.equal(sleeping(words), 1, 'the worker sleeps')
  }
  qkv.dispose()
})

test('small calls in quick succession count together', async t => {
  const { qkv, words } = await loadTwo(t)
  const clock = slowClock(t)
  wakeNobody(t)
  const [x, w] = [one.generator(1).randn([100, 100]), one.generator(2).randn([100, 100])]
  const call = () => {
    qkv.linear(x, w)
    return words[AT.generation]
  }
  for (let n = 0; n < 10; n++) {
    clock.pass(5)
    assert.equal(call(), 0, 'calls of 2e6 operations, alone')
  }
  let calls = 1
  while (call() === 0) calls++
  assert.ok(calls > 1 && calls < 6, `woken by ${calls} more calls`)
  qkv.dispose()
})

test('workers spin about as long as calls pause, at most a millisecond, and hardly if calls come alone', async t => {
  const { qkv, words } = await loadTwo(t)
  const clock = slowClock(t)
  wakeNobody(t)
  const spinAfter = (/** @type {number} */ pause, calls = 8) => {
    for (let n = 0; n < calls; n++) {
      clock.pass(pause)
      attend(qkv)
    }
    return words[AT.spin]
  }
  const [alone, close, once, apart] = [spinAfter(20), spinAfter(0.2), spinAfter(20, 1), spinAfter(0.8)]
  assert.ok(alone >= 50 && alone < 60, `calls alone: ${alone} us`)
  assert.ok(close >= 440 && close < 900, `pauses of 200 us: ${close} us`)
  assert.ok(once < close && once >= close / 2, `one long pause: ${once} us`)
  assert.equal(apart, 1000)
  qkv.dispose()
})

test('where woken workers start on the core of their caller, only long bursts and calls during their spinning are shared', async t => {
  const { qkv, words } = await loadTwo(t)
  const clock = slowClock(t)
  const g = one.generator(1)
  const [short, long] = [10, 1300].map(M => [g.randn([M, 500]), g.randn([500, 500])])
  /** Makes calls after a pause of `pause` ms, and returns how many of them the threads shared. @param {number} calls */
  const shared = (calls, [x, w] = short, pause = 20) => {
    const { [AT.generation]: before } = words
    clock.pass(pause)
    for (let n = 0; n < calls; n++) qkv.linear(x, w)
    return words[AT.generation] - before
  }
  wakeOnOwnCore(t)
  assert.equal(shared(1), 1, 'a first call, after which the machine is known')
  assert.deepEqual([shared(1), shared(8)], [0, 0], 'calls of 7e6 operations')
  assert.ok(shared(40) > 5, 'forty of them, as one wake says little')
  for (let n = 0; n < 30; n++) assert.equal(shared(1, long), 1, 'a call of 6.5e8')
  shared(1)
  assert.deepEqual([shared(1), shared(40)], [0, 0], 'after thirty such wakes')
  assert.ok(shared(100) > 5, 'a hundred of them')
  assert.equal(shared(1, short, 0.01), 1, 'one while the worker spins')
  assert.equal(shared(1), 1, 'one after a long burst')
  assert.equal(shared(1, long), 1, 'a call of 6.5e8')
  shared(1)
  let tries = 0
  while (shared(1) === 0) tries++
  assert.ok(tries > 100 && tries < 500, `tried again after ${tries} calls`)
  wakeNobody(t)
  while (shared(1) === 0);
  assert.deepEqual([shared(1), shared(3)], [1, 3], 'where they start on another core')
  qkv.dispose()
})

test('where woken workers start on the core of their caller, a run of calls of some milliseconds is shared soon', async t => {
  const { qkv, words } = await loadTwo(t)
  const g = one.generator(1)
  const [x, w] = [g.randn([200, 500]), g.randn([500, 500])]
  wakeOnOwnCore(t)
  const long = g.randn([1300, 500])
  for (let n = 0; n < 30; n++) {
    qkv.linear(long, w)
    await new Promise(resolve => setTimeout(resolve, 4))
  }
  qkv.linear(x, w)
  await new Promise(resolve => setTimeout(resolve, 20))
  const { [AT.generation]: before } = words
  const calls = Array.from({ length: 60 }, () => {
    qkv.linear(x, w)
    return words[AT.generation] - before
  })
  assert.equal(calls[0], 0, 'a call of 1e8 operations, alone')
  assert.ok(calls[59] > 0, 'sixty of them')
  qkv.dispose()
})

test('no kernel writes over the constants of C, so that another instance may write them again', async t => {
  const started = watchWorkers(t)
  const qkv = await load({ threads: 2 })
  const { memory } = started[0].start
  const { qkv_heap } = /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports)
  const constants = new Uint8Array(memory.buffer, 0, qkv_heap() - 65536) // all up to the stack of the first thread, which ends at the heap
  const before = constants.slice()
  assert.ok(before.some(byte => byte !== 0))
  const g = qkv.generator(1)
  const x = g.randn([2, 70, 16])
  multiheadAttention(g, 16, 2).trace(x, x, x, { softcap: 2, dropout: { p: 0.5, generator: g } })
  for (const name of /** @type {const} */ (['softmax', 'exp', 'tanh'])) qkv[name](x)
  g.randint(0, 5, [9])
  g.bernoulli([9], 0.5)
  assertWorks(qkv)
  assert.deepEqual(constants.slice(), before)
  qkv.dispose()
})

test('small calls use the memory that is not shared, unless a tensor is in the shared one', async () => {
  const qkv = await load({ threads: 2 })
  const x = one.generator(1).randn([2, 5, 4])
  const { output } = one.attention(x, x, x)
  const [resident, bias, out] = [x.dims, [5, 5], x.dims].map(dims => qkv.alloc(dims))
  resident.data.set(x.data)
  const outputs = [
    qkv.attention(x, x, x).output,
    qkv.attention(x, x, x, { bias }).output,
    qkv.attention(resident, x, resident).output,
    qkv.attention(x, x, x, { out }).output,
  ]
  for (const each of outputs) assert.deepEqual([...each.data], [...output.data])
  assert.equal(outputs[3], out)
  const { size } = qkv.memory
  const shared = resident.data.buffer
  const [query, keys] = [
    [1, 4],
    [60_000, 4],
  ].map(dims => one.generator(1).randn(dims))
  assert.deepEqual(qkv.attention(query, keys, keys).output, one.attention(query, keys, keys).output)
  assert.equal(resident.data.buffer, shared, 'the shared memory did not grow')
  assert.ok(qkv.memory.size > size)
  qkv.dispose()
})

test('outputs are ordinary arrays; resident tensors stay what they are while the memory grows', async () => {
  const qkv = await load({ threads: 2 })
  const resident = qkv.alloc([2, 3])
  const early = resident.data
  early.fill(7)
  assert.ok(early.buffer instanceof SharedArrayBuffer)
  const size = qkv.memory.size
  const x = one.generator(1).randn([4, 700, 64])
  for (let n = 0; n < 3; n++) {
    const { output } = qkv.attention(x, x, x)
    assert.ok(output.data.buffer instanceof ArrayBuffer)
    assert.deepEqual(output, one.attention(x, x, x).output)
  }
  assert.ok(qkv.memory.size > size)
  assert.notEqual(resident.data, early)
  resident.data[0] = 8
  assert.equal(early[0], 8)
  assert.deepEqual(qkv.linear(resident, [[1, 1, 1]]).tolist(), [[22], [21]])
  qkv.dispose()
})

test('threads: a number, "auto", or an error that says so', async () => {
  const counts = [undefined, 1, 3].map(async threads => {
    const qkv = await load({ threads })
    const { threads: count } = qkv
    qkv.dispose()
    return count
  })
  assert.deepEqual(await Promise.all(counts), [1, 1, 3])
  const auto = await load({ threads: 'auto' })
  assert.equal(auto.threads, Math.min(availableParallelism(), 64))
  auto.dispose()
  /** @type {[any, string, RegExp][]} */
  const wrong = [
    [0, 'RangeError', /threads: expected a whole number from 1 to 64, or 'auto'.*got 0/],
    [65, 'RangeError', /expected a whole number from 1 to 64.*got 65/], // this error is thrown before any worker starts
    [1000, 'RangeError', /got 1000/],
    [1.5, 'RangeError', /got 1.5/],
    ['many', 'TypeError', /expected a number or 'auto', got "many"/],
    [null, 'TypeError', /got null/],
  ]
  for (const [threads, name, message] of wrong) await assert.rejects(load({ threads }), { name, message })
  const wasm = new WebAssembly.Module(bytes)
  await assert.rejects(load({ wasm, threads: 2 }), {
    name: 'TypeError',
    message: /2 threads: expected the file itself/,
  })
  await assert.rejects(load({ wasm: bytes.subarray(0, 999), threads: 2 }), { code: 'WASM_INVALID', message: /damaged/ })
})

test('where there is no shared memory, load gives one thread', async t => {
  replace(t, globalThis, 'SharedArrayBuffer', undefined)
  const qkv = await load({ threads: 2 })
  assert.equal(qkv.threads, 1)
  assertWorks(qkv)
})

test('a shared memory as small as the engine grants it is taken', async t => {
  /** @type {(number | undefined)[]} */
  const asked = []
  class Memory extends WebAssembly.Memory {
    /** @param {WebAssembly.MemoryDescriptor} descriptor */
    constructor(descriptor) {
      asked.push(descriptor.maximum)
      if (asked.length < 3) throw new RangeError('could not allocate memory')
      super(descriptor)
    }
  }
  replace(t, WebAssembly, 'Memory', Memory)
  const qkv = await load({ threads: 2 })
  assert.deepEqual(asked, [65536, 32768, 16384])
  assertWorks(qkv)
  qkv.dispose()
})

test('after dispose calls run on one thread', async () => {
  const qkv = await load({ threads: 3 })
  assertWorks(qkv)
  qkv.dispose()
  qkv.dispose()
  assert.equal(qkv.threads, 1)
  assertWorks(qkv)
})

for (const [file, message] of /** @type {[string, RegExp][]} */ ([
  ['throwing.js', /did not start: no luck today.*threads: 1/],
  ['none.js', /did not start: Cannot find module/],
  ['silent.js', /did not start: no answer within 0.3 s/],
]))
  test(`a worker that does not start, ${file}: an error, and the others are ended`, async t => {
    const started = watchWorkers(t, file)
    replace(t, Threads, 'timeout', { start: file === 'silent.js' ? 300 : 30_000, call: 300 })
    await assert.rejects(load({ threads: 3 }), { name: 'QkvError', code: 'THREAD_START', message })
    assert.equal(started.length, 2)
    // not events.once: it would throw on the second worker's error
    for (const { worker } of started) if (worker.threadId !== -1) await new Promise(end => worker.once('exit', end))
  })

test('a worker that dies within a call: an error, never a hang, and calls go on with one thread', async t => {
  watchWorkers(t, 'dying.js')
  replace(t, Threads, 'timeout', { start: 30_000, call: 300 })
  const qkv = await load({ threads: 2 })
  const attendOften = () => {
    for (let n = 0; n < 10_000; n++) attend(qkv)
  }
  const lost = { name: 'QkvError', code: 'THREAD_LOST', message: /lost during a call.*one thread/ }
  await withSmallJobs(() => assert.throws(attendOften, lost))
  assert.equal(qkv.memory.used, 0)
  assert.equal(qkv.threads, 1)
  assertWorks(qkv)
})

test('a worker that dies between calls: the next large call throws, later ones run on the threads that are left', async t => {
  const started = watchWorkers(t)
  const qkv = await load({ threads: 3 })
  const gone = once(started[0].worker, 'exit') // this listener runs after the pool's own, because it was added later
  await started[0].worker.terminate()
  await gone
  assert.throws(() => attend(qkv), { code: 'THREAD_LOST', message: /since the last call.*2 threads/ })
  assert.equal(qkv.memory.used, 0)
  assert.equal(qkv.threads, 2)
  for (let n = 0; n < 3; n++) assertWorks(qkv)
  qkv.dispose()
})

test('many modules with threads side by side, and one after the other', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => load({ threads: 2 })))
  for (const qkv of all) assertWorks(qkv)
  for (const qkv of all) qkv.dispose()
  for (let n = 0; n < 6; n++) {
    const qkv = await load({ threads: 2 })
    assertWorks(qkv)
    qkv.dispose()
  }
})

/** @param {Qkv} module @param {number[]} dims */
const random = (module, dims) => module.generator(9).randn(dims)

test('every operation of a block and its gradients have the same bits on three threads', async () => {
  const pool = await load({ threads: 3 })
  await withSmallJobs(() => {
    const g = one.generator(4)
    const [x, dY] = [g.randn([70, 1100]), g.randn([70, 1100])]
    const ids = g.randint(0, 70, [90])
    const targets = g.randint(0, 1100, [70])
    const rows = g.randn([2, 70, 72])
    const heads = { numHeads: 3, causal: true }
    /** @type {Record<string, (module: Qkv) => unknown>} */
    const calls = {
      sumRows: module => nn.sumRows(module, dY),
      embedding: module => nn.embedding(module, ids, x),
      embeddingBackward: module => nn.embeddingBackward(module, ids, random(module, [90, 40]), 70),
      crossEntropy: module => nn.crossEntropy(module, x, targets, { gradient: true, labelSmoothing: 0.1 }),
      dropout: module => nn.dropout(module, x, { p: 0.3, generator: module.generator(1) }),
      dropoutBackward: module => nn.dropoutBackward(module, x, { p: 0.3, generator: module.generator(1) }),
      packedAttention: module => nn.packedAttention(module, rows, heads),
      packedAttentionBackward: module => nn.packedAttentionBackward(module, rows, random(module, [2, 70, 24]), heads),
    }
    for (const [op, { threads, call }] of Object.entries(OPERATIONS)) {
      if (!threads) continue
      const { dims, options = {} } = threads
      const inputs = Object.fromEntries(Object.entries(dims).map(([name, size]) => [name, g.randn(size)]))
      const [size] = Object.values(dims)
      const dY = g.randn(op.endsWith('glu') && !inputs.up ? [size[0], size[1] / 2] : size)
      calls[op] = calls[`${op}Backward`] = module => call?.(module, inputs, options, dY, {})
    }
    for (const [name, call] of Object.entries(calls)) assert.deepEqual(call(pool), call(one), name)
    // The functions in `made` only create layers and caches. The others that are not called above are called elsewhere in this file, or run on
    // one thread only.
    const made = ['embeddingLayer', 'kvCache', 'linearLayer', 'multiheadAttention', 'onnxAttention']
    const elsewhere = new Set(Object.keys(nn).filter(name => !(name in calls) && !made.includes(name)))
    assert.deepEqual(
      elsewhere,
      new Set(['attentionBackward', 'attentionWindow', 'linearBackward', 'packLinear', 'relativePositionBias']),
    )
  })
  pool.dispose()
})

test('linear of every kind of weight, and its gradients, have the same bits for any number of threads', async () => {
  const two = await load({ threads: 2, integers: true })
  await withSmallJobs(() => {
    const run = (/** @type {Qkv} */ own) => {
      const g = own.generator(7)
      const results = []
      for (const [M, K, N] of [
        [1, 300, 200],
        [2, 70, 133],
        [7, 33, 90],
        [150, 40, 70],
        [5000, 1030, 9],
      ]) {
        const [x, weight, bias, residual] = [g.rand([M, K]), g.rand([N, K]), g.rand([N]), g.rand([M, N])]
        const options = /** @type {const} */ ({ residual, activation: 'gelu' })
        results.push(
          own.linear(x, weight, bias, options),
          own.linear(x, weight.T, bias, { ...options, layout: 'in,out' }),
        )
        if (M > 4000) continue
        for (const dtype of /** @type {const} */ (['float32', 'float16', 'int8', 'int4'])) {
          for (const activations of /** @type {const} */ (['int16', 'int8', 'float32'])) {
            if (activations === 'int8' && dtype !== 'int8') continue
            const layer = packLinear(own, weight, bias, { dtype, activations })
            results.push(layer.forward(x, options))
            layer.dispose()
          }
        }
        results.push(...Object.values(linearBackward(own, x, weight, residual)))
      }
      return results.map(({ data }) => data)
    }
    assert.deepEqual(run(two), run(one))
  })
  two.dispose()
})

test('attention over a cache of int8 has the same bits for any number of threads', async () => {
  const two = await load({ threads: 2, integers: true })
  await withSmallJobs(() => {
    const run = (/** @type {Qkv} */ own) => {
      const g = own.generator(8)
      const cache = kvCache(own, { batch: 2, numKvHeads: 3, headDim: 20, capacity: 300, dtype: 'int8' })
      cache.append(g.randn([2, 3, 300, 20]), g.randn([2, 3, 300, 20]))
      const made = [1, 2, 5, 40, 300].map(L => cache.attention(g.randn([2, 6, L, 20])).output.data)
      cache.dispose()
      return made
    }
    assert.deepEqual(run(two), run(one))
  })
  two.dispose()
})

test('threads that run get the kernels of integer weights with a model of int8: the same bits as without threads', async () => {
  const two = await load({ threads: 2 })
  const path = `${here}goldens/models/gpt2-tiny`
  const ids = Array.from({ length: 30 }, (_, i) => i)
  await withSmallJobs(async () => {
    const options = /** @type {const} */ ({ dtype: 'int8', tokenizer: false })
    const models = [await loadModel(one, path, options)]
    models.push(...(await Promise.all([loadModel(two, path, options), loadModel(two, path, options)])))
    const [want, ...results] = models.map(model => model.forwardSync({ ids }).logits?.data)
    assert.ok(want && want.length > 30)
    for (const got of results) assert.deepEqual(got, want)
    assert.equal(two.threads, 2)
    for (const model of models) model.dispose()
  })
  two.dispose()
})

test('calls while threads get the kernels of integer weights have the same bits; a thread that does not start leaves one', async t => {
  const path = `${here}goldens/models/gpt2-tiny`
  const options = /** @type {const} */ ({ dtype: 'int8', tokenizer: false })
  const [x, weight] = [one.generator(3).randn([64, 90]), one.generator(4).randn([80, 90])]
  const { restart } = Threads.prototype
  let calls = 0
  /** @this {Threads} @param {Parameters<typeof restart>} given */
  async function restartAndCall(...given) {
    await restart.apply(this, given)
    for (; calls < 50; calls++) assert.deepEqual(two.linear(x, weight), one.linear(x, weight))
  }
  replace(t, Threads.prototype, 'restart', restartAndCall)
  const two = await load({ threads: 2 })
  await withSmallJobs(async () => (await loadModel(two, path, options)).dispose())
  assert.equal(calls, 50)
  two.dispose()
  const failed = await load({ threads: 2 })
  watchWorkers(t, 'throwing.js')
  await assert.rejects(loadModel(failed, path, options), { code: 'THREAD_START' })
  const models = await Promise.all([one, failed].map(own => loadModel(own, path, options)))
  const [want, got] = models.map(model => model.forwardSync({ ids: [5, 9, 13] }).logits)
  assert.deepEqual(got, want)
  assert.equal(failed.threads, 1)
  for (const model of models) model.dispose()
  failed.dispose()
})

test('idle threads do not keep a process alive', () => {
  const code = `import { load } from '../src/entries/index.js'
    const qkv = await load({ threads: 3 })
    const x = qkv.generator(1).randn([4, 300, 32])
    console.log(qkv.threads, qkv.attention(x, x, x).output.dims.join())`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: here,
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.deepEqual([status, stdout], [0, '3 4,300,32\n'], stderr)
})

test('a summary has the same bits with any number of threads, and the output may be a resident tensor', async () => {
  const qkv = await load()
  const g = qkv.generator(4)
  const pool = await load({ threads: 3 })
  const [q, k, v] = [g.randn([1, 3, 700, 16]), g.randn([1, 3, 700, 16]), g.randn([1, 3, 700, 16])]
  const ids = Array.from(g.randint(0, 30, [700]).data)
  for (const map of /** @type {[number, number][]} */ ([
    [1, 1],
    [100, 33],
    [700, 700],
  ])) {
    const options = {
      causal: true,
      summary: { logSumExp: true, entropy: true, distance: true, scores: true, map, topK: 4, ids },
    }
    const want = qkv.attention(q, k, v, options)
    assert.deepEqual(pool.attention(q, k, v, options), want)
    const out = pool.alloc([1, 3, 700, 16])
    const got = pool.attention(q, k, v, { ...options, out })
    assert.equal(got.output, out)
    assert.deepEqual(got.summary, want.summary)
    assert.deepEqual(out.data, want.output.data)
    out.dispose()
  }
  assert.equal(pool.memory.used, 0)
  pool.dispose()
})

for (const options of [{}, { threads: 2 }, { integers: true }, { threads: 2, integers: true }])
  test(`trim gives the memory of large calls back and keeps what lies in it: ${JSON.stringify(options)}`, () =>
    withSmallJobs(async () => {
      const qkv = await load(options)
      const dtype = options.integers ? 'int8' : 'float16'
      const layer = packLinear(qkv, qkv.generator(2).randn([64, 32]), undefined, { dtype })
      const cache = kvCache(qkv, { headDim: 32, capacity: 4 })
      const x = qkv.alloc([4, 32])
      x.data.set(qkv.generator(1).randn([4, 32]).data)
      cache.append(x, x)
      const large = qkv.generator(1).randn([2, 700, 32])
      const results = () =>
        [x, layer.forward(x), cache.attention(x).output, qkv.attention(large, large, large).output].map(String)
      const want = results()
      const { size } = qkv.memory
      const other = qkv.alloc([2 ** 22])
      qkv.trace(large, large, large)
      other.dispose()
      const before = qkv.memory
      const { data: old } = x
      const [given, more] = await Promise.all([qkv.trim(), qkv.trim()])
      // `old` is no longer the tensor's data. With threads it keeps its numbers, otherwise it is detached.
      const first = x.at(0, 0)
      x.data[0] = first + 1
      if (old.length)
        assert.equal(
          qkv.softmax({ data: old, dims: [128] }).at(0),
          qkv.softmax({ data: old.slice(), dims: [128] }).at(0),
        )
      assert.equal(old.length, options.threads ? 128 : 0)
      x.data[0] = first
      assert.ok(given >= 2 ** 24 && more === 0 && qkv.memory.size <= size, `${given}, ${more}, ${qkv.memory.size}`)
      assert.equal(before.size - given, qkv.memory.size)
      assert.equal(qkv.memory.resident, before.resident)
      assert.deepEqual(results(), want)
      // Memory can grow again. Calls work during a trim, also while the kernels of integer weights are loaded.
      qkv.alloc([2 ** 22]).dispose()
      const trimmed = qkv.trim()
      assert.deepEqual(results(), want)
      const loaded = addIntegers(/** @type {NonNullable<ReturnType<typeof coreOf>>} */ (coreOf(qkv)))
      assert.ok((await trimmed) > 0)
      await loaded
      const integers = packLinear(qkv, qkv.generator(2).randn([64, 32]), undefined, { dtype: 'int8' })
      const product = String(integers.forward(x))
      qkv.alloc([2 ** 22]).dispose()
      assert.ok((await qkv.trim()) > 0)
      assert.deepEqual([...results(), String(integers.forward(x))], [...want, product])
      assert.equal(qkv.threads, options.threads ?? 1)
      qkv.dispose()
    }))

test('after trim the process has the memory back', () => {
  const program = `import { load } from './src/entries/index.js'
    const qkv = await load()
    const x = qkv.alloc([2 ** 27])
    x.data.fill(1)
    const before = process.memoryUsage.rss()
    x.dispose()
    await qkv.trim()
    let freed = 0
    for (let n = 0; n < 100 && freed < 2 ** 28; n++) {
      gc()
      await new Promise(resolve => setTimeout(resolve, 20))
      freed = before - process.memoryUsage.rss()
    }
    console.log(freed >= 2 ** 28)`
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', program], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  })
  assert.equal(stdout, 'true\n', stderr)
})
