// Tests the store of the room "Models" without a browser: the requests of each state, the effects of actions, links, Undo, Back, a lost worker.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readChanges, writeChanges } from '../../web/attention-head/changes.js'
import { texts as frontEn } from '../../web/i18n/en/front.js'
import { texts as en } from '../../web/i18n/en/models.js'
import { texts as frontZh } from '../../web/i18n/zh/front.js'
import { texts as zh } from '../../web/i18n/zh/models.js'
import { mattersPanel } from '../../web/rooms/models/matters/panel.js'
import { kindOf, rankingOf, roleOf } from '../../web/rooms/models/open-head/kind.js'
import { room } from '../../web/rooms/models/room.js'
import { failureOf, isEnded, isGenerating, shownOf } from '../../web/rooms/models/shown.js'
import { slotOf } from '../../web/shell/slots.js'
import { createStore } from '../../web/shell/store.js'
import { signed } from '../../web/ui/contributions.js'
import { begin, folder, folderText, qkv, start, TEXT, types } from './models-store.js'
import { elementsOf, keyOf } from './template.js'

test('a checkpoint is named after its files, runs, and is in the link; the requests of each state are a list', async () => {
  const { store, act, settled, shown } = start()
  assert.deepEqual(room.needs(store.state), [], 'nothing ships with the page in Node')
  act.bring(folder('gpt2-tiny'))
  assert.deepEqual(types(store), ['open'])
  await settled()
  assert.match(store.link(), /^checkpoint=gpt2%7E[0-9a-f]{12}$/)
  assert.deepEqual(types(store), ['open', 'run', 'why'])
  act.type(TEXT)
  await settled()
  assert.equal(shown().run?.ids.length, 10)
  act.openHead({ stack: '', layer: 1, head: 1 })
  assert.deepEqual(types(store), ['open', 'run', 'why'], 'of a short text the run holds the map')
  act.selectCell({ query: 3, key: 2 })
  await settled()
  assert.deepEqual(types(store), ['open', 'run', 'why', 'cell', 'reasons'])
  act.goToPlace({ ...store.state.settings.at, detail: ['q', 5] })
  await settled()
  assert.deepEqual(types(store), ['open', 'run', 'why', 'cell', 'number'])
  assert.match(store.link(), /at=2\.2%3A4%3E3%2Fq%2F5/)
  assert.equal(store.state.got.number?.is === 'here' && store.state.got.number.value.weight.length, 48)
})

test('with a long text the map of a head requests its tiles, a word its links; another word does not run the model again', async () => {
  const { store, act, settled, shown } = start()
  const config = { ...JSON.parse(folderText('llama-tiny-sharded', 'config.json')), max_position_embeddings: 2048 }
  act.bring([
    ...folder('llama-tiny-sharded').filter(({ name }) => name !== 'config.json'),
    new File([JSON.stringify(config)], 'config.json'),
  ])
  await settled()
  act.type(Array(60).fill(TEXT).join(' '))
  await settled()
  const { run } = shown()
  const maps = run?.maps[''] ?? assert.fail()
  assert.ok(maps.rows > 128 && maps.cells && maps.height === 64)
  const head = /** @type {const} */ ({ stack: '', layer: 1, head: 1 })
  act.openHead(head)
  assert.deepEqual(types(store), ['open', 'run', 'why', 'profile'])
  const tile = { rows: [8, 10], columns: [0, 3], resolution: [2, 3] }
  act.show({ tiles: [/** @type {any} */ (tile)] })
  act.selectWord(9, false, 'queries')
  await settled()
  const name = 'tile: 2.2 8 10 0 3 2 3'
  assert.deepEqual(types(store), ['open', 'run', 'why', 'looks', 'profile', name])
  const made = store.state.got[/** @type {'tile:1'} */ (name)]
  assert.ok(made?.is === 'here' && /** @type {any} */ (made.value).data.length === 6)
  const looks = store.state.got.looks
  assert.ok(looks?.is === 'here' && looks.value.from.every(link => link.query === 9 && link.layer === 1))
  const { run: at9 } = shown()
  assert.deepEqual([at9?.row, at9?.milliseconds], [9, run?.milliseconds], 'the run is the same one')
  assert.notDeepEqual(at9?.top, run?.top)
  act.show({ tiles: [] })
  assert.ok(!types(store).includes(name))
  act.openHead()
  await settled()
  assert.ok(store.state.got.looks?.is === 'here' && store.state.got.looks.value.from.length === 12, 'in every head')
})

test('a new text ends the details of the old one that are not here yet, and keeps the others drawn', async () => {
  const { store, act, settled } = await begin()
  const why = () => store.state.got.why?.is
  act.type(`${TEXT} and`)
  assert.equal(why(), 'here', 'what is drawn stays')
  while (store.state.got.run?.is !== 'here') await new Promise(resolve => setTimeout(resolve))
  assert.equal(why(), 'waiting')
  act.type(`${TEXT} or`)
  assert.equal(why(), undefined)
  await settled()
  assert.equal(why(), 'here')
})

test('when a head is switched off, the run stays, the changed one is requested, and Undo drops it', async () => {
  const { store, act, settled, shown } = await begin()
  const before = shown().run
  act.change(readChanges('2.2=0'))
  assert.deepEqual(types(store).slice(0, 3), ['open', 'run', 'changed'])
  assert.equal(shown().run, before, 'the old picture stays meanwhile')
  await settled()
  assert.equal(shown().runBefore, before)
  assert.equal(shown().run?.top[0].token, '(')
  assert.match(store.link(), /changes=2\.2%3D0/)
  act.show({ showing: 'before' })
  assert.equal(shown().run, before)
  store.travel('undo', 0)
  assert.deepEqual([store.state.got.changed, shown().run], [undefined, before])
  store.travel('undo', 1)
  assert.equal(writeChanges(store.state.settings.changes), '2.2=0')
})

test('with changes, the runs of a newer text are drawn when both are here', async () => {
  const { store, act, settled, shown } = await begin()
  act.change(readChanges('2.2=0'))
  await settled()
  const older = shown()
  act.type('The dog')
  while (store.state.got.run?.is !== 'here') {
    assert.equal(shown().runAfter, older.runAfter)
    await new Promise(resolve => setTimeout(resolve))
  }
  if (store.state.got.changed?.is === 'waiting') assert.equal(shown().runBefore, older.runBefore)
  await settled()
  assert.deepEqual(shown().runBefore?.ids, shown().runAfter?.ids)
  assert.notDeepEqual(shown().runBefore?.ids, older.runBefore?.ids)
})

test('after the changes were taken back, the next change shows no older run with changes', async () => {
  const { store, act, settled, shown } = await begin()
  act.change(readChanges('2.2=0'))
  await settled()
  act.change([])
  act.change(readChanges('1.1=0'))
  assert.equal(shown().runAfter, undefined, 'of the same text')
  await settled()
  act.change([])
  act.type('The dog')
  await settled()
  act.change(readChanges('2.2=0'))
  assert.equal(shown().runAfter, undefined, 'of another text')
  assert.equal(shown().runBefore, store.state.got.run?.is === 'here' && store.state.got.run.value)
  await settled()
  assert.ok(shown().runAfter)
})

test('Back and Forward go through head, cell and its parts; Undo leaves them alone', async () => {
  const { store, act } = await begin()
  act.openHead({ stack: '', layer: 1, head: 2 })
  act.selectCell({ query: 3, key: 2 })
  act.goToPlace({ ...store.state.settings.at, detail: ['term', 4] })
  act.change(readChanges('1.1=0'))
  store.travel('place', 0)
  assert.equal(store.state.settings.at.detail, undefined)
  store.travel('place', 0)
  assert.equal(store.state.settings.at.cell, undefined)
  store.travel('place', 1)
  store.travel('undo', 0)
  assert.deepEqual(store.state.settings.at.cell, { matrix: 'weights', row: 3, column: 2 })
  assert.deepEqual(store.state.settings.changes, [])
})

test('Undo restores a text that was typed over, without the state of the newer one, and Redo restores the newer one', async () => {
  const { store, act, settled, shown } = await begin()
  act.readDraft('The dog')
  await settled()
  act.selectWord(1, false, 'queries')
  act.takeWord(shown().run?.top[0].id ?? 0)
  await settled()
  store.travel('undo', 0)
  const { settings, view } = store.state
  assert.deepEqual([settings.prompt, settings.generated, view.query], [TEXT, [], undefined])
  store.travel('undo', 1)
  assert.equal(shown().text, 'The dog')
})

test('a waiting long text stays available when Undo leads to an earlier one', async () => {
  const { store, act } = await begin()
  act.type('The dog')
  act.type(CHAPTER)
  store.travel('undo', 0)
  assert.deepEqual([store.state.view.draft, store.state.view.setAside], [undefined, CHAPTER])
})

test('in another model Undo restores earlier texts, but no change of the earlier model', async () => {
  const { store, act, settled, shown } = await begin()
  act.change(readChanges('2.2=0'))
  act.type('The dog wrote')
  await settled()
  act.bring(folder('qwen3-tiny-bf16'))
  await settled()
  assert.deepEqual([shown().text, store.state.settings.changes], ['The dog wrote', []], 'the text goes along')
  store.travel('undo', 0)
  await settled()
  assert.deepEqual([shown().text, shown().openModel?.type, store.state.settings.changes], [TEXT, 'qwen3', []])
  store.travel('undo', 1)
  act.bring(folder('gpt2-tiny'))
  await settled()
  assert.equal(shown().text, 'The dog wrote', 'the text that the model was left with')
  assert.equal(writeChanges(store.state.settings.changes), '2.2=0')
  store.travel('undo', 0)
  assert.equal(writeChanges(store.state.settings.changes), '2.2=0', 'a change of this model is not taken back')
})

test('the reader’s text stays available while a story shows another one', async () => {
  const tour = [{ id: 'a', prompt: 'The king wrote', layer: 1, head: 1, kind: 'previous' }]
  const { store, act, settled } = start()
  act.bring(folder('gpt2-tiny', { 'about.json': JSON.stringify({ tour }) }))
  await settled()
  act.type('The dog')
  act.goTo(0)
  assert.equal(store.state.view.setAside, 'The dog')
})

test('Escape closes one thing at a time: marquee, cell, head, selected token', async () => {
  const { store, act } = await begin()
  const goBack = () => store.update(room.keys?.Escape(store.state))
  act.selectWord(3, false, 'queries')
  act.openHead({ stack: '', layer: 1, head: 2 })
  act.selectCell({ query: 3, key: 2 })
  act.show({ chosen: [{ layer: 0, head: 0 }] })
  goBack()
  assert.deepEqual(store.state.view.chosen, [])
  goBack()
  assert.deepEqual(store.state.settings.at, { head: { stack: '', layer: 1, head: 2 } })
  goBack()
  assert.deepEqual(store.state.settings.at, {})
  goBack()
  assert.equal(store.state.view.query, undefined)
})

test('generation asks once; each step grows the text, the maps and the link; then the whole text is run', async () => {
  const { store, act, settled, shown } = await begin()
  const { maps } = /** @type {any} */ (shown().run)
  act.generate(3)
  assert.ok(isGenerating(store.state))
  const rows = new Set()
  while (isGenerating(store.state)) {
    rows.add(shown().run?.maps['']?.rows)
    const asked = room.needs(store.state).find(({ type }) => type === 'run')
    assert.equal(asked?.type === 'run' && asked.input.more.length, 0, 'the run of the text is the same while it grows')
    await new Promise(resolve => setTimeout(resolve))
  }
  await settled()
  assert.ok(rows.has(10) && maps[''].rows === 10)
  assert.equal(store.state.settings.generated.length, 3)
  assert.deepEqual(
    store.state.settings.generated,
    store.state.view.steps.map(({ id }) => id),
  )
  assert.equal(shown().run?.ids.length, 13)
  assert.equal(shown().run?.maps['']?.rows, 13)
  assert.equal(store.state.view.grown, undefined)
  act.forget()
  await settled()
  assert.equal(shown().run?.ids.length, 10)
})

test('generation that is stopped keeps its tokens', async () => {
  const { store, act, settled, shown } = await begin()
  act.generate(50)
  while (store.state.settings.generated.length < 2) await new Promise(resolve => setTimeout(resolve))
  act.generate(50) // the button is labelled Stop
  await settled()
  const { length } = store.state.settings.generated
  assert.ok(length >= 2 && length < 50, `${length}`)
  assert.equal(shown().run?.ids.length, 10 + length)
  assert.equal(failureOf(store.state), undefined)
})

test('another text or another model ends generation: the new text gets no token of the old one', async () => {
  const { store, act, settled, shown } = await begin()
  act.generate(50)
  while (store.state.settings.generated.length < 2) await new Promise(resolve => setTimeout(resolve))
  act.type('The dog')
  assert.ok(!isGenerating(store.state))
  await settled()
  assert.deepEqual([store.state.settings.generated, shown().run?.ids.length], [[], 3])
  act.generate(50)
  while (store.state.settings.generated.length < 2) await new Promise(resolve => setTimeout(resolve))
  act.bring(folder('llama-tiny-sharded'))
  await settled()
  assert.ok(!isGenerating(store.state))
  assert.deepEqual(store.state.settings.generated, [])
})

test('generation stops at the end of the context, and a number out of range becomes the nearest one, with a message', async () => {
  const { store, act, settled, shown } = await begin()
  act.sample('count', 1e9, 1, 500)
  const { sampling, sampleLimit } = store.state.view
  assert.deepEqual([sampling.count, sampleLimit], [500, { name: 'count', least: 1, most: 500 }])
  act.generate()
  await settled()
  assert.equal(failureOf(store.state), undefined)
  assert.equal(shown().run?.ids.length, 64, 'all positions of the model')
  act.sample('count', 3, 1, 500)
  assert.equal(store.state.view.sampleLimit, undefined)
})

test('a model that cannot be opened leaves the one before, and its problem ends with the next run', async () => {
  const { store, act, settled, shown } = await begin()
  const before = shown()
  act.bring([new File(['{"model_type":"mamba"}'], 'config.json')])
  await settled()
  assert.match(String(failureOf(store.state)?.problem.params?.message), /"mamba" is not covered/)
  assert.equal(failureOf(store.state)?.isRefused, true)
  assert.equal(shown().openModel, before.openModel)
  assert.equal(shown().run, before.run)
  assert.deepEqual(
    Object.keys(store.state.view.imported),
    [before.openModel?.name],
    'what failed is no model of the list',
  )
  act.type('The dog')
  await settled()
  assert.equal(failureOf(store.state), undefined)
  assert.notEqual(shown().run, before.run)
})

test('a name that cannot be opened is refused before any model is open, and the refusal ends with one that can', async () => {
  const { store, act, settled } = start()
  act.openTyped('no such model')
  assert.equal(failureOf(store.state)?.problem.key, 'modelsNoSuch')
  act.bring(folder('gpt2-tiny'))
  assert.equal(failureOf(store.state), undefined)
  await settled()
  assert.equal(failureOf(store.state), undefined)
})

test('a checkpoint that is too large is offered as a smaller type; Cancel leaves the model before', async () => {
  const { store, act, settled, shown } = start('', { mostBytes: 300_000 })
  act.bring(folder('gpt2-tiny'))
  await settled()
  assert.equal(failureOf(store.state)?.problem.key, 'modelsLarge')
  act.dismiss()
  assert.equal(failureOf(store.state), undefined)
  act.openSmaller('int8')
  await settled()
  assert.equal(shown().openModel?.dtype, 'int8')
})

test('a link to an imported model asks for its files, and then shows its state', async () => {
  const one = await begin()
  one.act.change(readChanges('2.2=0'))
  one.act.openHead({ stack: '', layer: 1, head: 1 })
  const { store, act, settled, shown } = start(one.store.link())
  assert.deepEqual(failureOf(store.state)?.problem, { key: 'modelsAsk', params: { name: 'gpt2' } })
  act.bring(folder('gpt2-tiny'))
  await settled()
  assert.equal(store.link(), one.store.link())
  assert.deepEqual(shown().head, { stack: '', layer: 1, head: 1 })
  assert.equal(shown().run?.top[0].token, '(')
  // Another model has other words and heads, so its link keeps only the text.
  act.bring(folder('qwen3-tiny-bf16'))
  await settled()
  assert.match(
    store.link(),
    /^checkpoint=qwen3%7E[0-9a-f]{12}&prompt=The\+cat\+that\+chased\+the\+dog$/,
    'the text goes along',
  )
  // The reader goes back in the browser; the files are still there.
  store.follow(one.store.link())
  await settled()
  assert.equal(shown().openModel?.type, 'gpt2')
  assert.equal(shown().run?.top[0].token, '(')
})

test('the story of a folder goes from stop to stop and clears the histories', async () => {
  const tour = [
    { id: 'a', prompt: TEXT, layer: 1, head: 1, kind: 'previous' },
    { id: 'b', prompt: 'The king wrote', layer: 2, head: 0, kind: 'pronoun' },
  ]
  const { store, act, settled, shown } = start()
  act.bring(folder('gpt2-tiny', { 'about.json': JSON.stringify({ tour }) }))
  await settled()
  assert.equal(shown().text, TEXT, 'the first text is that of the story')
  act.goTo(0)
  act.change(readChanges('2.2=0'))
  assert.equal(store.can().undo, true)
  act.goTo(1)
  await settled()
  assert.deepEqual([shown().text, shown().head?.layer, store.can().undo], ['The king wrote', 2, false])
  assert.deepEqual(store.state.settings.changes, [])
})

test('a head goes to One layer with the matrices of its layer; a typed sentence is offered to other rooms', async () => {
  const { act, effects, settled } = await begin()
  assert.deepEqual(effects.at(-1), { type: 'offer', what: { type: 'sentence', text: TEXT } })
  act.openHead({ stack: '', layer: 1, head: 1 })
  act.openInLayer('back')
  await settled()
  const { to, what } = effects.at(-1)
  assert.deepEqual([to, what.type, what.head, what.mask, what.from], ['layer', 'head', 1, 'causal', 'back'])
  assert.deepEqual(what.tensors.q.dims, [4, 10, 12])
  assert.equal(what.tokens.length, 10)
})

test('the second head that is chosen is subtracted from the first; a second token ranks the heads', async () => {
  const { store, act, shown } = await begin()
  act.chooseHead({ stack: '', layer: 1, head: 0 }, true)
  assert.deepEqual(store.state.view.marked, { layer: 1, head: 0 })
  act.chooseHead({ stack: '', layer: 0, head: 3 }, true)
  assert.deepEqual(shown().head, { stack: '', layer: 1, head: 0 })
  assert.deepEqual([store.state.view.picture, store.state.view.against], ['difference', { layer: 0, head: 3 }])
  act.selectWord(7, false, 'queries')
  act.selectWord(2, true, 'queries')
  assert.deepEqual([store.state.view.query, store.state.view.keyWord, store.state.view.rankBy], [7, 2, 'example'])
  act.selectWord(7, false, 'queries')
  assert.deepEqual([store.state.view.keyWord, store.state.view.rankBy], [undefined, undefined])
})

test('after a lost worker the picture stays, nothing is requested, and a restart has the same model, text and changes', async () => {
  /** @type {any[]} */
  const workers = []
  /** Makes a worker whose session runs in this process. */
  const worker = () => {
    /** @type {any} */
    const own = { sent: [], isEnded: false, terminate: () => (own.isEnded = true) }
    own.ready = Promise.all([import('../../web/shell/port.js'), room.session.handlers(qkv)]).then(
      ([{ serve }, handlers]) =>
        serve(
          () => handlers,
          data => {
            if (!own.isEnded) own.onmessage({ data })
          },
        ),
    )
    own.postMessage = async (/** @type {any} */ message) => {
      own.sent.push(message)
      ;(await own.ready)(message)
    }
    workers.push(own)
    return own
  }
  const store = createStore(room, { qkv, worker })
  const settled = async () => {
    do await new Promise(resolve => setTimeout(resolve))
    while (Object.values(store.state.got).some(got => got?.is === 'waiting'))
  }
  store.act.bring(folder('gpt2-tiny'))
  await settled()
  store.act.type(TEXT)
  store.act.change(readChanges('2.2=0'))
  await settled()
  const { run } = shownOf(store.state)
  assert.equal(run?.top[0].token, '(')
  workers[0].onerror({ message: 'out of memory' })
  assert.equal(workers[0].isEnded, true)
  const { problem, isLost } = failureOf(store.state) ?? {}
  assert.deepEqual([problem?.key, problem?.params?.message, isLost], ['workerLost', 'out of memory', true])
  assert.equal(shownOf(store.state).run, run, 'what was computed stays drawn')
  assert.equal(shownOf(store.state).openModel?.type, 'gpt2')
  await new Promise(resolve => setTimeout(resolve, 320)) // time in which nothing may be requested again
  assert.equal(workers.length, 1, 'nothing is asked for again by itself')
  store.act.startAgain()
  await settled()
  assert.equal(workers.length, 2)
  assert.deepEqual(
    workers[1].sent.map((/** @type {any} */ { request }) => request?.type),
    ['open', 'run', 'changed', 'why'],
  )
  assert.equal(failureOf(store.state), undefined)
  assert.deepEqual(shownOf(store.state).run?.top, run?.top)
  store.close()
})

const CHAPTER = 'The king wrote that the cat had chased the dog through the garden. '.repeat(31)

test('a long text is counted before it is read; one that takes long waits for the reader, with its time by the runs so far', async () => {
  const { store, act, settled, shown } = start('', {}, 1)
  const files = folder('qwen3-tiny-bf16')
  const config = JSON.parse((await files.find(({ name }) => name === 'config.json')?.text()) ?? '')
  const longer = new File([JSON.stringify({ ...config, max_position_embeddings: 4096 })], 'config.json')
  act.bring([longer, ...files.filter(({ name }) => name !== 'config.json')])
  await settled()
  act.type('The king')
  await settled()
  const { id } = /** @type {any} */ (shown().openModel)
  const { timed } = store.state.view
  assert.ok(timed?.model === id && Number(timed?.tokens) >= Number(shown().run?.ids.length))
  act.show({ mostBytes: 1e9, timed: { model: id, tokens: 100, milliseconds: 1e6 } })
  const before = shown().run
  act.type(CHAPTER)
  assert.ok(types(store).includes('count'))
  assert.ok(store.state.settings.prompt === 'The king' && store.state.view.draft === CHAPTER)
  await settled()
  const { tokens, fitting } = /** @type {any} */ (store.state.got.count).value
  assert.ok(tokens > 600 && fitting === CHAPTER, `${tokens}`)
  assert.equal(shown().run, before, 'the run before stays, and nothing runs')
  act.dropDraft()
  assert.equal(store.state.view.draft, undefined)
  act.type(CHAPTER)
  await settled()
  act.readDraft(CHAPTER)
  assert.equal(store.state.view.draft, undefined)
  await settled()
  assert.equal(shown().run?.ids.length, tokens)
  assert.equal(store.state.view.timed?.tokens, tokens, 'the longest run is the measure')
  act.show({ timed: { model: id, tokens, milliseconds: 1000 } })
  act.type(`${CHAPTER} Then`)
  while (store.state.view.draft !== undefined) await new Promise(resolve => setTimeout(resolve))
  assert.ok(store.state.settings.prompt?.endsWith('Then'), 'what takes a moment is read at once')
  await settled()
})

test('a run that the reader cancels is cancelled at once, and nothing of it is heard later; it can be run again', async () => {
  const { store, act, settled, shown } = await begin()
  const before = shown().run
  act.type('The king wrote')
  act.cancel('run')
  assert.equal(store.state.got.run?.is, 'cancelled')
  for (let n = 0; n < 50; n++) await new Promise(resolve => setTimeout(resolve))
  assert.deepEqual([store.state.got.run?.is, shown().run], ['cancelled', before])
  act.runAgain()
  await settled()
  assert.notEqual(shown().run, before)
})

test('for a text beyond the limit the message has both numbers, the text stays in the field, and its beginning can be read', async () => {
  const { store, act, settled, shown } = await begin()
  act.type(CHAPTER)
  await settled()
  const { tokens, fitting } = /** @type {any} */ (store.state.got.count).value
  assert.ok(tokens > 64)
  assert.ok(shown().run?.ids.length === 10 && store.state.view.draft === CHAPTER)
  assert.ok(CHAPTER.startsWith(fitting))
  act.readDraft(fitting)
  await settled()
  assert.ok(Number(shown().run?.ids.length) > 55 && Number(shown().run?.ids.length) <= 64)
  assert.equal(failureOf(store.state), undefined)
})

test('a typed text stays available when its beginning is read, when it is dropped, and when a model has another one', async () => {
  const { store, act, settled, shown } = await begin()
  act.type(CHAPTER)
  await settled()
  act.readDraft(/** @type {any} */ (store.state.got.count).value.fitting)
  assert.equal(store.state.view.setAside, CHAPTER)
  act.bringBack()
  assert.deepEqual([store.state.view.draft, store.state.view.setAside], [CHAPTER, undefined])
  act.dropDraft()
  assert.equal(store.state.view.setAside, CHAPTER)

  act.type('The king')
  act.bring(folder('distilbert-sst-tiny'))
  await settled()
  assert.equal(shown().text, 'The king', 'it goes along')
  act.type('The queen')
  await settled()
  act.bring(folder('gpt2-tiny'))
  await settled()
  assert.equal(shown().text, 'The king', 'the model has the text that it was left with')
  assert.equal(store.state.view.setAside, 'The queen')
  act.bringBack()
  await settled()
  assert.equal(shown().text, 'The queen')
})

test('a text file becomes the text; other files are still a model', async () => {
  const { store, act, settled, shown } = await begin()
  act.bring([new File(['The dog wrote'], 'chapter.txt')])
  await settled()
  assert.equal(shown().text, 'The dog wrote')
  assert.equal(shown().openModel?.type, 'gpt2')
  act.bring([new File([CHAPTER], 'long.TXT')])
  await settled()
  assert.ok(store.state.view.draft === CHAPTER)
})

test('the time of a text is that of a measured run, grows with its length, and is not known before one', async () => {
  const { secondsOf, mostTokens } = await import('../../web/rooms/models/long-text/limits.js')
  const stack = { layers: 12, numHeads: 12, numKvHeads: 12, headDim: 64 }
  const model = /** @type {any} */ ({
    id: 'a',
    stacks: { decoder: stack },
    parameters: 124e6,
    vocab: 50257,
    positions: 1024,
    bytes: 250e6,
  })
  const timed = { model: 'a', tokens: 100, milliseconds: 800 }
  assert.equal(secondsOf(model, timed, 100), 0.8)
  const [twice, ten] = [200, 1000].map(tokens => Number(secondsOf(model, timed, tokens)))
  assert.ok(twice > 1.2 && twice < 1.9 && ten > 7 && ten < 16, `${twice} ${ten}`)
  assert.equal(secondsOf(model, { ...timed, model: 'b' }, 100), undefined)
  assert.equal(
    secondsOf(model, { ...timed, tokens: 7 }, 1000),
    undefined,
    'a run of a few words says nothing of a chapter',
  )
  const half = Number(secondsOf(model, { ...timed, least: 400 }, 200))
  assert.ok(Math.abs(half - (0.4 + twice / 2)) < 1e-9, 'what the shortest run has taken does not grow with the text')
  assert.equal(secondsOf(model, undefined, 100), undefined)
  // The first run is slow, but the measured rate of a matrix product shows that later runs will not be.
  const cold = { ...timed, milliseconds: 8000 }
  assert.ok(Number(secondsOf(model, cold, 200)) > 8)
  const known = Number(secondsOf(model, cold, 200, 2e10))
  assert.ok(known > 0.75 && known < 3, `${known} s; 1.5 follow from a later run`)
  assert.equal(secondsOf(model, timed, 200, 1e8), twice, 'a product that was measured on a busy computer')
  assert.equal(mostTokens(model, 3.5e9), 1024)
  // q and k of all layers are kept only if they take at most 512 MiB.
  const [own, kept] = [4 * 768 * 33 + 68 * 144, 4 * 24 * 64 * 12]
  const mostIn = (/** @type {number} */ bytes) => mostTokens({ ...model, positions: Infinity }, 250e6 + 2 ** 26 + bytes)
  assert.equal(mostIn(1e9), Math.floor(1e9 / (own + kept)))
  assert.equal(mostIn(3e9), Math.floor((3e9 - 2 ** 29) / own))
  const edge = Math.floor(2 ** 29 / kept)
  assert.ok(Math.abs(mostIn(edge * own + 2 ** 29) - edge) <= 1)
  assert.equal(mostTokens({ ...model, positions: Infinity }, 1e6), 0)
})

/** Makes a tokenizer.json in which each of these words is a token. @param {string[]} words @param {boolean} hasUnknown */
const tokenizerOf = (words, hasUnknown) => ({
  version: '1.0',
  added_tokens: [],
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordLevel',
    vocab: Object.fromEntries((hasUnknown ? ['<unk>', ...words] : words).map((word, id) => [word, id])),
    unk_token: '<unk>',
  },
})

/** Makes gpt2-tiny with other words. @param {string[]} words @param {boolean} [hasUnknown] */
const speaking = (words, hasUnknown = true) => [
  ...folder('gpt2-tiny').filter(({ name }) => !name.startsWith('tokenizer')),
  new File([JSON.stringify(tokenizerOf(words, hasUnknown))], 'tokenizer.json'),
]
const CHINESE = ['猫', '狗', '追', '看', '这', '那', '大']

test('the text can be emptied: then nothing runs, and the run before stays', async () => {
  const { store, act, settled, shown } = await begin()
  const { run } = shown()
  act.type('')
  assert.equal(shown().text, '')
  await settled()
  assert.equal(failureOf(store.state)?.problem.key, 'modelsNoText')
  assert.equal(shown().run, run)
  act.type('The dog')
  assert.equal(failureOf(store.state), undefined)
})

test('a model of another language opens with a text of its own words', async () => {
  for (const hasUnknown of [true, false]) {
    const { store, act, settled, shown } = start()
    act.bring(speaking(CHINESE, hasUnknown))
    await settled()
    assert.equal(failureOf(store.state), undefined)
    assert.deepEqual([shown().text, shown().run?.tokens], [CHINESE.slice(0, 6).join(' '), CHINESE.slice(0, 6)])
  }
})

test('a word outside the vocabulary is read as <unk> and marked; without <unk> the page shows the reason', async () => {
  const { store, act, settled, shown } = start()
  act.bring(speaking(CHINESE))
  await settled()
  act.type(`${CHINESE[0]} zebra ${CHINESE[1]}`)
  await settled()
  assert.equal(failureOf(store.state), undefined)
  assert.deepEqual([shown().run?.tokens[1], shown().run?.ids, shown().run?.unknown], ['zebra', [1, 0, 2], [1]])
  act.bring(speaking(CHINESE, false))
  await settled()
  act.type('zebra')
  await settled()
  assert.deepEqual(failureOf(store.state)?.problem, {
    key: 'modelsCannotRead',
    params: { count: 384 },
    code: undefined,
  })
})

test('a model has its text and changes again when it is open again, and one name however it was opened', async () => {
  const { store, act, settled, shown } = await begin()
  act.change(readChanges('2.2=0'))
  const name = store.state.settings.checkpoint
  const { openModel } = shown()
  act.bring(folder('qwen3-tiny-bf16'))
  await settled()
  act.type('The king')
  const other = shown().openModel?.name
  const files = folder('gpt2-tiny')
  for (const file of files) Object.defineProperty(file, 'webkitRelativePath', { value: `my folder/${file.name}` })
  act.bring(files)
  await settled()
  assert.notEqual(shown().openModel, openModel)
  assert.deepEqual([shown().openModel?.name, store.state.settings.checkpoint], [name, name])
  assert.deepEqual([shown().text, writeChanges(store.state.settings.changes)], [TEXT, '2.2=0'])
  act.openTyped(other ?? '')
  await settled()
  assert.equal(shown().text, 'The king')
  assert.deepEqual(Object.keys(store.state.view.imported), [name, other])
})

test('a link opens another model with its head and cell, which the model before does not have', async () => {
  const { store, act, settled, shown } = await begin('marian-tiny')
  const cell = `at=${encodeURIComponent('c1.2:2>3')}`
  const link = `${store.link()}&${cell}`
  act.bring(folder('gpt2-tiny'))
  await settled()
  assert.deepEqual([shown().text, shown().run?.request.input.text], [TEXT, TEXT], 'nothing but the model is another')
  store.follow(link)
  assert.equal(store.drawn.settings.at.head, undefined, 'until then the model before is drawn without it')
  await settled()
  assert.deepEqual(shown().head, { stack: 'cross', layer: 0, head: 1 })
  assert.deepEqual(shown().cell, { query: 1, key: 2 })
  assert.equal(store.link(), link)
})

test('two models of one config have two names', async () => {
  const { act, settled, shown } = await begin()
  const { name } = /** @type {any} */ (shown().openModel)
  const files = await Promise.all(
    folder('gpt2-tiny').map(async file => {
      if (!file.name.endsWith('safetensors')) return file
      const bytes = new Uint8Array(await file.arrayBuffer())
      const start = 8 + Number(new DataView(bytes.buffer).getBigUint64(0, true))
      for (let i = start; i < bytes.length; i += 4) bytes[i] ^= 1
      return new File([bytes], file.name)
    }),
  )
  act.bring(files)
  await settled()
  assert.notEqual(shown().openModel?.name, name)
})

test('tokens are counted as generated in the run that is drawn, also when the next one fails', async () => {
  const { store, act, settled, shown } = await begin()
  act.generate(3)
  await settled()
  assert.equal(shown().generated.length, 3)
  act.type('The dog')
  assert.deepEqual([shown().run?.ids.length, shown().generated.length], [13, 3], 'the old run is still drawn')
  await settled()
  assert.deepEqual([shown().run?.ids.length, shown().generated.length], [3, 0])
  // Sets more generated ids than the model can read, as a link may.
  store.update({ set: { generated: Array(100).fill(5) } })
  await settled()
  assert.equal(failureOf(store.state)?.problem.key, 'modelsTooLong')
  assert.deepEqual([shown().run?.ids.length, shown().generated.length], [3, 0])
})

test('generation ends where the model is full, without a problem', async () => {
  const { store, act, settled, shown } = await begin()
  const { positions = 0 } = shown().openModel ?? {}
  act.generate(500)
  await settled()
  assert.equal(failureOf(store.state), undefined)
  assert.equal(shown().run?.ids.length, positions)
})

test('generation ends at the end token of the model, and nothing is generated after it', async () => {
  const first = await begin()
  first.act.generate(3)
  await first.settled()
  const [, second] = first.store.state.settings.generated
  const config = { ...JSON.parse(folderText('gpt2-tiny', 'config.json')), eos_token_id: [second, 383] }
  const { store, act, settled, shown } = start()
  act.bring([
    ...folder('gpt2-tiny').filter(({ name }) => name !== 'config.json'),
    new File([JSON.stringify(config)], 'config.json'),
  ])
  await settled()
  act.type(TEXT)
  await settled()
  for (const _ of [0, 1]) {
    act.generate(10)
    await settled()
    assert.deepEqual(store.state.settings.generated, first.store.state.settings.generated.slice(0, 2))
  }
  assert.ok(isEnded(shown()))
  act.forget()
  await settled()
  act.generate(1)
  await settled()
  assert.equal(store.state.settings.generated.length, 1)
  assert.ok(!isEnded(shown()))
})

test('an encoder without a masked word predicts nothing, and guesses the token that the reader masks', async () => {
  const { act, settled, shown } = await begin('bert-tiny', 'The cat chased the dog.')
  assert.deepEqual([shown().run?.row, shown().run?.top, shown().openModel?.mask], [-1, [], '[MASK]'])
  const at = shown().run?.tokens.indexOf('dog') ?? -1
  assert.ok(at > 0)
  act.mask(at)
  await settled()
  assert.equal(shown().text, 'The cat chased the [MASK] .')
  assert.ok(shown().run?.tokens[shown().run?.row ?? 0] === '[MASK]' && shown().run?.top.length === 8)
})

test('a head of a model of the page shows its recorded role; heads are ranked by their most prominent score', async () => {
  const { act, settled, shown, store } = start()
  const at = new URL('../../web/trained/stories/', import.meta.url)
  const names = ['about.json', 'config.json', 'model.safetensors', 'tokenizer.json']
  act.bring(names.map(name => new File([readFileSync(new URL(name, at))], name)))
  await settled()
  const about = JSON.parse(readFileSync(new URL('about.json', at), 'utf8'))
  act.type('Lily and Tom are friends . Is he')
  await settled()
  const kind = (/** @type {number} */ layer, /** @type {number} */ head) => kindOf(shown(), { layer, head })
  assert.deepEqual(kind(0, 1), { name: 'pronoun', score: about.figures.heads[1].antecedent, isOfTexts: true })
  assert.deepEqual(kind(2, 0), { name: 'behind', score: about.figures.heads[4].behind.name, isOfTexts: true })
  assert.equal(kind(0, 0)?.name, 'previous', 'no role: the scores of this text tell')
  assert.equal(roleOf(about, 'cross', { layer: 0, head: 1 }), undefined)
  const aligned = { figures: { heads: [{ layer: 0, head: 0, aligned: 0.9, weight: 0.8 }] } }
  assert.deepEqual(roleOf(aligned, 'cross', { layer: 0, head: 0 }), { name: 'aligned', score: 0.8 })
  assert.equal(roleOf(aligned, '', { layer: 0, head: 0 }), undefined)

  // The head that copies the name has the largest `further` score, and a small induction score. Unknown words count as no repetition.
  act.type('The fox is called vi ta mo . The owl is called ka su ni . Vi ta')
  await settled()
  const { further, induction } = shown().run?.scores[''] ?? {}
  const copies = further?.indexOf(Math.max(...further)) ?? -1
  assert.deepEqual([copies, Number(further?.[copies]) > 0.3, Number(induction?.[copies]) < 0.15], [4, true, true])
  act.type('qwert asdfg zxcvb')
  await settled()
  assert.deepEqual([shown().run?.unknown, Math.max(...(shown().run?.scores['']?.duplicate ?? []))], [[1, 2, 3], 0])
  const first = {
    run: { scores: { '': { induction: new Float32Array([0.9, 0.9]) } } },
    stack: '',
    maps: { numHeads: 1 },
  }
  const said = [0, 1].map(layer => kindOf(/** @type {any} */ (first), { layer, head: 0 })?.name)
  assert.notEqual(said[0], 'induction', 'nothing stands before the first layer')
  assert.equal(said[1], 'induction')
  const measured = (/** @type {number} */ induction) =>
    kindOf(/** @type {any} */ ({ ...first, openModel: { about: { figures: { heads: [{ layer: 1, head: 0, induction }] } } } }), { layer: 1, head: 0 })?.name // biome-ignore format: one line
  assert.notEqual(measured(0.09), 'induction', 'over its test texts it does not copy')
  assert.equal(measured(0.5), 'induction')

  const scores = { previous: [0.5, 0.5, 0.5, 0.6], first: [0.1, 0.1, 0.2, 0.9], duplicate: [], induction: [1, 1, 1, 1] }
  const run = {
    scores: { '': Object.fromEntries(Object.entries(scores).map(([name, all]) => [name, new Float32Array(all)])) },
  }
  const ranking = (/** @type {object} */ view) => rankingOf(/** @type {any} */ ({ run, stack: '', view }))
  assert.equal(ranking(store.state.view), 'first')
  assert.equal(ranking({ rankBy: 'entropy' }), 'entropy')
})

test('Models lists the files of a folder, and mentions, like its card on the front, that a model opens by its name', () => {
  for (const own of [en, zh]) {
    assert.match(own.modelsLocal, /config\.json.*model\.safetensors.*tokenizer\.json.*openai-community\/gpt2/)
    assert.match(own.modelsNameExample, /openai-community\/gpt2/)
  }
  for (const { frontModelsText } of [frontEn, frontZh]) assert.match(frontModelsText, /by its name|按名称/)
})

test('nothing is faded until the reader selects it', () => {
  assert.equal(room.view.least, 0)
})

test('what matters is requested last, because it takes the longest; a value that rounds to zero has no sign', async () => {
  const { store, act, settled } = await begin()
  act.show({ hasMatters: true })
  act.openHead({ stack: '', layer: 1, head: 1 })
  act.selectCell({ query: 3, key: 2 })
  const asked = types(store)
  assert.equal(asked.at(-1), 'matters:heads')
  assert.ok(asked.includes('cell') && asked.includes('reasons'))
  await settled()
  assert.deepEqual(
    [0.25, -0.25, -0.0001, 0].map(x => signed(x, 3)),
    ['+0.250', '−0.250', '0.000', '0.000'],
  )
})

test('without a masked word nothing matters yet, and once a word is chosen no empty result is shown', async () => {
  const { store, act, settled } = await begin('bert-tiny')
  const drawn = () => {
    const { state } = store
    const shown = { ...state, ...shownOf(state), t: keyOf, act }
    return elementsOf(mattersPanel(/** @type {any} */ (shown), /** @type {any} */ (keyOf)))
  }
  act.show({ hasMatters: true })
  await settled()
  act.show({ row: 1 })
  assert.equal(
    drawn().find(({ attributes }) => attributes.id === 'matters-say'),
    undefined,
  )
  await settled()
  assert.match(String(drawn().find(({ attributes }) => attributes.id === 'matters-say')?.text), /mattersSay/)
})

test('what matters can be cancelled while it is computed, and is computed again on request', async () => {
  const { store, act, settled } = await begin()
  act.show({ hasMatters: true })
  const slot = () => store.state.got['matters:heads']
  assert.equal(slot()?.is, 'waiting')
  act.cancel('matters:heads')
  assert.equal(slot()?.is, 'cancelled')
  await settled()
  assert.equal(slot()?.is, 'cancelled', 'it is not asked for again')
  act.runAgain()
  await settled()
  const made = slot()
  assert.equal(made?.is === 'here' && /** @type {any} */ (made.value).exact, 3)
})

test('a panel is computed while the pointer is on its line, before it is opened, if that takes little time', async () => {
  const { store, act, settled } = await begin()
  for (const [name, slot] of /** @type {const} */ ([
    ['matters', 'matters:heads'],
    ['graph', 'graph'],
  ])) {
    assert.ok(!types(store).includes(slot))
    act.show({ ahead: name })
    assert.ok(types(store).includes(slot))
    await settled()
    assert.equal(store.state.got[slot]?.is, 'here')
    const { open } = store.state.got
    assert.ok(open?.is === 'here')
    const large = { ...open, value: { ...open.value, parameters: 124e6 } }
    const needs = room.needs({ ...store.state, got: { ...store.state.got, open: large } })
    assert.ok(!needs.map(slotOf).includes(slot), 'a large model waits for the click')
    act.show({ ahead: '' })
    assert.equal(store.state.got[slot], undefined, 'the pointer has left')
  }
  act.show({ ahead: 'matters' })
  await settled()
  const made = store.state.got['matters:heads']
  act.show({ hasMatters: true, ahead: '' })
  assert.equal(store.state.got['matters:heads'], made, 'nothing is computed again')
})

test('a word of a small vocabulary becomes another of its class, with its capital, and stays selected', async () => {
  const { store, act, settled, shown } = start()
  const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json', 'about.json']
  act.bring(
    names.map(name => new File([readFileSync(new URL(`../../web/trained/stories/${name}`, import.meta.url))], name)),
  )
  await settled()
  act.type('Lily and Tom are friends')
  await settled()
  act.selectWord(3, false, 'queries')
  assert.ok(shown().openModel?.about?.words?.some(words => words.includes('tom') && words.includes('leo')))
  act.exchange(3, 'leo')
  await settled()
  assert.equal(store.state.settings.prompt, 'Lily and Leo are friends')
  assert.deepEqual([store.state.view.query, shown().run?.tokens[3]], [3, 'leo'])
  act.exchange(2, 'a')
  await settled()
  assert.equal(store.state.settings.prompt, 'Lily a Leo are friends')
})

test('when another model is opened, the page no longer waits for the lens that is being saved', {
  timeout: 30_000,
}, async () => {
  const { store, act, settled } = await begin()
  act.setLens('jacobian')
  act.saveLens()
  act.bring(folder('llama-tiny-sharded'))
  await settled()
  assert.notEqual(store.state.got.lensBytes?.is, 'waiting')
})
