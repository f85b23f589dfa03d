// Attention compared with PyTorch (tests/goldens/torch-attention.json), for the traced and the tiled kernel and for the reference of the
// property tests.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/entries/index.js'
import { attentionBackward, multiheadAttention } from '../src/entries/nn.js'
import { cases, close } from './helpers.js'
import { attention, linear } from './reference.js'
import * as reference64 from './reference-backward.js'

/** @import { Case, Comparable } from './helpers.js' */

const qkv = await load()
const goldens = cases('torch-attention')
const handled = new Set()

/** Converts the options of a case to ours. @param {Case} golden */
function optionsOf({ kind, params, inputs }) {
  if (kind === 'gaussian_attention') return { score: { kind: /** @type {const} */ ('gaussian'), sigma: params.sigma } }
  if (kind === 'additive') {
    const { w_q: wQuery, w_k: wKey, w_v: v, b: bias } = inputs
    return { score: { kind: /** @type {const} */ ('additive'), wQuery, wKey, v, bias } }
  }
  assert.ok([false, 'top-left'].includes(params.causal))
  return {
    causal: params.causal === 'top-left',
    ...(params.scale !== null && { scale: params.scale }),
    ...(params.softcap && { softcap: params.softcap }),
    ...(params.window && { window: params.window }),
    ...(inputs.mask && { mask: inputs.mask }),
    ...(inputs.bias && { bias: inputs.bias }),
  }
}

/**
 * Drops the leading axes B and H if the golden lacks them.
 * @param {Comparable} got
 * @param {Comparable} want
 */
const alike = (got, want) => ({ data: got.data, dims: got.dims.slice(got.dims.length - want.dims.length) })

for (const golden of goldens.filter(({ kind }) => ['sdpa', 'gaussian_attention', 'additive'].includes(kind)))
  test(`${golden.name}: both kernels and the reference give what PyTorch gives`, () => {
    const { expected, inputs, tolerance, tolerance_f64 } = golden
    const { q, k, v } = inputs
    const out = expected.out_safe ?? expected.out
    const weights = expected.weights_safe ?? expected.weights
    const options = optionsOf(golden)

    const traced = qkv.trace(q, k, v, options)
    close(traced.output, out, tolerance, 'traced output')
    if (weights) close(traced.weights, weights, tolerance, 'traced weights')
    if (expected.scores) close(traced.scores, expected.scores, tolerance, 'traced scores')
    close(qkv.attention(q, k, v, options).output, out, tolerance, 'tiled output')

    const reference = attention(q, k, v, options)
    assert.ok(tolerance_f64)
    close(alike(reference.output, out), out, tolerance_f64, 'output of the reference')
    if (weights) close(alike(reference.weights, weights), weights, tolerance_f64, 'weights of the reference')
    handled.add(golden.name)
  })

for (const golden of goldens.filter(({ kind }) => kind === 'sdpa_stream'))
  test(`${golden.name}: both kernels give what PyTorch gives from the same random stream`, () => {
    const { params, expected, tolerance } = golden
    const generator = qkv.generator(BigInt(params.seed))
    const [q, k, v] = ['q', 'k', 'v'].map(name => {
      const x = generator.uniform(params.shape, -2, 2)
      assert.deepEqual([...x.data.slice(0, 4)], params.first_inputs[name].data.map(Math.fround), `${name} starts right`)
      return x
    })
    const options = { causal: params.causal === 'top-left' }
    for (const { output } of [qkv.attention(q, k, v, options), qkv.trace(q, k, v, options)]) {
      const sample = Float32Array.from(params.sample_index, i => output.data[i])
      close({ data: sample, dims: [sample.length] }, expected.sample, tolerance, 'sample')
      const { checksum, checksum_tolerance } = params
      const sums = Float64Array.from([sumOf(output.data, x => x), sumOf(output.data, Math.abs)])
      const want = Float64Array.from([checksum.sum, checksum.sum_abs])
      close({ data: sums, dims: [2] }, { data: want, dims: [2] }, { abs: checksum_tolerance, rel: 0 }, 'sums')
    }
    handled.add(golden.name)
  })

/** @param {ArrayLike<number>} data @param {(x: number) => number} f */
const sumOf = (data, f) => Array.from(data).reduce((total, x) => total + f(x), 0)

for (const golden of goldens.filter(({ kind }) => kind === 'nn_mha'))
  test(`${golden.name}: multi-head attention gives what PyTorch gives, with and without the weights`, () => {
    const { params, inputs, expected, tolerance } = golden
    const { query, key = query, value = key, key_padding_mask, ...state } = inputs
    const { embed_dim, num_heads, kdim, vdim, bias } = params
    const mha = multiheadAttention(qkv.generator(0), embed_dim, num_heads, { kDim: kdim, vDim: vdim, bias })
    const { out_proj_weight, out_proj_bias, ...projections } = state
    mha.loadStateDict({ ...projections, 'out_proj.weight': out_proj_weight, 'out_proj.bias': out_proj_bias })
    // true hides a key, in PyTorch and here
    const options = key_padding_mask ? { keyPaddingMask: key_padding_mask } : {}
    const averageWeights = params.average_attn_weights
    const { output, weights } = mha.forward(query, key, value, { ...options, averageWeights })
    close(output, expected.out, tolerance, 'output')
    assert.ok(weights)
    close(weights, expected.weights, tolerance, 'weights')
    close(mha.forward(query, key, value, { ...options, needWeights: false }).output, expected.out, tolerance, 'tiled')
    close(mha.trace(query, key, value, options).output, expected.out, tolerance, 'traced')
    handled.add(golden.name)
  })

test('the linear reference is a product with the transposed weight plus the bias', () => {
  const x = { data: [1, 2, 3, 4], dims: [2, 2] }
  const weight = { data: [1, 0, 0, 1, 2, 3], dims: [3, 2] }
  assert.deepEqual([...linear(x, weight, { data: [0, 0, 1], dims: [3] }).data], [1, 2, 9, 3, 4, 19])
})

for (const golden of goldens.filter(({ kind }) => kind === 'sdpa_backward'))
  test(`${golden.name}: the gradients are those of PyTorch, and so are those of the reference`, () => {
    const { inputs, expected, tolerance, tolerance_f64 } = golden
    const { q, k, v, dout } = inputs
    const options = optionsOf(golden)
    const { dQ, dK, dV } = attentionBackward(qkv, q, k, v, dout, options)
    close(dQ, expected.dq, tolerance, 'dQ')
    close(dK, expected.dk, tolerance, 'dK')
    close(dV, expected.dv, tolerance, 'dV')
    assert.ok(tolerance_f64)
    const four = (/** @type {Comparable} */ { data, dims }) => ({
      data,
      dims: [...Array(4 - dims.length).fill(1), ...dims],
    })
    const want = reference64.attentionBackward(four(q), four(k), four(v), four(dout), options)
    close(alike(want.dQ, expected.dq), expected.dq, tolerance_f64, 'dQ of the reference')
    close(alike(want.dK, expected.dk), expected.dk, tolerance_f64, 'dK of the reference')
    close(alike(want.dV, expected.dv), expected.dv, tolerance_f64, 'dV of the reference')
    handled.add(golden.name)
  })

test('every golden case is used', t => {
  assert.equal(handled.size, goldens.length)
  t.diagnostic(`${handled.size} cases`)
})
