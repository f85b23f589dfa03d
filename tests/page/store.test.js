// Tests the store of One layer without a browser: settings with Undo, places with Back, the requests of each state, the tour.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { VIEW_NAMES } from '../../web/attention-head/views/index.js'
import { stopOf } from '../../web/rooms/layer/explain/tour.js'
import { applies } from '../../web/rooms/layer/fields.js'
import { hasDistribution, needs, resultOf } from '../../web/rooms/layer/needs.js'
import { room } from '../../web/rooms/layer/room.js'
import { change } from '../../web/rooms/layer/settings.js'
import { createSlots, shown } from '../../web/shell/slots.js'
import { createStore } from '../../web/shell/store.js'

/** @typedef {import('../../web/shell/store.js').Store<import('../../web/rooms/layer/layer.js').LayerTypes>} LayerStore */
/** @typedef {import('../../web/shell/room.js').Effect<import('../../web/rooms/layer/layer.js').LayerTypes>} Effect */

const core = await load()

/** @param {object} [given] @param {string} [given.link] @param {import('qkv').Qkv} [given.qkv] @param {() => any} [given.worker] */
function start({ link = '', qkv = core, worker } = {}) {
  /** @type {Effect[]} */
  const effects = []
  const perform = (/** @type {Effect} */ effect) => {
    effects.push(effect)
    if (effect.type === 'offer') store.surround({ sentence: MANY }) // as the shell does
  }
  const store = createStore(room, { link, qkv, worker, perform })
  store.update(room.enter?.(store.state))
  return { store, effects, act: store.act, selected: () => selectionOf(store), requests: () => requestsOf(store) }
}

/** @param {LayerStore} store */
function selectionOf({ state: { settings } }) {
  const { head, word, cell, less } = settings
  return { head, word, cell, less }
}

/** Returns the types of the requests. @param {LayerStore} store */
const requestsOf = store => needs(store.state).map(({ type }) => type)

const cell = (/** @type {number} */ row, /** @type {number} */ column, head = 0) =>
  /** @type {const} */ ({ matrix: 'weights', head, row, column })

/** @param {() => unknown} isTrue */
async function until(isTrue) {
  for (let i = 0; !isTrue(); i++) {
    assert.ok(i < 20_000, 'it comes to pass')
    await new Promise(resolve => setTimeout(resolve, 1))
  }
}

test('Back visits earlier selections, and Forward later ones', () => {
  const { store, act, selected } = start()
  act.select({ cell: cell(1, 2) })
  act.select({ word: { side: 'queries', position: 4 } })
  act.select({ cell: cell(3, 3, 2) })
  assert.deepEqual(selected(), { head: 2, word: { side: 'queries', position: 3 }, cell: cell(3, 3, 2), less: null }) // the selected word stays selected
  store.travel('place', 0)
  assert.deepEqual(selected().word, { side: 'queries', position: 4 })
  store.travel('place', 0)
  assert.deepEqual([selected().word, selected().cell, selected().head], [null, cell(1, 2), 0])
  assert.deepEqual([store.can().back, store.can().forward], [false, true])
  store.travel('place', 1)
  store.travel('place', 1)
  assert.deepEqual(selected().cell, cell(3, 3, 2))
  assert.equal(selected().head, 2)
})

test('Back goes through places only: no number changes, and undo goes through numbers only', () => {
  const { store, act, selected } = start()
  act.select({ cell: cell(1, 2) })
  act.change({ seed: '7' })
  act.select({ cell: cell(0, 0) })
  store.travel('place', 0)
  assert.deepEqual([store.state.settings.seed, selected().cell], ['7', cell(1, 2)])
  store.travel('undo', 0)
  assert.deepEqual([store.state.settings.seed, selected().cell], ['123', cell(1, 2)])
})

test('arrow keys replace the place they leave, Escape clears the cell before the word', () => {
  const { store, act, selected } = start()
  act.select({ word: { side: 'queries', position: 0 }, cell: cell(0, 0) })
  act.select({ cell: cell(0, 1) }, { replace: true })
  assert.equal(store.can().back, false)
  store.update(room.keys?.Escape(store.state))
  assert.deepEqual([selected().cell, selected().word?.position], [null, 0])
  store.update(room.keys?.Escape(store.state))
  assert.equal(selected().word, null)
  assert.equal(room.keys?.Escape(store.state), undefined, 'nothing is left to clear')
})

test('an example is one step of Undo and clears Back; Reset returns to the example and keeps the view', () => {
  const { store, act } = start()
  act.select({ cell: cell(1, 2) })
  act.select({ cell: cell(2, 2) })
  act.look({ view: 'numbers' })
  act.choose('causal')
  assert.deepEqual(
    [store.state.settings.mask, store.state.settings.view, store.can().back],
    ['causal', 'numbers', false],
  )
  act.change({ mask: 'window' })
  store.reset()
  assert.deepEqual([store.state.settings.mask, store.state.settings.view], ['causal', 'numbers'])
  store.travel('undo', 0)
  store.travel('undo', 0)
  store.travel('undo', 0)
  assert.deepEqual([store.state.settings.mask, store.state.settings.heads], ['none', 4])
})

test('edits and painted cells go with the words they belong to, and come back with Undo', () => {
  const { store, act } = start()
  act.edit(cell(0, 1), 0.5)
  act.edit({ matrix: 'Wq', head: 0, row: 0, column: 0 }, 2)
  act.paint(0, 1, false)
  act.change({ sentence: 'other words' })
  const { edits, painted } = store.state.settings
  assert.deepEqual([edits.map(({ matrix }) => matrix), painted], [['Wq'], []])
  store.travel('undo', 0)
  assert.deepEqual([store.state.settings.edits.length, store.state.settings.painted.length], [2, 1])
})

test('a link carries word and cell, and a number that was typed wrong', () => {
  const { store, selected } = start({ link: 'word=keys.3&cell=weights.0.1.2&heads=99' })
  assert.deepEqual(selected(), { head: 0, word: { side: 'keys', position: 3 }, cell: cell(1, 2), less: null })
  assert.equal(store.state.problems.heads?.key, 'problemRange')
  assert.equal(resultOf(store.state)?.heads, 4, 'beside a problem stand the numbers of the defaults')
  assert.equal(store.link(), 'heads=99&word=keys.3&cell=weights.0.1.2')
  assert.throws(() => start({ link: 'cell=weights.0.1' }))
})

test('a link opens every picture of a head; an unavailable one becomes the fitting one', () => {
  for (const name of VIEW_NAMES) assert.equal(start({ link: `view=${name}` }).store.state.settings.view, name)
  const { store } = start({ link: 'view=waves' })
  assert.deepEqual([store.state.settings.view, store.link()], ['', ''])
})

test('requests follow from the state: trace, comparison and batch at rest, baseline if it is shown', async () => {
  const { store, act, requests } = start()
  assert.deepEqual(requests(), ['trace'])
  await until(() => store.state.isAtRest)
  assert.deepEqual(requests(), ['trace', 'comparison', 'batch'])
  assert.ok(Number(shown(store.state.got.comparison)?.difference.most) < 1e-5)
  act.point(cell(1, 1))
  assert.deepEqual(requests(), ['trace', 'comparison', 'batch'], 'they stay while their trace does')
  act.change({ seed: '5' })
  assert.deepEqual(requests(), ['trace'])
  act.setBaseline()
  act.look({ view: 'difference' })
  assert.deepEqual(requests(), ['trace', 'baseline'])
  act.look({ view: 'map' })
  assert.deepEqual(requests(), ['trace'])
})

test('a late answer does not count as rest: long computations are not requested between two keys', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { sent, worker } = fakeWorker()
  const { store, act } = start({ worker: () => worker })
  act.change({ sentence: MANY, heads: '4' })
  t.mock.timers.tick(2000)
  assert.equal(store.state.isAtRest, false, 'the trace is awaited')
  const { id } = sent.find(({ request }) => request?.type === 'trace')
  worker.onmessage({ data: { type: 'value', id, value: shown(store.state.got.trace), isLast: true } })
  t.mock.timers.tick(250)
  assert.equal(store.state.isAtRest, false)
  t.mock.timers.tick(50)
  assert.equal(store.state.isAtRest, true)
  sent.length = 0
  act.change({ sentence: `${MANY} more` })
  const asked = sent.flatMap(({ request }) => (request ? [request.type] : []))
  assert.deepEqual(asked, ['trace'], 'the next key ends the rest before it asks')
})

/** Words for a trace of more than 2^18 weights: 4 heads x 300 queries x 300 keys. */
const MANY = Array.from({ length: 300 }, (_, i) => `w${i}`).join(' ')

/** Makes a worker that takes messages, and answers when the test releases an answer. */
function fakeWorker() {
  /** @type {any[]} */
  const sent = []
  const worker = {
    onmessage: (/** @type {any} */ _event) => {},
    onerror: (/** @type {any} */ _event) => {},
    postMessage: (/** @type {any} */ message) => void sent.push(message),
    terminate() {},
  }
  return { sent, worker }
}

test('many tokens are sent to the worker, for one head; the older numbers stay until the newer arrive', () => {
  const { sent, worker } = fakeWorker()
  const { store, act } = start({ worker: () => worker })
  const before = resultOf(store.state)
  assert.equal(sent.length, 0, 'a small trace is computed on the page')
  act.change({ sentence: MANY })
  assert.deepEqual([sent.length, sent[0].request.type, sent[0].request.head], [1, 'trace', 0])
  assert.equal(store.state.got.trace?.is, 'waiting')
  assert.equal(resultOf(store.state), before)
  act.select({ head: 2 })
  assert.deepEqual(
    sent.slice(1).map(({ type, request }) => [type, request?.head]),
    [
      ['cancel', undefined],
      ['ask', 2],
    ],
  )
  act.point(cell(1, 1))
  assert.equal(sent.length, 3, 'pointing asks for nothing')
  store.travel('undo', 0)
  assert.equal(sent[3].type, 'cancel')
  assert.equal(resultOf(store.state)?.settings.queries.tokens.length, 6)
})

test('a cancelled request is answered only by a last value that was on its way', () => {
  const { sent, worker } = fakeWorker()
  /** @type {any} */
  let got = {}
  const nothing = () => {}
  const host = {
    load,
    worker: () => /** @type {any} */ (worker),
    arriving: nothing,
    arrived: nothing,
    receive: nothing,
  }
  const slots = createSlots(/** @type {any} */ ({}), {
    ...host,
    put: now => {
      got = now
    },
  })
  slots.need([{ type: 'open' }])
  const [{ id }] = sent
  slots.cancel('open')
  assert.deepEqual([sent[1].type, sent[1].id], ['cancel', id])
  for (const message of [
    { type: 'progress', progress: 0.5 },
    { type: 'value', value: 1, isLast: false },
    { type: 'cancelled' },
  ])
    worker.onmessage({ data: { ...message, id } })
  assert.deepEqual(got.open, { is: 'cancelled', before: undefined })
  worker.onmessage({ data: { type: 'value', id, value: 2, isLast: true } })
  assert.deepEqual(got.open, { is: 'here', value: 2, isLast: true })
  slots.close()
})

test('where the worker ends, the numbers stay; trying again starts another', () => {
  const { sent, worker } = fakeWorker()
  let made = 0
  const { store, act } = start({
    worker: () => {
      made++
      return worker
    },
  })
  act.change({ sentence: MANY })
  worker.onmessage({ data: { type: 'progress', id: sent[0].id, progress: 0.5 } })
  worker.onerror({ message: 'out of memory' })
  assert.equal(store.state.got.trace?.is, 'lost')
  assert.ok(resultOf(store.state))
  act.retry()
  assert.deepEqual([made, sent.at(-1).type, store.state.got.trace?.is], [2, 'ask', 'waiting'])
})

/** Loads a core whose `trace` fails, as if memory were exhausted, while `fails.is` is true. */
async function short() {
  const qkv = await load()
  const fails = { is: false }
  const trace = /** @type {any} */ (qkv.trace.bind(qkv))
  qkv.trace = (/** @type {any[]} */ ...args) => {
    if (fails.is) throw new RangeError('trace: 1 GB more memory is needed')
    return trace(...args)
  }
  return { qkv, fails }
}

test('a failed trace gives a message beside the last good numbers, until the next settings', async () => {
  const { qkv, fails } = await short()
  const { store, act } = start({ qkv })
  const good = resultOf(store.state)
  fails.is = true
  act.change({ seed: '2' })
  const { trace } = store.state.got
  assert.equal(trace?.is === 'failed' && trace.problem.key, 'tooLarge')
  assert.equal(resultOf(store.state), good)
  act.point(cell(1, 1))
  assert.equal(store.state.got.trace?.is, 'failed', 'it stays while nothing changes')
  fails.is = false
  act.retry()
  assert.equal(store.state.got.trace?.is, 'here')
})

test('a failed large trace gives a message until the next settings, and is retried when they return', async () => {
  const { qkv, fails } = await short()
  const { store, act } = start({ qkv })
  fails.is = true
  act.change({ sentence: MANY })
  await until(() => store.state.got.trace?.is === 'failed')
  const { trace } = store.state.got
  assert.equal(trace?.is === 'failed' && trace.problem.key, 'tooLarge')
  assert.ok(resultOf(store.state), 'the numbers before it stay')
  fails.is = false
  store.travel('undo', 0)
  assert.equal(store.state.got.trace?.is, 'here')
  store.travel('undo', 1)
  await until(() => resultOf(store.state)?.settings.queries.tokens.length === 300)
  assert.equal(store.state.got.trace?.is, 'here')
})

test('a failed baseline gives a message, and is computed again after the next change', async () => {
  const { qkv, fails } = await short()
  const { store, act } = start({ qkv })
  fails.is = true
  act.setBaseline()
  act.look({ view: 'difference' })
  assert.equal(store.state.got.baseline?.is, 'failed')
  fails.is = false
  act.change({ seed: '9' })
  assert.equal(store.state.got.baseline?.is, 'here')
})

test('a step opens its frame of the flow or its matrices; a frame of the flow marks its cell and its step', () => {
  const { store, act, effects } = start({ link: 'view=flow&step=softmax' })
  assert.equal(store.link(), 'step=softmax&view=flow')
  act.goTo('mix')
  assert.deepEqual(effects.pop(), { type: 'reveal', selector: '#flow' })
  act.goTo('join')
  assert.equal(store.state.settings.cell?.matrix, 'joined', 'the flow has no frame of it: a cell opens beside it')
  assert.deepEqual(effects.pop(), { type: 'reveal', selector: '#flow' })
  act.clear()
  act.frame(3, 'scores', 1)
  const { settings, view } = store.state
  assert.deepEqual([settings.step, view.frame], ['scores', 'scores'])
  assert.deepEqual(view.pointed, { matrix: 'scores', head: 0, row: 3, column: 1 })
  assert.equal(store.can().undo, false)
  store.update(room.pass?.(store.state, 'embed'))
  assert.equal(store.state.settings.step, 'scores', 'scrolling does not move the flow')
  act.look({ view: 'map' })
  assert.equal(store.state.view.pointed, undefined)
  act.moveStep(1)
  assert.deepEqual(effects.pop(), { type: 'reveal', selector: '#step-scaled' })
})

test('one drag is one step of Undo, however long it takes', t => {
  const { store, act } = start()
  let now = 1000
  t.mock.method(performance, 'now', () => now)
  act.look({ view: 'map' })
  for (const value of [0.1, 0.2, 0.3]) {
    act.edit(cell(3, 1), value, 'drag 1')
    act.pass(value > 0.2 ? 'scores' : 'weights') // as if the reader scrolled to another matrix meanwhile
    now += 5000
  }
  act.edit(cell(3, 1), 0.5, 'drag 2')
  store.travel('undo', 0)
  assert.equal(store.state.settings.edits[0].value, 0.3)
  store.travel('undo', 0)
  assert.deepEqual(store.state.settings.edits, [])
})

test('the tour: a link opens a stop, its task stays done, and leaving it restores the earlier settings', () => {
  const { store, act, effects } = start({ link: 'tour=1' })
  assert.deepEqual([store.state.settings.heads, hasDistribution(store.state)], [1, true])
  assert.ok(effects.some(({ type }) => type === 'reveal'))
  assert.deepEqual(room.marks?.(store.state), ['#distribution', '.distribution-controls'])
  act.setDistribution(128)
  act.setDistribution(64)
  assert.equal(store.state.view.wasDone, true)
  act.setTour(null)
  assert.equal(store.state.settings.heads, 1, 'nothing was there before it')
  const third = start({ link: 'tour=3' })
  third.act.setTour(null)
  assert.deepEqual(third.selected().word, { side: 'queries', position: 2 }, 'nor before this one')
  act.change({ sentence: 'my very own words', seed: '7' })
  act.setTour(2)
  act.setTour(5)
  assert.equal(store.state.view.wasDone, false)
  const again = start({ link: store.link() })
  again.act.setTour(null)
  assert.equal(again.store.state.settings.sentence, 'my very own words', 'also after the page was loaded again')
  act.setTour(null)
  assert.equal(store.state.settings.before, '')
  assert.deepEqual([store.state.settings.sentence, store.state.settings.seed], ['my very own words', '7'])
  act.setTour(2)
  act.change({ sentence: 'typed in the tour' })
  act.setTour(null)
  assert.equal(store.state.settings.sentence, 'typed in the tour')
})

test('a link to a stop that is followed in the open room opens the stop, and the sentence of before comes back', () => {
  const { store, act } = start()
  act.change({ sentence: 'my very own words' })
  store.follow('tour=2')
  const { before, ...settings } = store.state.settings
  assert.deepEqual({ ...settings, before: '' }, { ...stopOf(2).settings, tour: 2 })
  assert.match(before, /my\+very\+own\+words/)
  act.setTour(null)
  assert.equal(store.state.settings.sentence, 'my very own words')
})

test('every stop of the tour is done by its own task, and not on arrival', () => {
  for (let stop = 1; stop <= 7; stop++) {
    const { store, act } = start({ link: `tour=${stop}` })
    assert.equal(store.state.settings.tour, stop)
    assert.equal(store.state.view.wasDone, false, `stop ${stop}`)
    const { changes } = stopOf(stop)
    if (changes.includes('sentence')) act.change({ sentence: 'one two one' })
    else if (changes.includes('mask')) act.change({ mask: 'window' })
    else if (changes.includes('cell')) act.select({ cell: cell(0, 0) })
    else if (changes.includes('word')) act.select({ word: { side: 'queries', position: 0 } })
    else if (changes.includes('vectorSize')) act.setDistribution(4)
    else if (changes.includes('other')) act.look({ other: 0 })
    else act.edit({ matrix: 'Wq', head: 0, row: 0, column: 0 }, 1.5)
    assert.equal(store.state.view.wasDone, true, `stop ${stop}`)
  }
})

test('another room receives the sentence and gives a head; JSON is read, or refused with a message', async () => {
  const { store, act, effects } = start()
  act.change({ sentence: 'on its way' })
  assert.deepEqual(effects.pop(), { type: 'offer', what: { type: 'sentence', text: 'on its way' } })
  store.update(room.take?.(store.state, { type: 'sentence', text: 'from Models' }))
  assert.equal(store.state.settings.sentence, 'from Models')
  const weights = { dims: [2, 2, 2], data: [1, 0, 0.5, 0.5, 0, 1, 1, 0] }
  store.update(
    room.take?.(store.state, { type: 'head', tensors: { weights }, tokens: ['a', 'b'], head: 1, from: 'Back' }),
  )
  assert.deepEqual([store.state.settings.head, resultOf(store.state)?.heads], [1, 2])
  assert.equal(store.state.view.handedOver, store.state.settings.imported)
  assert.equal(room.take?.(store.state, { type: 'sentence', text: 'no' }), undefined, 'given rows have their own names')
  act.import('{ "weights": [[1, 0], [0.5]] }')
  await until(() => effects.at(-1)?.type === 'message')
  assert.deepEqual(effects.at(-1), {
    type: 'message',
    problem: { key: 'importRagged', params: { name: 'weights', dims: '2, 2' }, texts: 'layer-parts' },
    isBad: true,
  })
})

test('files are read by the session', async () => {
  const { store, act, effects } = start()
  act.import([new File(['{ "weights": [[1, 0], [0.5, 0.5]] }'], 'a.json')])
  await until(() => store.state.settings.imported)
  assert.ok(effects.some(effect => effect.type === 'message' && effect.problem.key === 'imported'))
  act.import([new File(['\x93NUMPY'], 'b.npy')])
  await until(() => effects.some(effect => effect.type === 'message' && effect.isBad))
})

test('a change and Undo leave the settings as they were', () => {
  const { store, act } = start()
  const before = store.state.settings
  act.change({ mask: 'causal' })
  assert.deepEqual(store.state.settings, change(before, { mask: 'causal' }))
  store.travel('undo', 0)
  assert.deepEqual(store.state.settings, before)
})

test('a selection that points to nothing is dropped: after a shorter sentence, in a link, under the pointer; Back skips it', () => {
  const { store, act, selected } = start()
  act.select({ cell: cell(5, 5) })
  act.hover({ side: 'queries', position: 6 })
  act.select({ word: { side: 'queries', position: 6 }, cell: null })
  act.select({ word: { side: 'queries', position: 1 } })
  act.change({ sentence: 'Life is short' })
  assert.deepEqual([selected().word?.position, store.state.view.hovered], [1, undefined])
  store.travel('place', 0)
  assert.deepEqual([selected().cell, selected().word, store.can().back], [null, null, false], 'the first place of all')
  store.travel('place', 1)
  assert.equal(selected().word?.position, 1)
  for (const link of ['word=queries.6', 'cell=weights.0.2.3', 'cell=weights.3.1.1', 'cell=Wq.0.3.0', 'less=X.0.0.0'])
    assert.equal(start({ link: `sentence=a+b+c&${link}` }).store.link(), 'sentence=a+b+c')
  assert.equal(start({ link: 'head=9' }).store.link(), 'head=3')
})

test('the selected cell stays selected in another head, and a selected word follows the row of a cell', () => {
  const { act, selected } = start()
  act.select({ cell: cell(5, 2) })
  act.select({ head: 3 })
  assert.deepEqual(selected(), { head: 3, word: null, cell: cell(5, 2, 3), less: null })
  act.select({ word: { side: 'queries', position: 1 }, cell: null })
  act.select({ cell: { matrix: 'Wq', head: 0, row: 1, column: 0 } })
  assert.deepEqual([selected().word, selected().head], [null, 0], 'a row of weights is no word')
})

test('given weights have no scores: no mask hides a cell of them, and none is offered', async () => {
  const { store, act } = start()
  act.import(JSON.stringify({ weights: { dims: [1, 2, 2], data: [0.5, 0.5, 0.25, 0.75] } }))
  await until(() => store.state.settings.imported)
  act.paint(0, 0, false)
  assert.deepEqual(store.state.settings.painted, [])
  act.change({ mask: 'causal' })
  assert.equal(resultOf(store.state)?.visible, undefined)
  assert.ok(['mask', 'masking'].every(name => !applies(store.state.settings, /** @type {any} */ (name))))
})
