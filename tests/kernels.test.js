// Tests the layers, dropout, and the kernels other than attention.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinHeads, load, splitHeads, tensor } from '../src/entries/index.js'
import { embeddingLayer, multiheadAttention, packLinear } from '../src/entries/nn.js'
import { close } from './helpers.js'
import * as reference from './reference.js'

/** @import { Comparable } from './helpers.js' */

const qkv = await load()
const TOLERANCE = { abs: 2e-6, rel: 2e-6 }
/** Sizes around those of register tiles, 4 x 8. */
const SIZES = [0, 1, 3, 4, 5, 7, 8, 9, 17]

test('softmax is that of the formula for every number of columns', () => {
  for (const columns of [...SIZES, 64, 65, 1000]) {
    const x = qkv.generator(columns).normal([3, columns], 0, 3)
    const y = qkv.softmax(x)
    close(y, reference.softmax(x).weights, { abs: 1e-7, rel: 1e-6 }, `${columns} columns`)
  }
})

test('softmax of -Infinity alone is zeros, of huge scores exact, of NaN a row of NaN', () => {
  const x = tensor([
    [-Infinity, -Infinity, -Infinity, -Infinity, -Infinity],
    [12087, 12087, -12087, 0, -Infinity],
    [0, 0, NaN, 0, 0],
    [0, 0, 0, 0, NaN],
    [1, Infinity, 1, 1, 1],
    [3, 3, 3, 3, 3],
  ])
  const [hidden, huge, ...rest] = /** @type {number[][]} */ (qkv.softmax(x).tolist())
  assert.deepEqual(hidden, [0, 0, 0, 0, 0])
  assert.deepEqual(huge, [0.5, 0.5, 0, 0, 0])
  for (const row of rest.slice(0, 3)) assert.ok(row.some(Number.isNaN))
  assert.deepEqual(rest[3], Array(5).fill(Math.fround(0.2)))
})

test('linear is x W^T + bias for all sizes, with and without bias; matmul is the product', () => {
  const g = qkv.generator(2)
  for (const M of SIZES)
    for (const K of SIZES)
      for (const N of SIZES) {
        const [x, weight, bias] = [g.uniform([M, K], -1, 1), g.uniform([N, K], -1, 1), g.uniform([N], -1, 1)]
        const title = `${M} x ${K} by ${N}`
        close(qkv.linear(x, weight), reference.linear(x, weight), TOLERANCE, title)
        close(qkv.linear(x, weight, bias), reference.linear(x, weight, bias), TOLERANCE, `${title} with bias`)
        close(qkv.matmul(x, weight.T), reference.linear(x, weight), TOLERANCE, `${title} as a product`)
      }
  assert.deepEqual(qkv.linear(g.rand([2, 0, 5, 3]), g.rand([4, 3])).dims, [2, 0, 5, 4])
  assert.deepEqual(qkv.matmul([1, 2], [[3], [4]]).tolist(), [11])
})

test('a packed layer gives the bits of linear, for all sizes, until it is disposed of', async () => {
  const own = await load({ integers: true })
  const g = own.generator(2)
  for (const M of SIZES)
    for (const K of SIZES)
      for (const N of SIZES) {
        const [x, weight, bias] = [g.randn([M, K]), g.randn([N, K]), g.randn([N])]
        const [plain, shifted] = [packLinear(own, weight), packLinear(own, weight, bias)]
        assert.deepEqual(plain.forward(x), own.linear(x, weight), `${M} x ${K} by ${N}`)
        assert.deepEqual(shifted.forward(x), own.linear(x, weight, bias), `${M} x ${K} by ${N} with bias`)
        for (const layer of [plain, shifted]) layer.dispose()
      }
  const weight = g.randn([5, 3])
  const layer = packLinear(own, weight)
  const want = own.linear(g.seed(1).randn([2, 4, 3]), weight)
  weight.data.fill(NaN)
  assert.deepEqual(layer.forward(g.seed(1).randn([2, 4, 3])), want)
  assert.throws(() => layer.forward([[1, 2]]), {
    name: 'RangeError',
    message: /packLinear: forward: x has dims \(1, 2\), weight \(out, in\) = \(5, 3\)/,
  })
  layer.dispose()
  layer.dispose()
  assert.throws(() => layer.forward([[1, 2, 3]]), /disposed/)
  assert.throws(() => packLinear(own, weight, [1]), { name: 'RangeError', message: /packLinear: bias/ })
  assert.throws(() => packLinear(own, /** @type {any} */ ([1])), { name: 'RangeError', message: /packLinear: weight/ })
  assert.deepEqual([own.memory.used, own.memory.resident], [0, 0])
})

test('a row of a packed layer is the row of its rounded weight, and its bias', async () => {
  const own = await load({ integers: true })
  const g = own.generator(3)
  for (const [N, K] of [
    [1, 1],
    [9, 5],
    [19, 8],
  ])
    for (const [dtype, limit] of /** @type {const} */ ([
      ['float32', 0],
      ['float16', 2 ** -11],
      ['bfloat16', 2 ** -8],
      ['int8', 1 / 254],
      ['int4', 1.02 / 15],
    ])) {
      const [weight, bias] = [g.randn([N, K]), g.randn([N])]
      const layer = packLinear(own, weight, bias, { dtype })
      for (let n = 0; n < N; n++) {
        const row = layer.row(n)
        const wanted = weight.row(n).data
        const most = Math.max(...wanted.map(Math.abs))
        row.weight.forEach((value, k) => {
          const scale = dtype.startsWith('int') ? most : Math.abs(wanted[k])
          assert.ok(
            Math.abs(value - wanted[k]) <= limit * scale * 1.0001,
            `${dtype} ${n} ${k}: ${value} for ${wanted[k]}`,
          )
        })
        assert.equal(row.bias, bias.data[n])
      }
      assert.throws(() => layer.row(N), /packLinear: row: expected a whole number from 0 to.*got \d+/)
      layer.dispose()
      assert.throws(() => layer.row(0), /disposed/)
    }
  assert.equal(packLinear(own, g.randn([2, 2])).row(1).bias, 0)
})

test('NaN in one row of x or of the weight spoils that row or column of y and nothing else', () => {
  const [x, weight] = [qkv.generator(1).rand([9, 5]), qkv.generator(2).rand([11, 5])]
  x.row(2).data[4] = NaN
  weight.row(7).data[0] = NaN
  const y = qkv.linear(x, weight)
  y.data.forEach((value, n) => {
    assert.equal(Number.isNaN(value), Math.floor(n / 11) === 2 || n % 11 === 7)
  })
})

test('an embedding gives the rows of its table, whatever the dims of the ids', () => {
  const table = embeddingLayer(qkv.generator(3), 5, 3)
  const ids = [4, 0, 0, 3]
  const want = ids.flatMap(id => [...table.weight.row(id).data])
  for (const given of [ids, Int32Array.from(ids), BigInt64Array.from(ids, BigInt)]) {
    const like = given instanceof BigInt64Array ? { data: /** @type {any} */ (given), dims: [2, 2] } : given
    const { data, dims } = table.forward(like)
    assert.deepEqual([...data], want)
    assert.deepEqual([...dims], given instanceof BigInt64Array ? [2, 2, 3] : [4, 3])
  }
})

test('one query over few and many keys, of any width, also none, is what the trace gives', () => {
  const g = qkv.generator(5)
  for (const S of [1, 3, 4, 9, 515, 2049])
    for (const D of [64, 0, 8, 12])
      for (const E of [32, 33]) {
        const keys = (/** @type {number} */ rows) =>
          D ? g.randn([2, rows, D]) : tensor(new Float32Array(0), [2, rows, 0])
        const [q, k, v] = [keys(1), keys(S), g.randn([2, S, E])]
        const { output } = qkv.attention(q, k, v, { scale: 0.5 })
        const want = qkv.trace(q, k, v, { scale: 0.5 }).output
        close(output, want, { abs: 5e-6, rel: 0 }, `S ${S}, D ${D}, E ${E}`)
      }
})

test('dropout draws B H L S values in the order of the weights, the same in both kernels', () => {
  for (const [B, H, L, S, E] of [
    [2, 2, 3, 5, 4],
    [1, 3, 70, 131, 9],
    [1, 1, 3, 4, 0],
    [2, 1, 0, 4, 3],
    [1, 2, 3, 0, 2],
  ]) {
    const p = 0.25
    const [g, fused, traced] = [0, 1, 1].map(seed => qkv.generator(seed))
    const [q, k, v] = [g.randn([B, H, L, 7]), g.randn([B, H, S, 7]), g.randn([B, H, S, E])]
    const options = { causal: L > 3 }
    const { output } = qkv.attention(q, k, v, { ...options, dropout: { p, generator: fused } })
    const trace = qkv.trace(q, k, v, { ...options, dropout: { p, generator: traced } })
    close(output, { ...trace.output }, TOLERANCE, 'output')
    assert.ok(trace.dropped)
    assert.deepEqual(trace.dropped, qkv.generator(1).dropout(trace.weights, p))
    trace.dropped.data.forEach((x, i) => {
      if (x !== 0) assert.equal(x, Math.fround(trace.weights.data[i] * Math.fround(1 / (1 - p))))
    })
    const after = qkv.generator(1)
    after.rand64([B * H * L * S])
    const [a, b, c] = [fused, traced, after].map(generator => generator.words([4]).tolist())
    assert.deepEqual([a, b], [c, c])
  }
})

test('dropout of 0 draws nothing, dropout of 1 leaves nothing', () => {
  const [q, g] = [qkv.generator(0).randn([3, 4]), qkv.generator(1)]
  for (const kernel of /** @type {const} */ (['attention', 'trace'])) {
    const { output } = qkv[kernel](q, q, q, { dropout: { p: 0, generator: g.seed(1) } })
    assert.deepEqual(output, qkv[kernel](q, q, q).output)
    assert.deepEqual(g.rand([2]), qkv.generator(1).rand([2]))
    assert.ok(qkv[kernel](q, q, q, { dropout: { p: 1, generator: g } }).output.data.every(x => x === 0))
  }
})

/** @param {import('qkv/nn').MultiheadAttention} mha */
const stateOf = ({ layers: { query, key, value, out } }) => ({ q: query, k: key, v: value, o: out })

/** Computes multi-head attention by the reference. @param {import('qkv/nn').MultiheadAttention} mha @param {...Comparable} inputs */
function multihead(mha, ...inputs) {
  const { q, k, v, o } = stateOf(mha)
  const heads = [q, k, v].map(({ weight, bias }, i) => {
    const { data, dims } = reference.linear(inputs[i], weight, bias)
    return splitHeads({ data, dims }, mha.numHeads)
  })
  const { weights, output } = reference.attention(heads[0], heads[1], heads[2])
  return { weights, output: reference.linear(joinHeads(output), o.weight, o.bias) }
}

test('multi-head attention is projections, heads, attention and a projection, for all its options', () => {
  const g = qkv.generator(4)
  for (const options of [{}, { kDim: 3, vDim: 5 }, { bias: false }, { kDim: 12 }]) {
    const mha = multiheadAttention(g, 12, 3, options)
    const { kDim = 12, vDim = 12 } = { kDim: undefined, vDim: undefined, ...options }
    if (mha.layers.out.bias) for (const { bias } of Object.values(mha.layers)) bias?.data.set(g.randn([12]).data)
    const inputs = [g.randn([2, 4, 12]), g.randn([2, 5, kDim]), g.randn([2, 5, vDim])]
    const want = multihead(mha, ...inputs)
    const [q, k, v] = inputs
    const { output, weights } = mha.forward(q, k, v, { averageWeights: false })
    assert.ok(weights)
    close(output, want.output, TOLERANCE, 'output')
    close(weights, want.weights, TOLERANCE, 'weights')

    const average = mha.forward(q, k, v).weights
    assert.ok(average)
    const mean = Float64Array.from({ length: 40 }, (_, n) => {
      const [b, rest] = [Math.floor(n / 20), n % 20]
      return [0, 1, 2].reduce((sum, h) => sum + want.weights.data[(b * 3 + h) * 20 + rest] / 3, 0)
    })
    close(average, { data: mean, dims: [2, 4, 5] }, TOLERANCE, 'average weights')
    close(mha.forward(q, k, v, { needWeights: false }).output, want.output, TOLERANCE, 'output without weights')
    assert.equal('weights' in mha.forward(q, k, v, { needWeights: false }), false)
    const trace = mha.trace(q, k, v)
    close(trace.output, want.output, TOLERANCE, 'traced output')
    assert.deepEqual(trace.weights, weights)

    const alone = mha.forward(q.row(1), k.row(1), v.row(1))
    assert.ok(alone.weights)
    assert.deepEqual([alone.output, alone.weights], [output.row(1), average.row(1)])
    assert.deepEqual(mha.trace(q.row(1), k.row(1), v.row(1)).output.dims, [4, 12])
  }
})

test('forward and trace of multi-head attention are those of attention over the projected heads, with every score', () => {
  const g = qkv.generator(9)
  const linears = { wQuery: g.randn([5, 4]), wKey: g.randn([5, 4]), v: g.randn([5]), bias: g.randn([5]) }
  const scores = /** @type {const} */ (['dot', 'gaussian', { kind: 'additive', ...linears }])
  for (const extra of [{}, { addBiasKV: true, addZeroAttn: true }])
    for (const score of scores)
      for (const more of [
        {},
        { causal: true },
        { softcap: 2, bias: g.randn([6, 5]) },
        { masking: 'after', causal: true },
      ]) {
        const mha = multiheadAttention(g, 12, 3, extra)
        const [x, y] = [g.randn([2, 6, 12]), g.randn([2, 5, 12])]
        const { masking, ...options } = { masking: undefined, score, ...more }
        const traced = mha.trace(x, y, y, { ...options, ...(masking && { masking: 'after' }) })
        const heads = ['q', 'k', 'v'].map(
          name => /** @type {any} */ (traced.steps.find(step => step.name === `${name}.transpose`)).tensor,
        )
        const S = heads[1].dims[2]
        assert.equal(S, 'addBiasKV' in extra ? 7 : 5)
        // `causal` and a bias do not cover the two extra keys (addBiasKV, addZeroAttn), so qkv.trace cannot check them here. Other tests do.
        if (S === 5 || !('causal' in more || 'bias' in more)) {
          const want = qkv.trace(heads[0], heads[1], heads[2], { ...options, ...(masking && { masking: 'after' }) })
          assert.deepEqual(traced.heads, want)
        }
        const { out } = mha.layers
        assert.deepEqual(traced.output, out.forward(joinHeads(traced.heads.output)))
        if (masking) continue
        const { output, weights } = mha.forward(x, y, y, { ...options, averageWeights: false })
        assert.deepEqual([output, weights], [traced.output, traced.weights])
        close(mha.forward(x, y, y, { ...options, needWeights: false }).output, { ...output }, TOLERANCE, 'fused')
      }
})

test('packed, separate and per-layer state dicts load the same weights, and all must be there', () => {
  const g = qkv.generator(5)
  const source = multiheadAttention(g, 8, 2)
  for (const { bias } of Object.values(source.layers)) bias?.data.set(g.randn([8]).data)
  const layers = Object.entries(stateOf(source))
  const out = {
    'out_proj.weight': source.layers.out.weight,
    'out_proj.bias': /** @type {any} */ (source.layers.out.bias),
  }
  /** @type {(name: 'weight' | 'bias', dims: number[]) => any} */
  const packed = (name, dims) =>
    tensor(layers.slice(0, 3).flatMap(([, layer]) => [...(layer[name]?.data ?? [])])).reshape(dims)
  const in_proj_bias = packed('bias', [24])
  /** @type {Record<string, any>[]} */
  const states = [
    { in_proj_weight: packed('weight', [24, 8]), in_proj_bias, ...out },
    {
      ...Object.fromEntries(layers.slice(0, 3).map(([name, { weight }]) => [`${name}_proj_weight`, weight])),
      in_proj_bias,
      ...out,
    },
    Object.fromEntries(
      layers.flatMap(([name, { weight, bias }]) => [
        [`${name}_proj.weight`, weight],
        [`${name}_proj.bias`, bias],
      ]),
    ),
    Object.fromEntries(layers.map(([name, layer]) => [`${name}_proj`, layer])),
  ]
  const x = g.randn([1, 3, 8])
  const want = source.forward(x)
  for (const state of states) {
    const target = multiheadAttention(g, 8, 2)
    assert.notDeepEqual(target.forward(x), want)
    assert.deepEqual(target.loadStateDict(state).forward(x), want)
    for (const name of Object.keys(state)) {
      const { [name]: _, ...rest } = state
      assert.throws(() => target.loadStateDict(rest), { name: 'RangeError', message: /missing|no place/ })
    }
    assert.throws(() => target.loadStateDict({ ...state, extra: x }), { message: /no place for extra/ })
    assert.deepEqual(target.forward(x), want)
  }
})

test('a key padding mask hides keys together with a mask, a bias or causality', () => {
  const g = qkv.generator(6)
  const mha = multiheadAttention(g, 8, 2)
  const x = g.randn([2, 3, 8])
  const padding = tensor([
    [false, false, true],
    [true, false, false],
  ])
  const seen = tensor([[[[true, true, false]]], [[[false, true, true]]]])
  const mask = tensor([
    [true, true, false],
    [true, true, true],
    [false, true, true],
  ])
  const both = tensor(
    Uint8Array.from({ length: 18 }, (_, n) => seen.data[Math.floor(n / 9) * 3 + (n % 3)] & mask.data[n % 9]),
    [2, 1, 3, 3],
  )
  const bias = g.randn([3, 3])
  for (const [given, same] of [
    [{}, { mask: seen }],
    [{ causal: true }, { causal: true, mask: seen }],
    [{ mask }, { mask: both }],
    [{ bias }, { bias, mask: seen }],
    [{ mask: bias }, { bias, mask: seen }],
    [
      { mask, bias },
      { mask: both, bias },
    ],
  ])
    for (const needWeights of [true, false]) {
      const got = mha.forward(x, x, x, { ...given, keyPaddingMask: padding, needWeights })
      assert.deepEqual(got, mha.forward(x, x, x, { ...same, needWeights }))
    }
})

test('dropout of multi-head attention is the same with and without the weights', () => {
  const mha = multiheadAttention(qkv.generator(7), 8, 2)
  const x = qkv.generator(8).randn([2, 5, 8])
  const run = (/** @type {boolean} */ needWeights) =>
    mha.forward(x, x, x, { needWeights, averageWeights: false, dropout: { p: 0.5, generator: qkv.generator(9) } })
  const { output, weights } = run(true)
  close(run(false).output, output, TOLERANCE, 'output')
  assert.ok(weights?.data.includes(0))
})
