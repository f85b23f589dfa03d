// Arguments with getters, with wrong lengths, or of another module. A call first reads each option once, then checks its inputs, then copies them.
// Anything that is not an option, a number or a tensor throws an error that names it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, tensor } from '../src/entries/index.js'
import * as nn from '../src/entries/nn.js'
import { embeddingLayer, kvCache, linearLayer, multiheadAttention } from '../src/entries/nn.js'
import { Adam, clipGradNorm, parameters, tape } from '../src/entries/train.js'
import { close } from './helpers.js'

/** Untyped, for calls with wrong arguments. @type {any} */
const qkv = await load()
const g = qkv.generator(3)
const x = g.randn([4, 8])
const plain = qkv.attention(x, x, x).output

/** @param {() => unknown} call @param {RegExp} message @param {string} [name] */
function refuses(call, message, name = 'TypeError') {
  assert.throws(call, { name, message })
  assert.equal(qkv.memory.used, 0)
  assert.deepEqual(qkv.attention(x, x, x).output, plain)
}

test('inherited options do not count, neither of Object.prototype nor of an object of options', () => {
  const prototype = /** @type {any} */ (Object.prototype)
  const m = multiheadAttention(g, 8, 2)
  const calls = () => [
    qkv.attention(x, x, x, {}),
    qkv.trace(x, x, x).weights,
    m.forward(x),
    m.trace(x).output,
    qkv.softmax(x),
    qkv.linear(x, x),
    qkv.rope(x, Object.create({ base: 3 })),
    qkv.attention(x, x, x, {
      score: Object.create({ kind: 'gaussian', sigma: 3 }, { kind: { value: 'dot', enumerable: true } }),
    }),
    nn.crossEntropy(qkv, x, [0, 1, 2, 3]),
    nn.dropout(qkv, x, { p: 0.5, generator: qkv.generator(1) }),
    nn.layerNorm(qkv, x),
    nn.attentionBackward(qkv, x, x, x, x),
    nn.packedAttention(qkv, x.slice(1, 0, 6), { numHeads: 2 }),
  ]
  const want = calls()
  const inherited = {
    causal: true,
    dim: 0,
    scale: 9,
    resident: true,
    interleaved: true,
    sigma: 2,
    masking: 'after',
    bias: x,
    eps: 1,
    labelSmoothing: 0.5,
    reduction: 'sum',
    gradient: true,
  }
  try {
    Object.assign(prototype, inherited)
    assert.deepEqual(calls(), want)
  } finally {
    for (const name of Object.keys(inherited)) delete prototype[name]
  }
  assert.deepEqual(qkv.attention(x, x, x, Object.create({ causal: true })).output, plain)
})

test('a Map, a Set, an array or a number as options throws', () => {
  for (const options of [new Map([['causal', true]]), new Set(), [], 3, 'causal', null])
    for (const call of [
      () => qkv.attention(x, x, x, options),
      () => qkv.softmax(x, options),
      () => qkv.linear(x, x, undefined, options),
      () => embeddingLayer(g, 3, 2, /** @type {any} */ (options)),
    ])
      refuses(call, /expected an object of options/)
})

test('each option is read once, before the inputs are looked at', () => {
  /** @type {string[]} */
  const read = []
  const options = {}
  for (const [name, value] of Object.entries({ causal: true, scale: 2, softcap: 0 }))
    Object.defineProperty(options, name, { enumerable: true, get: () => read.push(name) && value })
  const q = {
    dims: [4, 8],
    get data() {
      read.push('data')
      return x.data
    },
  }
  assert.deepEqual(qkv.attention(q, x, x, options), qkv.attention(x, x, x, { causal: true, scale: 2 }))
  assert.deepEqual(read, ['causal', 'scale', 'softcap', 'data'])
})

test('a getter that shrinks a buffer that was checked makes the call throw', () => {
  const shrinking = () => {
    const buffer = new /** @type {any} */ (ArrayBuffer)(128, { maxByteLength: 128 })
    const q = { data: new Float32Array(buffer), dims: [4, 8] }
    q.data.set(x.data)
    return { q, shrink: () => buffer.resize(64) }
  }
  {
    const { q, shrink } = shrinking()
    const options = {
      get causal() {
        shrink()
        return true
      },
    }
    refuses(() => qkv.attention(q, x, x, options), /make 32 values, its data has 16/, 'RangeError')
  }
  for (const call of [
    (/** @type {any} */ q, /** @type {any} */ mask) => qkv.attention(q, x, x, { mask }),
    (/** @type {any} */ q, /** @type {any} */ mask) => qkv.trace(x, q, x, { bias: mask }),
    (/** @type {any} */ q, /** @type {any} */ bias) => qkv.linear(x, q, bias),
    (/** @type {any} */ q, /** @type {any} */ mask) => multiheadAttention(g, 8, 2).forward(q, q, q, { mask }),
  ]) {
    const { q, shrink } = shrinking()
    const late = {
      dims: [4],
      get data() {
        shrink()
        return new Float32Array(4)
      },
    }
    refuses(() => call(q, late), /detached or shrunk while the arguments were read/)
  }
})

test('a cache that a getter of the options changes is attended as it is then, or refused', () => {
  const row = [[1, 0]]
  const cache = kvCache(qkv, { headDim: 2, capacity: 8 }).append(row, row)
  const appending = {
    get softcap() {
      cache.append([[0, 1]], [[0, 5]])
      return 0
    },
  }
  const { output } = cache.attention(row, appending)
  assert.equal(cache.length, 2)
  assert.deepEqual(output, cache.attention(row).output)
  const mask = {
    get dims() {
      cache.append(row, row)
      return [1, 1]
    },
    data: new Uint8Array(1),
  }
  refuses(() => cache.attention(row, { mask }), /changed the cache/)
})

test('a Proxy of a resident tensor, a generator, a layer, a cache, an optimiser or the module is refused, and so is an object that inherits from one', () => {
  const resident = qkv.alloc([4, 8])
  const weights = tensor(x.data, x.dims)
  const learned = parameters(qkv, { w: x })
  const optimizer = new Adam(learned)
  /** @type {[object, ((x: any) => unknown)[]][]} */
  const cases = [
    [
      resident,
      [
        x => qkv.softmax(x),
        x => qkv.attention(x, x, x),
        x => x.data,
        x => x.row(0),
        x => x.dispose(),
        x => qkv.exp(weights, { out: x }),
      ],
    ],
    [
      g,
      [
        g => g.rand([2]),
        g => g.dropout(x),
        g => linearLayer(g, 2, 2),
        g => g.seed(1),
        dropout => qkv.attention(x, x, x, { dropout: { p: 0.5, generator: dropout } }),
      ],
    ],
    [
      qkv,
      [
        q => q.softmax(x),
        q => q.memory,
        q => q.generator(1),
        q => q.alloc([1]),
        q => q.threads,
        q => q.scope(() => {}),
      ],
    ],
    [linearLayer(g, 8, 2), [l => l.forward(x)]],
    [embeddingLayer(g, 8, 2), [l => l.forward([1])]],
    [multiheadAttention(g, 8, 2), [l => l.forward(x), l => l.trace(x)]],
    [nn.packLinear(qkv, x), [l => l.forward(x)]],
    [kvCache(qkv, { headDim: 8, capacity: 2 }), [c => c.append(x, x), c => c.attention(x)]],
    [
      learned,
      [
        p => tape(qkv, p, t => t.gelu(p.values.w)),
        p => new Adam(p),
        p => clipGradNorm(p, 1),
        p => p.stateDict(),
        p => p.loadStateDict({ w: x }),
        p => p.dispose(),
      ],
    ],
    [optimizer, [o => o.step(), o => o.stateDict(), o => o.loadStateDict(optimizer.stateDict()), o => o.dispose()]],
  ]
  for (const [object, uses] of cases)
    for (const other of [new Proxy(object, {}), Object.create(object)])
      for (const use of uses) refuses(() => use(other), /got a Proxy of it or an object derived from it/)
  for (const held of [resident, learned, optimizer]) held.dispose()
})

test('a made-up generator is refused before memory is used', () => {
  for (const generator of [{ withState() {} }, { withState: () => 3, core: {} }, 3, null, undefined, class {}])
    refuses(() => qkv.attention(x, x, x, { dropout: { p: 0.5, generator } }), /generator: expected a generator, got /)
})

test('linear, matmul, softmax, exp, tanh and rope accept out and resident, and refuse any other option by name', () => {
  const [a, w, b] = [g.randn([3, 8]), g.randn([5, 8]), g.randn([5])]
  /** @type {[string, readonly number[], (options?: any) => any][]} */
  const calls = [
    ['linear', [3, 5], options => qkv.linear(a, w, b, options)],
    ['matmul', [3, 5], options => qkv.matmul(a, w.T, options)],
    ['packLinear: forward', [3, 5], options => nn.packLinear(qkv, w, b).forward(a, options)],
    ['softmax', [3, 8], options => qkv.softmax(a, options)],
    ['exp', [3, 8], options => qkv.exp(a, options)],
    ['tanh', [3, 8], options => qkv.tanh(a, options)],
    ['rope', [3, 8], options => qkv.rope(a, options)],
  ]
  for (const [name, dims, call] of calls) {
    const want = call()
    const out = tensor(new Float32Array(want.data.length), dims)
    assert.equal(call({ out }), out)
    assert.deepEqual(out.data, want.data, name)
    const held = qkv.memory.resident
    qkv.scope(() => {
      const made = call({ resident: true })
      assert.ok(made.isResident)
      assert.deepEqual(made.data, want.data, name)
      const view = qkv.alloc([2, ...dims]).row(1)
      assert.equal(call({ out: view }), view)
      assert.deepEqual(view.data, want.data, name)
    })
    if (!name.startsWith('pack')) assert.equal(qkv.memory.resident, held)
    refuses(() => call({ outt: out }), new RegExp(`${name}: there is no option "outt"; did you mean "out"`))
    refuses(
      () => call({ out: tensor(new Float32Array(2), [2]) }),
      new RegExp(`${name}: out: expected .*got dims \\(2\\)`),
      'RangeError',
    )
    refuses(() => call({ out, resident: true }), /expected either out or resident, got both/)
    refuses(() => call({ resident: 1 }), /resident: expected true or false, got 1/)
  }
  const inner = qkv.alloc([4, 8])
  refuses(() => qkv.exp(inner, { out: inner }), /out overlaps an input/, 'RangeError')
  refuses(() => qkv.linear(inner, w, b, { out: 3 }), /out: expected a float32 tensor, got 3/)
  inner.dispose()
})

test('ids and positions are exact beyond 2^24, also in plain arrays, and int64 is for ids only', () => {
  const position = 2 ** 24 + 1
  const want = qkv.rope(x.row(0).reshape([1, 8]), { positions: Int32Array.of(position) })
  assert.notDeepEqual(want, qkv.rope(x.row(0).reshape([1, 8]), { positions: [position - 1] }))
  const given = [
    [position],
    [[position]],
    tensor(Float64Array.of(position)),
    BigInt64Array.of(BigInt(position)),
    { data: [position], dims: [1] },
  ]
  for (const positions of given) assert.deepEqual(qkv.rope(x.row(0).reshape([1, 8]), { positions }), want)
  /** @type {any} */
  const table = embeddingLayer(g, 1, 1)
  table.weight = tensor(new Float32Array(position + 1), [position + 1, 1])
  table.weight.data[position] = 7
  for (const ids of [[position], [[position]], BigInt64Array.of(BigInt(position)), { data: [position], dims: [1] }])
    assert.deepEqual([...table.forward(ids).data], [7])
  refuses(() => table.forward([position + 1]), /ids\[0\]: .*got 16777218/, 'RangeError')
  refuses(() => table.forward(BigInt64Array.of(2n ** 60n)), /ids\[0\]: .*got 1152921504606847000/, 'RangeError')
  const int64 = { data: new BigInt64Array(32), dims: [4, 8] }
  const mask = { data: new BigInt64Array(16), dims: [4, 4] }
  for (const call of [
    () => qkv.attention(int64, x, x),
    () => qkv.attention(x, int64, x),
    () => qkv.attention(x, x, int64),
    () => qkv.attention(x, x, x, { mask }),
    () => qkv.attention(x, x, x, { bias: mask }),
    () => qkv.softmax(int64),
    () => tensor(/** @type {any} */ (int64)),
  ])
    refuses(call, /its data: expected one of Float32Array.*got a BigInt64Array of \d+/)
})

test('invalid lengths, and tensors whose length property is wrong, are refused', () => {
  class Long extends Float32Array {
    get length() {
      return 32
    }
  }
  const own = Object.defineProperty(new Float32Array(2), 'length', { value: 32 })
  for (const data of [new Long(2), own])
    for (const call of [
      () => qkv.softmax({ data, dims: [4, 8] }),
      () => qkv.attention(x, { data, dims: [4, 8] }, x),
      () => tensor({ data, dims: [32] }),
    ])
      refuses(call, /its data: expected length 2, the size of the array, got 32/)
  refuses(() => qkv.softmax({ data: { length: 2 ** 53 }, dims: [2] }), /its data has 9007199254740992/, 'RangeError')
  refuses(() => qkv.softmax({ data: { length: -1 }, dims: [2] }), /its data has -1/, 'RangeError')
  refuses(() => qkv.alloc({ length: -1 }), /alloc: dims: .*got -1/, 'RangeError')
  refuses(() => qkv.alloc({ length: 0.5 }), /alloc: dims: .*got 0.5/, 'RangeError')
})

test('randint takes the whole range of int32, with the numbers of torch 1.13', () => {
  const { data } = qkv.generator(5).randint(-(2 ** 31), 2 ** 31, [2, 3])
  assert.deepEqual([...data], [-1910486834, 1423042237, -585245578, 2059200585, -1761705244, -443512898])
})

test('a trace that does not fit into memory leaves the memory as it was', async () => {
  const own = await load()
  const { size } = own.memory
  for (const L of [20_000, 60_000]) {
    const big = { data: new Float32Array(L), dims: [L, 1] }
    assert.throws(() => own.trace(big, big, big), { name: 'RangeError', message: /out of memory/ })
    assert.deepEqual(own.memory, { used: 0, resident: 0, size })
  }
})

test('ALiBi at positions beyond 2^24, which float32 rounds, is the same in attention and trace', () => {
  const [q, k, v] = [g.randn([40, 8]), g.randn([100, 8]), g.randn([100, 8])]
  for (const pastLength of [2 ** 24 - 20, 2 ** 25 + 3, -(2 ** 25) - 7, 2 ** 30 + 7]) {
    const options = { alibi: [1], pastLength }
    for (const rows of [q, q.row(0).reshape([1, 8])])
      close(
        qkv.attention(rows, k, v, options).output,
        qkv.trace(rows, k, v, options).output,
        { abs: 1e-5, rel: 1e-5 },
        `${pastLength}`,
      )
  }
})
