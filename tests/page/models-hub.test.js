// Tests, without a browser, models of the hub in the room "Models": typed names, the question before a download, the link, the kept models. A fake
// hub runs on a loopback port. In Node the room uses the hub of HF_ENDPOINT and keeps models in HF_HOME.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { nothing } from 'lit'
import { load } from 'qkv'
import { inspectModel } from 'qkv/models'
import { parseName } from '../../src/models/hub/hub-name.js'
import { readChanges, writeChanges } from '../../web/attention-head/changes.js'
import { loadTexts } from '../../web/i18n/index.js'
import { GALLERY } from '../../web/rooms/models/gallery/gallery.js'
import { fitting, hubQuestion } from '../../web/rooms/models/gallery/hub-question.js'
import { rankOf } from '../../web/rooms/models/gallery/look-for.js'
import { namedBy, optionsOf } from '../../web/rooms/models/gallery/model-list.js'
import { secondsOfText } from '../../web/rooms/models/long-text/computer-rate.js'
import { bareName, idOf, meantBy, megabytes, usualDtype } from '../../web/rooms/models/open/sources.js'
import { room } from '../../web/rooms/models/room.js'
import { askedOf, failureOf, shownOf } from '../../web/rooms/models/shown.js'
import { createStore } from '../../web/shell/store.js'
import { startHub } from '../models/hub.js'
import { folderOf } from './gallery-models.js'
import { filesOf } from './golden-files.js'

const qkv = await load()
const read = (/** @type {string} */ name) =>
  Object.fromEntries(filesOf(name).map(path => [basename(path), new Uint8Array(readFileSync(path))]))
const gpt2 = read('gpt2-tiny')
const hub = await startHub({
  'me/tiny': { files: gpt2, branches: ['other'] },
  'me/gated': { files: gpt2, isGated: true },
  'me/bert': { files: read('bert-tiny') },
})
const home = mkdtempSync(join(tmpdir(), 'qkv hub '))
Object.assign(process.env, { HF_ENDPOINT: hub.url, HF_HOME: home, HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' })
after(() => {
  hub.close()
  rmSync(home, { recursive: true })
})

const COMMIT = hub.commitOf('me/tiny')
const TEXT = 'The cat that chased the dog'

/** Makes a store whose session runs in this process. @param {string} [link] @param {Partial<typeof room.view>} [view] */
function start(link = '', view = {}) {
  const store = createStore({ ...room, view: { ...room.view, ...view } }, { qkv, link })
  async function settled() {
    do await new Promise(resolve => setTimeout(resolve))
    while (Object.values(store.state.got).some(got => got?.is === 'waiting'))
  }
  const { got } = store.state
  return { store, act: store.act, settled, got, shown: () => shownOf(store.state) }
}

/** Returns the requests since the last call. */
const requests = () => hub.asked.splice(0).map(({ method, url }) => `${method} ${url}`)
/** Returns the requests for files since the last call. Skips requests for lists of files, which the library makes in Node for a kept commit. */
const files = () => requests().filter(url => !url.includes('/api/models/'))

test('a text of the field is a name on the hub, an address, or neither', () => {
  const meant = [
    ['openai-community/gpt2', { hub: 'hf:openai-community/gpt2' }],
    [' hf:me/tiny@other ', { hub: 'hf:me/tiny@other' }],
    ['https://huggingface.co/google/gemma-3-270m', { hub: 'hf:google/gemma-3-270m' }],
    ['huggingface.co/me/tiny/tree/main', { hub: 'hf:me/tiny' }],
    ['https://huggingface.co/me/tiny/tree/refs%2Fpr%2F1', { hub: 'hf:me/tiny@refs/pr/1' }],
    ['huggingface.co/a/b/tree/%', { hub: 'hf:a/b@%' }],
    ['./models/gpt2', { address: './models/gpt2' }],
    ['https://example.org/model', { address: 'https://example.org/model' }],
    ['me/x-GGUF:Q4_K_M', { hub: 'hf:me/x-GGUF:Q4_K_M' }],
    ['me/x-GGUF/x.Q4_K_M.gguf', { hub: 'hf:me/x-GGUF/x.Q4_K_M.gguf' }],
    ['https://huggingface.co/me/x/blob/main/a/b.gguf?x=1', { hub: 'hf:me/x/a/b.gguf' }],
    ['hf.co/me/x:Q4_K_M', { hub: 'hf:me/x:Q4_K_M' }],
    ['https://huggingface.co/me/x?show_file_info=a%2Fx.Q8_0.gguf', { hub: 'hf:me/x/a/x.Q8_0.gguf' }],
    ['gpt', {}],
    ['two words', {}],
    ['', {}],
  ]
  for (const [text, expected] of meant) assert.deepEqual(meantBy(String(text)), expected, String(text))
  assert.equal(idOf('hf:me/tiny@main~0123456789ab'), 'me/tiny')
  assert.equal(idOf('hf:me/x/a/b.gguf~0123456789ab'), 'me/x/a')
  assert.equal(idOf('hf:me/x:Q8_0'), 'me/x')
  assert.equal(bareName('hf:me/tiny@main~0123456789ab'), 'hf:me/tiny@main')
  assert.deepEqual([0, 40_000, 1_500_000, 34e6, 2.5e9].map(megabytes), [
    '0 bytes',
    '40 KB',
    '1.5 MB',
    '34 MB',
    '2.50 GB',
  ])
})

test('an invalid address is refused; a failed detail is reported, a failed tile by its map', async () => {
  const { store, act, settled } = start()
  act.bring([...filesOf('gpt2-tiny')].map(path => new File([readFileSync(path)], basename(path))))
  await settled()
  Object.assign(globalThis, { document: { baseURI: 'https://example.org/' } })
  act.openTyped('http://')
  Reflect.deleteProperty(globalThis, 'document')
  assert.deepEqual(failureOf(store.state)?.problem, { key: 'modelsNoSuch', params: { text: 'http://' } })
  assert.equal(askedOf(store.state), undefined)
  const problem = { key: /** @type {const} */ ('requestFailed'), params: { message: 'no memory' } }
  const failed = /** @type {const} */ ({ is: 'failed', problem })
  const { state } = start().store
  assert.deepEqual(failureOf({ ...state, got: { 'matters:heads': failed } })?.problem, problem)
  assert.equal(failureOf({ ...state, got: { 'tile:1.1': failed } }), undefined)
  const asked = { id: 1, name: 'hf:me/tiny', checkpoint: '', isAsking: true }
  const question = (/** @type {object} */ got) =>
    hubQuestion(/** @type {any} */ ({ ...state, got, act, t: String }), asked, /** @type {any} */ (String))
  assert.notEqual(question({ look: { is: 'waiting' }, run: failed }), nothing, 'a failed run hides no question')
  assert.equal(question({ look: failed }), nothing, 'it is said above')
})

test('a typed name requests only the size; the download begins when the reader agrees, with the chosen dtype', async () => {
  const { store, act, settled, shown } = start()
  act.bring([...filesOf('qwen3-tiny-bf16')].map(path => new File([readFileSync(path)], basename(path))))
  await settled()
  act.type('The king')
  act.openTyped('me/tiny')
  assert.equal(askedOf(store.state)?.isAsking, true)
  await settled()
  const look = /** @type {any} */ (store.state.got.look).value
  const { bytes, source, download, size, license } = look
  const all = Object.values(gpt2).reduce((sum, { length }) => sum + length, 0)
  assert.deepEqual([source, license, download === size, size <= all], [`hf:me/tiny@${COMMIT}`, 'mit', true, true])
  assert.ok(bytes.int8 < bytes.float16 && bytes.float16 < bytes.stored)
  const { stacks } = await inspectModel('hf:me/tiny')
  const larger = { stacks, parameters: 100 * look.parameters, vocab: 384 }
  assert.ok(look.seconds > 0 && secondsOfText(qkv, larger) > 20 * look.seconds, 'the time before the download')
  assert.equal(shown().openModel?.type, 'qwen3', 'the model before stays open')
  assert.ok(!requests().some(url => /tokenizer/.test(url)))
  act.agree('int8')
  await settled()
  const { openModel } = shown()
  assert.deepEqual([openModel?.type, openModel?.dtype, openModel?.size], ['gpt2', 'int8', size])
  assert.equal(askedOf(store.state), undefined)
  assert.match(
    store.link(),
    new RegExp(`^checkpoint=hf%3Ame%2Ftiny%40${COMMIT}%7E[0-9a-f]{12}&size=${size}&prompt=The\\+king$`),
  )
  requests()
})

test('a model that is kept opens at once, also while the hub does not answer; it is listed with its size and can be deleted', async () => {
  const { store, act, settled, shown } = start()
  hub.break({ of: /./, status: 503 })
  act.openTyped(`hf:me/tiny@${COMMIT}`)
  await settled()
  assert.equal(failureOf(store.state), undefined)
  assert.deepEqual([shown().openModel?.type, shown().openModel?.dtype], ['gpt2', 'float16'], 'the usual type')
  assert.deepEqual(files(), [])
  hub.break()
  act.show({ isListOpen: true })
  await settled()
  const { value } = /** @type {any} */ (store.state.got.kept)
  assert.deepEqual(
    value.map((/** @type {any} */ { id, commit, bytes }) => [id, commit, bytes]),
    [['me/tiny', COMMIT, shown().openModel?.size]],
  )
  act.drop(`hf:me/tiny@${COMMIT}`)
  await settled()
  assert.deepEqual(/** @type {any} */ (store.state.got.kept).value, [])
})

test('a link holds the name, the revision and the changes; it asks once, and nothing is fetched before the reader agrees', async () => {
  const one = start()
  one.act.openTyped('me/tiny@other')
  await one.settled()
  one.act.agree()
  await one.settled()
  one.act.type(TEXT)
  one.act.change(readChanges('2.2=0'))
  await one.settled()
  const link = one.store.link()
  one.act.drop(`hf:me/tiny`)
  await one.settled()
  requests()

  const { store, act, settled, shown } = start(link)
  await settled()
  assert.deepEqual(askedOf(store.state), {
    id: 0,
    name: `hf:me/tiny@${COMMIT}`,
    checkpoint: store.state.settings.checkpoint,
    isAsking: false,
  })
  assert.deepEqual(requests(), [])
  assert.equal(failureOf(store.state), undefined)
  act.agree()
  await settled()
  assert.equal(shown().openModel?.type, 'gpt2', 'it is not asked a second time')
  assert.deepEqual([shown().text, writeChanges(store.state.settings.changes)], [TEXT, '2.2=0'])
  assert.equal(shown().run?.top[0].token, '(')
  assert.equal(store.link(), link)
  requests()

  const again = start(link) // the model is kept now, so the page does not ask before a download
  await again.settled()
  assert.equal(again.shown().run?.top[0].token, '(')
  assert.deepEqual(files(), [])
  again.act.drop('hf:me/tiny')
  await again.settled()
  const lying = start(link.replace(/size=\d+/, 'size=1000'))
  await lying.settled()
  lying.act.agree()
  await lying.settled()
  assert.equal(lying.shown().openModel, undefined, 'a download that is larger than the link says is asked about again')
  lying.act.agree()
  await lying.settled()
  assert.equal(lying.shown().run?.top[0].token, '(')
})

test('a model of the hub that was opened before opens again while it is kept; after it was deleted, the download is confirmed first', async () => {
  const { store, act, settled, shown } = start()
  act.openTyped('me/tiny')
  await settled()
  if (askedOf(store.state)) act.agree()
  await settled()
  const { link } = store
  const before = link()
  const { name } = /** @type {any} */ (shown().openModel)
  const bring = async () => {
    act.bring([...filesOf('qwen3-tiny-bf16')].map(path => new File([readFileSync(path)], basename(path))))
    await settled()
    requests()
  }
  await bring()
  act.openTyped(name)
  await settled()
  assert.equal(shown().openModel?.type, 'gpt2')
  await bring()
  store.follow(before) // the reader goes back in the browser
  await settled()
  assert.deepEqual([shown().openModel?.type, files()], ['gpt2', []])
  await bring()
  act.drop('hf:me/tiny')
  await settled()
  act.openTyped(name)
  await settled()
  assert.deepEqual([shown().openModel?.type, askedOf(store.state)?.isAsking], ['qwen3', true])
  act.refuse()
  store.follow(before)
  await settled()
  assert.deepEqual([shown().openModel?.type, askedOf(store.state)?.isAsking], ['qwen3', false])
})

test('?model=hf:owner/name is confirmed first, like a link', async () => {
  const place = {
    location: { search: '?model=hf:me/tiny', origin: 'http://site' },
    document: { baseURI: 'http://site/' },
  }
  Object.assign(globalThis, place)
  try {
    const { store, act, settled, shown } = start()
    await settled()
    assert.deepEqual([askedOf(store.state)?.name, askedOf(store.state)?.isAsking], ['hf:me/tiny', false])
    act.agree()
    await settled()
    act.agree()
    await settled()
    assert.equal(shown().openModel?.type, 'gpt2')
    assert.match(store.state.settings.checkpoint, /^hf:me\/tiny@/)
    act.openTyped('https://example.org/model')
    assert.equal(failureOf(store.state)?.problem.key, 'modelsOtherSite')
  } finally {
    for (const key of Object.keys(place)) delete (/** @type {any} */ (globalThis)[key])
  }
})

test('a model has one name, whether it was opened from files in another dtype or by name', async () => {
  const { store, act, settled, shown } = start()
  act.bring(Object.entries(gpt2).map(([name, bytes]) => new File([/** @type {BlobPart} */ (bytes)], name)))
  await settled()
  act.type(TEXT)
  act.change(readChanges('2.2=0'))
  await settled()
  const fromFiles = store.state.settings.checkpoint
  act.openTyped('me/tiny')
  await settled()
  if (askedOf(store.state)) act.agree('int8')
  await settled()
  const { checkpoint } = store.state.settings
  assert.match(checkpoint, /^hf:me\/tiny@/, 'the name of the hub, which a link can open')
  assert.equal(checkpoint.slice(-13), fromFiles.slice(-13))
  assert.deepEqual([shown().text, writeChanges(store.state.settings.changes)], [TEXT, '2.2=0'])
  assert.deepEqual(Object.keys(store.state.view.imported), [checkpoint])
  act.bring(Object.entries(gpt2).map(([name, bytes]) => new File([/** @type {BlobPart} */ (bytes)], name)))
  await settled()
  assert.equal(store.state.settings.checkpoint, checkpoint)
})

test('a gated model is reported and takes a token; a missing model and a busy hub give messages', async () => {
  const { store, act, settled, shown } = start()
  act.openTyped('me/gated')
  await settled()
  assert.deepEqual(failureOf(store.state)?.problem.key, 'modelsHub.GATED')
  act.show({ token: 'hf_member' })
  act.agree()
  await settled()
  act.agree()
  await settled()
  assert.equal(shown().openModel?.type, 'gpt2')
  assert.ok(!store.link().includes('hf_member'))
  act.openTyped('me/nothing')
  await settled()
  const { problem, isRefused } = /** @type {any} */ (failureOf(store.state))
  assert.deepEqual([problem.key, isRefused, problem.params.name], ['modelsHub.NOT_FOUND', true, 'me/nothing'])
  assert.doesNotMatch(problem.params.message, /^hf:|\.$/)
  act.openTyped('nothing of that kind')
  assert.equal(failureOf(store.state)?.problem.key, 'modelsNoSuch')
  assert.equal(askedOf(store.state), undefined, 'what was asked of the name before is gone')
})

test('the question mentions that int8 was chosen because the model is large only if float16 does not fit', () => {
  const { store, act } = start()
  const { state } = store
  const bytes = { stored: 400, float16: 210, int8: 120 }
  const look = { type: 'gpt2', parameters: 100, license: 'mit', download: 400, bytes, seconds: 1 }
  const asked = { id: 1, name: 'hf:me/tiny', checkpoint: '', isAsking: true }
  const said = (/** @type {number} */ mostBytes) => {
    const room = {
      ...state,
      view: { ...state.view, mostBytes },
      got: { look: { is: 'here', value: look } },
      act,
      t: String,
    }
    /** @type {string[]} */
    const keys = []
    const g = (/** @type {string} */ key) => {
      keys.push(key)
      return key
    }
    hubQuestion(/** @type {any} */ (room), asked, /** @type {any} */ (g))
    return ['galleryLarge', 'galleryUsual'].filter(key => keys.includes(key))
  }
  assert.deepEqual([300, 200].map(said), [['galleryUsual'], ['galleryLarge', 'galleryUsual']])
})

test('for a model that is too large, the message has the sizes, and models that fit are offered', () => {
  const most = 300e6
  assert.deepEqual(
    fitting(most).map(({ title }) => title),
    ['SmolLM2 135M', 'GPT-2 small', 'BERT base'],
  )
  assert.deepEqual(fitting(1e6), [])
  const bytes = { stored: 400, float16: 210, int8: 120 }
  assert.deepEqual(
    [1000, 300, 200, 100].map(most => usualDtype(bytes, most)),
    ['float16', 'float16', 'int8', 'int8'],
  )
  assert.equal(usualDtype({ stored: 200, float16: 200, int8: 110 }, 1000), '', 'float16 as it is stored')
})

test('the gallery has models of every group, each with a name that the hub takes, sizes, and a source for its heads', () => {
  assert.ok(GALLERY.length >= 14)
  for (const { name, download, memory, heads = [], paper, text, title } of GALLERY) {
    assert.equal(parseName(name).text, name)
    assert.ok(download > memory * 0.9 && memory > 1e6 && text && title, name)
    assert.ok(!heads.length || paper, `${name}: heads without a source`)
  }
  assert.equal(new Set(GALLERY.map(({ name }) => name)).size, GALLERY.length)
  assert.deepEqual([...new Set(GALLERY.map(({ group }) => group))], ['first', 'language', 'encoder', 'translation'])
  const small = GALLERY.find(({ title }) => title === 'GPT-2 small')
  const of = (/** @type {string} */ kind) =>
    small?.heads?.filter(each => each.kind === kind).map(({ layer, head }) => `${layer}.${head}`)
  assert.deepEqual(of('mover'), ['9.9', '9.6', '10.0'], 'as the paper counts')
})

test('every model of the gallery is covered, by its published config and the tensors of its file, and takes the stated memory', async () => {
  for (const { title, download, memory } of GALLERY) {
    const { files, size } = folderOf(title)
    const { bytes } = await inspectModel(files)
    assert.ok(Math.abs(Math.min(bytes.float16, bytes.stored) / memory - 1) < 0.01, `${title}: ${bytes.float16}`)
    // The download contains the tokenizer, too.
    assert.ok(download >= size && download - size < 34e6 && download < 1.07 * size, `${title}: ${size}`)
  }
})

test('the list finds models by any of their words, offers the typed text, and lists kept models', async () => {
  const g = /** @type {any} */ (await loadTexts('en', ['gallery']))
  const t = /** @type {any} */ (await loadTexts('en', ['shell', 'models']))
  const listed = (/** @type {string | undefined} */ typed, /** @type {any} */ kept = []) =>
    optionsOf(/** @type {any} */ ({ t, view: { ...room.view, typed }, got: { kept: { is: 'here', value: kept } } }), g)
  assert.equal(listed(undefined).length, GALLERY.length)
  assert.deepEqual(
    listed('pythia 70').map(({ title }) => title),
    ['Pythia 70M'],
  )
  assert.deepEqual(
    listed('translation').map(({ title }) => title),
    ['T5 small', 'opus-mt en-zh'],
  )
  assert.deepEqual(
    listed('me/tiny').map(({ name }) => name),
    ['hf:me/tiny'],
  )
  assert.deepEqual(
    listed('openai-community/gpt2').map(({ title }) => title),
    ['GPT-2 small', 'GPT-2 medium'],
  )
  assert.deepEqual(
    listed('openai/gpt2').map(({ name }) => name),
    ['hf:openai/gpt2', 'hf:openai-community/gpt2'],
    'the owner is another one',
  )
  // Tries names as people type them. For an unknown one, the list suggests the nearest.
  const named = (/** @type {string} */ typed) =>
    GALLERY.find(
      ({ name }) =>
        name ===
        namedBy(/** @type {any} */ ({ t, view: room.view, got: { kept: { is: 'here', value: [] } } }), g, typed),
    )?.title
  for (const [typed, title] of [
    ['gpt2', 'GPT-2 small'],
    ['GPT-2 small', 'GPT-2 small'],
    ['gpt2 medium', 'GPT-2 medium'],
    ['tinystories', 'TinyStories 33M'],
    ['all-minilm-l6-v2', 'all-MiniLM-L6'],
    ['zzz', undefined],
  ])
    assert.equal(named(String(typed)), title)
  assert.deepEqual([listed('gpt3')[0].title, listed('gpt3')[0].group], ['GPT-2 small', g('galleryGroup.nearest')])
  const kept = [{ id: 'me/tiny', commit: COMMIT, bytes: 2e6 }]
  assert.deepEqual(listed('tiny', kept)[0], {
    group: g('galleryGroup.kept'),
    name: `hf:me/tiny@${COMMIT}`,
    title: 'me/tiny',
    note: '2.0 MB',
  })
})

test('arrow keys go through the list and wrap around; Enter opens the selected model, or the typed name', () => {
  const { store, act } = start()
  const names = ['hf:me/bert', 'hf:me/tiny', 'hf:me/gated']
  act.pick(1, 3)
  assert.deepEqual([store.state.view.isListOpen, store.state.view.picked], [true, -1], 'the first key opens the list')
  act.pick(1, 3)
  act.pick(1, 3)
  assert.equal(store.state.view.picked, 1)
  act.enter('me/other', names)
  assert.equal(askedOf(store.state)?.name, 'hf:me/tiny')
  assert.deepEqual([store.state.view.isListOpen, store.state.view.picked], [false, -1])
  act.refuse()
  act.enter('', names)
  assert.equal(askedOf(store.state), undefined)
  act.pick(-1, 3)
  act.pick(-1, 3)
  assert.equal(store.state.view.picked, 2)
  act.show({ typed: 'me/bert', picked: -1 })
  act.enter('me/bert', ['hf:me/bert'])
  assert.equal(askedOf(store.state)?.name, 'hf:me/bert')
  act.refuse() // otherwise the request would be retried for seconds after the hub is closed
})

test('a known head has the rank that its score has among all heads', () => {
  const maps = { layers: 2, numHeads: 2 }
  const scores = { previous: Float32Array.of(0.1, 0.9, 0.5, 0.4), induction: Float32Array.of(0, 0, 0, 1) }
  const run = /** @type {any} */ ({ maps: { '': maps }, scores: { '': scores } })
  const why = /** @type {any} */ ({ heads: Float32Array.of(3, -2, 1, 0) })
  const rank = (/** @type {any} */ kind, /** @type {number} */ layer, /** @type {number} */ head) => {
    const found = rankOf({ layer, head, kind }, run, why)
    return found && [found.by, found.rank, found.of]
  }
  assert.deepEqual(rank('previous', 1, 0), ['previous', 2, 4])
  assert.deepEqual(rank('induction', 1, 1), ['induction', 1, 4])
  assert.deepEqual(rank('mover', 1, 0), ['adds', 2, 4])
  assert.deepEqual(rank('negative', 0, 1), ['takes', 1, 4])
  assert.equal(rank('noun', 0, 0), undefined)
  assert.equal(rank('previous', 2, 0), undefined, 'the open model has no such layer')
})
