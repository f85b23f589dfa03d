// Recomputes article 001: self-, multi-head, cross- and causal attention in three dimensions. The article prints every result.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinHeads, load, tensor } from '../../src/entries/index.js'
import { embeddingLayer } from '../../src/entries/nn.js'
import { tokenize } from '../../web/rooms/layer/tokenize.js'
import { close } from '../helpers.js'
import { Article, bothKernels, printout, ROUNDING } from './article.js'

/** @import { Generator, Tensor } from 'qkv' */

const qkv = await load()
const article = new Article('001')
const sentence = tokenize('Life is short, eat dessert first')

/** Draws the weights of one head, in the order of the article. @param {Generator} g @param {number} dv */
const drawWeights = (g, dv) => ({ W_query: g.rand([3, 2]), W_key: g.rand([3, 2]), W_value: g.rand([3, dv]) })

/** @param {Tensor} x_1 @param {Tensor} x_2 @param {Record<'W_query' | 'W_key' | 'W_value', Tensor>} weights */
const attend = (x_1, x_2, { W_query, W_key, W_value }) =>
  qkv.trace(qkv.matmul(x_1, W_query), qkv.matmul(x_2, W_key), qkv.matmul(x_2, W_value))

/** Runs the code of the article, which sets the seed again before each block. @param {'vector' | 'scalar'} stream */
function retrace(stream) {
  const g = qkv.generator(123, { stream })
  const x = embeddingLayer(g, 50_000, 3).forward(sentence.ids)

  const weights = drawWeights(g.seed(123), 4)
  const queries = qkv.matmul(x, weights.W_query)
  const keys = qkv.matmul(x, weights.W_key)
  const values = qkv.matmul(x, weights.W_value)

  const single = drawWeights(g.seed(123), 1)
  g.seed(123)
  const heads = [1, 2, 3, 4].map(() => drawWeights(g, 1))
  const crossWeights = drawWeights(g.seed(123), 4)
  const x_2 = g.rand([8, 3])

  const self = attend(x, x, weights)
  return {
    x,
    x_2,
    weights,
    queries,
    keys,
    values,
    single,
    heads,
    crossWeights,
    self,
    selfSingle: attend(x, x, single),
    selfHeads: heads.map(head => attend(x, x, head).output),
    cross: attend(x, x_2, crossWeights),
    maskedAfter: qkv.trace(queries, keys, values, { causal: true, masking: 'after' }),
    maskedBefore: qkv.trace(queries, keys, values, { causal: true }),
    unscaled: qkv.trace(queries, keys, values, { causal: true, scale: 1 }),
    // With a scale of 0 all scores are 0, so exp gives 1 for visible keys and 0 for hidden ones: the mask itself.
    lowerTriangle: qkv.trace(queries, keys, values, { causal: true, scale: 0 }).exponentials,
  }
}

/** Returns the outputs (6, 1) of the heads side by side. @param {Tensor[]} outputs */
const concatenate = outputs => joinHeads(tensor(outputs.map(output => /** @type {number[][]} */ (output.tolist()))))

/** Returns what the article prints. @param {ReturnType<typeof retrace>} run */
const prints = run => ({
  dictionary: tensor(sentence.ids),
  embedded_sentence: run.x,
  omega_24: tensor(run.self.scores.at(1, 4)),
  omega_2: run.self.scores.row(1),
  alpha_2: run.self.weights.row(1),
  context_vector_2: run.self.output.row(1),
  'SelfAttention-3-2-4': run.self.output,
  'SelfAttention-3-2-1': run.selfSingle.output,
  'MultiHeadAttentionWrapper-4': concatenate(run.selfHeads),
  'CrossAttention-6x3-8x3': run.cross.output,
  attn_scores: run.self.scores,
  attn_weights: run.self.weights,
  mask_simple: run.lowerTriangle,
  masked_simple: /** @type {Tensor} */ (run.maskedAfter.zeroed),
  masked_simple_norm: run.maskedAfter.weights,
  masked: run.unscaled.masked,
  causal_attn_weights: run.maskedBefore.weights,
})

const run = retrace('vector')
const printed = prints(run)
const { x, x_2, weights, queries, keys, values, self } = run
const query_2 = queries.row(1)

test('words are numbered by code point, so that the capital comes first', () => {
  const ids = { data: sentence.ids, dims: [6] }
  article.check('dictionary', { ids }, { dictionary: Object.fromEntries(sentence.vocabulary) })
  assert.equal(String(tensor(sentence.ids)), 'tensor([0, 4, 5, 2, 1, 3])')
})

test('seed 123 gives the printed sentence, number for number', () => {
  article.check('embedded_sentence', { out: x })
  assert.equal(
    String(x),
    `tensor([[ 0.3374, -0.1778, -0.3035],
        [ 0.1794,  1.8951,  0.4954],
        [ 0.2692, -0.0770, -1.0205],
        [-0.2196, -0.3792,  0.7671],
        [-0.5880,  0.3486,  0.6603],
        [-1.1925,  0.6984, -1.4097]])`,
  )
})

test('the seed is set again before the weights: they are the first 24 draws', () => {
  article.check('weights', weights)
  const { data } = qkv.generator(123).rand([24])
  assert.deepEqual(
    Object.values(weights).flatMap(W => [...W.data]),
    [...data],
  )
})

test('queries, keys and values are the sentence times the weights', () => {
  article.checkInputs('projections', { x, ...weights })
  article.check('projections', { queries, keys, values })
})

test('every shape is as printed', () => {
  const value_2 = qkv.matmul(x.row(1), weights.W_value)
  const shapes = {
    query_2,
    key_2: keys.row(1),
    value_2,
    keys,
    values,
    context_vector_2: self.output.row(1),
    'context_vecs(4 heads)': printed['MultiHeadAttentionWrapper-4'],
    first_input: x,
    second_input: x_2,
    'cross output': run.cross.output,
    attn_scores: self.scores,
  }
  article.check('shapes', {}, Object.fromEntries(Object.entries(shapes).map(([name, { dims }]) => [name, dims])))
  assert.equal(x.dims[1], 3, 'what the article calls block_size: the size of an embedding, not the six words')
})

test('the second query times the fifth key is 1.2903, one of the six scores of its row', () => {
  article.checkInputs('omega_24', { a: query_2, b: keys.row(4) }, ROUNDING)
  article.check('omega_24', { out: printed.omega_24 })
  article.checkInputs('omega_2', { query: query_2, keys }, ROUNDING)
  article.check('omega_2', { out: printed.omega_2 })
  assert.equal(String(printed.omega_2), 'tensor([-0.6004,  3.4707, -1.5023,  0.4991,  1.2903, -1.3374])')
})

test('divided by the root of 2 and through softmax they are the weights of the second word', () => {
  article.checkInputs('alpha_2', { x: printed.omega_2 }, ROUNDING)
  article.check('alpha_2', { out: printed.alpha_2 })
  assert.equal(String(printed.alpha_2), 'tensor([0.0386, 0.6870, 0.0204, 0.0840, 0.1470, 0.0229])')
})

test('the second query alone gives the printed context vector', () => {
  const q = query_2.reshape([1, 2])
  article.checkInputs('context_vector_2', { q, k: keys, v: values }, ROUNDING)
  for (const { output } of bothKernels(qkv, q, keys, values))
    article.check('context_vector_2', { out_row: output.row(0), out: output.row(0) })
  assert.equal(String(self.output.row(1)), 'tensor([0.5313, 1.3607, 0.7891, 1.3110])')
})

test('self-attention gives the printed rows; d_out_v is 4, whatever the comment above the call says', () => {
  article.checkInputs('SelfAttention-3-2-4', { x, ...weights })
  for (const { output: out } of bothKernels(qkv, queries, keys, values)) article.check('SelfAttention-3-2-4', { out })
  assert.equal(weights.W_value.dims[1], 4)
})

test('the printed -0.2627 comes from the portable build of PyTorch; the one with AVX2 prints -0.2626', () => {
  const theirs = printout(article.case('SelfAttention-3-2-4').expected.out)
  assert.match(theirs, /-0\.2627/)
  assert.equal(String(retrace('scalar').self.output), theirs)
  assert.equal(String(self.output), theirs.replace('-0.2627', '-0.2626'))
})

test('a head of one value dimension is the first column of four such heads side by side', () => {
  article.checkInputs('SelfAttention-3-2-1', { x, ...run.single })
  for (const { output: out } of bothKernels(qkv, queries, keys, qkv.matmul(x, run.single.W_value)))
    article.check('SelfAttention-3-2-1', { out })

  const stack = (/** @type {keyof typeof weights} */ name) => tensor(run.heads.map(head => head[name].tolist()))
  const [W_query, W_key, W_value] = [stack('W_query'), stack('W_key'), stack('W_value')]
  article.checkInputs('MultiHeadAttentionWrapper-4', { x, W_query, W_key, W_value })
  article.check('MultiHeadAttentionWrapper-4', { out: printed['MultiHeadAttentionWrapper-4'] })
  assert.deepEqual(run.selfHeads[0], run.selfSingle.output)

  const [q, k, v] = /** @type {const} */ (['W_query', 'W_key', 'W_value']).map(name =>
    tensor(run.heads.map(head => qkv.matmul(x, head[name]).tolist())),
  )
  for (const { output } of bothKernels(qkv, q, k, v))
    article.check('MultiHeadAttentionWrapper-4', { out: joinHeads(output) })
})

test('in cross-attention the keys and values come from a second input of another length', () => {
  article.checkInputs('CrossAttention-6x3-8x3', { x_1: x, x_2, ...run.crossWeights })
  const { W_query, W_key, W_value } = run.crossWeights
  const kernels = bothKernels(qkv, qkv.matmul(x, W_query), qkv.matmul(x_2, W_key), qkv.matmul(x_2, W_value))
  for (const { output: out } of kernels) article.check('CrossAttention-6x3-8x3', { out })
})

test('cross-attention needs equal sizes after the projection only, not equal embeddings', () => {
  const g = qkv.generator(123)
  const [wide, W_key, W_value] = [g.rand([8, 5]), g.rand([5, 2]), g.rand([5, 4])]
  assert.deepEqual(attend(x, wide, { W_query: weights.W_query, W_key, W_value }).output.dims, [6, 4])
  assert.throws(() => attend(x, x, { ...weights, W_key: g.rand([3, 3]) }), RangeError)
})

test('scores and weights of all words are as printed', () => {
  article.checkInputs('attn_scores', { a: queries, b: keys }, ROUNDING)
  article.check('attn_scores', { out: printed.attn_scores })
  article.checkInputs('attn_weights', { x: printed.attn_scores }, ROUNDING)
  article.check('attn_weights', { out: printed.attn_weights })
  article.check('attn_weights', { out: qkv.softmax(self.scaled) })
})

test('masking after softmax: weights times the lower triangle, each row divided by its sum', () => {
  const { maskedAfter, lowerTriangle } = run
  article.check('mask_simple', { out: lowerTriangle })
  article.checkInputs('masked_simple', { a: self.weights, b: lowerTriangle }, ROUNDING)
  article.check('masked_simple', { out: printed.masked_simple })
  article.checkInputs('masked_simple_norm', { x: printed.masked_simple }, ROUNDING)
  const row_sums = /** @type {Tensor} */ (maskedAfter.zeroedSums).reshape([6, 1])
  article.check('masked_simple_norm', { out: printed.masked_simple_norm, row_sums })
})

test('masking before softmax: above the diagonal -inf, the diagonal stays', () => {
  const mask = tensor(lowerTriangleOf(6).map(row => row.map(seen => !seen)))
  article.checkInputs('masked', { x: self.scores, mask }, ROUNDING)
  article.check('masked', { out: printed.masked })
  assert.ok(mask.at(0, 1) === 1 && mask.at(0, 0) === 0, 'triu(diagonal=1) drops the diagonal; only triu(0) keeps it')
})

test('both ways of masking end in the same weights', () => {
  article.checkInputs('causal_attn_weights', { x: self.scores }, ROUNDING)
  article.check('causal_attn_weights', { out: printed.causal_attn_weights })
  article.check('causal_attn_weights', { out: printed.masked_simple_norm })
})

test('the context vectors that the article stops short of: causal, or under a mask of the lower triangle', () => {
  article.checkInputs('causal_context', { q: queries, k: keys, v: values }, ROUNDING)
  for (const options of [{ causal: true }, { mask: lowerTriangleOf(6) }])
    for (const { output: out } of bothKernels(qkv, queries, keys, values, options))
      article.check('causal_context', { out })
  article.check('causal_context', { out: run.maskedAfter.output })
  close(run.maskedBefore.output.row(0), values.row(0), ROUNDING, 'the first word sees itself only')
})

test('every matrix prints as in the article', () => {
  for (const [name, got] of Object.entries(prints(retrace('scalar')))) {
    const want = article.case(name).expected.out
    if (want?.dims.length === 2 && name !== 'mask_simple') assert.equal(String(got), printout(want), name)
  }
  const ones = printout(article.case('mask_simple').expected.out, { write: n => `${n}.` })
  assert.equal(String(printed.mask_simple), ones)
})

test('all 371 printed numbers print in the same digits on the scalar stream, 370 on the vector stream', () => {
  const others = ['SelfAttention-3-2-4: -0.2626 for -0.2627']
  assert.deepEqual(article.reprint(prints(retrace('scalar'))), { same: 371, of: 371, others: [] })
  assert.deepEqual(article.reprint(printed), { same: 370, of: 371, others })
})

article.close()

/** @param {number} n */
function lowerTriangleOf(n) {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => j <= i))
}
