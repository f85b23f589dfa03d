// Tests the picture of a head's queries and keys in a plane: their products are the scores less the mean of each row, as far as two dimensions allow.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pairOf, shapesOf } from '../../web/attention-head/plane-shapes.js'
import { check } from '../../web/rooms/layer/check-settings.js'
import { DEFAULTS } from '../../web/rooms/layer/fields.js'
import { change } from '../../web/rooms/layer/settings.js'
import { createTracer } from '../../web/rooms/layer/trace/layer-trace.js'
import { planeOf } from '../../web/rooms/layer/trace/plane.js'
import { qkv } from './models-store.js'

const trace = createTracer(qkv)
/** @param {Partial<typeof DEFAULTS>} patch */
const traced = patch => trace(/** @type {any} */ (check(change(DEFAULTS, patch)).checked))

/** @param {number[]} row */
const less = row => row.map(x => x - row.reduce((a, b) => a + b, 0) / row.length)

test('of keys of two numbers, turned or not, each product in the plane is the score less the mean of its row', () => {
  for (const positions of /** @type {const} */ (['none', 'rotary'])) {
    const result = traced({ positions })
    for (let head = 0; head < 4; head++) {
      const plane = /** @type {NonNullable<ReturnType<typeof planeOf>>} */ (planeOf(qkv, result, head))
      assert.ok(!(Math.abs(plane.kept - 1) > 1e-5))
      for (let i = 0; i < 6; i++) {
        const row = less(Array.from({ length: 6 }, (_, j) => Number(result.tensors.scores?.at(head, i, j))))
        for (let j = 0; j < 6; j++) {
          const { product, sizeA, sizeB, degrees } = pairOf(plane.q, plane.k, i, j)
          assert.ok(!(Math.abs(product - row[j]) > 1e-4), `${product}, by the scores ${row[j]}`)
          assert.ok(!(Math.abs(plane.above.at(i, j) - row[j]) > 1e-5))
          const angle = sizeA * sizeB * Math.cos((degrees * Math.PI) / 180)
          assert.ok(!(Math.abs(angle - product) > 1e-3))
        }
      }
    }
  }
})

test('of more dimensions the plane holds as much as the two largest singular values of these differences', () => {
  const result = traced({ dModel: 16, dKey: 8, heads: 2, sentence: 'one two three four five six seven' })
  const { kept, q } = /** @type {NonNullable<ReturnType<typeof planeOf>>} */ (planeOf(qkv, result, 1))
  const n = 7
  const rows = Array.from({ length: n }, (_, i) =>
    less(Array.from({ length: n }, (_, j) => Number(result.tensors.scores?.at(1, i, j)))),
  )
  const squares = rows[0].map((_, a) => rows[0].map((_, b) => rows.reduce((sum, row) => sum + row[a] * row[b], 0)))
  const [first, second] = largest(squares)
  const total = squares.reduce((sum, row, i) => sum + row[i], 0)
  assert.ok(!(Math.abs(kept - (first + second) / total) > 1e-4), `${kept}, by eigenvalues ${(first + second) / total}`)
  assert.deepEqual(q.dims, [n, 2])
})

test('scores that are no products have no plane, and those of one word are a point', () => {
  assert.equal(planeOf(qkv, traced({ score: 'gaussian' }), 0), undefined)
  const { q, kept } = /** @type {any} */ (planeOf(qkv, traced({ sentence: 'one' }), 0))
  assert.ok([...q.data, kept].every(Number.isFinite))
})

test('arrows keep their angles: both directions have one scale, and the query is one arrow among dots', () => {
  const q = { data: [1, 0, 0, 2], dims: [2, 2] }
  const k = { data: [0, 4, -3, 0], dims: [2, 2] }
  const { origin, arrows, names } = shapesOf(q, k, ['a', 'b'], ['c', 'd'], 1)
  const of = (/** @type {string} */ name) => /** @type {any} */ (arrows.find(each => each.name === name))
  const scale = (origin.y - of('c').y) / 4
  assert.ok(!(Math.abs((origin.x - of('d').x) / 3 - scale) > 1e-9))
  assert.deepEqual(
    arrows.filter(({ isOwn }) => isOwn).map(({ name }) => name),
    ['b'],
  )
  assert.deepEqual(names.map(({ arrow }) => arrow.name).sort(), ['b', 'c', 'd'])
  assert.equal(Math.round(pairOf(q, k, 0, 1).degrees), 180)
})

/** Returns the two largest eigenvalues of a symmetric matrix, by Jacobi's rotations. @param {number[][]} matrix */
function largest(matrix) {
  const A = matrix.map(row => [...row])
  const n = A.length
  for (let sweep = 0; sweep < 60; sweep++)
    for (let p = 0; p < n; p++)
      for (let r = p + 1; r < n; r++) {
        const angle = 0.5 * Math.atan2(2 * A[p][r], A[r][r] - A[p][p])
        const [c, s] = [Math.cos(angle), Math.sin(angle)]
        for (let i = 0; i < n; i++) [A[i][p], A[i][r]] = [c * A[i][p] - s * A[i][r], s * A[i][p] + c * A[i][r]]
        for (let i = 0; i < n; i++) [A[p][i], A[r][i]] = [c * A[p][i] - s * A[r][i], s * A[p][i] + c * A[r][i]]
      }
  return A.map((row, i) => row[i]).sort((a, b) => b - a)
}
