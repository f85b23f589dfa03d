// Recomputes article 002, which follows the shapes of batched multi-head attention: (B, L, D), (B, L, H, d), (B, H, L, S) and back. B is the
// batch size, L the number of queries, S of keys, D of features, H of heads, and d the size of a head.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinHeads, load, tensor } from '../../src/entries/index.js'
import { linearLayer, multiheadAttention } from '../../src/entries/nn.js'
import { close } from '../helpers.js'
import { Article, bothKernels, queryAndKey } from './article.js'

/** @import { ForwardOptions, Linear, MultiheadAttention } from 'qkv/nn' */
/** @import { Comparable } from '../helpers.js' */

const qkv = await load()
const article = new Article('002')

/**
 * Makes a multi-head layer from weights that have the article's names (q_proj, k_proj, v_proj, o_proj).
 * @param {number} size
 * @param {number} heads
 * @param {Record<string, Comparable | Linear>} weights
 */
const layer = (size, heads, weights) => multiheadAttention(qkv.generator(0), size, heads).loadStateDict(weights)

/** Runs the full listing after manual_seed(123), up to the call of the layer. */
function fullListing() {
  const g = qkv.generator(123)
  const [q_proj, k_proj, v_proj, o_proj] = [1, 2, 3, 4].map(() => linearLayer(g, 512, 512))
  const [q, k, v] = [1, 2, 3].map(() => g.randn([10, 60, 512]))
  return { g, mha: layer(512, 8, { q_proj, k_proj, v_proj, o_proj }), q, k, v }
}

/** Makes the layer and the inputs of a small case. @param {string} name */
function small(name) {
  const { inputs, params } = article.case(name)
  const { q, k, v, mask, ...rest } = inputs
  const letters = { q_w: 'q_proj.weight', q_b: 'q_proj.bias', k_w: 'k_proj.weight', k_b: 'k_proj.bias' }
  const more = { v_w: 'v_proj.weight', v_b: 'v_proj.bias', o_w: 'o_proj.weight', o_b: 'o_proj.bias' }
  const weights = Object.entries({ ...letters, ...more }).map(([short, long]) => [long, rest[short]])
  return { mha: layer(12, params.num_heads, Object.fromEntries(weights)), q, k, v, mask, o_b: rest.o_b }
}

/**
 * Runs the layer by the traced and the tiled kernel. Returns a result for each. Both have the weights of the traced one, because the tiled kernel
 * returns none.
 * @param {MultiheadAttention} mha
 * @param {Comparable} q
 * @param {Comparable} k
 * @param {Comparable} v
 * @param {ForwardOptions} [options]
 */
function bothForwards(mha, q, k, v, options) {
  const { output, weights } = mha.forward(q, k, v, { ...options, averageWeights: false })
  assert.ok(weights)
  const fused = mha.forward(q, k, v, { ...options, needWeights: false })
  assert.equal(fused.weights, undefined)
  return [
    { output, weights },
    { output: fused.output, weights },
  ]
}

/** @param {string} name @param {Comparable} output */
function sampleOf(name, { data }) {
  const indices = /** @type {number[]} */ (article.case(name).params.sample_index)
  return { sample: { data: indices.map(i => data[i]), dims: [indices.length] } }
}

/** Checks sums and extremes of the whole output, because the case has only 64 of its values. @param {string} name @param {Comparable} output */
function checkSums(name, { data }) {
  const { sum, sum_abs, sum_sq, min, max } = article.case(name).params.checksum
  const total = (/** @type {(x: number) => number} */ of) => Array.from(data, of).reduce((a, b) => a + b, 0)
  const values = Array.from(data)
  const extremes = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))]
  const got = { data: [total(x => x), total(Math.abs), total(x => x * x), ...extremes], dims: [5] }
  close(got, { data: [sum, sum_abs, sum_sq, min, max], dims: [5] }, { abs: 1e-6, rel: 1e-6 }, `${name}: sums`)
}

const listing = fullListing()
const traced = listing.mha.trace(listing.q, listing.k, listing.v)
const dims = Object.fromEntries(traced.steps.map(step => [step.name, step.dims]))

test('the shapes go B L D, B L H d, B H L d, B H L S and all the way back', () => {
  const { params } = article.case('shape-trace')
  assert.deepEqual(
    [listing.mha.numHeads, listing.mha.embedDim / listing.mha.numHeads],
    [params.num_heads, params.head_dim],
  )
  const trace = [
    ['q', 'input', dims.query],
    ['q', 'q_proj', dims['q = q_proj(query)']],
    ['q', 'view', dims['q.view']],
    ['q', 'transpose(1,2)', dims['q.transpose']],
    ['k', 'k_proj/view/transpose', dims['k.transpose']],
    ['v', 'v_proj/view/transpose', dims['v.transpose']],
    ['scores', 'q @ k^T', dims.scores],
    ['prob', 'softmax(-1)', dims.weights],
    ['context', 'prob @ v', dims['context = weights @ v']],
    ['context', 'transpose(1,2)', dims['context.transpose']],
    ['context', 'contiguous().view', dims['context.view']],
    ['output', 'o_proj', dims['output = out_proj(context)']],
  ]
  article.check('shape-trace', {}, { trace, output: traced.output.dims })
})

test('only D of q and k, and the lengths of k and v must agree: S may differ from L, d_v from d_k', () => {
  const { B, L, S, d_k, d_v, num_heads: H } = article.case('shape-trace-cross').params
  const g = qkv.generator(123)
  const [q, k, v] = [g.randn([B, H, L, d_k]), g.randn([B, H, S, d_k]), g.randn([B, H, S, d_v])]
  for (const { scores, output } of bothKernels(qkv, q, k, v)) {
    const trace = [
      ['q', 'BHLd_k', q.dims],
      ['k', 'BHSd_k', k.dims],
      ['v', 'BHSd_v', v.dims],
      ['scores', 'BHLS', scores.dims],
      ['context', 'BHLd_v', output.dims],
      ['merged', 'BL(H*d_v)', joinHeads(output).dims],
    ]
    article.check('shape-trace-cross', {}, { trace })
  }
  assert.throws(() => qkv.attention(q, v, k), /the same size/, 'D of q and k')
  assert.throws(() => qkv.attention(q, k, q), /each key needs its value/, 'lengths of k and v')
})

test('seeded with 123 and divided by the root of 64, the full listing gives what PyTorch gives', () => {
  const { mha, q, k, v } = listing
  for (const { output } of bothForwards(mha, q, k, v)) {
    article.check('seeded-eval', sampleOf('seeded-eval', output))
    checkSums('seeded-eval', output)
  }
})

test('the listing never calls eval(): its dropout draws follow v in the stream', () => {
  for (const needWeights of [true, false]) {
    const { g, mha, q, k, v } = fullListing()
    const { output } = mha.forward(q, k, v, { dropout: { p: 0.1, generator: g }, needWeights })
    article.check('seeded-train', sampleOf('seeded-train', output))
    checkSums('seeded-train', output)
  }
})

test('with // for / the scores of the full listing are floored to -2, -1, 0 and 1', () => {
  const { scaled } = traced.heads
  const floors = tensor(scaled.data.map(Math.floor), scaled.dims)
  // Rounding decides whether a score near a whole number is floored to it or to the number below. One score is -1.3e-9 in double precision.
  const onTheEdge = scaled.data.filter(x => Math.abs(x - Math.round(x)) < 1e-6).length
  assert.ok(onTheEdge < 5)
  const histogram = Object.entries(article.case('seeded-eval-floor').params.score_histogram)
  const counts = histogram.map(([floor]) => floors.data.filter(x => x === Number(floor)).length)
  assert.equal(
    counts.reduce((a, b) => a + b),
    floors.data.length,
    'there are no other floors',
  )
  const wanted = { data: histogram.map(([, count]) => count), dims: [4] }
  close({ data: counts, dims: [4] }, wanted, { abs: onTheEdge, rel: 0 }, 'how often each floor occurs')

  const v = traced.steps.find(step => step.name === 'v.transpose')?.tensor
  assert.ok(v)
  for (const { output } of bothKernels(qkv, ...queryAndKey(floors), v, { scale: 1 })) {
    const floored = listing.mha.layers.out.forward(joinHeads(output))
    article.check('seeded-eval-floor', sampleOf('seeded-eval-floor', floored))
    const off = floored.data.reduce((most, x, i) => Math.max(most, Math.abs(x - traced.output.data[i])), 0)
    assert.ok(off > 0.01, 'a different result, not a rounded one')
  }
})

test('one sequence as q, k and v gives the right scores, weights and output', () => {
  const { mha, q, k, v } = small('small-self')
  assert.deepEqual(k, q)
  assert.deepEqual(v, q)
  const { scaled: scores } = mha.trace(q).heads
  for (const { output: out, weights: prob } of bothForwards(mha, q, k, v))
    article.check('small-self', { out, scores, prob })
})

test('k and v keep their own length: four queries attend to seven keys, where the listing fails', () => {
  const { mha, q, k, v } = small('small-cross')
  const { scaled: scores } = mha.trace(q, k, v).heads
  for (const { output: out, weights: prob } of bothForwards(mha, q, k, v))
    article.check('small-cross', { out, scores, prob })
  // The article's listing reshapes k with the length of q: the 168 values of (2, 7, 12) do not fit into (2, 4, 3, 4).
  assert.throws(() => mha.layers.key.forward(k).reshape([2, 4, 3, 4]), RangeError)
})

test('a fully hidden query has weights of zero: uniform weights with -1e9 as in the article, NaN in PyTorch with -inf', () => {
  const { mha, q, k, v, mask, o_b } = small('small-cross-mask')
  const large = tensor(
    Float32Array.from(mask.data, seen => (seen ? 0 : -1e9)),
    mask.dims,
  )
  const added = bothForwards(mha, q, k, v, { mask: large })
  const hidden = bothForwards(mha, q, k, v, { mask })
  const { weights } = hidden[0]
  for (const head of [0, 1, 2]) {
    const paid = weights.row(0).row(head).row(1).data
    assert.deepEqual([...paid], Array(7).fill(0))
    paid.fill(NaN) // the article's PyTorch has NaN where qkv has 0
  }
  hidden.forEach(({ output }, kernel) => {
    const row = output.row(0).row(1).data
    assert.deepEqual(row, o_b.data, 'nothing but the bias of the last layer')
    row.fill(NaN)
    article.check('small-cross-mask', {
      'prob_fill_-1e9': added[kernel].weights,
      'out_fill_-1e9': added[kernel].output,
      'prob_fill_-inf': weights,
      'out_fill_-inf': output,
    })
  })
  const uniform = { data: Array(7).fill(1 / 7), dims: [7] }
  close(added[0].weights.row(0).row(0).row(1), uniform, { abs: 1e-7, rel: 0 }, 'the row that -1e9 hides')
})

article.close()
