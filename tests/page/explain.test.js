// Tests, without a browser, the page's explanations of numbers: their sentences, and the sums and products in them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { pick, rowsOf, windowAround } from '../../web/attention-head/part-of-map.js'
import { domainOf, roundedUp } from '../../web/attention-head/scale.js'
import { largestDifferences } from '../../web/attention-head/views/difference-words.js'
import { headStatistics } from '../../web/elements/statistics.js'
import { loadTexts } from '../../web/i18n/index.js'
import { explain } from '../../web/rooms/layer/explain/cell.js'
import { chainOf, numberIn } from '../../web/rooms/layer/explain/chain.js'
import { headWords } from '../../web/rooms/layer/explain/head-facts.js'
import { inductionOf } from '../../web/rooms/layer/explain/induction-facts.js'
import { labelsOf } from '../../web/rooms/layer/explain/labels.js'
import { effectOf } from '../../web/rooms/layer/explain/sensitivity.js'
import { algebraOf } from '../../web/rooms/layer/explain/weight-algebra.js'
import { weightEffect } from '../../web/rooms/layer/explain/weight-effect.js'
import { looksAt, seenBy, shades, strengthOf } from '../../web/rooms/layer/explain/word-facts.js'
import { DEFAULTS } from '../../web/rooms/layer/fields.js'
import { settingsOf } from '../../web/rooms/layer/presets.js'
import { change, edit } from '../../web/rooms/layer/settings.js'
import { createArithmetic } from '../../web/rooms/layer/trace/arithmetic.js'
import { wordOrder } from '../../web/rooms/layer/trace/word-order.js'
import { withOrigin } from '../../web/rooms/layer/views/map-title.js'
import { CASES, traced } from './cases.js'

const qkv = await load()
const arithmetic = createArithmetic(qkv)
const t = await loadTexts('en', ['shell', 'layer'])

/** @param {ArrayLike<number>} got @param {ArrayLike<number>} want @param {number} most */
function near(got, want, most) {
  assert.equal(got.length, want.length)
  for (let i = 0; i < got.length; i++)
    if (!(Math.abs(got[i] - want[i]) <= most)) assert.fail(`number ${i}: ${got[i]} for ${want[i]}`)
}

test('labels: words that come again carry their position, others do not', () => {
  assert.deepEqual(labelsOf(['the', 'cat', 'the', 'a']), ['the₁', 'cat', 'the₃', 'a'])
  const many = Array.from({ length: 12 }, () => 'x')
  assert.equal(labelsOf(many)[11], 'x₁₂')
})

test('a word: its shares come largest first, both ways, without hidden ones', () => {
  const weights = { data: [0.2, 0.8, 0, 0.5, 0.4, 0.1], dims: [2, 3] }
  const visible = Uint8Array.of(1, 1, 0, 1, 1, 1)
  assert.deepEqual(looksAt(weights, 0, visible), [
    { position: 1, weight: 0.8 },
    { position: 0, weight: 0.2 },
  ])
  assert.deepEqual(
    seenBy(weights, 2, visible).map(({ position }) => position),
    [1],
  )
  assert.deepEqual(Array.from(shades(weights, { side: 'keys', position: 0 })), [0.2, 0.5].map(Math.fround))
})

test('a share has a word by its size, and none is preferred below one and a half even shares', () => {
  const even = 1 / 6
  assert.deepEqual(
    [0.95, 0.6, 0.55, 0.45, 0.3, 0.24].map(x => strengthOf(x, even)),
    ['only', 'mostly', 'half', 'half', 'most', 'evenly'],
  )
  assert.equal(strengthOf(0.5, 0.5), 'half', 'of two keys, half is half')
})

test('heads: where each looks most, the sharpest and the most even', () => {
  const self = [1, 0, 0, 0, 1, 0, 0, 0, 1]
  const previous = [1, 0, 0, 1, 0, 0, 0, 1, 0]
  const even = Array(9).fill(1 / 3)
  const weights = { data: Float32Array.of(...self, ...previous, ...even), dims: [3, 3, 3] }
  const words = headWords(headStatistics(weights), { weights, isCross: false, mostBits: Math.log2(3) })
  assert.deepEqual(
    words.map(({ at, strength }) => `${at} ${strength}`),
    ['self only', 'previous only', 'self evenly'],
  )
  assert.deepEqual(
    words.map(({ rank }) => rank),
    ['sharpest', 'sharpest', 'evenest'],
  )
  const cross = headWords(headStatistics(weights), { weights, isCross: true, mostBits: Math.log2(3) })
  assert.equal(cross[1].at, 'key', 'of two sentences, positions mean nothing')
  assert.equal(cross[1].key, 0)
})

test('a head is even by its entropy: under a causal mask a share of more than half on itself may be even, or sharp', () => {
  const rowsOf = (/** @type {(count: number) => number[]} */ row) =>
    [1, 2, 3, 4].flatMap(count => [...row(count), ...Array(4 - count).fill(0)])
  const even = rowsOf(count => Array(count).fill(1 / count))
  const sharp = rowsOf(count => [...Array(count - 1).fill(0.45 / (count - 1)), count > 1 ? 0.55 : 1])
  const weights = { data: Float32Array.of(...even, ...sharp), dims: [2, 4, 4] }
  const mostBits = [1, 2, 3, 4].reduce((sum, count) => sum + Math.log2(count) / 4, 0)
  const words = headWords(headStatistics(weights), { weights, isCross: false, mostBits })
  assert.deepEqual(
    words.map(({ share, strength }) => [share.toFixed(2), strength]),
    [
      ['0.52', 'evenly'],
      ['0.66', 'mostly'],
    ],
  )
})

test('the largest differences come first, of either sign', () => {
  const found = largestDifferences({ data: [0.1, -0.5, 0.3, 0], dims: [2, 2] }, 2)
  assert.deepEqual(found, [
    { row: 0, column: 1, difference: -0.5 },
    { row: 1, column: 0, difference: 0.3 },
  ])
})

test('a scale ends at the next of 1, 2, 5, never above 1', () => {
  assert.deepEqual([0.12, 0.2, 0.21, 0.71, 1, 0.004, 0].map(roundedUp), [0.2, 0.2, 0.5, 1, 1, 0.005, 1])
  assert.deepEqual(domainOf('own', 0.9, 0.04), [0, 0.05])
  assert.deepEqual(domainOf('one', 0.1, 0.04), [0, 1])
})

test('rows: of a range, those with a word; a window around a cell stays within the matrix', () => {
  const names = ['the', 'cat', 'then', 'dog']
  assert.deepEqual(rowsOf(names, 'the'), { rows: [0, 2], found: 2 })
  assert.deepEqual(rowsOf(names, '', { from: 1, to: 2 }), { rows: [1, 2], found: 0 })
  assert.deepEqual(rowsOf(names, 'the', { from: 1, to: 9 }), { rows: [2], found: 1 })
  assert.deepEqual(rowsOf(names, 'zebra').rows, [0, 1, 2, 3])
  assert.deepEqual(windowAround({ row: 0, column: 199 }, [200, 200], 24), {
    row: 0,
    rows: 24,
    column: 176,
    columns: 24,
  })
  assert.deepEqual(windowAround({ row: 5, column: 5 }, [10, 100], 24), { row: 0, rows: 10, column: 0, columns: 24 })
  const part = pick({ data: Float32Array.of(1, 2, 3, 4, 5, 6), dims: [2, 3] }, [1], 1, 2)
  assert.deepEqual(
    [Array.from(part.data), part.dims],
    [
      [5, 6],
      [1, 2],
    ],
  )
})

test('algebra: three rows in which something is hidden; both shares come from the same exponentials', () => {
  const result = traced(settingsOf('causal'))
  const rows = algebraOf(result, 0, arithmetic)
  assert.deepEqual(
    rows.map(({ row }) => row),
    [0, 1, 2],
  )
  for (const { row, all, visible, terms } of rows) {
    const kept = terms.filter(({ isHidden }) => !isHidden)
    assert.equal(kept.length, row + 1)
    near([all], [terms.reduce((sum, { exponential }) => sum + exponential, 0)], 1e-6)
    near([visible], [kept.reduce((sum, { exponential }) => sum + exponential, 0)], 1e-6)
    for (const { column, exponential, weight } of kept) {
      near([exponential / visible], [weight], 1e-6)
      near([Number(result.tensors.weights?.at(0, row, column))], [weight], 1e-6)
    }
  }
  assert.deepEqual(algebraOf(traced(settingsOf('self')), 0, arithmetic), [], 'without a mask there is nothing to say')
})

test('induction: for each repeated word, its previous place, the word that followed, and the weight on it', () => {
  const result = traced(change(settingsOf('handBuilt'), { sentence: 'a b a c a' }))
  const found = inductionOf(result, 3)
  assert.deepEqual(
    found.map(({ first, followed, second }) => [first, followed, second]),
    [
      [0, 1, 2],
      [2, 3, 4],
    ],
  )
  assert.equal(found[0].weight, result.tensors.weights?.at(3, 2, 1))
})

test('products, differences, squares, sums and additive scores are the core’s, right to the last bits', () => {
  const [a, b, c] = [1, 2, 3].map(seed => Array.from(qkv.generator(seed).randn([300]).data))
  near(
    arithmetic.products(a, b),
    a.map((x, i) => x * b[i]),
    1e-6,
  )
  near(
    arithmetic.differences(a, b),
    a.map((x, i) => x - b[i]),
    1e-6,
  )
  near(
    arithmetic.squares(a, b),
    a.map((x, i) => (x - b[i]) ** 2),
    1e-5,
  )
  near([arithmetic.sum(a)], [a.reduce((x, y) => x + y)], 1e-4)
  assert.equal(arithmetic.sum([]), 0)
  const few = [a, b, c].map(x => x.slice(0, 5))
  near(
    arithmetic.additive(few[0], few[1], few[2]),
    few[0].map((v, i) => v * Math.tanh(few[1][i] + few[2][i])),
    1e-6,
  )
})

test('if a number of W_q, W_k or W_v grows, scores, weights and outputs move as the core finds them to', () => {
  const own = change(DEFAULTS, { mask: 'causal', dValue: 2 })
  const h = 0.002
  for (const [matrix, row, column] of /** @type {const} */ ([
    ['Wq', 1, 0],
    ['Wk', 0, 1],
    ['Wv', 2, 1],
  ])) {
    const cell = { matrix, head: 2, row, column }
    const result = traced(own)
    const effect = effectOf(qkv, result, cell, arithmetic)
    assert.ok(effect)
    const value = numberIn(result, cell)
    const [more, less] = [h, -h].map(by => traced(edit(own, cell, value + by)).tensors)
    for (const { position, amount, weight } of effect.moves) {
      const [i, j] = effect.along === 'keys' ? [effect.word, position] : [position, effect.word]
      const slope = (/** @type {'scaled' | 'weights' | 'output'} */ name, /** @type {number[]} */ at) =>
        (Number(more[name]?.at(2, ...at)) - Number(less[name]?.at(2, ...at))) / (2 * h)
      near([amount], [matrix === 'Wv' ? slope('output', [position, column]) : slope('scaled', [i, j])], 2e-4)
      if (matrix !== 'Wv') near([Number(weight)], [slope('weights', [i, j])], 2e-4)
    }
  }
})

test('a weight that was set: the others of its row share the rest, before and after', () => {
  const cell = /** @type {const} */ ({ matrix: 'weights', head: 0, row: 1, column: 2 })
  assert.equal(weightEffect(traced(DEFAULTS), cell), undefined)
  const before = weightEffect(traced(edit(DEFAULTS, cell, 0.5)), cell)
  assert.ok(before)
  const keys = before.filter(({ name }) => name !== undefined)
  assert.equal(keys[2].after, 0.5)
  near([keys.reduce((sum, { after }) => sum + after, 0)], [1], 1e-6)
  near([keys[0].after / keys[1].after], [keys[0].before / keys[1].before], 1e-4)
})

test('the chain of every weight and output ends where a number begins, in every case of the page', () => {
  for (const [name, settings] of CASES) {
    const result = traced(settings)
    for (const matrix of /** @type {const} */ (['weights', 'output', 'final'])) {
      if (!result.tensors[matrix]) continue
      const chain = chainOf(result, { matrix, head: 0, row: 0, column: 0 }, arithmetic)
      const { kind } = explain(result, chain[chain.length - 1])
      assert.ok(['origin', 'hand', 'override'].includes(kind), `${name}, ${matrix}: it ends at ${kind}`)
      for (const cell of chain) assert.ok(!Number.isNaN(numberIn(result, cell)), `${name}: ${JSON.stringify(cell)}`)
      assert.equal(new Set(chain.map(({ matrix, head }) => `${matrix} ${head}`)).size, chain.length, 'never back')
    }
  }
})

test('for W_q under a Gaussian score there is no short rule, so none is shown', () => {
  const cell = /** @type {const} */ ({ matrix: 'Wq', head: 0, row: 0, column: 0 })
  assert.equal(effectOf(qkv, traced(change(DEFAULTS, { score: 'gaussian' })), cell, arithmetic), undefined)
})

test('the title of a map names the origin of its numbers', () => {
  const titleOf = (/** @type {typeof DEFAULTS} */ settings, isTrained = false) =>
    withOrigin({ t, result: traced(settings), settings, isTrained }, 'Weights')
  assert.equal(titleOf(DEFAULTS), 'Weights (random, seed 123)')
  const edited = edit(DEFAULTS, { matrix: 'X', head: 0, row: 0, column: 0 }, 2)
  assert.equal(titleOf(edited), 'Weights (random, seed 123, cells set by hand)')
  assert.equal(titleOf(change(DEFAULTS, { model: 'handBuilt' })), 'Weights (built by hand)')
  assert.equal(titleOf(DEFAULTS, true), 'Weights (from a trained model)')
})

test('without positions each word has the same output in both orders; with any positions it has not', () => {
  for (const model of /** @type {const} */ (['heads', 'multihead'])) {
    const most = (/** @type {Partial<typeof DEFAULTS>} */ patch) => {
      const result = traced(change(DEFAULTS, { model, sentence: 'dog bites man', dModel: 8, heads: 2, ...patch }))
      return wordOrder(qkv, result, createArithmetic(qkv))?.most ?? Number.NaN
    }
    assert.ok(!(most({}) > 1e-6), `${model}: ${most({})}`)
    for (const positions of /** @type {const} */ (['added', 'rotary']))
      assert.ok(most({ positions }) > 1e-3, `${model}, ${positions}: ${most({ positions })}`)
    assert.ok(most({ mask: 'causal' }) > 1e-3, 'a mask has an order, too')
    assert.ok(Number.isNaN(most({ kind: 'cross' })))
  }
})
