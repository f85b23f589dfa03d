// Fuzzes the public functions with valid arguments, some of which are replaced by arbitrary values. Each call must return a correct
// result or throw a readable error, and leave the module unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { alibiSlopes, joinHeads, load, QkvError, splitHeads, Tensor, tensor } from '../src/entries/index.js'
import * as nn from '../src/entries/nn.js'
import * as train from '../src/entries/train.js'
import { OPERATIONS as FUNCTIONS } from '../src/ops/operations.js'
import { coreOf } from '../src/runtime/core-of.js'
import { close } from './helpers.js'
import { OPERATIONS, operandsOf } from './operations.js'
import { attention } from './reference.js'
import { ENGINE, places, strangeThings, thrown } from './strange.js'

const CALLS = 50_000
const seed = Number(process.env.SEED ?? 1)
const share = Number(process.env.SHARE ?? 1) // fraction of the calls to run, smaller in slow builds

/** Untyped, because arguments can be anything here. @type {any} */
const qkv = await load({ integers: true })
const { embeddingLayer, kvCache, linearLayer, multiheadAttention, onnxAttention } = nn
/** @type {Record<string, any>} */
const api = {
  alibiSlopes,
  embeddingLayer,
  joinHeads,
  kvCache,
  linearLayer,
  multiheadAttention,
  onnxAttention,
  splitHeads,
  tensor,
}
/** @type {Record<string, any>} */
const blocks = { ...nn, ...train }
const g = qkv.generator(7)
const [embedding, layer, mha] = [api.embeddingLayer(g, 5, 4), api.linearLayer(g, 4, 3), api.multiheadAttention(g, 4, 2)]
const state = {
  in_proj_weight: g.randn([12, 4]),
  in_proj_bias: g.randn([12]),
  'out_proj.weight': g.randn([4, 4]),
  'out_proj.bias': g.randn([4]),
}

const floats = (/** @type {number[]} */ ...dims) => ({ data: g.uniform(dims, -1, 1).data, dims })
const nested = (/** @type {number[]} */ ...dims) => tensor(floats(...dims)).tolist()
const resident = qkv.alloc([1, 2, 3, 4])

const qkvOf = () => [floats(1, 2, 3, 4), floats(1, 1, 5, 4), floats(1, 1, 5, 2)]
const options = () => ({
  scale: 0.5,
  score: { kind: 'gaussian', sigma: 2 },
  softcap: 3,
  causal: false,
  window: [2, 1],
  pastLength: 1,
  mask: { data: Uint8Array.of(1, 0, 1, 1, 1), dims: [1, 5] },
  bias: floats(3, 5),
  keyLengths: [4],
  alibi: floats(2),
})
const additive = () => ({
  sinks: floats(2),
  pastLength: [2],
  score: { kind: 'additive', wQuery: floats(3, 4), wKey: nested(3, 4), v: floats(3), bias: floats(3) },
  dropout: { p: 0.25, generator: g },
})

/** Runs `use` and disposes of `held`, also if it throws. @param {any} held @param {(held: any) => unknown} use */
function using(held, use) {
  try {
    return use(held)
  } finally {
    held.dispose()
  }
}

/** Returns calls of the operations in tests/operations that take only tensors, and of their gradients. An operation without options gets `out`. */
function ofOperations() {
  /** @type {Record<string, { args: () => any[], call: (...args: any[]) => unknown }>} */
  const found = {}
  for (const [op, run] of /** @type {[string, any][]} */ (Object.entries(FUNCTIONS))) {
    const { cases } = OPERATIONS[op]
    const { dims, options } = cases.find(({ options }) => options) ?? cases[0]
    const { operands, ofGradient } = operandsOf(op)
    const given = (/** @type {string[]} */ names) =>
      names.map((name, i) => dims[name] && (i % 2 ? nested : floats)(...dims[name]))
    const output = () => run(qkv, ...given(operands), options).dims
    if (op in blocks)
      found[op] = {
        args: () => [...given(operands), options ? { ...options } : { out: floats(...output()) }],
        call: (...a) => blocks[op](qkv, ...a),
      }
    const first = ofGradient.map(name => (name === 'y' ? operands[0] : name))
    const [x] = operands
    const out = () => ({ [`d${x[0].toUpperCase()}${x.slice(1)}`]: tensor(floats(...dims[x])) })
    found[`${op}Backward`] = {
      args: () => [...given(first), floats(...output()), options ? { ...options } : { out: out() }],
      call: (...a) => blocks[`${op}Backward`](qkv, ...a),
    }
  }
  return found
}

/**
 * Public functions. `args` makes valid arguments; `call` receives them after the fuzzer has replaced some.
 * @type {Record<string, { args: () => any[], call: (...args: any[]) => unknown }>}
 */
const functions = {
  attention: { args: () => [...qkvOf(), options()], call: (...a) => qkv.attention(...a) },
  'attention, additive': { args: () => [...qkvOf(), additive()], call: (...a) => qkv.attention(...a) },
  'attention, resident': {
    args: () => [resident, resident, resident, { causal: true, out: floats(1, 2, 3, 4) }],
    call: (...a) => qkv.attention(...a),
  },
  trace: {
    args: () => [nested(3, 4), nested(5, 4), nested(5, 2), { ...options(), softmaxAxis: 'queries', masking: 'after' }],
    call: (...a) => qkv.trace(...a),
  },
  scope: { args: () => [() => qkv.alloc([3]).at(0)], call: a => qkv.scope(a) },
  softmax: { args: () => [floats(2, 3), { dim: 0 }], call: (...a) => qkv.softmax(...a) },
  rope: {
    args: () => [floats(2, 3, 4), { positions: [4, 0, 2], rotaryDim: 2, base: 100, interleaved: true }],
    call: (...a) => qkv.rope(...a),
  },
  'rope with tables': {
    args: () => [floats(1, 3, 8), { cos: floats(5, 2), sin: nested(5, 2), pastLength: 1, numHeads: 2 }],
    call: (...a) => qkv.rope(...a),
  },
  onnxAttention: {
    args: () => [
      qkv,
      { Q: floats(1, 3, 8), K: floats(1, 2, 4), V: floats(1, 2, 4), attn_mask: nested(3, 1), nonpad_kv_seqlen: [1] },
      { q_num_heads: 2, kv_num_heads: 1, is_causal: 1, qk_matmul_output_mode: 2, left_window_size: 3 },
    ],
    call: (...a) => api.onnxAttention(...a),
  },
  'onnxAttention with a past': {
    args: () => [
      qkv,
      {
        Q: floats(1, 2, 3, 4),
        K: floats(1, 1, 2, 4),
        V: floats(1, 1, 2, 3),
        past_key: floats(1, 1, 5, 4),
        past_value: floats(1, 1, 5, 3),
      },
      { scale: 0.5, softcap: 2 },
    ],
    call: (...a) => api.onnxAttention(...a),
  },
  alibiSlopes: { args: () => [6], call: a => api.alibiSlopes(a) },
  relativePositionBias: {
    args: () => [floats(8, 2), 3, 4, { bidirectional: false, maxDistance: 20, pastLength: 1 }],
    call: (...a) => blocks.relativePositionBias(...a),
  },
  exp: { args: () => [floats(2, 3)], call: x => qkv.exp(x) },
  tanh: { args: () => [floats(2, 3)], call: x => qkv.tanh(x) },
  linear: { args: () => [floats(2, 4), floats(3, 4), floats(3)], call: (...a) => qkv.linear(...a) },
  matmul: { args: () => [floats(2, 4), nested(4, 3)], call: (...a) => qkv.matmul(...a) },
  generator: { args: () => [3, { stream: 'scalar' }], call: (...a) => qkv.generator(...a).rand([2]) },
  'generator.seed': { args: () => [3], call: a => g.seed(a) },
  words: { args: () => [[2, 3]], call: a => g.words(a) },
  rand64: { args: () => [[2, 3]], call: a => g.rand64(a) },
  randn64: { args: () => [[2, 3]], call: a => g.randn64(a) },
  rand: { args: () => [[2, 3]], call: a => g.rand(a) },
  randn: { args: () => [[2, 9]], call: a => g.randn(a) },
  uniform: { args: () => [[3], -1, 1], call: (...a) => g.uniform(...a) },
  normal: { args: () => [[3], 0, 1], call: (...a) => g.normal(...a) },
  bernoulli: { args: () => [[3], 0.5], call: (...a) => g.bernoulli(...a) },
  randint: { args: () => [0, 5, [3]], call: (...a) => g.randint(...a) },
  dropout: { args: () => [floats(2, 3), 0.5], call: (...a) => g.dropout(...a) },
  embeddingLayer: { args: () => [g, 3, 2, {}], call: (...a) => api.embeddingLayer(...a) },
  linearLayer: { args: () => [g, 3, 2, { bias: true }], call: (...a) => api.linearLayer(...a) },
  multiheadAttention: {
    args: () => [g, 4, 2, { kDim: 3, vDim: 2, bias: false, addBiasKV: true, addZeroAttn: true }],
    call: (...a) => api.multiheadAttention(...a),
  },
  'embedding.forward': { args: () => [[0, 4, 2]], call: a => embedding.forward(a) },
  'linear.forward': { args: () => [floats(2, 4)], call: a => layer.forward(a) },
  'mha.forward': {
    args: () => [floats(1, 3, 4), floats(1, 3, 4), floats(1, 3, 4), { causal: true, averageWeights: false }],
    call: (...a) => mha.forward(...a),
  },
  'mha.trace': {
    args: () => [nested(3, 4), nested(3, 4), nested(3, 4), { window: [1, 1] }],
    call: (...a) => mha.trace(...a),
  },
  loadStateDict: { args: () => [{ ...state }], call: a => mha.loadStateDict(a) },
  tensor: { args: () => [nested(2, 3), undefined], call: (...a) => api.tensor(...a) },
  'tensor of data': { args: () => [new Float32Array(6), [2, 3]], call: (...a) => api.tensor(...a) },
  'tensor methods': {
    args: () => [floats(2, 3), [1, 2], 1, [3, 2], [1, 0]],
    call: (x, index, row, dims, order) => {
      const t = tensor(x)
      return [
        Array.isArray(index) ? t.at(...index) : t.at(index),
        t.row(row),
        t.reshape(dims),
        t.permute(order),
        t.T,
        t.tolist(),
        String(t),
      ]
    },
  },
  splitHeads: { args: () => [floats(3, 4), 2], call: (...a) => api.splitHeads(...a) },
  joinHeads: { args: () => [floats(2, 3, 2)], call: a => joinHeads(a) },
  alloc: { args: () => [[2, 3]], call: a => qkv.alloc(a).dispose() },
  'attention, summary': {
    args: () => [
      ...qkvOf(),
      {
        ...options(),
        summary: {
          map: [2, 3],
          topK: 2,
          logSumExp: true,
          entropy: true,
          distance: true,
          scores: true,
          ids: [1, 2, 1, 2, 1],
        },
      },
    ],
    call: (...a) => qkv.attention(...a),
  },
  attentionWindow: {
    args: () => [
      floats(1, 2, 3, 4),
      floats(1, 1, 5, 4),
      { ...options(), rows: [1, 3], columns: [0, 4], resolution: [1, 2] },
    ],
    call: (...a) => blocks.attentionWindow(qkv, ...a),
  },
  attentionBackward: {
    args: () => [...qkvOf(), floats(1, 2, 3, 2), { ...options(), sinks: [0.5, 1] }],
    call: (...a) => blocks.attentionBackward(qkv, ...a),
  },
  'attentionBackward, additive': {
    args: () => [...qkvOf(), nested(1, 2, 3, 2), additive()],
    call: (...a) => blocks.attentionBackward(qkv, ...a),
  },
  ...Object.fromEntries(
    /** @type {[string, () => any[]][]} */ ([
      ['embedding', () => [[[0, 4, 2]], floats(5, 3), {}]],
      ['crossEntropy', () => [floats(2, 5), [4, -1], { ignoreIndex: -1, labelSmoothing: 0.1, gradient: true }]],
      ['sumRows', () => [floats(2, 3, 4)]],
      ['embeddingBackward', () => [[0, 4, 2], floats(3, 4), 5, { paddingIdx: 2 }]],
      ['dropout', () => [floats(2, 5), { p: 0.25, generator: g }]],
      ['dropoutBackward', () => [nested(2, 5), { p: 0.25, generator: g, out: { dX: tensor(floats(2, 5)) } }]],
      ['packedAttention', () => [floats(1, 3, 8), { numHeads: 2, numKvHeads: 1, causal: true, bias: nested(3, 3) }]],
      ['packedAttentionBackward', () => [floats(3, 6), floats(3, 2), { numHeads: 1, softcap: 2, sinks: [0.5] }]],
    ]).map(([name, args]) => [name, { args, call: (/** @type {any[]} */ ...a) => blocks[name](qkv, ...a) }]),
  ),
  ...ofOperations(),
  tape: {
    args: () => [
      { w: floats(4, 6), table: floats(5, 6) },
      [[0, 4, 2]],
      { numHeads: 2, causal: true, softcap: 2 },
      { lr: 0.1, betas: [0.5, 0.9], weightDecay: 0.1, noDecay: ['w'] },
      [[1, 0, 3]],
    ],
    call: (tensors, ids, heads, options, targets) =>
      using(train.parameters(qkv, tensors), p =>
        using(new train.AdamW(p, options), optimizer => {
          const { w, table } = p.values
          const model = (/** @type {any} */ t) => {
            const h = t.embedding(ids, table)
            return t.crossEntropy(t.linear(t.attention(h, h, h, heads), w), targets)
          }
          const { loss } = train.tape(qkv, p, model).backward()
          train.clipGradNorm(p, 1)
          optimizer.step()
          return loss
        }),
      ),
  },
  'operations of a tape': {
    args: () => [
      { w: floats(4, 4), bias: floats(4) },
      { activation: 'gelu_tanh', layout: 'in,out', residual: floats(2, 4) },
      { numHeads: 1, base: 10 },
      { dim: 0 },
      { p: 0.5, generator: g },
      [1, 2, 4],
      { gradient: floats(1, 2, 4), accumulate: true },
    ],
    call: (tensors, linear, rope, softmax, dropout, dims, backward) =>
      using(train.parameters(qkv, tensors), p => {
        const { w, bias } = p.values
        const model = (/** @type {any} */ t) => {
          const h = t.softmax(t.linear([[1, 2, 3, 4], nested(4)], w, bias, linear), softmax)
          return t.rope(t.reshape(t.dropout(h, dropout), dims), rope)
        }
        train.tape(qkv, p, model).backward(backward)
        return p.gradients.w.data[0]
      }),
  },
  'operations that only a tape has': {
    args: () => [
      { w: floats(2, 3), s: floats(3) },
      { dim: [0, -1], keepdim: true },
      [1, 0],
      [-1, 2, 3],
      [1, 0, 2],
      { dim: 1 },
      { reduction: 'sum' },
      nested(2, 3),
    ],
    call: (tensors, reduced, order, dims, cut, dim, mse, constant) =>
      using(train.parameters(qkv, tensors), p => {
        const { w, s } = p.values
        const model = (/** @type {any} */ t) => {
          const [axis, from, to] = Object.values(Object(cut))
          const h = t.cat([t.permute(t.permute(w, order), order), constant], dim)
          const moved = t.expand(t.sub(t.slice(h, axis, from, to), t.mean(h, reduced)), dims)
          return t.add(t.mseLoss(t.sigmoid(t.add(w, s)), constant, mse), t.sum(t.exp(t.tanh(moved))))
        }
        train.tape(qkv, p, model).backward()
        return p.gradients.w.data[0]
      }),
  },
  module: {
    args: () => [{ a: api.linearLayer(g, 2, 3), b: [floats(4), new train.LayerNorm(3)] }, floats(1, 2)],
    call: (layers, x) => {
      const forward = (/** @type {any} */ t, /** @type {any} */ { a, b }, /** @type {any} */ x) =>
        [a, Object(b)[1]].reduce((h, layer) => (typeof layer === 'function' ? layer(h) : h), t.add(x, 0))
      const model = train.module(qkv, layers, forward)
      return using(model.parameters, p => train.tape(qkv, p, t => model(t, x)).output.data[0])
    },
  },
  LayerNorm: { args: () => [3, { eps: 0.1, bias: false }], call: (...a) => new blocks.LayerNorm(...a).weight },
  RMSNorm: { args: () => [3, { eps: 0.1 }], call: (...a) => new blocks.RMSNorm(...a).weight },
  init: {
    args: () => [
      g,
      [3, 2],
      { gain: 2 },
      { a: 1, mode: 'fanOut', nonlinearity: 'relu' },
      { mean: 1, std: 2 },
      { a: 0, b: 1 },
      7,
    ],
    call: (generator, dims, xavier, kaiming, normal, uniform, value) => {
      const { init } = train
      for (const name of ['xavierUniform', 'xavierNormal']) blocks.init[name](generator, dims, xavier)
      for (const name of ['kaimingUniform', 'kaimingNormal']) blocks.init[name](generator, dims, kaiming)
      init.normal(generator, dims, normal)
      init.uniform(generator, dims, uniform)
      return init.constant(dims, value).data[0]
    },
  },
  randperm: { args: () => [g, 5], call: (...a) => blocks.randperm(...a).dims },
  getRngState: { args: () => [g], call: (...a) => blocks.getRngState(...a)[0] },
  setRngState: { args: () => [g, train.getRngState(g)], call: (...a) => blocks.setRngState(...a) },
  'groups of parameters': {
    args: () => [
      { w: floats(2, 3), s: floats(3) },
      { lr: 0.1, paramGroups: [{ params: ['s'], lr: 0.2, weightDecay: 0.1 }] },
    ],
    call: (tensors, options) =>
      using(train.parameters(qkv, tensors), p =>
        using(new train.AdamW(p, options), optimizer => {
          optimizer.step()
          return p.values.w.data[0]
        }),
      ),
  },
  'optimiser state': {
    args: () => [{ lr: 0.1, momentum: 0.5 }, { step: 2, 'momentumBuffer.w': floats(2, 3) }, { w: floats(2, 3) }],
    call: (options, state, values) =>
      using(train.parameters(qkv, { w: floats(2, 3) }), p =>
        using(new train.SGD(p, options), optimizer => {
          p.loadStateDict(values)
          optimizer.loadStateDict(state).step()
          return p.values.w.data[0]
        }),
      ),
  },
  schedule: { args: () => [0.1, { warmup: 2, total: 9, least: 0.01 }], call: (...a) => blocks.schedule(...a)(3) },
  linearBackward: {
    args: () => [floats(2, 4), floats(4, 3), nested(2, 3), { layout: 'in,out' }],
    call: (...a) => blocks.linearBackward(qkv, ...a),
  },
  packLinear: {
    args: () => [floats(3, 4), floats(3), floats(2, 4)],
    call: (weight, bias, x) => using(nn.packLinear(qkv, weight, bias), packed => packed.forward(x)),
  },
  'packLinear, int8': {
    args: () => [floats(9, 33), floats(9), { dtype: 'int8', activations: 'int8' }, floats(10, 33)],
    call: (weight, bias, options, x) => using(nn.packLinear(qkv, weight, bias, options), packed => packed.forward(x)),
  },
  'packLinear, int4': {
    args: () => [floats(9, 33), floats(9), { dtype: 'int4', activations: 'float32' }, floats(2, 33)],
    call: (weight, bias, options, x) =>
      using(nn.packLinear(qkv, weight, bias, options), packed => [packed.forward(x), packed.row(8)]),
  },
  'packLinear, Q5_0': {
    args: () => [new Uint8Array(9 * 22).fill(17), [9, 32], floats(9), floats(2, 32)],
    call: (data, dims, bias, x) =>
      using(nn.packLinear(qkv, { data, dims, dtype: 'Q5_0' }, bias), packed => [packed.forward(x), packed.row(8)]),
  },
  'cache, int8': {
    args: () => [
      { headDim: 4, valueDim: 3, numKvHeads: 2, batch: 1, capacity: 2, limit: 150, dtype: 'int8' },
      floats(1, 5, 8),
      floats(1, 5, 6),
      { numKvHeads: 2 },
      floats(1, 3, 16),
      { numHeads: 4, causal: true, softcap: 2, keyLengths: [4] },
    ],
    call: (asked, k, v, inRows, q, options) =>
      using(api.kvCache(qkv, asked), cache => {
        cache.append(k, v, inRows).append(k, v, inRows)
        return [cache.attention(q, options), cache.keys]
      }),
  },
  cache: {
    args: () => [
      { headDim: 4, valueDim: 2, numKvHeads: 1, batch: 1, capacity: 2, limit: 8 },
      floats(1, 1, 3, 4),
      floats(1, 1, 3, 2),
      floats(1, 2, 1, 4),
      { scale: 0.5, window: [2, 0] },
    ],
    call: (asked, k, v, q, options) =>
      using(api.kvCache(qkv, asked), cache => {
        cache.append(k, v)
        return cache.attention(q, options)
      }),
  },
}

test('every function of qkv/nn and qkv/train is called here', () => {
  const inside = ['AdamW', 'Adam', 'SGD', 'clipGradNorm', 'parameters'] // covered by the calls of the tape and of the optimisers
  const missing = Object.keys(blocks).filter(name => !(name in functions) && !(name in api) && !inside.includes(name))
  assert.deepEqual(missing, [])
})

/** Arbitrary values. Whole numbers are small, or larger than any memory, because calls with sizes in between would only be slow. */
const values = [
  fc.integer({ min: -9, max: 99 }),
  fc.double({ noInteger: true }),
  fc.boolean(),
  fc.string(),
  fc.constant(null),
]
const change = fc.record({
  place: fc.nat(),
  what: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...strangeThings) },
    {
      weight: 1,
      arbitrary: fc
        .anything({ values, withBigInt: true, withTypedArray: true, withSparseArray: true })
        .map(x => () => x),
    },
  ),
})

/**
 * True for the dims of a tensor of 2^24 to 2^30 numbers. They are valid, but a call with them takes seconds and gigabytes. Larger
 * ones are refused at once.
 * @param {unknown} value
 */
function areLargeDims(value) {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return false
  const dims = Array.from(/** @type {ArrayLike<number>} */ (/** @type {unknown} */ (value)))
  if (!dims.every(size => Number.isInteger(size) && size >= 0)) return false
  const count = dims.reduce((a, b) => a * b, 1)
  return count >= 2 ** 24 && count <= 2 ** 30
}

test(`${CALLS.toLocaleString('en')} calls of all public functions with strange arguments: a correct result or a readable error`, t => {
  const counts = { right: 0, compared: 0, refused: 0, large: 0 }
  const before = qkv.memory
  const known = () =>
    qkv.attention(
      [[1, 0]],
      [
        [1, 0],
        [0, 1],
      ],
      [[1], [3]],
      { scale: 1 },
    ).output.data[0]
  const right = known()
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(functions)), fc.array(change, { maxLength: 2 }), (name, changes) => {
      const args = functions[name].args()
      const all = places(args, [g])
      const options = places(args[3], [g])
      let isKnown = name === 'attention'
      for (const { place, what } of changes) {
        const [object, key] = all[place % all.length]
        object[key] = what()
        if ((object === args && key === '3') || options.some(([part]) => part === object)) isKnown = false
      }
      if (args.some(areLargeDims)) {
        counts.large++
        return
      }
      /** @type {any} */
      let result
      try {
        result = functions[name].call(...args)
      } catch (error) {
        counts.refused++
        if (error === thrown) return
        const { message } = /** @type {Error} */ (error)
        assert.ok(
          [TypeError, RangeError, QkvError].some(Kind => error?.constructor === Kind),
          `${name}: ${error}`,
        )
        assert.ok(message.length > 20 && !ENGINE.test(message), `${name}: ${message}`)
        return
      } finally {
        assert.equal(qkv.memory.used, 0)
      }
      counts.right++
      checkDims(name, result)
      const [q, k, v] = args
      if (!isKnown || ![q, k, v].every(x => x.data instanceof Float32Array)) return
      counts.compared++
      close(result.output, attention(q, k, v, args[3]).output, { abs: 1e-4, rel: 1e-4 }, name)
    }),
    { numRuns: CALLS * share, seed, includeErrorInReport: true },
  )
  assert.equal(known(), right)
  assert.equal(qkv.memory.resident, before.resident)
  t.diagnostic(
    `${counts.right} results, ${counts.compared} compared, ${counts.refused} errors, ${counts.large} not called, memory ${qkv.memory.size} bytes`,
  )
})

/** Fails unless each result has as many values as its dims require. @param {string} name @param {any} result */
function checkDims(name, result) {
  for (const value of [result, ...Object.values(result ?? {})])
    if (value instanceof Tensor)
      assert.equal(
        value.data.length,
        value.dims.reduce((a, b) => a * b, 1),
        name,
      )
}

const core = /** @type {import('../src/runtime/memory.js').Core} */ (coreOf(qkv))
/** @type {import('../src/entries/index.js').Tensor[]} */
const made = []
/** Actions on the module that a getter performs before it returns its value. @type {Record<string, () => void>} */
const meddlings = {
  'calls attention': () => qkv.attention(ramp, ramp, ramp, { causal: true }),
  'makes a resident tensor': () => made.push(qkv.softmax(ramp, { resident: true })),
  'disposes of a resident tensor': () => /** @type {any} */ (made.pop())?.dispose(),
  'lets the memory grow': () => core.reserve(core.bytes.length - core.top + 1),
}
const ramp = tensor(
  Float32Array.from({ length: 2000 }, (_, i) => i / 300),
  [100, 20],
)

test('getters that call the module change no bit of the call that reads them, nor of the tensors that they make', t => {
  const softmax = qkv.softmax(ramp).data
  let reads = 0
  /** @param {any} value @param {() => void} meddle @param {number} [depth] @returns {any} */
  const meddling = (value, meddle, depth = 3) => {
    if (Array.isArray(value)) return depth ? value.map(part => meddling(part, meddle, depth - 1)) : value
    if (
      Object.prototype.toString.call(value) !== '[object Object]' ||
      value instanceof Tensor ||
      value === g ||
      value === qkv
    )
      return value
    const parts = Object.entries(value).map(([key, part]) => {
      const get = () => {
        reads++
        meddle()
        return part
      }
      return [key, { enumerable: true, get }]
    })
    return Object.defineProperties({}, Object.fromEntries(parts))
  }
  for (const [name, { args, call }] of Object.entries(functions)) {
    const run = (/** @type {(args: any[]) => any[]} */ change) => {
      g.seed(3)
      const given = change(args())
      g.seed(4)
      try {
        return JSON.stringify(call(...given))
      } catch (error) {
        return String(error)
      }
    }
    const want = run(given => given)
    for (const [title, meddle] of Object.entries(meddlings)) {
      assert.equal(
        run(given => meddling(given, meddle)),
        want,
        `${name}: a getter ${title}`,
      )
      assert.equal(qkv.memory.used, 0, `${name}: a getter ${title}`)
      for (const { data } of made) assert.deepEqual(data, softmax, `${name}: a getter ${title}`)
    }
  }
  for (const tensor of made) /** @type {any} */ (tensor).dispose()
  t.diagnostic(`${reads} getters, memory ${qkv.memory.size} bytes`)
})

test('every public function is called here', () => {
  /** @type {(prototype: object) => string[]} */
  const methods = prototype =>
    prototype === Object.prototype
      ? []
      : Object.entries(Object.getOwnPropertyDescriptors(prototype))
          .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
          .map(([name]) => name)
          .concat(methods(Object.getPrototypeOf(prototype)))
  const source = Object.values(functions)
    .map(({ call }) => String(call))
    .join('\n')
  // Leaves out dispose, which ends threads, trim, which moves the memory (tests/threads.test.js has both), and withState, which is internal.
  const names = [
    ...methods(Object.getPrototypeOf(qkv)),
    ...methods(Object.getPrototypeOf(g)),
    ...Object.keys(api),
  ].filter(name => !['dispose', 'trim', 'withState'].includes(name))
  for (const name of names) assert.ok(new RegExp(`\\b${name}\\(`).test(source), name)
})
