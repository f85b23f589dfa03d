// Recomputes article 004, which derives attention from a weighted average: waistline and weight, Gaussian kernel, additive and dot scores,
// self-attention.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, tensor } from '../../src/entries/index.js'
import { close } from '../helpers.js'
import { Article, bothKernels } from './article.js'

const qkv = await load()
const article = new Article('004')

const waistlines = tensor([[68], [60], [64]])
const bodyWeights = tensor([[126], [110], [115]])
const waistline = tensor([[62]])

const Q = tensor([
  [64, 85],
  [61, 80],
])
const K = tensor([
  [68, 91],
  [60, 87],
  [64, 88],
])
const V = tensor([
  [126, 180],
  [110, 172],
  [115, 170],
])

test('the neighbours 60 and 64 alone average to 112.5', () => {
  const pair = bodyWeights.reshape([3]).data.subarray(1)
  article.checkInputs('average', { x: tensor(pair) })
  for (const { output } of bothKernels(qkv, waistline, tensor([[60], [64]]), tensor(pair, [2, 1]), {
    score: 'gaussian',
  }))
    article.check('average', { out: output.reshape([]) })
})

test('the Gaussian kernel of 62 is 0.135 for 60 and 64, and 1.52e-8 for 68', () => {
  article.checkInputs('gaussian-kernel', { q: waistline.reshape([1]), k: waistlines.reshape([3]) })
  const scores = qkv.trace(waistline, waistlines, bodyWeights, { score: 'gaussian' }).scores.reshape([3])
  const kernel = qkv.exp(scores)
  article.check('gaussian-kernel', { kernel, scores })
})

test('the weight of 68 is not 0 but 5.6e-8: the estimate is 112.50000076, in four decimals 112.5', () => {
  article.checkInputs('gaussian-weights', { q: waistline, k: waistlines, v: bodyWeights })
  for (const kernel of bothKernels(qkv, waistline, waistlines, bodyWeights, { score: 'gaussian' })) {
    const [scores, weights] = [kernel.scores.reshape([3]), kernel.weights.reshape([3])]
    article.check('gaussian-weights', { scores, weights, out: kernel.output.reshape([1]) })
    assert.equal(String(kernel.output), 'tensor([[112.5000]])')
    const exact = Array.from(weights.data).reduce((sum, w, i) => sum + w * (bodyWeights.data[i] - 112.5), 0)
    close({ data: [exact], dims: [1] }, { data: [7.6e-7], dims: [1] }, { abs: 5e-9, rel: 0 }, 'beyond 112.5')
  }
})

test('the first score is 64 * 68 + 85 * 91 = 12087, and all are whole', () => {
  const { scores } = qkv.trace(Q, K, V, { scale: 1 })
  article.checkInputs('score-12087', { a: Q.row(0), b: K.row(0) })
  article.check('score-12087', { out: tensor(scores.at(0, 0)) })
  article.checkInputs('scores', { a: Q, b: K })
  article.check('scores', { out: scores })
})

test('softmax of 12087 alone is 1: the maximum is subtracted before exp would overflow', () => {
  assert.equal(qkv.softmax([12087]).at(0), 1)
  assert.equal(Math.exp(12087), Infinity)
})

test('the plain dot model is not divided: f(Q) is [126, 180] twice', () => {
  article.checkInputs('dot', { q: Q, k: K, v: V })
  for (const { output: out, weights } of bothKernels(qkv, Q, K, V, { scale: 1 })) article.check('dot', { out, weights })
})

test('divided by the root of 2 the scores are still far apart: the same one-hot weights', () => {
  article.checkInputs('scaled-dot', { q: Q, k: K, v: V })
  for (const { output: out, weights } of bothKernels(qkv, Q, K, V)) article.check('scaled-dot', { out, weights })
})

test('without projections every row of X attends to the row of largest norm', () => {
  const X = tensor([
    [67, 91],
    [60, 87],
    [64, 84],
  ])
  article.checkInputs('self', { q: X, k: X, v: X })
  for (const { output: out, weights } of bothKernels(qkv, X, X, X)) article.check('self', { out, weights })
})

test('with three learnt projections it is self-attention as in a Transformer', () => {
  const { x, W_query, W_key, W_value } = article.case('self-projected').inputs
  const [q, k, v] = [W_query, W_key, W_value].map(W => qkv.matmul(x, W))
  for (const { output: out, weights } of bothKernels(qkv, q, k, v)) article.check('self-projected', { out, weights })
})

test('the additive formula as printed loses the query: softmax cancels what all keys share', () => {
  const { q, k, v, w_q, w_k, b } = article.case('additive-literal').inputs
  // An additive score is the dot product of two pairs: w_q q + b + w_k k = (w_q q + b, 1) . (1, w_k k).
  const left = tensor(Array.from(qkv.linear(q, w_q, b).data, x => [x, 1]))
  const right = tensor(Array.from(qkv.linear(k, w_k).data, y => [1, y]))
  for (const { output: out, weights } of bothKernels(qkv, left, right, v, { scale: 1 })) {
    article.check('additive-literal', { out, weights })
    close(out.row(0), out.row(1), { abs: 1e-4, rel: 0 }, 'both queries get the same')
  }
})

test('the additive score goes through tanh and a separate vector, so that queries differ', () => {
  const { q, k, v, w_q, w_k, w_v, b } = article.case('additive').inputs
  const score = /** @type {const} */ ({ kind: 'additive', wQuery: w_q, wKey: w_k, v: w_v, bias: b })
  for (const { scores, weights, output: out } of bothKernels(qkv, q, k, v, { score })) {
    article.check('additive', { scores, weights, out })
    assert.notDeepEqual(weights.row(0), weights.row(1))
  }
})

test('the Gaussian kernel works on vectors as on numbers: -|q - k|^2 / 2', () => {
  article.checkInputs('gaussian-2d', { q: Q, k: K, v: V })
  for (const { scores, weights, output: out } of bothKernels(qkv, Q, K, V, { score: { kind: 'gaussian', sigma: 1 } }))
    article.check('gaussian-2d', { scores, weights, out })
})

article.close()
