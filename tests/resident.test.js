// Resident tensors, which lie in the module's memory and are used there without copies until they are disposed of.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import v8 from 'node:v8'
import vm from 'node:vm'
import fc from 'fast-check'
import { load, Tensor, tensor } from '../src/entries/index.js'
import { multiheadAttention } from '../src/entries/nn.js'
import { coreOf } from '../src/runtime/core-of.js'

/** @import { Qkv, ResidentTensor } from 'qkv' */

v8.setFlagsFromString('--expose-gc')

/** Makes a resident copy. @param {Qkv} qkv @param {{ data: Float32Array, dims: readonly number[] }} x */
function settle(qkv, { data, dims }) {
  const resident = qkv.alloc(dims)
  resident.data.set(data)
  return resident
}

test('resident tensors give what copies give, also as mask, weight and output, and cost no copy', async () => {
  const qkv = await load()
  const g = qkv.generator(1)
  const [q, k, v, bias] = [
    [2, 3, 9, 5],
    [2, 3, 7, 5],
    [2, 3, 7, 6],
    [9, 7],
  ].map(dims => g.randn(dims))
  const want = qkv.attention(q, k, v, { bias }).output
  const [Q, K, V, Bias] = [q, k, v, bias].map(x => settle(qkv, x))
  const out = qkv.alloc(want.dims)
  const { output } = qkv.attention(Q, K, V, { bias: Bias, out })
  assert.equal(output, out)
  assert.deepEqual(output.data, want.data)
  assert.deepEqual(qkv.trace(Q, k, V, { bias: Bias }), qkv.trace(q, k, v, { bias }))
  const [x, weight] = [g.randn([4, 6]), g.randn([8, 6])]
  assert.deepEqual(qkv.linear(settle(qkv, x), settle(qkv, weight)), qkv.linear(x, weight))
  assert.equal(qkv.memory.used, 0)
})

test('a plain tensor receives the output, too, also when the memory grows meanwhile', async () => {
  const qkv = await load()
  const x = qkv.generator(2).randn([300, 40])
  const out = tensor(new Float32Array(300 * 40), [300, 40])
  assert.equal(qkv.attention(x, x, x, { out: /** @type {any} */ (out) }).output, out)
  assert.deepEqual(out.data, qkv.attention(x, x, x).output.data)
})

test('a resident tensor keeps its values when the memory grows, before and within a call', async () => {
  const qkv = await load()
  const x = qkv.generator(3).randn([6, 8])
  const [q, out] = [settle(qkv, x), qkv.alloc([6, 8])]
  const before = qkv.memory.size
  const big = qkv.generator(4).randn([20_000, 8])
  assert.deepEqual(qkv.attention(q, big, big, { out }).output.data, qkv.attention(x, big, big).output.data)
  assert.ok(qkv.memory.size > before)
  assert.deepEqual(q.data, x.data)
})

test('the bare data of a resident tensor is used in place, also when the memory grows within the call', async () => {
  const qkv = await load()
  const x = qkv.generator(8).randn([50, 8])
  const bare = () => ({ data: settle(qkv, x).data, dims: [50, 8] })
  assert.deepEqual(qkv.softmax(bare()), qkv.softmax(x))
  const big = { data: new Float32Array(400_000), dims: [50_000, 8] }
  const want = (await load()).attention(big, x, x)
  const { size } = qkv.memory
  assert.deepEqual(qkv.attention(big, bare(), bare()), want)
  assert.ok(qkv.memory.size > size)
  assert.equal(qkv.memory.used, 0)
})

test('row and reshape of a resident tensor are resident views, which outlive its handle and end with its memory', async () => {
  const qkv = await load()
  const x = settle(qkv, qkv.generator(9).randn([3, 4, 8]))
  const view = x.row(1).reshape([8, 4]).row(-1)
  assert.ok(view.isResident && x.reshape([12, 8]).isResident)
  assert.deepEqual([view.dims, [...view.data]], [[4], [...x.data.subarray(60, 64)]])
  const rows = qkv.alloc([2, 4, 8])
  assert.equal(qkv.attention(x.row(0), x.row(1), x.row(2), { out: rows.row(1) }).output.data[0], rows.at(1, 0, 0))
  assert.deepEqual(rows.row(1).data, qkv.attention(x.row(0), x.row(1), x.row(2)).output.data)
  assert.throws(() => qkv.attention(x.row(0), x.row(1), x.row(2), { out: x.reshape([96]).row(0) }), RangeError)
  assert.throws(() => qkv.attention(x.row(0), x.row(1), x.row(2), { out: x.reshape([3, 4, 8]).row(2) }), {
    name: 'RangeError',
    message: /out overlaps an input/,
  })
  assert.throws(() => /** @type {any} */ (view).dispose(), /a view of a resident tensor: dispose that one/)
  x.dispose()
  for (const use of [() => view.data, () => qkv.softmax(view), () => view.row(0), () => x.reshape([96])])
    assert.throws(use, /disposed/)
  assert.match(String(view), /^tensor\(disposed, size=\(4\)\)$/)
})

test('a resident tensor stays as long as a view of it is held', async () => {
  const qkv = await load()
  const gc = /** @type {() => void} */ (/** @type {unknown} */ (globalThis.gc ?? vm.runInNewContext('gc')))
  let view = /** @type {import('qkv').Tensor<Float32Array> | undefined} */ (
    settle(qkv, { data: Float32Array.of(1, 2, 3, 4), dims: [2, 2] }).row(1)
  )
  const collect = async () => {
    for (let i = 0; i < 5; i++) {
      gc()
      await new Promise(resolve => setTimeout(resolve))
    }
  }
  await collect()
  qkv.alloc([2, 2]).data.fill(9)
  assert.deepEqual([...(view?.data ?? [])], [3, 4])
  view = undefined
  await collect()
  assert.equal(qkv.memory.resident, 0)
})

test('a call that makes the memory grow gives what it gives with plain tensors, the first time too', async () => {
  const x = (await load()).generator(10).randn([7712, 8])
  /** @type {[string, (qkv: Qkv, x: any) => any][]} */
  const calls = [
    ['softmax', (qkv, x) => qkv.softmax(x)],
    ['exp', (qkv, x) => qkv.exp(x)],
    ['tanh', (qkv, x) => qkv.tanh(x)],
    ['rope', (qkv, x) => qkv.rope(x)],
    ['dropout', (qkv, x) => qkv.generator(1).dropout(x, 0.5)],
    [
      'mha.trace',
      (qkv, x) => multiheadAttention(qkv.generator(1), 8, 2).trace(x, tensor(x.data.slice(0, 80), [10, 8])).steps[0],
    ],
  ]
  for (const [name, call] of calls) {
    const want = call(await load(), x)
    for (const form of [
      (/** @type {ResidentTensor} */ r) => r,
      (/** @type {ResidentTensor} */ r) => r.reshape([7712, 8]),
      (/** @type {ResidentTensor} */ r) => ({ data: r.data, dims: r.dims }),
    ]) {
      const qkv = await load()
      const got = call(qkv, form(settle(qkv, x)))
      assert.deepEqual((got.tensor ?? got).data, (want.tensor ?? want).data, name)
      assert.ok((got.tensor ?? got).data.byteOffset === 0, `${name}: a copy`)
    }
  }
})

test('scope frees what was allocated in it, except what it returns or keeps; if it throws, all of it', async () => {
  const qkv = await load()
  const before = qkv.alloc([4])
  /** @type {any} */
  let kept
  const { list, scalar } = qkv.scope(keep => {
    qkv.alloc([100])
    kept = keep(qkv.alloc([2]))
    qkv.scope(() => qkv.alloc([30]).row(0)) // returned to the outer scope, which frees it
    assert.equal(qkv.memory.resident, 16 + 400 + 16 + 128)
    return { list: [qkv.alloc([3, 4]).row(1), before], scalar: 5 }
  })
  assert.equal(scalar, 5)
  assert.equal(list[0].data.length + kept.data.length, 6)
  assert.equal(qkv.memory.resident, 16 + 48 + 16)
  assert.throws(() => qkv.scope(() => qkv.alloc([2 ** 20, Number(qkv.alloc([5]) && -1)])), /alloc: dims/)
  assert.throws(() => qkv.scope(async () => qkv.alloc([9])), /async/)
  assert.throws(() => qkv.scope(/** @type {any} */ (3)), { name: 'TypeError', message: /scope: .*got 3/ })
  assert.equal(qkv.memory.resident, 16 + 48 + 16)
})

test('out must be a float32 tensor of the right dims, and no input', async () => {
  const qkv = await load()
  const x = qkv.alloc([4, 4])
  const bad = (/** @type {any} */ out) => () => qkv.attention(x, x, x, { out })
  assert.throws(bad(qkv.alloc([4, 5])), {
    name: 'RangeError',
    message: /out: expected .* \(4, 4\), got dims \(4, 5\)/,
  })
  assert.throws(bad(x), { name: 'RangeError', message: /out overlaps an input/ })
  assert.throws(bad([[1]]), { name: 'TypeError', message: /out: .*got an array of 1/ })
  assert.throws(bad(tensor(new Uint8Array(16), [4, 4])), { name: 'TypeError' })
  assert.throws(() => qkv.trace(x, x, x, /** @type {any} */ ({ out: x })), { message: /no option "out"/ })
})

test('a resident tensor cannot be made to seem larger than its memory', async () => {
  const qkv = await load()
  const x = qkv.alloc([2, 3])
  assert.throws(() => Object.assign(x, { dims: [2000, 3] }), TypeError)
  assert.throws(() => Object.defineProperty(x, 'dims', { value: [2000, 3] }), TypeError)
  assert.throws(() => Object.assign(x.dims, [2000]), TypeError)
  assert.deepEqual(qkv.softmax(x).dims, [2, 3])
})

test('after dispose a tensor throws wherever it is used, and its memory is used again', async () => {
  const qkv = await load()
  const x = qkv.alloc([1000])
  assert.equal(qkv.memory.resident, 4000)
  x.dispose()
  x.dispose()
  assert.equal(qkv.memory.resident, 0)
  assert.throws(() => x.data, /disposed/)
  assert.throws(() => qkv.softmax(x), /disposed/)
  const { size } = qkv.memory
  for (let i = 0; i < 10_000; i++) qkv.alloc([1000]).dispose()
  assert.equal(qkv.memory.size, size)
  assert.ok(qkv.alloc([1000]).data.every(value => value === 0))
})

test('after allocations and disposals in any order no tensors overlap, and all memory is free in the end', async () => {
  const qkv = await load()
  const step = fc.record({ size: fc.integer({ min: 0, max: 300 }), drop: fc.integer({ min: 0, max: 9 }) })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), steps => {
      /** @type {{ tensor: ResidentTensor, mark: number }[]} */
      let kept = []
      steps.forEach(({ size, drop }, mark) => {
        const made = qkv.alloc([size])
        made.data.fill(mark + 1)
        kept.push({ tensor: made, mark: mark + 1 })
        if (drop < kept.length) for (const { tensor } of kept.splice(drop, 2)) tensor.dispose()
        qkv.softmax([1, 2, 3]) // a call whose scratch memory lies above the blocks
      })
      for (const { tensor, mark } of kept) assert.ok(tensor.data.every(value => value === mark))
      for (const { tensor } of kept) tensor.dispose()
      kept = []
      assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0])
    }),
    { numRuns: 300, seed: 1 },
  )
  assert.ok(qkv.memory.size < 1_000_000)
})

test('tensors that are made or disposed of while a call runs change no call and no other tensor, or throw', async () => {
  const qkv = await load()
  const core = /** @type {import('../src/runtime/memory.js').Core} */ (coreOf(qkv))
  const ramp = tensor(Float32Array.from({ length: 1000 }, (_, i) => i / 100))
  const make = () => settle(qkv, ramp)
  /** @type {ResidentTensor[]} */
  const held = []
  const check = () => {
    const want = qkv.softmax(qkv.softmax(ramp)).data
    assert.deepEqual(core.scope(() => qkv.softmax(qkv.softmax(ramp))).data, want)
    for (const { data } of held) assert.deepEqual(data, ramp.data)
    assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, held.length * 4000])
  }
  core.scope(() => core.scope(() => held.push(make(), make()))) // allocated before the call takes memory
  check()
  core.scope(() => held.pop()?.dispose())
  check()
  core.scope(() => {
    core.copyIn(ramp.data)
    assert.throws(make, /^Error: alloc: called during another call of this module: call alloc before that call$/)
    held.pop()?.dispose()
    held.push(make()) // reuses the freed block
  })
  check()
})

test('a foreign tensor that claims to be resident is refused', async () => {
  const qkv = await load()
  class Mine extends Tensor {
    get isResident() {
      return true
    }
  }
  assert.throws(
    () => qkv.softmax(new Mine(new Float32Array(4), [4])),
    /^TypeError: softmax: x: expected the object itself, got a Proxy/,
  )
})

test('addresses above 2 GiB work', async () => {
  const qkv = await load()
  const x = qkv.generator(5).randn([70, 20])
  const options = { causal: true, bias: qkv.generator(6).randn([70, 70]) }
  const want = [qkv.attention(x, x, x, options).output, qkv.trace(x, x, x, options).weights]
  // qkv.alloc would zero the memory, and touching two gigabytes of new pages takes many seconds.
  const { blocks } = /** @type {import('../src/runtime/memory.js').Core} */ (coreOf(qkv))
  const low = blocks.take(2 ** 31)
  const high = settle(qkv, x)
  assert.ok(high.data.byteOffset > 2 ** 31)
  assert.deepEqual([qkv.attention(high, high, x, options).output, qkv.trace(x, high, x, options).weights], want)
  assert.deepEqual(qkv.generator(7).randn([20]), (await load()).generator(7).randn([20]))
  blocks.give(low)
})

test('more than the 4 GiB of a module is refused, and the module works on', async () => {
  const qkv = await load()
  assert.throws(() => qkv.alloc([2 ** 30]), { name: 'RangeError', message: /out of memory/ })
  assert.throws(() => qkv.alloc([2 ** 40]), { name: 'RangeError' })
  assert.throws(() => qkv.alloc([-1]), { name: 'RangeError', message: /alloc: dims/ })
  assert.deepEqual([qkv.memory.used, qkv.memory.resident], [0, 0])
  assert.deepEqual([...qkv.softmax([0, 0]).data], [0.5, 0.5])
})

test('100,000 tiny calls on resident tensors leave no garbage to collect', () => {
  const code = `import { load } from './src/entries/index.js'
    const qkv = await load()
    const [q, k, v, out] = [0, 1, 2, 3].map(() => qkv.alloc([1, 6, 16]))
    const forms = [{ out }, { out, causal: true, softcap: 2, window: [3, 1], score: 'gaussian' }]
    const call = times => {
      for (let i = 0; i < times; i++) qkv.attention(q, k, v, forms[i % 2])
    }
    for (let i = 0; i < 20; i++) call(4000) // code that is not compiled yet boxes its numbers
    gc()
    console.log('start')
    call(100_000)
    console.log('end')
    globalThis.kept = Array.from({ length: 1e6 }, () => ({}))`
  const flags = ['--single-threaded', '--trace-gc', '--expose-gc', '--input-type=module', '--eval', code]
  const env = { ...process.env, NODE_V8_COVERAGE: '' } // coverage itself makes garbage
  const cwd = new URL('..', import.meta.url)
  const printed = execFileSync(process.execPath, flags, { encoding: 'utf8', cwd, env })
  const [meanwhile, after] = printed.split('start\n')[1].split('end\n')
  assert.match(after, /Scavenge/, 'a collection is printed where it happens')
  assert.equal(meanwhile, '')
})
