// Tests, without a page, the formulas of the cost of attention, and the sentences about a word's query, key, value and output.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import {
  costOf,
  estimateOf,
  growthOf,
  LEAST_LENGTH,
  LENGTH_STEPS,
  lengthAt,
  MEASURED,
  MOST_LENGTH,
  sideOf,
  stepAt,
  timesToCsv,
} from '../../web/rooms/layer/explain/length-cost.js'
import { shapeSteps } from '../../web/rooms/layer/explain/steps.js'
import { rolesOf } from '../../web/rooms/layer/explain/word-roles.js'
import { settingsOf } from '../../web/rooms/layer/presets.js'
import { room } from '../../web/rooms/layer/room.js'
import { computeOf } from '../../web/rooms/layer/trace/compute.js'
import { timings } from '../../web/rooms/layer/trace/timing.js'
import { createStore } from '../../web/shell/store.js'
import { near } from './article-goldens.js'
import { traced } from './cases.js'

const qkv = await load()
const { arithmetic } = computeOf(qkv)

test('costs follow their formulas: twice the words are four times the weights', () => {
  const twelve = { heads: 12, size: 64, isCausal: false }
  const cost = costOf({ n: 1000, ...twelve })
  assert.deepEqual(
    [cost.projections, cost.mixing, cost.equal, cost.stored, cost.fused, cost.cache],
    [4 * 1000 * 768 ** 2, 2 * 1e6 * 768, 1536, 48e6, 16 * 1000 * 768, 8 * 1000 * 768],
  )
  assert.equal(costOf({ n: 2000, ...twelve }).stored, 4 * cost.stored)
  const equal = costOf({ n: cost.equal, ...twelve })
  assert.equal(equal.projections, equal.mixing)
  assert.equal(costOf({ n: 1000, ...twelve, isCausal: true }).mixing, 1000 * 1001 * 768)
})

test('the slider has every length from 6 to 100,000; the square is never wider than its picture', () => {
  assert.deepEqual([lengthAt(0), lengthAt(LENGTH_STEPS)], [LEAST_LENGTH, MOST_LENGTH])
  for (const n of [6, 100, 1000, 99_999]) {
    assert.ok(Math.abs(lengthAt(stepAt(n)) / n - 1) < 0.02, `${n}`)
    assert.ok(sideOf(n, 64) >= Math.max(n, 256) && sideOf(n, 2) < 4 * Math.max(n, 24), `${n}`)
  }
})

test('the growth of times that are quadratic is 2, also of the estimate; short lengths do not count', () => {
  const times = [256, 1024, 2048, 4096].map(n => ({ n, fused: n === 256 ? 7 : 3e-6 * n * n }))
  assert.ok(Math.abs(Number(growthOf(times)) - 2) < 1e-9)
  near([Number(estimateOf(times, 8192))], [3e-6 * 8192 ** 2], 1e-6, 'the estimate')
  assert.equal(estimateOf(times, 2048), undefined, 'what was measured is not estimated')
  assert.equal(growthOf(times.slice(0, 2)), undefined)
  const lines = timesToCsv([{ n: 256, fused: 1.5, stored: 2 }], 'A "browser"', 8).split('\r\n')
  assert.equal(lines[1], '256,1.5,2,"A ""browser""",8')
})

test('times are measured for each length in turn, and their steps up to 2,048', () => {
  const parts = [...timings(qkv, [16, 32])]
  assert.deepEqual(parts.map(times => times.map(({ n }) => n)), [[16], [16, 32]]) // biome-ignore format: pairs
  assert.ok(parts[1].every(({ fused = -1, stored = -1 }) => fused >= 0 && stored >= 0))
})

test('times arrive one after the other, stay when they are all there, and can be cancelled', async () => {
  const store = createStore(room, { link: '', qkv })
  store.act.measure(MEASURED)
  const state = () => store.state.got.timing?.is
  assert.equal(state(), 'waiting')
  for (let i = 0; !store.state.view.times.length; i++) {
    assert.ok(i < 20_000)
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  store.act.cancelMeasure()
  for (let i = 0; state() !== 'cancelled'; i++) {
    assert.ok(i < 20_000)
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  assert.ok(store.state.view.times.length >= 1)
  store.close()
})

test('multiplications of the shapes are those of the products', () => {
  const steps = shapeSteps(traced(settingsOf('heads')))
  const work = Object.fromEntries(steps.map(({ op, work }) => [op, work]))
  // 6 words of 3 numbers each; 4 heads, with keys of 2 numbers and values of 1.
  assert.deepEqual([work.project, work.scores, work.mix], [6 * 3 * 4 * (2 + 2 + 1), 4 * 36 * 2, 4 * 36 * 1])
})

test('a word asks with its row of scores, answers with its column, passes its value on, and receives its output', () => {
  const result = traced(settingsOf('causal'))
  const { scores, weights, output, V } = result.tensors
  assert.ok(scores && weights && output && V)
  const row = 4
  const roles = rolesOf(result, 0, { side: 'queries', position: row }, arithmetic)
  const seen = Array.from({ length: row + 1 }, (_, key) => scores.at(0, row, key))
  assert.equal(roles.asks?.best.value, Math.max(...seen))
  assert.equal(roles.asks?.least.value, Math.min(...seen))
  assert.equal(roles.asks?.own?.value, scores.at(0, row, row))
  assert.equal(roles.answers?.value, Math.max(scores.at(0, 4, row), scores.at(0, 5, row)), 'of the queries that see it')
  assert.deepEqual(
    roles.passesOn.map(({ value, cell }) => value === weights.at(0, cell.row, cell.column) && cell.column === row),
    [true, true],
  )
  const own = Array.from({ length: 4 }, (_, i) => output.at(0, row, i))
  near([Number(roles.receives?.total)], [Math.hypot(...own)], 1e-6, 'the length of its output')
  const [{ position, value } = { position: 0, value: 0 }] = roles.receives?.parts ?? []
  const part = Array.from({ length: 4 }, (_, i) => weights.at(0, row, position) * V.at(0, position, i))
  near([value], [Math.hypot(...part)], 1e-6, 'weight times value')
  const four = traced(settingsOf('heads'))
  const { decides, receives } = rolesOf(four, 0, { side: 'queries', position: 3 }, arithmetic)
  const most = [0, 1, 2, 3].map(h =>
    Math.max(...[0, 1, 2, 3, 4, 5].map(k => Number(four.tensors.weights?.at(h, 3, k)))),
  )
  assert.equal(decides?.most.value, Math.max(...most))
  assert.equal(receives?.isLength, false)
  near([Number(receives?.total)], [Number(four.tensors.output?.at(0, 3, 0))], 0, 'the output is the trace’s own')
})
