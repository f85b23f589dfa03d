// Recomputes article 000: self-attention on a sentence of six words in 16 dimensions. The article prints every matrix.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/entries/index.js'
import { embeddingLayer } from '../../src/entries/nn.js'
import { tokenize } from '../../web/rooms/layer/tokenize.js'
import { close } from '../helpers.js'
import { Article, bothKernels, printout, queryAndKey, ROUNDING } from './article.js'

const qkv = await load()
const article = new Article('000')
const sentence = tokenize('Life is short, less is more.')

/** Runs the article's code cells; the cell that draws the weights four times, because the printed Z has the fourth Wv. @param {'vector' | 'scalar'} stream */
function retrace(stream) {
  const g = qkv.generator(123, { stream })
  const X = embeddingLayer(g, 6, 16).forward(sentence.ids)
  const weightCell = () => ({ Wq: g.rand([8, 16]), Wk: g.rand([8, 16]), Wv: g.rand([12, 16]) })
  const [{ Wq, Wk, Wv }, , , fourth] = [weightCell(), weightCell(), weightCell(), weightCell()]
  const Q = qkv.matmul(X, Wq.T)
  const K = qkv.matmul(X, Wk.T)
  const V = qkv.matmul(X, Wv.T)
  const QKT = qkv.matmul(Q, K.T)
  const V4 = qkv.matmul(X, fourth.Wv.T)
  return { X, Wq, Wk, Wv, Q, K, V, QKT, V4 }
}

/** Options with which attention equals the article's last code cell: it divides by the root of 16 and takes softmax over dim 0. */
const AS_CODED = /** @type {const} */ ({ scale: 1 / 4, softmaxAxis: 'queries' })

const { X, Wq, Wk, Wv, Q, K, V, QKT, V4 } = retrace('vector')

test('of the two words "is" the later number stays, and 1 is not used', () => {
  const { ids, vocabulary } = sentence
  article.check('tokens', { ids: { data: ids, dims: [6] } }, { dictionary: Object.fromEntries(vocabulary) })
})

test('seed 123 gives the printed embedding, and X prints as in the article', () => {
  article.check('X', { out: X })
  assert.equal(String(X), printout(article.case('X').expected.out, { perLine: 8 }))
  assert.deepEqual(X.row(1), X.row(4), 'the same word is the same row')
})

test('the same stream goes on with the printed weights', () => {
  for (const [name, W, perLine] of /** @type {const} */ ([
    ['Wq.T', Wq, 8],
    ['Wk.T', Wk, 8],
    ['Wv.T', Wv, 9],
  ])) {
    article.check(name, { out: W.T })
    assert.equal(String(W.T), printout(article.case(name).expected.out, { perLine }))
  }
})

test('X times the transposed weights is the printed Q, K and V', () => {
  for (const [name, W, product, perLine] of /** @type {const} */ ([
    ['Q', Wq, Q, 8],
    ['K', Wk, K, 8],
    ['V', Wv, V, 8],
  ])) {
    article.checkInputs(name, { a: X, b: W.T })
    article.check(name, { out: product })
    assert.equal(String(product), printout(article.case(name).expected.out, { perLine }))
    assert.deepEqual(qkv.linear(X, W), product, 'a layer without bias is the same product')
  }
})

test('Q times the transposed K is the printed QKT, and it is what attention calls its scores', () => {
  article.checkInputs('QKT', { a: Q, b: K }, ROUNDING)
  article.check('QKT', { out: QKT })
  article.check('QKT', { out: qkv.trace(Q, K, V).scores })
  assert.equal(String(QKT), printout(article.case('QKT').expected.out))
})

test('typed from the article, the four printed decimals give the products to three', () => {
  for (const name of ['Q', 'K', 'V', 'QKT']) {
    const { a, b } = article.case(`${name}-from-printed-inputs`).inputs
    const product = name === 'QKT' ? qkv.linear(a, b) : qkv.matmul(a, b)
    article.check(`${name}-from-printed-inputs`, { out: product })
  }
})

test('the printed Z belongs to a fourth run of the weight cell, dk = 16 and softmax over dim 0', () => {
  article.checkInputs('Z-printed', { scores: QKT, v: V4 }, { abs: 2e-5, rel: 2e-6 })
  const { output: out, weights } = qkv.trace(Q, K, V4, AS_CODED)
  article.check('Z-printed', { out, weights })

  const { scores, v } = article.case('Z-printed').inputs
  const given = qkv.trace(...queryAndKey(scores), v, AS_CODED)
  article.check('Z-printed', { out: given.output, weights: given.weights })

  // One number lies near a rounding boundary; the last test gives its digits.
  const write = (/** @type {number} */ x) => x.toExponential(4).replace(/(\d)$/, '0$1')
  const print = printout(article.case('Z-printed').expected.out, { perLine: 5, write })
  assert.equal(String(out), print.replace('-6.3531e+00', '-6.3530e+00'))
})

test('no scale makes the printed Z from the printed V: sums and range forbid it', () => {
  const { z, v } = article.case('Z-invariants').inputs
  const { column_sum_gap_min: least, column_sum_gap_max: most } = article.case('Z-invariants').params
  const [colsum_z, colsum_v] = [z, v].map(columnSums)
  article.check('Z-invariants', { colsum_z, colsum_v, min_z: columnMinima(z), min_v: columnMinima(v) })

  // With softmax over the queries, Z has the column sums of V. With softmax over the keys, Z stays within the range of V. The printed Z
  // does neither.
  const asCoded = qkv.trace(Q, K, V, AS_CODED).output
  close(columnSums(asCoded), colsum_v, { abs: 2e-3, rel: 0 }, 'the sums of the columns of the Z as coded')
  const gaps = Array.from(colsum_z.data, (sum, i) => Math.abs(sum - colsum_v.data[i]))
  const extremes = { data: [Math.min(...gaps), Math.max(...gaps)], dims: [2] }
  close(extremes, { data: [least, most], dims: [2] }, { abs: 1e-6, rel: 1e-6 }, 'the gaps of the column sums')
  assert.ok(columnMinima(z).data.some((x, i) => x < columnMinima(v).data[i] - 1))
})

test('one clean run of the code as printed gives each query weights that do not sum to one', () => {
  article.checkInputs('Z-as-coded', { scores: QKT, v: V }, { abs: 2e-5, rel: 2e-6 })
  const { output: out, weights } = qkv.trace(Q, K, V, AS_CODED)
  article.check('Z-as-coded', { out, weights })
  const keySums = columnSums(weights)
  close(keySums, { data: Array(6).fill(1), dims: [6] }, { abs: 1e-6, rel: 0 }, 'what each key receives')
  assert.ok(
    columnSums(weights.T).data.some(sum => sum > 3 || sum < 0.1),
    'what each query pays',
  )
})

test('the right Z divides by the root of 8 and sums over the keys, as the one call at the end does', () => {
  article.checkInputs('Z-correct', { q: Q, k: K, v: V }, ROUNDING)
  for (const { output: out, weights } of bothKernels(qkv, Q, K, V)) article.check('Z-correct', { out, weights })

  const { q, k, v } = article.case('Z-correct-from-printed-inputs').inputs
  for (const { output: out, weights } of bothKernels(qkv, q, k, v))
    article.check('Z-correct-from-printed-inputs', { out, weights })
})

test('of the 820 printed numbers 819 print in the same digits; the last lies next to a border of rounding', () => {
  const reprint = (/** @type {'vector' | 'scalar'} */ stream) => {
    const { X, Wq, Wk, Wv, Q, K, V, QKT, V4 } = retrace(stream)
    const Z = qkv.trace(Q, K, V4, AS_CODED).output
    return article.reprint({ X, 'Wq.T': Wq.T, 'Wk.T': Wk.T, 'Wv.T': Wv.T, Q, K, V, QKT, 'Z-printed': Z })
  }
  // The number that differs is -6.35304975 in double precision. The next float32, -6.35305023, already prints as -6.3531.
  assert.deepEqual(reprint('vector'), { same: 819, of: 820, others: ['Z-printed: -6.3530e+00 for -6.3531e+00'] })
  // The article was printed by the vector build.
  assert.equal(reprint('scalar').same, 806)
})

article.close()

/** @import { Comparable } from '../helpers.js' */

/** @param {Comparable} matrix */
function columnSums(matrix) {
  return columns(matrix, column => column.reduce((a, b) => a + b, 0))
}

/** @param {Comparable} matrix */
function columnMinima(matrix) {
  return columns(matrix, column => Math.min(...column))
}

/** @param {Comparable} matrix @param {(column: number[]) => number} reduce */
function columns({ data, dims: [, n] }, reduce) {
  return {
    data: Array.from({ length: n }, (_, j) => reduce(Array.from(data).filter((_, i) => i % n === j))),
    dims: [n],
  }
}
