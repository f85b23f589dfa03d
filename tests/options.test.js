// add_bias_kv, add_zero_attn and T5's buckets compared with PyTorch, and the slopes of ALiBi with its paper.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { alibiSlopes, load, tensor } from '../src/entries/index.js'
import { multiheadAttention, relativePositionBias } from '../src/entries/nn.js'
import { close, toTensor } from './helpers.js'

const qkv = await load()
const goldens = JSON.parse(readFileSync(new URL('goldens/torch-options.json', import.meta.url), 'utf8'))
const TOLERANCE = { abs: 1e-6, rel: 1e-6 }

/** @type {(options: Record<string, any>) => import('../src/entries/nn.js').MultiheadOptions} */
const options = ({ kdim = 8, vdim = 8, bias = true, add_bias_kv = false, add_zero_attn = false }) => ({
  kDim: kdim,
  vDim: vdim,
  bias,
  addBiasKV: add_bias_kv,
  addZeroAttn: add_zero_attn,
})

for (const golden of goldens.multihead)
  test(`MultiheadAttention with ${golden.name} has PyTorch's weights, draws and results`, () => {
    const g = qkv.generator(17)
    const mha = multiheadAttention(g, 8, 2, options(golden.options))
    const [query, key, value] = ['query', 'key', 'value'].map(part => {
      const want = toTensor(golden.inputs[part])
      const got = g.randn(want.dims)
      close(got, want, TOLERANCE, `${part}, drawn after the weights`)
      return got
    })
    const { state, expected } = golden
    for (const [name, own] of /** @type {const} */ ([
      ['bias_k', mha.biasK],
      ['bias_v', mha.biasV],
    ]))
      if (name in state) close(/** @type {any} */ (own).reshape([1, 1, 8]), toTensor(state[name]), TOLERANCE, name)
      else assert.equal(own, undefined)

    const hidden = toTensor(golden.attn_mask)
    const mask = tensor(
      Uint8Array.from(hidden.data, x => 1 - x),
      hidden.dims,
    ) // in torch's boolean mask, true hides
    const added = tensor(
      Float32Array.from(hidden.data, x => (x ? -1.5 : 0.25)),
      hidden.dims,
    )
    const keyPaddingMask = /** @type {any} */ (toTensor(golden.key_padding_mask))
    /** @type {Record<string, import('../src/entries/nn.js').ForwardOptions>} */
    const calls = { plain: {}, masked: { keyPaddingMask, mask }, float: { mask: added } }
    const loaded = multiheadAttention(qkv.generator(1), 8, 2, options(golden.options))
    loaded.loadStateDict(
      Object.fromEntries(Object.entries(state).map(([name, x]) => [name, /** @type {any} */ (toTensor(x))])),
    )
    for (const [call, more] of Object.entries(calls))
      for (const layer of [mha, loaded]) {
        const { output, weights } = layer.forward(query, key, value, { ...more, averageWeights: false })
        close(output, toTensor(expected[call].output), TOLERANCE, `${call} output`)
        close(/** @type {any} */ (weights), toTensor(expected[call].weights), TOLERANCE, `${call} weights`)
        const fused = layer.forward(query, key, value, { ...more, needWeights: false })
        close(fused.output, output, TOLERANCE, `${call} fused`)
        const traced = layer.trace(query, key, value, more)
        close(traced.output, output, TOLERANCE, `${call} traced`)
        assert.ok(traced.steps.some(({ name }) => name.startsWith('k = cat(k, ')))
      }
  })

test('a causal query sees the extra keys, as with an explicit mask', () => {
  const g = qkv.generator(2)
  const mha = multiheadAttention(g, 8, 2, { addBiasKV: true, addZeroAttn: true })
  const x = g.randn([2, 4, 8])
  const lower = Array.from({ length: 4 }, (_, i) => Array.from({ length: 4 }, (_, j) => j <= i))
  const bias = g.randn([2, 4, 1])
  const run = (/** @type {import('../src/entries/nn.js').ForwardOptions} */ more) =>
    mha.forward(x, x, x, { averageWeights: false, ...more })
  for (const more of [{}, { bias }]) assert.deepEqual(run({ causal: true, ...more }), run({ mask: lower, ...more }))
  assert.deepEqual(run({ causal: true, mask: bias }), run({ mask: lower, bias }))
  const { weights } = run({ causal: true })
  assert.deepEqual(weights?.dims, [2, 2, 4, 6])
  assert.ok(Number(weights?.at(0, 0, 0, 5)) > 0)
  assert.equal(weights?.at(0, 0, 0, 1), 0)
  for (const more of [{ window: [1, 0] }, { pastLength: 1 }, { keyLengths: [1, 1] }, { alibi: true }])
    assert.throws(() => run(/** @type {any} */ (more)), {
      name: 'TypeError',
      message: /the extra keys have no position/,
    })
  assert.throws(() => run({ mask: [[true]], bias: [[1, 2]] }), {
    name: 'RangeError',
    message: /bias: dims \(1, 2\) do not/,
  })
  assert.throws(
    () => multiheadAttention(qkv.generator(1), 8, 2, /** @type {any} */ ({ addBiasKV: 1 })),
    /true or false/,
  )
})

test('the slopes of 8 heads are 1/2 ... 1/256; of 12, those of 8 and every other one of 16', () => {
  const eight = [1, 2, 3, 4, 5, 6, 7, 8].map(n => 2 ** -n)
  assert.deepEqual([...alibiSlopes(8).data], eight)
  assert.deepEqual([...alibiSlopes(12).data], [...eight, ...[0.5, 1.5, 2.5, 3.5].map(n => Math.fround(2 ** -n))])
  assert.deepEqual([...alibiSlopes(1).data], [2 ** -8])
  assert.deepEqual([...alibiSlopes(0).data], [])
  const g = qkv.generator(5)
  const [q, k] = [g.randn([12, 7, 4]), g.randn([12, 9, 4])]
  assert.deepEqual(qkv.attention(q, k, k, { alibi: true }), qkv.attention(q, k, k, { alibi: alibiSlopes(12) }))
})

test("T5's buckets are PyTorch's, for every distance up to 300", () => {
  for (const { expected, buckets, first, ...more } of goldens.relative) {
    const table = tensor(
      Float32Array.from({ length: buckets }, (_, n) => n),
      [buckets, 1],
    )
    const bias = relativePositionBias(table, 1, expected.length, { ...more, pastLength: -first })
    assert.deepEqual([...bias.data], expected, JSON.stringify(more))
  }
  const table = qkv.generator(1).randn([32, 3])
  const bias = relativePositionBias(table, 4, 6)
  assert.deepEqual(bias.dims, [3, 4, 6])
  assert.equal(bias.at(1, 3, 1), table.at(2, 1)) // the key is two before the query: bucket 2
  assert.equal(bias.at(2, 0, 5), table.at(16 + 5, 2)) // the key is five after the query: bucket 16 + 5
})

test('bad slopes, sinks and tables are refused by name', () => {
  const x = qkv.generator(1).randn([2, 3, 4])
  const call = (/** @type {any} */ more) => () => qkv.trace(x, x, x, more)
  /** @type {[() => any, string, RegExp][]} */
  const bad = [
    [call({ alibi: false }), 'TypeError', /alibi: expected true or one slope.*got false/],
    [call({ alibi: [1] }), 'RangeError', /alibi: expected \(H\) = \(2\).*got dims \(1\)/],
    [call({ alibi: [1, NaN] }), 'RangeError', /alibi\[1\]: .*got NaN/],
    [call({ sinks: [1, Infinity] }), 'RangeError', /sinks\[1\]: .*got Infinity/],
    [call({ sinks: [1, 2, 3] }), 'RangeError', /sinks: expected .*got dims \(3\)/],
    [call({ sinks: [1, 2], softmaxAxis: 'queries' }), 'RangeError', /sinks join the softmax over keys/],
    [call({ pastLength: [1, 2] }), 'RangeError', /pastLength: expected one length for each of 1 batches, got 2/],
    [call({ pastLength: [0.5] }), 'RangeError', /pastLength\[0\]: expected .*got 0.5/],
    [() => alibiSlopes(-1), 'RangeError', /numHeads: expected .*got -1/],
    [() => relativePositionBias([[1], [2]], 1, 1), 'RangeError', /at least 4 buckets/],
    [() => relativePositionBias([[1], [2], [3], [4]], 1, 1, { maxDistance: 1 }), 'RangeError', /maxDistance: .*got 1/],
    [() => relativePositionBias([[1], [2], [3], [4]], -1, 1), 'RangeError', /L: expected .*got -1/],
  ]
  for (const [run, name, message] of bad) assert.throws(run, { name, message })
  assert.equal(qkv.memory.used, 0)
})

test('keep makes the named steps of a trace and no others, with the same bits, in less memory', async () => {
  const g = qkv.generator(8)
  const [q, k, v] = [g.randn([2, 5, 4]), g.randn([2, 6, 4]), g.randn([2, 6, 3])]
  const generator = () => qkv.generator(5)
  const score = { kind: 'additive', wQuery: g.randn([3, 4]), wKey: g.randn([3, 4]), v: g.randn([3]) }
  for (const options of [
    {},
    { softcap: 2, dropout: true },
    { masking: 'after', sinks: [0.5, 1], causal: true },
    { masking: 'after', softmaxAxis: 'queries', causal: true },
    { score, softcap: 1 },
  ]) {
    const make = (/** @type {any} */ keep) =>
      qkv.trace(
        q,
        k,
        v,
        /** @type {any} */ ({
          ...options,
          ...keep,
          ...('dropout' in options && { dropout: { p: 0.5, generator: generator() } }),
        }),
      )
    const whole = make({})
    const names = Object.keys(whole)
    assert.equal(names.includes('logits'), options.masking === 'after')
    for (const keep of [...names.map(name => [name]), names, [], ['weights', 'output'], ['capped', 'logits', 'masked']])
      assert.deepEqual(
        make({ keep }),
        Object.fromEntries(Object.entries(whole).filter(([name]) => keep.includes(name))),
        `${keep}`,
      )
  }
  const [small, large] = [await load(), await load()]
  const x = { data: new Float32Array(500), dims: [500, 1] }
  small.trace(x, x, x, { keep: ['weights'] })
  large.trace(x, x, x)
  assert.ok(small.memory.size < 1.5e6 && large.memory.size > 5e6, `${small.memory.size}, ${large.memory.size} bytes`)
  const bad = (/** @type {any} */ keep) => () => qkv.trace(q, k, v, { keep })
  assert.throws(bad('weights'), { name: 'TypeError', message: /trace: keep: expected names of steps.*got "weights"/ })
  assert.throws(bad(['weight']), {
    name: 'RangeError',
    message: /keep\[0\]: expected .*got "weight".* did you mean "weights"/,
  })
})
