// Computes article 003: dot-product attention from the target to the source of a translation, with biases, with groups as heads, divided by the
// root of the head size. The article prints no numbers, so the expected ones are PyTorch's in double precision.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinHeads, load, splitHeads } from '../../src/entries/index.js'
import { close } from '../helpers.js'
import { Article, bothKernels } from './article.js'

/** @import { GoldenTensor } from '../helpers.js' */

const qkv = await load()
const article = new Article('003')

/**
 * Computes the function that the article leaves as an exercise. Its arguments are in the article's order: key, value, query.
 * @param {GoldenTensor} x source (N, Dx): keys and values
 * @param {GoldenTensor} z target (M, Dz): queries
 * @param {GoldenTensor} w_k (Dk, Dx)
 * @param {GoldenTensor} w_v (Dv, Dx)
 * @param {GoldenTensor} w_q (Dk, Dz)
 * @param {GoldenTensor} b_k
 * @param {GoldenTensor} b_v
 * @param {GoldenTensor} b_q
 * @param {{ groups: number, scale?: number }} options scale: by default one over the root of the head size
 * @returns y (M, Dv) and the weights (G, M, N), by each kernel
 */
function dotProductAttention(x, z, w_k, w_v, w_q, b_k, b_v, b_q, { groups, scale }) {
  const k = splitHeads(qkv.linear(x, w_k, b_k), groups)
  const v = splitHeads(qkv.linear(x, w_v, b_v), groups)
  const q = splitHeads(qkv.linear(z, w_q, b_q), groups)
  const options = scale === undefined ? {} : { scale }
  return bothKernels(qkv, q, k, v, options).map(({ output, weights }) => ({ y: joinHeads(output), weights }))
}

/** Runs a case. @param {string} name @param {number} [scale] by default the scale of the case */
function attend(name, scale) {
  const { inputs, params } = article.case(name)
  const { x, z, w_k, w_v, w_q, b_k, b_v, b_q } = inputs
  const options = { groups: params.groups, scale: scale ?? (params.scaled ? undefined : 1) }
  return dotProductAttention(x, z, w_k, w_v, w_q, b_k, b_v, b_q, options)
}

/** @param {string} name */
function checkCase(name) {
  for (const { y, weights } of attend(name)) article.check(name, { y, weights })
}

test('three words attend to three: keys and values come from the source x, queries from the target z', () => {
  checkCase('signature')
  const { x, z, w_k, w_v, w_q, b_k, b_v, b_q } = article.case('signature').inputs
  assert.throws(() => dotProductAttention(z, x, w_k, w_v, w_q, b_k, b_v, b_q, { groups: 1 }), RangeError, 'x and z')
  assert.throws(() => dotProductAttention(x, z, w_q, w_k, w_v, b_q, b_k, b_v, { groups: 1 }), RangeError, 'q, k, v')
})

test('softmax runs over the source: five keys, two queries, each row of weights sums to one', () => {
  checkCase('rectangular')
  const [{ weights }] = attend('rectangular')
  const [left, right] = [weights.data.subarray(0, 5), weights.data.subarray(5)].map(row => row.reduce((a, b) => a + b))
  close({ data: [left, right], dims: [2] }, { data: [1, 1], dims: [2] }, { abs: 1e-6, rel: 0 }, 'sums of rows')
})

test('self-attention is the same with x = z', () => {
  const { x, z } = article.case('self').inputs
  assert.deepEqual(x, z)
  checkCase('self')
})

test('groups are heads: segments side by side, each with separate weights', () => {
  checkCase('groups-2')
  checkCase('groups-4')
  const [{ weights }] = attend('groups-2')
  assert.notDeepEqual(weights.row(0), weights.row(1))
})

test('the bias of the keys changes no weight: it adds the same to all scores of a query', () => {
  const { x, z, w_k, w_v, w_q, b_k, b_v, b_q } = article.case('signature').inputs
  const doubled = { data: b_k.data.map((/** @type {number} */ b) => 2 * b), dims: b_k.dims }
  const { expected, tolerance } = article.case('signature')
  for (const { weights } of dotProductAttention(x, z, w_k, w_v, w_q, doubled, b_v, b_q, { groups: 1, scale: 1 }))
    close(weights, expected.weights, tolerance, 'weights with another bias')
})

test('scaled, one head divides by the root of Dk', () => {
  const { Dk } = article.case('scaled').params
  checkCase('scaled')
  assert.deepEqual(attend('scaled', 1 / Math.sqrt(Dk)), attend('scaled'))
})

test('scaled, G groups divide by the root of Dk / G, not of Dk', () => {
  const { Dk, groups } = article.case('groups-2-scaled').params
  checkCase('groups-2-scaled')
  assert.deepEqual(attend('groups-2-scaled', 1 / Math.sqrt(Dk / groups)), attend('groups-2-scaled'))
  const [{ y }] = attend('groups-2-scaled', 1 / Math.sqrt(Dk))
  const { expected, tolerance } = article.case('groups-2-scaled')
  assert.throws(() => close(y, expected.y, tolerance, 'y with the root of Dk'))
})

article.close()
