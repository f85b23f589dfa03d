// Tests the store and session of Learn in Node: a run trains, is repeated by its link, compared, changed, shown at any step, saved and opened. A lost
// worker is reported.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from 'qkv'
import { headName, readChanges } from '../../web/attention-head/changes.js'
import { failureOf, selectedOf } from '../../web/rooms/learn/run-state.js'
import { handlers } from '../../web/rooms/learn/session.js'
import { TASKS } from '../../web/rooms/learn/tasks/index.js'
import { createRun } from '../../web/rooms/learn/training-run.js'
import { openLearn } from './learn-store.js'

const qkv = await load()
const SORTED = '0 2 3 6 8 9 11 14'.split(' ')
const AROUND = { isHidden: false, isStill: false, isNarrow: false, sentence: '' }

test('nothing trains before an action; one action trains to the goal', async () => {
  const own = openLearn('task=sort')
  await own.picture()
  assert.deepEqual([own.view.steps, own.view.losses.length, own.view.points.length], [0, 0, 1])
  const { shown } = await own.train()
  const { reachedAt, steps, losses, points } = own.view
  assert.ok(reachedAt !== null && reachedAt === steps && reachedAt <= TASKS.sort.goal.within)
  assert.deepEqual([losses.length, points.length], [steps, 1 + steps / 20])
  assert.deepEqual(shown.answers, SORTED)
  own.close()
})

test('a link after training opens what its sender saw: trained to the same step, with the same bits', async () => {
  const own = openLearn('task=sort&seed=4')
  await own.train()
  own.act.ask('7 3 1 0')
  own.act.goTo(40)
  const sent = await own.picture()
  const other = openLearn(own.store.link())
  await other.until(({ view }) => view.isRepeating)
  const seen = await other.picture()
  assert.equal(other.view.steps, own.view.steps)
  assert.deepEqual(other.view.losses, own.view.losses)
  assert.equal(seen.shownAt, 40)
  assert.deepEqual(seen.shown, sent.shown)
  assert.equal(other.store.link(), own.store.link())
  other.act.tell(2)
  assert.equal(other.view.stop, 2)
  other.act.restart()
  await other.picture()
  assert.equal(other.view.stop, 0, 'the story begins again, too')
  assert.deepEqual([other.view.steps, new URLSearchParams(other.store.link()).get('trained')], [0, null])
  own.close()
  other.close()
})

test('a link contains the loss of its step: a run that does not reach it again reports that', async () => {
  const own = openLearn('task=sort&seed=4&trained=20')
  await own.until(({ view }) => view.isRepeating)
  await own.picture()
  const link = new URLSearchParams(own.store.link())
  assert.equal(Number(link.get('loss')), own.view.losses[19])
  own.close()
  for (const by of [1, 1.01]) {
    link.set('loss', String(by * own.view.losses[19]))
    const other = openLearn(String(link))
    await other.until(({ view }) => view.isRepeating)
    await other.picture()
    const said = other.effects.filter(({ type }) => type === 'message').map(({ problem }) => problem)
    assert.deepEqual(said.map(({ key, params }) => [key, params.step]), by === 1 ? [] : [['learnOtherLoss', 20]]) // biome-ignore format: one line
    assert.equal(other.store.state.settings.loss, own.view.losses[19], 'the link is that of this run again')
    other.close()
  }
})

test('another step in the address of an open page trains the run again up to that step, as the link does', async () => {
  const own = openLearn('task=sort&trained=60')
  await own.until(({ view }) => view.isRepeating)
  const before = await own.picture()
  assert.equal(own.view.steps, 60)
  for (const trained of [20, 100]) {
    own.store.follow(`task=sort&trained=${trained}`)
    await own.until(({ view }) => view.isRepeating)
    const { shown } = await own.picture()
    assert.deepEqual([own.view.steps, own.store.state.settings.trained], [trained, trained])
    assert.notDeepEqual(shown.layers, before.shown.layers)
  }
  own.store.follow('task=sort&trained=60')
  await own.until(({ view }) => view.isRepeating)
  assert.deepEqual(await own.picture(), before)
  own.store.follow('task=sort&trained=60&at=40')
  assert.equal((await own.picture()).shownAt, 40)
  assert.equal(own.view.steps, 60)
  own.store.follow('task=sort')
  await own.picture()
  assert.equal(own.view.steps, 0)
  own.close()
})

test('a link of a text reports that the text is not in it, and trains when the text is given', async () => {
  const own = openLearn('task=text&trained=20&d=16&mlp=16&batch=4&steps=40')
  assert.equal(own.store.state.got.run, undefined)
  own.act.type('The cat sat on the mat. '.repeat(40))
  await own.picture()
  assert.equal(own.view.steps, 0)
  own.close()
})

test('scrubbing shows a snapshot while the run trains, and does not stop it', async () => {
  const own = openLearn('task=induction')
  await own.picture()
  own.act.train()
  await own.until(({ view }) => view.steps >= 60)
  own.act.goTo(20)
  await own.until(({ got }) => got.show?.is === 'here' && got.show.value.shownAt === 20)
  const { steps } = own.view
  await own.until(({ view }) => view.steps > steps)
  assert.ok(own.view.isTraining)
  own.act.train()
  const { shownAt } = await own.picture()
  const paused = own.view.steps
  await new Promise(resolve => setTimeout(resolve, 100))
  assert.deepEqual([shownAt, own.view.steps, own.view.losses.length], [20, paused, paused])
  own.close()
})

test('every loss arrives once, however often a run is paused', async () => {
  const own = openLearn('task=sort&steps=100&rate=0.001')
  await own.picture()
  while (!own.view.isEnded) {
    own.act.train()
    const { steps } = own.view
    await own.until(({ view }) => view.steps > steps || view.isEnded)
    if (own.view.isTraining) own.act.train()
    own.act.train()
    await own.until(({ view }) => !view.isTraining || view.steps > steps + 1)
    if (own.view.isTraining) own.act.train()
    await own.picture()
  }
  const run = createRun(qkv, 'sort', { steps: 100, rate: 0.001 })
  assert.deepEqual(
    own.view.losses,
    Array.from({ length: 100 }, () => run.step()),
  )
  assert.deepEqual(
    own.view.points.map(({ step }) => step),
    [0, 20, 40, 60, 80, 100],
  )
  run.dispose()
  own.close()
})

test('two seeds are compared at one step, and two moments of one run', async () => {
  const own = openLearn('task=sort&seed=1')
  await own.train()
  const { steps } = own.view
  assert.equal((await own.picture()).reference, undefined)
  own.act.against({ seed: 2 })
  const second = await own.picture()
  assert.deepEqual([second.shownAt, second.reference?.shownAt], [0, 0])
  assert.notDeepEqual(second.shown.layers[0].data, second.reference?.shown.layers[0].data)
  const end = await own.train()
  assert.equal(end.reference?.shownAt, Math.min(end.shownAt, steps))
  own.act.goTo(20)
  const early = await own.picture()
  assert.deepEqual([early.shownAt, early.reference?.shownAt], [20, 20])
  own.act.keep('step')
  own.act.goTo(null)
  const moments = await own.picture()
  assert.deepEqual([moments.shownAt, moments.reference?.shownAt], [end.shownAt, 20])
  assert.deepEqual(moments.reference?.shown.layers[0].data, early.shown.layers[0].data)
  own.act.show({ reference: null })
  assert.equal((await own.picture()).reference, undefined)
  own.close()
})

test('a rate that is far too high diverges; the last finite step is shown, and nothing more trains', async () => {
  const own = openLearn('task=induction&rate=1')
  const { shownAt, shown } = await own.train()
  const { divergedAt, steps, isEnded } = own.view
  assert.ok(divergedAt !== null && divergedAt > 1 && divergedAt < 100, String(divergedAt))
  assert.ok(shownAt < divergedAt && steps === divergedAt && isEnded)
  assert.ok(shown.next.every(({ share }) => Number.isFinite(share)))
  await own.train()
  assert.equal(own.view.steps, divergedAt)
  own.close()
})

test('changes apply to the shown model, not to the training; Undo reverts them and does not cross into another task', async () => {
  const own = openLearn('task=sort')
  await own.picture()
  const [off] = readChanges('1.1=0')
  own.act.change([off])
  const { changed } = await own.picture()
  await own.train()
  const { changed: later } = await own.picture()
  const run = createRun(qkv, 'sort')
  /** @param {typeof changed} effect */
  const expectEffect = effect => {
    assert.equal(effect?.before, run.heldOutAccuracy())
    run.intervene([off])
    assert.equal(effect?.accuracy, run.heldOutAccuracy())
    run.intervene([])
  }
  expectEffect(changed)
  while (run.steps < own.view.steps) run.step()
  expectEffect(later)
  run.dispose()
  assert.match(own.store.link(), /changes=1\.1%3D0/)
  assert.deepEqual(own.store.can().undo, true)
  own.store.travel('undo', 0)
  assert.deepEqual(own.store.state.settings.changes, [])
  own.store.travel('undo', 1)
  assert.equal(own.store.state.settings.changes.length, 1)
  own.act.choose('reverse')
  assert.deepEqual([own.store.can().undo, own.store.state.settings.changes], [false, []])
  own.close()
})

test('a link with changes of heads that the model does not have opens without them', async () => {
  const own = openLearn(`task=sort&changes=${encodeURIComponent('1.1=mean 9.9=0 2.1:1>1=hide')}`)
  await own.picture()
  assert.deepEqual(
    own.store.state.settings.changes.map(change => headName(/** @type {any} */ (change))),
    ['1.1'],
  )
  own.close()
})

test('a link whose head is no head, or one that the model does not have, opens with a head that it has', () => {
  for (const head of ['learned', '9.9', '0.0', '-1', '1', '', '.', '1e9.2']) {
    const own = openLearn(`task=sort&head=${head}`)
    const { layer, head: at } = selectedOf(own.store.state, 2, 3)
    assert.ok(layer >= 0 && layer < 2 && at >= 0 && at < 3, `${head}: ${layer}, ${at}`)
    own.close()
  }
})

test('with reduced motion each evaluation posts a picture, and no other step does', async () => {
  const own = openLearn('task=sort', { around: { ...AROUND, isStill: true } })
  await own.picture()
  /** How many evaluations the view had at each step that was reported. @type {Map<number, number>} */
  const told = new Map()
  own.act.train()
  await own.until(({ view }) => {
    told.set(view.steps, view.points.length)
    return !view.isTraining
  })
  const counts = [...told.values()]
  assert.ok(own.view.steps >= 60 && counts.length > 1 && counts.length <= 1 + own.view.steps / 20, String(counts))
  assert.deepEqual(counts, [...new Set(counts)], 'each picture has another evaluation')
  own.close()
})

test('training keeps a pace in steps a second, and each step posts a picture', async () => {
  const own = openLearn('task=sort&steps=20')
  await own.picture()
  own.act.show({ pace: 'ten' })
  const start = performance.now()
  own.act.train()
  const steps = new Set()
  await own.until(({ view }) => {
    steps.add(view.steps)
    return view.steps === 12
  })
  assert.ok(performance.now() - start >= 11 * 100 - 50, `${performance.now() - start} ms`)
  assert.deepEqual(
    [...steps],
    Array.from({ length: 13 }, (_, i) => i),
  )
  own.close()
})

test('one step trains one step', async () => {
  const own = openLearn('task=sort')
  await own.picture()
  own.act.step()
  const { shownAt } = await own.picture()
  assert.deepEqual([shownAt, own.view.losses.length], [1, 1])
  own.close()
})

test('a run pauses while the tab is hidden and then continues; leaving the room pauses it and records its step', async () => {
  const own = openLearn('task=induction')
  await own.picture()
  own.act.show({ pace: 'ten' })
  own.act.train()
  await own.until(({ view }) => view.steps > 0)
  own.store.surround({ isHidden: true })
  await own.until(({ got }) => got.train?.is === 'here' && got.train.isLast)
  const { steps } = own.view
  await new Promise(resolve => setTimeout(resolve, 250))
  assert.deepEqual([own.view.steps, own.view.isTraining], [steps, true])
  own.store.surround({ isHidden: false })
  await own.until(({ view }) => view.steps > steps)
  own.store.update(own.store.room.leave?.(own.store.state))
  await own.picture()
  const note = own.store.room.note?.(
    own.store.state,
    /** @type {any} */ ((/** @type {string} */ key, /** @type {any} */ params) => `${key} ${params.step}`),
  )
  assert.equal(note, `learnSteps.short ${own.view.steps}`)
  own.close()
})

const SMALL = 'task=text&d=16&heads=2&mlp=16&batch=4'

test('a text that cannot be learned is refused with the reason, and the session works on', async () => {
  const own = openLearn(SMALL)
  own.act.type('abcdefgh '.repeat(600_000))
  await own.until(state => failureOf(state) !== undefined)
  const { problem } = failureOf(own.store.state) ?? {}
  assert.deepEqual([problem?.key, problem?.params?.length], ['textLength', 5400000])
  for (const script of ['日本語の文章。', '한국어 문장 ', 'Ελληνικά ', '🙂🙃 ', 'עברית ']) {
    own.act.type(script.repeat(200))
    await own.picture()
    assert.equal(own.view.steps, 0)
  }
  own.act.choose('sort')
  own.act.ask('9 9 9')
  assert.equal((await own.picture()).shown.trouble?.key, 'probeTwice')
  own.act.ask('1 2 3 4 5 6 7 8 9')
  assert.deepEqual((await own.picture()).shown.trouble, { key: 'probeCount', params: { count: 9, most: 8 } })
  own.act.ask('1 2 99')
  assert.deepEqual((await own.picture()).shown.trouble, { key: 'probeNumber', params: { given: '99', most: 15 } })
  own.close()
})

test('a model is saved and opens again with the same numbers; one with huge weights opens as well', async () => {
  const own = openLearn('task=sort')
  const { shown } = await own.train()
  own.act.saveModel(false)
  await own.until(() => own.effects.length > 0)
  const [{ name, data }] = own.effects
  assert.match(name, /^sort-seed0-step\d+\.safetensors$/)
  const other = openLearn('task=reverse')
  await other.picture()
  other.act.open([new File([data], name)])
  await other.until(({ settings }) => settings.task === 'sort')
  assert.deepEqual((await other.picture()).shown, shown)
  assert.ok(other.view.isEnded && other.view.steps === own.view.steps)
  const huge = data.slice()
  const start = 8 + Number(new DataView(huge.buffer).getBigUint64(0, true))
  new Float32Array(huge.buffer.slice(start)).forEach((value, i) => {
    new DataView(huge.buffer).setFloat32(start + 4 * i, value < 0 ? -3e38 : 3e38, true)
  })
  other.act.open([new File([huge], name)])
  await other.until(({ view }) => view.points.length === 1 && !Number.isFinite(view.points[0].loss))
  assert.equal(failureOf(other.store.state), undefined)
  other.act.open([new File(['nothing'], 'x.safetensors')])
  const failed = await other.until(({ got }) => got.file?.is === 'failed')
  assert.equal(/** @type {any} */ (failed.got.file).problem.key, 'fileNone')
  own.close()
  other.close()
})

test('a dropped file that Learn cannot open is named, and a dropped model is opened', async () => {
  const own = openLearn('task=sort')
  await own.picture()
  const drop = (/** @type {string} */ name) =>
    own.store.update(own.store.room.take?.(own.store.state, { type: 'files', files: [new File(['x'], name)] }))
  drop('x.npy')
  assert.equal(own.view.refused, 'x.npy')
  drop('x.safetensors')
  await own.until(({ got }) => got.file?.is === 'failed')
  assert.equal(own.view.refused, '')
  own.close()
})

test('a lost worker is reported, its last picture stays, and Restart starts another', async () => {
  /** @type {any[]} */
  const workers = []
  const worker = () => {
    const own = handlers(qkv)
    const made = {
      onmessage: (/** @type {any} */ _) => {},
      onerror: (/** @type {any} */ _) => {},
      isEnded: false,
      async postMessage(/** @type {any} */ message) {
        if (message.type !== 'ask' || made.isEnded) return
        const { id, request } = message
        const run = { signal: new AbortController().signal, progress() {}, emit() {}, transfer: [] }
        const value = await /** @type {any} */ (own)[request.type](request, run)
        if (!made.isEnded) made.onmessage({ data: { type: 'value', id, value, isLast: true } })
      },
      terminate() {
        made.isEnded = true
      },
    }
    workers.push(made)
    return /** @type {any} */ (made)
  }
  const own = openLearn('task=sort', { worker })
  const { shown } = await own.picture()
  workers[0].onerror({ message: 'out of memory' })
  own.store.ask() // as the page does before it draws
  assert.equal(failureOf(own.store.state)?.isLost, true)
  const { got } = own.store.state
  assert.deepEqual(/** @type {any} */ (got.show).before.shown, shown)
  assert.equal(workers.length, 1)
  own.act.restart()
  const again = await own.picture()
  assert.equal(workers.length, 2)
  assert.deepEqual(again.shown, shown)
  assert.equal(failureOf(own.store.state), undefined)
  own.close()
})

test('runs that are opened one after the other leave no memory in use', async () => {
  const own = openLearn('task=sort')
  await own.picture()
  own.act.step()
  await own.picture()
  own.act.keep('step')
  own.act.explain(0)
  own.act.show({ gradientAt: 0 })
  own.act.openLayer(0, 0, 'back')
  await own.until(({ got }) => got.gradients?.is === 'here')
  const opened = async (/** @type {number} */ seed) => {
    own.act.set({ seed })
    own.act.show({ reference: null })
    await own.picture()
    return qkv.memory.resident
  }
  const resident = await opened(1)
  // The memory may also become smaller, because models of other tests in this process may be collected in between.
  for (let seed = 2; seed < 6; seed++) assert.ok((await opened(seed)) <= resident)
  own.close()
})
