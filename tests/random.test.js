// PyTorch's random streams, bit for bit, for both builds of PyTorch (tests/goldens/torch-rng.json).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/entries/index.js'
import { embeddingLayer, linearLayer, multiheadAttention } from '../src/entries/nn.js'
import { cases, close } from './helpers.js'

/** @import { Generator } from 'qkv' */
/** @typedef {{ data: ArrayLike<number> }} Values */

const qkv = await load()
const goldens = cases('torch-rng')
const counts = { vector: { same: 0, all: 0 }, scalar: { same: 0, all: 0 }, float64: { same: 0, all: 0 } }

/** @param {readonly Values[]} parts */
const join = parts => ({ data: parts.flatMap(({ data }) => Array.from(data)) })
/** @param {Values} x @param {readonly number[]} [index] */
const pick = ({ data }, index) => ({ data: index ? index.map(i => data[i]) : data })
/** @param {Values} x @param {number} n */
const first = ({ data }, n = 8) => ({ data: Array.from(data).slice(0, n) })
/** @param {Values} x @param {number} n */
const last = ({ data }, n = 8) => ({ data: Array.from(data).slice(-n) })

/**
 * For each kind of case, a function that draws its numbers and returns them under the names of the expected tensors. `all` goes into the checksum.
 * @type {Record<string, (g: Generator, params: any) => Record<string, Values>>}
 */
const DRAW = {
  mt19937_u32: (g, { index }) => ({ out: pick(g.words([Math.max(...index) + 1]), index) }),
  rand: (g, { n, index }) => withAll(g.rand([n]), index),
  rand_float64: (g, { n }) => ({ out: g.rand64([n]) }),
  uniform: (g, { n, from, to }) => ({ out: g.uniform([n], from, to) }),
  randn: (g, { n, index }) => withAll(g.randn([n]), index),
  normal: (g, { n, mean, std }) => ({ out: g.normal([n], mean, std) }),
  randn_sequence: (g, { sizes }) => ({ out: join(sizes.map((/** @type {number} */ n) => g.randn([n]))) }),
  randn_float64: (g, { n }) => ({ out: g.randn64([n]) }),
  bernoulli: (g, { n, p }) => ({ out: g.bernoulli([n], p) }),
  dropout: (g, { p }) => ({
    out: g.dropout({ data: Float32Array.from({ length: 40 }, (_, i) => i + 1), dims: [40] }, p),
  }),
  randint: (g, { n, high }) => ({ out: g.randint(0, high, [n]) }),
  embedding: (g, { num, dim, padding_idx: paddingIdx, rows }) => {
    const { weight } = embeddingLayer(g, num, dim, paddingIdx === undefined ? {} : { paddingIdx })
    return { rows: join(rows.map((/** @type {number} */ i) => weight.row(i))), all: weight }
  },
  linear: (g, params) => {
    const { weight, bias } = linearLayer(g, params.in, params.out)
    assert.ok(bias)
    const ends = { weight_first: first(weight), weight_last: last(weight), bias_first: first(bias) }
    return { weight, bias, ...ends, bias_last: last(bias), all: weight }
  },
  mha_init: (g, { embed_dim, kdim, vdim }) => {
    const { query, key, value, out } = multiheadAttention(g, embed_dim, 1, { kDim: kdim, vDim: vdim }).layers
    const [q, k, v] = [query, key, value].map(({ weight }) => weight)
    const biases = [query, key, value, out].map(({ bias }) => {
      assert.ok(bias)
      return bias
    })
    return {
      in_proj_weight: join([q, k, v]),
      q_proj_weight: q,
      k_proj_weight: k,
      v_proj_weight: v,
      in_proj_bias: join(biases.slice(0, 3)),
      'out_proj.weight': out.weight,
      'out_proj.bias': biases[3],
    }
  },
  program: (g, { ops }) => ({
    out: join(
      ops.map((/** @type {string} */ op) => {
        const [call, n, ...range] = op.split(' ')
        const dims = [Number(n)]
        if (call === 'uniform') return g.uniform(dims, Number(range[0]), Number(range[1]))
        return call === 'rand' ? g.rand(dims) : g.randn(dims)
      }),
    ),
  }),
}

/** @param {Values} all @param {readonly number[]} [index] */
const withAll = (all, index) => ({ out: pick(all, index), all })

/** @param {Values} all @returns {Record<string, number>} */
function checksum({ data }) {
  const sums = { sum: 0, sum_abs: 0, sum_sq: 0, min: Infinity, max: -Infinity }
  for (let i = 0; i < data.length; i++) {
    const x = data[i]
    sums.sum += x
    sums.sum_abs += Math.abs(x)
    sums.sum_sq += x * x
    sums.min = Math.min(sums.min, x)
    sums.max = Math.max(sums.max, x)
  }
  return sums
}

for (const golden of goldens)
  for (const stream of /** @type {const} */ (['vector', 'scalar'])) {
    test(`${golden.name}: the ${stream} stream draws the bits that PyTorch draws`, () => {
      const { params, kind } = golden
      // expected_scalar has only the tensors that differ
      const want = stream === 'vector' ? golden.expected : { ...golden.expected, ...golden.expected_scalar }
      const generator = qkv.generator(BigInt(params.seed), { stream })
      /** @type {Record<string, Values>} */
      const got = DRAW[kind](generator, params)
      if (golden.expected.next_rand) got.next_rand = generator.rand([2])
      for (const [name, { data, dims }] of Object.entries(want)) {
        const values = got[name].data
        assert.equal(values.length, data.length, `${name}: number of values`)
        const counted = golden.raw.expected[name].dtype === 'float64' ? counts.float64 : counts[stream]
        counted.all += data.length
        if (counted === counts.float64) {
          // goldens have nine digits, fewer than a float64
          close({ data: values, dims }, { data, dims }, golden.tolerance, name)
          counted.same += data.length
        } else {
          const same = Array.from(data, (x, i) => Object.is(values[i], x))
          counted.same += same.filter(Boolean).length
          const wrong = same.indexOf(false)
          if (wrong >= 0) assert.fail(`${name}: value ${wrong} is ${values[wrong]}, ${data[wrong]} expected`)
        }
      }
      if (params.checksum && stream === 'vector')
        for (const [name, sum] of Object.entries(checksum(got.all))) {
          const off = Math.abs(sum - params.checksum[name])
          assert.ok(off <= (params.checksum_tolerance ?? 1e-3), `${name} of all values: off by ${off}`)
        }
    })
  }

/** FNV-1a hashes of the bits that PyTorch 1.13.1 draws after manual_seed(123). `scalar` is its build with ATEN_CPU_CAPABILITY=default. */
const MILLIONS = {
  vector: { randn: 3312853265, normal: 3200974666, uniform: 3128141403, randnBy15: 3770662860 },
  scalar: { randn: 3694123633, normal: 2449897533, uniform: 3859494889, randnBy15: 3770662860 },
}

for (const stream of /** @type {const} */ (['vector', 'scalar']))
  test(`a million values of each kind of the ${stream} stream are the bits of PyTorch`, () => {
    const g = qkv.generator(123, { stream })
    /** @param {readonly { data: Float32Array }[]} parts */
    const digest = parts => {
      let hash = 2166136261
      for (const { data } of parts)
        for (const word of new Uint32Array(data.buffer, data.byteOffset, data.length))
          hash = Math.imul(hash ^ word, 16777619) >>> 0
      return hash
    }
    const got = {
      randn: digest([g.randn([1_000_000])]),
      normal: digest([g.normal([1_000_001], -1, 3)]),
      uniform: digest([g.uniform([1_000_000], -0.1, 0.3)]),
      randnBy15: digest(Array.from({ length: 66_667 }, () => g.randn([15]))),
    }
    assert.deepEqual(got, MILLIONS[stream])
  })

test('every value of every golden stream is identical', t => {
  assert.equal(goldens.length, 155)
  for (const [name, { same, all }] of Object.entries(counts)) {
    assert.equal(same, all)
    t.diagnostic(`${name}: ${same} of ${all} values ${name === 'float64' ? 'to nine digits' : 'identical'}`)
  }
})
