// Tests how One layer computes a trace of many tokens: head by head, with the bits of a trace of all heads, and on the page if the worker cannot
// start or dies.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, tensor } from 'qkv'
import { check } from '../../web/rooms/layer/check-settings.js'
import { DEFAULTS } from '../../web/rooms/layer/fields.js'
import { resultOf } from '../../web/rooms/layer/needs.js'
import { createTable } from '../../web/rooms/layer/numbers/embedding-table.js'
import { MODELS } from '../../web/rooms/layer/numbers/index.js'
import { room } from '../../web/rooms/layer/room.js'
import { handlers } from '../../web/rooms/layer/session.js'
import { change, edit, paint } from '../../web/rooms/layer/settings.js'
import { attend } from '../../web/rooms/layer/trace/attend.js'
import { createTracer } from '../../web/rooms/layer/trace/layer-trace.js'
import { minus } from '../../web/rooms/layer/trace/subtract.js'
import { maskOf } from '../../web/rooms/layer/trace/visibility.js'
import { createStore } from '../../web/shell/store.js'

const qkv = await load()
const trace = createTracer(qkv)

/** @param {Partial<import('../../web/rooms/layer/fields.js').Settings>} patch */
const settingsOf = patch =>
  change(DEFAULTS, { sentence: Array.from({ length: 37 }, (_, i) => `w${i % 23}`).join(' '), ...patch })

for (const [name, settings] of /** @type {const} */ ([
  ['of random heads', settingsOf({})],
  ['with a painted mask after softmax', paint(settingsOf({ mask: 'causal', masking: 'after' }), 3, 30, true)],
  ['with additive scores in a window', settingsOf({ score: 'additive', mask: 'window' })],
  ['with Gaussian scores and softmax over the queries', settingsOf({ score: 'gaussian', softmaxAxis: 'queries' })],
  ['of PyTorch’s layer, a weight set by hand', edit(settingsOf({ model: 'multihead', dModel: 16 }), { matrix: 'weights', head: 2, row: 5, column: 1 }, 0.75)], // biome-ignore format: one line
]))
  test(`a large trace ${name} has the bits of the trace, and every step of the chosen head`, () => {
    const { checked } = check(settings)
    assert.ok(checked)
    const whole = trace(checked)
    const parts = trace.parts(checked, 2)
    let step = parts.next()
    while (!step.done) step = parts.next()
    const large = step.value
    for (const id of /** @type {const} */ (['Q', 'K', 'V', 'weights', 'output', 'joined', 'final']))
      assert.deepEqual(large.tensors[id]?.data, whole.tensors[id]?.data, id)
    assert.equal(large.detailHead, 2)
    for (const [id, own] of Object.entries(whole.tensors)) {
      const same = large.tensors[/** @type {keyof typeof large.tensors} */ (id)]
      const isHead = own.dims.length === 3 && same?.dims[0] === 1
      assert.deepEqual(same?.data, isHead ? own.row(2).data : own.data, id)
    }
  })

for (const masking of /** @type {const} */ (['before', 'after']))
  test(`while numbers are dragged under a mask ${masking} softmax, every trace has the bits of all steps made afresh`, () => {
    const start = settingsOf({ model: 'multihead', dModel: 16, mask: 'causal', masking })
    const weight = { matrix: /** @type {const} */ ('weights'), head: 2, row: 5, column: 1 }
    const input = { matrix: /** @type {const} */ ('X'), head: 0, row: 4, column: 3 }
    let settings = start
    for (const [cell, value] of /** @type {const} */ ([
      [weight, 0.25],
      [weight, 0.5],
      [input, 1.5],
      [weight, 0.75],
      [input, -2],
      [weight, undefined],
    ])) {
      settings = edit(settings, cell, value)
      const { checked } = check(settings)
      assert.ok(checked)
      const { tensors: drawn } = MODELS[checked.model](qkv, checked, createTable(qkv))
      const whole = (/** @type {Partial<typeof checked>} */ patch) => {
        const other = { ...checked, ...patch }
        return attend(qkv, other, drawn, maskOf(other), other.edits)
      }
      const got = trace(checked)
      assert.deepEqual(got.tensors, whole({}))
      assert.deepEqual(got.before, whole({ edits: [] }))
      // Traces both orders of mask and softmax separately, without the edits of weights.
      const edits = checked.edits.filter(({ matrix }) => matrix !== 'weights')
      const [hidden, zeroed] = /** @type {const} */ (['before', 'after']).map(other => whole({ edits, masking: other }))
      assert.deepEqual(got.maskOrder?.before, hidden.weights)
      assert.deepEqual(got.maskOrder?.after, zeroed.weights)
      for (const name of /** @type {const} */ (['exponentials', 'sums', 'zeroedSums']))
        assert.deepEqual(got.maskOrder?.[name], zeroed[name], name)
      assert.deepEqual(got.maskOrder?.full, zeroed.fullWeights)
      const extremes = got.maskOrder?.extremes.map(({ name, before, after }) => [name, before, after])
      assert.deepEqual(extremes, [['NaN', 1, Number.NaN], ['1e30', 1, 0]]) // biome-ignore format: one line
    }
  })

test('a difference is the float32 difference, also where the numbers are far apart', () => {
  const a = tensor([1e38, -3e38, 1, 16777217, 0.1, Number.NaN])
  const b = tensor([-1e38, -3e38, 1e-45, 1, 0.3, 0])
  const want = Float32Array.from(a.data, (x, i) => x - b.data[i])
  assert.deepEqual(minus(qkv, a, b).data, want)
})

test('where the worker cannot start, the session of the page traces, and reports how far it is', async () => {
  const { checked } = check(change(DEFAULTS, { sentence: Array.from({ length: 300 }, (_, i) => `w${i}`).join(' ') }))
  assert.ok(checked)
  const store = createStore(room, {
    qkv,
    worker: () => {
      const worker = /** @type {any} */ ({ postMessage: () => setTimeout(() => worker.onerror({})), terminate() {} })
      return worker
    },
  })
  for (const head of [2, 1]) {
    store.act.change({ sentence: checked.sentence })
    store.act.select({ head })
    for (let i = 0; resultOf(store.state)?.detailHead !== head; i++) {
      assert.ok(i < 20_000, 'it comes to pass')
      await new Promise(resolve => setTimeout(resolve, 1))
    }
    const parts = trace.parts(checked, head)
    let step = parts.next()
    while (!step.done) step = parts.next()
    assert.deepEqual(resultOf(store.state)?.tensors.output?.data, step.value.tensors.output?.data)
  }
  store.close()
})

test('a session computes traces that take longer than a frame, compares them with float64, and stops when it is cancelled', async () => {
  const { checked } = check(settingsOf({ model: 'multihead', dModel: 16, batch: 3 }))
  assert.ok(checked)
  const own = handlers(qkv)
  const run = { signal: new AbortController().signal, progress() {}, emit() {}, transfer: [] }
  const request = { checked, head: 0, of: 'k' }
  const { difference, of } = await own.comparison(request, run)
  assert.equal(of, 'k')
  assert.ok(difference.most < 1e-5)
  assert.deepEqual(await own.batch(request, run), { of: 'k', batch: { dims: [3, 37, 16] } })
  const cancelled = new AbortController()
  cancelled.abort()
  await assert.rejects(async () => own.comparison({ ...request, of: 'other' }, { ...run, signal: cancelled.signal }))
})

test('a comparison that is cancelled while its trace is made does not end the next one of the same numbers', async () => {
  const sentence = Array(200).fill('word').join(' ')
  const { checked } = check(settingsOf({ model: 'multihead', heads: 8, dModel: 16, sentence }))
  assert.ok(checked)
  const own = handlers(qkv)
  const first = new AbortController()
  const run = { progress() {}, emit() {}, transfer: [] }
  const request = { checked, head: 0, of: 'k' }
  const cancelled = own.comparison(request, { ...run, signal: first.signal })
  first.abort()
  const next = own.comparison(request, { ...run, signal: new AbortController().signal })
  await assert.rejects(async () => cancelled, /cancelled/)
  assert.ok((await next).difference.most < 1e-4)
})
