// Tests a room's store and the port of its session without a browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { load } from 'qkv'
import { count, real, text } from '../../web/shell/kinds.js'
import { createStore } from '../../web/shell/store.js'

const qkv = await load()

/** @typedef {{ is: string, value?: any, before?: any, problem?: any, progress?: any }} AnyGot */

const numbersOf = (/** @type {string} */ scores) =>
  scores
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number)

/** A room that turns a row of scores into weights. The temperature is a setting. @type {import('../../web/shell/room.js').Room<any>} */
const softmax = {
  id: 'softmax',
  texts: [],
  fields: {
    scores: { kind: text(), default: '2 1 0.5', history: 'undo' },
    temperature: { kind: real(0.01, 100), default: 1, history: 'undo' },
    selected: { kind: count(), default: null, history: 'place' },
  },
  view: {},
  check: ({ scores }) => (numbersOf(scores).every(Number.isFinite) ? {} : { scores: { key: 'problemNumber' } }),
  settle: (before, after) => (before.scores === after.scores ? after : { ...after, selected: null }),
  actions: {
    type: (_, scores) => ({ set: { scores }, mark: 'scores' }),
    heat: (_, temperature) => ({ set: { temperature }, mark: 'temperature' }),
    select: (_, selected) => ({ set: { selected } }),
    hurry: (_, scores) => ({ set: { scores }, effects: [{ type: 'need' }] }),
    retry: () => ({ effects: [{ type: 'retry' }] }),
    sum: () => ({ effects: [{ type: 'ask', request: { type: 'sum', values: [1, 2, 3] } }] }),
    stop: () => ({ effects: [{ type: 'cancel', slot: 'weights' }] }),
    copy: ({ settings }) => ({ effects: [{ type: 'copy', text: settings.scores }] }),
  },
  needs: ({ settings }) => [
    { type: 'weights', scores: numbersOf(settings.scores), temperature: Number(settings.temperature) },
  ],
  receive: { sum: (_, total) => ({ view: { total } }) },
  session: {
    worker: () => assert.fail('no worker is started here'),
    handlers: qkv => ({
      weights: ({ scores, temperature }) => {
        const data = Float32Array.from(scores, (/** @type {number} */ score) => score / temperature)
        return Array.from(qkv.softmax({ data, dims: [1, data.length] }).data)
      },
      sum: ({ values }) => values.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0),
    }),
  },
  draw: () => assert.fail('nothing is drawn here'),
}

/** @param {object} [options] */
function made(options = {}) {
  /** @type {any[]} */
  const effects = []
  const store = createStore(softmax, { qkv, perform: effect => effects.push(effect), ...options })
  return {
    store,
    effects,
    got: (slot = 'weights') => /** @type {AnyGot} */ (/** @type {any} */ (store.state.got)[slot]),
  }
}

/** Makes workers that send only the answers that the test releases. */
function fakeWorkers() {
  /** @type {any[]} */
  const sent = []
  /** @type {any[]} */
  const workers = []
  const worker = () => {
    const own = { postMessage: (/** @type {any} */ message) => sent.push(message), terminate() {} }
    workers.push(own)
    return /** @type {any} */ (own)
  }
  return { sent, workers, worker }
}

test('a setting is checked, written into the link, undone and computed without a DOM', async () => {
  const { store, effects, got } = made()
  await wait()
  assert.deepEqual(
    got().value.map((/** @type {number} */ weight) => weight.toFixed(3)),
    ['0.629', '0.231', '0.140'],
  )
  store.act.heat(2)
  store.act.heat(3)
  await wait()
  assert.equal(store.link(), 'temperature=3')
  assert.equal(made({ link: 'temperature=3' }).store.state.settings.temperature, 3)
  assert.throws(() => made({ link: 'nonsense=3' }), /nonsense/)
  store.travel('undo', 0)
  assert.equal(store.state.settings.temperature, 1, 'steps of one mark are undone together')
  const before = got().value
  store.act.heat(0)
  assert.equal(store.state.problems.temperature?.key, 'problemPositive')
  assert.equal(got().value, before, 'the last good value stays')
  store.act.copy()
  assert.deepEqual(effects, [{ type: 'copy', text: '2 1 0.5' }])
})

test('a store that sends requests with each frame sends those of an urgent step at once', () => {
  const { sent, worker } = fakeWorkers()
  const { store } = made({ worker, qkv: undefined, isLazy: true })
  store.act.type('3 4')
  assert.equal(sent.length, 0)
  store.act.hurry('5 6')
  assert.deepEqual(
    sent.map(({ request }) => request.scores),
    [[5, 6]],
  )
})

test('a store that sends requests with each frame drops an answer that a step before that frame made outdated', () => {
  const { sent, workers, worker } = fakeWorkers()
  const { store, got } = made({ worker, qkv: undefined, isLazy: true })
  store.ask()
  store.act.type('3 4')
  workers[0].onmessage({ data: { type: 'value', id: sent[0].id, value: [0.6, 0.2, 0.1], isLast: true } })
  assert.deepEqual(
    sent.map(({ type, request }) => request?.scores ?? type),
    [[2, 1, 0.5], 'cancel', [3, 4]],
  )
  assert.equal(got().is, 'waiting')
})

test('a selection is a place: Undo keeps it, Back leads to it, and it is dropped together with its text', () => {
  const { store } = made()
  store.act.select(1)
  store.act.select(2)
  store.act.heat(5)
  store.travel('place', 0)
  assert.deepEqual([store.state.settings.selected, store.state.settings.temperature], [1, 5])
  store.travel('undo', 0)
  assert.deepEqual([store.state.settings.selected, store.state.settings.temperature], [1, 1])
  assert.deepEqual(store.can(), { undo: false, redo: true, back: true, forward: true })
  store.act.type('3 4')
  assert.equal(store.state.settings.selected, null)
})

test('replaced settings leave nothing to redo, because the undone steps began from others', () => {
  const { store } = made()
  store.act.type('3 1')
  store.travel('undo', 0)
  assert.equal(store.can().redo, true)
  store.update({ set: { selected: 1 }, isReplaced: true })
  assert.equal(store.can().redo, true, 'a place is none of them')
  store.update({ set: { scores: '5 5' }, isReplaced: true })
  assert.equal(store.can().redo, false)
  store.travel('undo', 1)
  assert.equal(store.state.settings.scores, '5 5')
})

test('a newer request cancels the older one, and an answer to the older one is dropped', () => {
  const { sent, workers, worker } = fakeWorkers()
  const { store, got } = made({ worker })
  store.act.heat(2)
  assert.deepEqual(
    sent.map(({ type }) => type),
    ['ask', 'cancel', 'ask'],
  )
  workers[0].onmessage({ data: { type: 'value', id: 1, value: [9], isLast: true } })
  assert.equal(got().is, 'waiting')
  workers[0].onmessage({ data: { type: 'progress', id: 2, progress: 0.5 } })
  assert.equal(got().progress, 0.5)
  workers[0].onmessage({ data: { type: 'value', id: 2, value: [1], isLast: true } })
  assert.deepEqual(got().value, [1])
})

test('values of a worker that ends stay drawn, nothing is requested again before retry, and retry starts another worker', () => {
  const { sent, workers, worker } = fakeWorkers()
  const { store, got } = made({ worker })
  workers[0].onmessage({ data: { type: 'value', id: 1, value: [1], isLast: true } })
  store.act.heat(2)
  workers[0].onerror({ message: 'out of memory' })
  assert.deepEqual([got().is, got().before, got().problem.params.message], ['lost', [1], 'out of memory'])
  store.act.select(1)
  assert.equal(workers.length, 1)
  store.act.retry()
  assert.equal(workers.length, 2)
  assert.equal(sent.at(-1).request.temperature, 2)
})

test('where a worker cannot even start, the page does its work', async () => {
  const { workers, worker } = fakeWorkers()
  const { got } = made({ worker })
  workers[0].onerror({ message: '404' })
  await wait()
  assert.equal(got().is, 'here')
})

test('code that could not be loaded for a session is loaded again for the next request', async () => {
  let isOffline = true
  const load = async () => {
    if (isOffline) throw new Error('no network')
    return qkv
  }
  const { store, got } = made({ qkv: undefined, load })
  await wait()
  assert.deepEqual([got().is, got().problem.params.message], ['failed', 'no network'])
  isOffline = false
  store.act.retry()
  await wait()
  assert.equal(got().is, 'here')
})

test('a worker is lost after four pings without an answer, however late the first ping is', t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const { sent, workers, worker } = fakeWorkers()
  const { got } = made({ worker })
  now = 3_600_000 // the computer has slept
  t.mock.timers.tick(15_000)
  assert.equal(got().is, 'waiting')
  workers[0].onmessage({ data: { type: 'pong' } })
  t.mock.timers.tick(60_000)
  assert.equal(got().is, 'waiting')
  assert.equal(sent.filter(({ type }) => type === 'ping').length, 5)
  t.mock.timers.tick(15_000)
  assert.deepEqual([got().is, got().problem.key], ['lost', 'workerSilent'])
})

test('an effect sends one request, its answer goes to receive, and a failure keeps its message until retry', async () => {
  const { store, got } = made()
  store.act.sum()
  assert.equal(got('sum').is, 'waiting')
  await wait()
  assert.equal(store.state.view.total, 6)
  assert.equal(got('sum'), undefined)
  const { workers, worker } = fakeWorkers()
  const other = made({ worker })
  workers[0].onmessage({ data: { type: 'failed', id: 1, problem: { key: 'requestFailed' } } })
  assert.equal(other.got().is, 'failed')
  other.store.act.retry()
  assert.equal(other.got().is, 'waiting')
})

test('a request that the reader cancels stays cancelled until it is repeated or changed', () => {
  const { sent, workers, worker } = fakeWorkers()
  const { store, got } = made({ worker })
  store.act.stop()
  workers[0].onmessage({ data: { type: 'cancelled', id: 1 } })
  store.act.select(2)
  assert.equal(got().is, 'cancelled')
  assert.deepEqual(
    sent.map(({ type }) => type),
    ['ask', 'cancel'],
  )
  store.act.heat(4)
  assert.equal(got().is, 'waiting')
})

test('a session streams: a picture follows training, scrubbing replaces it and does not stop it, a pause cancels', async () => {
  /** @type {string[]} */
  const log = []
  /** @type {Set<() => void>} */
  const shows = new Set()
  let steps = 0
  /** @type {import('../../web/shell/room.js').Room<any>} */
  const room = {
    ...softmax,
    fields: {
      task: { kind: text(), default: 'sort', history: 'none' },
      changes: { kind: text(), default: '', history: 'undo' },
    },
    check: undefined,
    settle: undefined,
    view: { isTraining: false, at: null, points: [] },
    actions: {
      train: ({ view }) => ({ view: { isTraining: !view.isTraining } }),
      goTo: (_, at) => ({ view: { at } }),
      change: (_, changes) => ({ set: { changes } }),
      choose: (_, task) => ({ set: { task, changes: '' }, view: { isTraining: false, points: [] }, begins: true }),
    },
    needs: ({ settings: { task, changes }, view: { isTraining, at }, got }) => [
      { type: 'run', task },
      ...(got.run?.is === 'here' ? [{ type: 'show', at, changes }] : []),
      ...(isTraining ? [{ type: 'train' }] : []),
    ],
    receive: { train: ({ view }, { loss }) => ({ view: { points: [...view.points, loss] } }) },
    session: {
      ...softmax.session,
      handlers: () => ({
        run: ({ task }) => ({ task }),
        async train(_, { signal, emit }) {
          while (!signal.aborted) {
            steps++
            emit({ loss: 1 / steps })
            for (const publish of shows) publish()
            await wait()
          }
          log.push('stopped')
        },
        show: ({ at }, { signal, emit }) =>
          new Promise(resolve => {
            const publish = () => emit({ at: at ?? steps })
            shows.add(publish)
            publish()
            signal.addEventListener('abort', () => {
              shows.delete(publish)
              resolve(undefined)
            })
          }),
      }),
    },
  }
  const store = createStore(room, { qkv })
  const got = (/** @type {string} */ slot) => /** @type {any} */ (store.state.got)[slot]
  await wait(20)
  assert.equal(got('show')?.is, 'here', 'what depends on an answer is asked when the answer is there')
  store.act.train()
  await wait(30)
  assert.ok(got('show').value.at > 0 && store.state.view.points.length > 0)
  store.act.goTo(1)
  await wait(20)
  assert.equal(got('show').value.at, 1)
  assert.equal(shows.size, 1, 'the older picture has ended')
  const { length } = store.state.view.points
  await wait(20)
  assert.ok(store.state.view.points.length > length, 'training goes on')
  store.act.train()
  await wait(20)
  assert.deepEqual(log, ['stopped'])
  store.act.change('2.2=0')
  store.act.choose('reverse')
  assert.equal(store.can().undo, false, 'another task is a new beginning')
  await wait(20)
  assert.equal(got('run').value.task, 'reverse')
  store.close()
})
