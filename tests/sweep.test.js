// Every call gives the same bits whether its operands are plain tensors or lie in the module's memory: as resident tensors, views or bare data. The
// amount of free memory is varied, so that memory grows at each allocation once.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { joinHeads, load, splitHeads, Tensor } from '../src/entries/index.js'
import * as nn from '../src/entries/nn.js'
import { embeddingLayer, kvCache, linearLayer, multiheadAttention, onnxAttention } from '../src/entries/nn.js'
import * as train from '../src/entries/train.js'
import { OPERATIONS as FUNCTIONS } from '../src/ops/operations.js'
import { allocations, memoryOf, withFree } from './growth.js'
import { OPERATIONS, operandsOf } from './operations.js'

/** @import { Qkv } from 'qkv' */
/** @typedef {Tensor<Float32Array>} FloatTensor */
/** @typedef {(x: Tensor<any>) => any} Form */

const wasm = await WebAssembly.compile(readFileSync(new URL('../src/qkv.wasm', import.meta.url)))
const plain = await load({ wasm, integers: true })
const draw = plain.generator(11)
const floats = (/** @type {number[]} */ ...dims) => draw.randn(dims)

// 131 x 131 floats are more than a page of memory (64 KiB), so each copy makes the memory grow.
const [q, k, v, w] = [0, 1, 2, 3].map(() => floats(131, 131))
const row = floats(131)
const narrow = floats(131, 32)
const heads = [0, 1, 2].map(() => floats(2, 65, 130))
/** Packed texts, with another head size. */
const texts = floats(140, 2, 33)
const small = floats(1, 3, 8)
const weights = [floats(8, 8), floats(8)]
const mask = draw.bernoulli([131, 131], 0.7)
const seen = new Tensor(Uint8Array.from(mask.data), mask.dims)
const hides = new Tensor(
  mask.data.map(x => (x ? 0 : -Infinity)),
  mask.dims,
)
const tables = [floats(131, 65), floats(131, 65)]
const ids = Int32Array.from({ length: 131 }, (_, i) => (i * 7) % 131)

/** A summary with all fields. */
const everything = {
  map: [50, 60],
  topK: 7,
  logSumExp: true,
  entropy: true,
  sinkWeight: true,
  distance: true,
  ids: Array.from(ids, id => id % 20),
}

/** @param {Qkv} qkv @param {Form} f */
function layer(qkv, f) {
  const made = multiheadAttention(qkv.generator(1), 8, 2, { addBiasKV: true })
  for (const part of [made.layers.query, made.layers.out]) [part.weight, part.bias] = weights.map(f)
  made.biasK = f(floats8)
  return made
}
const floats8 = floats(8)

/** @param {Qkv} qkv @param {Form} f */
function layers(qkv, f) {
  const g = qkv.generator(1)
  const [embedding, linear] = [embeddingLayer(g, 131, 131), linearLayer(g, 131, 131)]
  embedding.weight = f(q)
  linear.weight = f(w)
  linear.bias = f(row)
  return { embedding, linear }
}

/** @type {Record<string, (qkv: any, f: Form, options?: object) => any>} */
const calls = {
  attention: (qkv, f, options) => qkv.attention(f(q), f(k), f(v), options),
  'attention, masked': (qkv, f) =>
    qkv.attention(...heads.map(f), {
      mask: f(seen65),
      bias: f(floats65),
      alibi: f(two),
      sinks: f(two),
      causal: true,
      pastLength: [3],
      keyLengths: [60],
    }),
  'attention, a float mask': (qkv, f) => qkv.attention(f(q), f(k), f(v), { mask: f(hides) }),
  'attention, a boolean mask': (qkv, f) => qkv.attention(f(q), f(k), f(v), { mask: f(seen) }),
  'attention, additive': (qkv, f) =>
    qkv.attention(f(q), f(k), f(v), {
      score: { kind: 'additive', wQuery: f(w), wKey: f(k), v: f(row), bias: f(row) },
    }),
  'attention, dropout': (qkv, f) => {
    const generator = qkv.generator(2) // allocates memory, too
    return qkv.attention(f(q), f(k), f(v), { dropout: { p: 0.5, generator } })
  },
  'attention, numHeads': (qkv, f) => qkv.attention(...heads.map(f), { numHeads: 2 }),
  'attention, cuSeqlens': (qkv, f, options) =>
    qkv.attention(f(texts), f(texts), f(texts), { cuSeqlens: [0, 3, 140], causal: true, alibi: true, ...options }),
  'attention, summary': (qkv, f, options) =>
    qkv.attention(f(q), f(k), f(v), { causal: true, sinks: f(one), summary: everything, ...options }),
  attentionWindow: (qkv, f) =>
    nn.attentionWindow(qkv, f(q), f(k), {
      rows: [3, 90],
      columns: [60, 131],
      mask: f(seen),
      bias: f(hides),
      alibi: f(one),
    }),
  'attentionWindow, resolution': (qkv, f) =>
    nn.attentionWindow(qkv, f(q), f(k), { columns: [60, 131], resolution: [3, 4], sinks: f(one) }),
  trace: (qkv, f) => qkv.trace(f(q), f(k), f(v), { mask: f(seen), softcap: 3, masking: 'after' }),
  'trace, additive': (qkv, f) =>
    qkv.trace(f(q), f(k), f(v), { score: { kind: 'additive', wQuery: f(w), wKey: f(k), v: f(row) } }),
  attentionBackward: (qkv, f) => nn.attentionBackward(qkv, f(q), f(k), f(v), f(w), { bias: f(hides), sinks: f(one) }),
  'attentionBackward, cuSeqlens': (qkv, f) =>
    nn.attentionBackward(qkv, f(texts), f(texts), f(texts), f(texts), { cuSeqlens: [0, 3, 140] }),
  'attentionBackward, additive': (qkv, f) =>
    nn.attentionBackward(qkv, f(q), f(k), f(v), f(w), {
      score: { kind: 'additive', wQuery: f(w), wKey: f(k), v: f(row), bias: f(row) },
    }),
  softmax: (qkv, f, options) => qkv.softmax(f(q), { dim: 0, ...options }),
  rope: (qkv, f, options) => qkv.rope(f(q), { rotaryDim: 130, ...options }),
  'rope, tables': (qkv, f) =>
    qkv.rope(f(q), { rotaryDim: 130, cos: f(tables[0]), sin: f(tables[1]), positions: f(positions) }),
  exp: (qkv, f, options) => qkv.exp(f(q), options),
  tanh: (qkv, f, options) => qkv.tanh(f(q), options),
  linear: (qkv, f, options) => qkv.linear(f(q), f(w), f(row), options),
  packLinear: (qkv, f) => {
    const layer = nn.packLinear(qkv, f(w), f(row))
    const y = layer.forward(f(q))
    layer.dispose()
    return y
  },
  'packLinear, int8': (qkv, f) => {
    const layer = nn.packLinear(qkv, f(w), f(row), { dtype: 'int8' })
    const y = layer.forward(f(q))
    layer.dispose()
    return y
  },
  'packLinear, int4': (qkv, f) => {
    const layer = nn.packLinear(qkv, f(w), f(row), { dtype: 'int4' })
    const y = layer.forward(f(q))
    layer.dispose()
    return y
  },
  'packLinear, Q5_0': (qkv, f) => {
    const data = new Uint8Array(22 * 17).fill(17)
    const layer = nn.packLinear(qkv, { data, dims: [17, 32], dtype: 'Q5_0' })
    const y = layer.forward(f(narrow))
    layer.dispose()
    return y
  },
  'packLinear, activations': (qkv, f) => {
    const layer = nn.packLinear(qkv, f(w), f(row), { dtype: 'int4', activations: 'float32' })
    const y = layer.forward(f(q))
    layer.dispose()
    return y
  },
  'packLinear, activations of int8': (qkv, f) => {
    const layer = nn.packLinear(qkv, f(w), f(row), { dtype: 'int8', activations: 'int8' })
    const y = layer.forward(f(q))
    layer.dispose()
    return y
  },
  linearBackward: (qkv, f) => nn.linearBackward(qkv, f(q), f(w), f(v)),
  matmul: (qkv, f, options) => qkv.matmul(f(q), f(w), options),
  packedAttention: (qkv, f, options) =>
    nn.packedAttention(qkv, f(heads[0]), { ...packed, bias: f(floats65), ...options }),
  packedAttentionBackward: (qkv, f) =>
    nn.packedAttentionBackward(qkv, f(heads[0]), f(dPacked), { ...packed, bias: f(floats65) }),
  dropout: (qkv, f, options) => {
    const generator = qkv.generator(3) // first, because it may grow the memory
    return nn.dropout(qkv, f(q), { p: 0.25, generator, ...options })
  },
  dropoutBackward: (qkv, f) => {
    const generator = qkv.generator(3)
    return nn.dropoutBackward(qkv, f(q), { p: 0.25, generator })
  },
  softmaxBackward: (qkv, f) => nn.softmaxBackward(qkv, f(q), f(w), { dim: 0 }),
  ropeBackward: (qkv, f) => nn.ropeBackward(qkv, f(q), { rotaryDim: 130 }),
  embeddingBackward: (qkv, f) => nn.embeddingBackward(qkv, ids, f(q), 131),
  sumRows: (qkv, f, options) => nn.sumRows(qkv, f(q), options),
  crossEntropy: (qkv, f) => nn.crossEntropy(qkv, f(q), ids),
  embedding: (qkv, f, options) => nn.embedding(qkv, ids, f(q), options),
  'generator.dropout': (qkv, f) => qkv.generator(3).dropout(f(q), 0.25),
  'Embedding.forward': (qkv, f) => layers(qkv, f).embedding.forward(ids),
  'Linear.forward': (qkv, f) => layers(qkv, f).linear.forward(f(q)),
  'MultiheadAttention.forward': (qkv, f) =>
    layer(qkv, f).forward(f(small), f(small), f(small), { averageWeights: false, keyPaddingMask: f(padding) }),
  'MultiheadAttention.trace': (qkv, f) => layer(qkv, f).trace(f(small)),
  loadStateDict: (qkv, f) => {
    const made = multiheadAttention(qkv.generator(1), 8, 2)
    const state = Object.fromEntries(Object.entries(stateDict).map(([name, x]) => [name, f(x)]))
    return made.loadStateDict(state).forward(small)
  },
  cache: (qkv, f) => {
    const cache = kvCache(qkv, { headDim: 131, capacity: 131, limit: Infinity }).append(f(k), f(v)).append(f(w), f(q))
    const { output } = cache.attention(f(q), { bias: f(floats262) })
    const { keys, values } = cache
    cache.dispose()
    return { output, keys, values }
  },
  'cache, int8': (qkv, f) => {
    const cache = kvCache(qkv, { headDim: 131, capacity: 131, limit: Infinity, dtype: 'int8' })
    cache.append(f(k), f(v)).append(f(w), f(q))
    const { output } = cache.attention(f(q), { bias: f(floats262) })
    const { keys, values } = cache
    cache.dispose()
    return { output, keys, values }
  },
  onnxAttention: (qkv, f) =>
    onnxAttention(
      qkv,
      { Q: f(q4), K: f(k4), V: f(v4), attn_mask: f(hides), past_key: f(k4), past_value: f(v4) },
      { qk_matmul_output_mode: 0 },
    ),
  splitHeads: (_, f) => splitHeads(f(heads[0]), 2),
  joinHeads: (_, f) => joinHeads(f(heads[0])),
  relativePositionBias: (_, f) => nn.relativePositionBias(f(floats28), 131, 131),
}

/** The functions of qkv/nn whose operands are all tensors. @type {string[]} */
const operations = []
const functions = /** @type {Record<string, ((...args: any[]) => any) | undefined>} */ (nn)
for (const [name, run] of Object.entries(FUNCTIONS)) {
  const { threads } = OPERATIONS[name]
  assert.ok(threads, `tests/operations: ${name} has no call for threads`)
  const { dims, options: own } = threads
  const { operands, ofGradient } = operandsOf(name)
  /** @type {Record<string, FloatTensor>} */
  const inputs = Object.fromEntries(Object.entries(dims).map(([operand, size]) => [operand, floats(...size)]))
  inputs.y = /** @type {(...args: any[]) => FloatTensor} */ (run)(plain, ...operands.map(each => inputs[each]), own)
  const dY = floats(...inputs.y.dims)
  const given = (/** @type {string[]} */ names, /** @type {Form} */ f) =>
    names.map(each => inputs[each] && f(inputs[each]))
  const gradient = `${name}Backward`
  if (functions[name]) {
    operations.push(name)
    calls[name] = (qkv, f, options) => functions[name]?.(qkv, ...given(operands, f), { ...own, ...options })
  }
  if (functions[gradient])
    calls[gradient] ??= (qkv, f) => functions[gradient]?.(qkv, ...given(ofGradient, f), f(dY), own)
}

/** Operations that only the tape has. @type {Record<string, (t: import('../src/entries/train.js').Tape, x: any, y: any) => any>} */
const onTape = {
  permute: (t, x) => t.permute(x, [1, 0]),
  slice: (t, x) => t.slice(x, 1, 3, -2),
  expand: (t, x) => t.expand(x, [2, -1, -1]),
  cat: (t, x, y) => t.cat([x, y, x], { dim: 1 }),
  sum: (t, x) => t.sum(x, { dim: 0 }),
  mean: (t, x) => t.mean(x, { dim: 1, keepdim: true }),
  mseLoss: (t, x, y) => t.mseLoss(x, y, { reduction: 'none' }),
  'sub of a mean': (t, x) => t.sub(x, t.mean(x, { dim: 1, keepdim: true })),
}
calls['tape, a gradient'] = (qkv, f) => {
  for (const x of [q, k, w]) f(x) // place operands in memory before the parameters
  const p = train.parameters(qkv, { x: f(q) })
  train.tape(qkv, p, t => t.sub(t.gelu(p.values.x), f(k))).backward({ gradient: f(w) })
  const dX = p.gradients.x.data.slice()
  p.dispose()
  return new Tensor(dX, q.dims)
}
for (const [name, run] of Object.entries(onTape))
  calls[`tape, ${name}`] = (qkv, f) => {
    for (const x of [q, k]) f(x)
    const p = train.parameters(qkv, { x: f(q) })
    const step = train.tape(qkv, p, t => run(t, p.values.x, f(k)))
    const [output, gradient] = [step.output.data.slice(), step.output.data.map(y => y / 2)]
    step.backward({ gradient: { data: gradient, dims: step.output.dims } })
    const dX = p.gradients.x.data.slice()
    p.dispose()
    return { output: new Tensor(output, [output.length]), dX: new Tensor(dX, q.dims) }
  }
const stateDict = /** @type {Record<string, FloatTensor>} */ (multiheadAttention(draw, 8, 2).stateDict())
const floats65 = floats(65)
const floats262 = floats(262)
const one = floats(1)
const packed = { numHeads: 3, numKvHeads: 1, causal: true } // rows of 130: 3 query heads, a key head and a value head of 26 numbers each
const dPacked = floats(2, 65, 78)
const seen65 = new Tensor(seen.data.slice(0, 65), [65])
const two = floats(2)
const positions = new Tensor(Float32Array.from(ids), [131])
const padding = new Tensor(Uint8Array.of(0, 0, 1), [1, 3])
const [q4, k4, v4] = [q, k, v].map(x => x.reshape([1, 1, 131, 131]))
const floats28 = floats(28, 2)
const ofJavaScript = new Set(['splitHeads', 'joinHeads', 'relativePositionBias'])
const outs = [
  ...operations,
  'attention',
  'attention, summary',
  'softmax',
  'rope',
  'exp',
  'tanh',
  'linear',
  'matmul',
  'embedding',
  'sumRows',
  'packedAttention',
]

/**
 * The forms that operand x can take in the module's memory. `whole` is a resident tensor (3, ...dims) whose middle row has the values of x.
 * @type {Record<string, (whole: Tensor<any>, x: Tensor<any>) => any>}
 */
const forms = {
  resident: whole => whole.row(1),
  view: (whole, x) =>
    whole
      .reshape([3, ...x.dims, 1])
      .row(1)
      .reshape(x.dims),
  bare: (whole, x) => ({ data: whole.row(1).data, dims: x.dims }),
}

/** Wraps bare data in a tensor, because `out` must be one. @param {any} x */
const asTensor = x => (x instanceof Tensor ? x : new Tensor(x.data, x.dims))

/** Returns x, whose values are not float32, as an array of their type over the module's memory. @param {Tensor<any>} whole @param {Tensor<any>} x */
function overBytes(whole, { data, dims }) {
  const { buffer, byteOffset } = whole.row(1).data
  return { data: new data.constructor(buffer, byteOffset, data.length), dims }
}

/** @param {Qkv} qkv @param {Tensor<any>} x */
function settle(qkv, x) {
  const isFloat = x.dtype === 'float32'
  const whole = qkv.alloc([3, ...(isFloat ? x.dims : [Math.ceil(x.data.byteLength / 4)])])
  if (isFloat) whole.row(1).data.set(x.data)
  else overBytes(whole, x).data.set(x.data)
  return whole
}

/** Digests a result to names, dims and a hash of the bits. @param {any} result @returns {any} */
function digest(result) {
  if (result instanceof Tensor)
    return `${result.dtype} ${result.dims} ${createHash('sha1').update(result.data).digest('hex')}`
  if (typeof result !== 'object' || result === null) return result
  return Object.fromEntries(Object.entries(result).map(([name, part]) => [name, digest(part)]))
}

/** Lists all tensors of a result. @param {any} result @returns {Tensor<any>[]} */
const tensorsOf = result =>
  result instanceof Tensor ? [result] : Object(result) === result ? Object.values(result).flatMap(tensorsOf) : []

/** @param {string} name @param {(qkv: any, f: Form) => any} call */
async function sweep(name, call) {
  const want = digest(call(plain, x => x))
  let [grown, trials] = [0, 0]
  const qkv = await load({ wasm, integers: true })
  /** @type {Map<Tensor<any>, Tensor<any>>} */
  const inside = new Map()
  for (const [form, give] of Object.entries(forms)) {
    /** @type {Form} */
    const f = x => {
      const whole = /** @type {Tensor<any>} */ (inside.get(x))
      return x.dtype === 'float32' ? give(whole, x) : overBytes(whole, x)
    }
    call(qkv, x => {
      if (!inside.has(x)) inside.set(x, settle(qkv, x))
      return x
    })
    for (const free of await allocations(qkv, () => call(qkv, f))) {
      const { size } = qkv.memory
      const got = await withFree(qkv, free, () => call(qkv, f))
      trials++
      grown += Number(qkv.memory.size > size)
      assert.deepEqual(digest(got), want, `${form}, ${free} bytes free`)
      for (const { data } of tensorsOf(got))
        assert.notEqual(data.buffer, memoryOf(qkv).floats.buffer, `${form}: results are copies`)
      assert.equal(qkv.memory.used, 0)
    }
  }
  return { name, grown, trials }
}

for (const [name, call] of Object.entries(calls))
  test(`${name}: the bits of plain tensors, wherever operands lie and whenever the memory grows`, async t => {
    const { grown, trials } = await sweep(name, call)
    t.diagnostic(`the memory grew in ${grown} of ${trials} calls`)
    assert.ok(grown > 0 || ofJavaScript.has(name))
  })

test('out and resident results have the bits of a new array, wherever they lie and whenever the memory grows', async () => {
  /** @type {Record<string, (f: Form, empty: FloatTensor) => object>} */
  const targets = {
    'out, in its form': (f, empty) => ({ out: asTensor(f(empty)) }),
    'out, plain': (_, { data, dims }) => ({ out: new Tensor(data.slice(), dims) }),
    'a resident result': () => ({ resident: true }),
  }
  for (const name of outs) {
    const want = calls[name](plain, x => x)
    const empty = new Tensor(new Float32Array((want.output ?? want).data.length), (want.output ?? want).dims)
    for (const [target, make] of Object.entries(targets).slice(0, name.startsWith('attention') ? 2 : 3))
      await sweep(`${name}, ${target}`, (qkv, f) => {
        const result = calls[name](qkv, f, make(f, empty))
        const found = digest(result)
        if (target === 'a resident result') result.dispose()
        return found
      })
  }
})

test('every public function is called here', async () => {
  const names = (/** @type {object} */ object) =>
    Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(object)))
      .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
      .map(([name]) => name)
  const source = Object.values(calls).map(String).join('\n')
  const without = ['dispose', 'alloc', 'scope', 'generator', 'trim'] // they take no tensors
  const layers = ['embeddingLayer', 'linearLayer'] // the tests call the methods of layers that were made once
  for (const name of [
    ...names(plain).filter(name => !without.includes(name)),
    ...Object.keys(nn).filter(name => !layers.includes(name)),
  ])
    assert.ok(name in calls || new RegExp(`\\b${name}\\(`).test(source), name)
})
