// Tests, without a browser, "What each layer says" of the room "Models": the setting, the grid, and the requests of the panel.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from 'qkv'
import { readout } from 'qkv/interpret'
import { loadModel } from 'qkv/models'
import { keep, lensBytes, readFile } from '../../web/rooms/models/lens/files.js'
import { readLens, writeLens } from '../../web/rooms/models/lens/setting.js'
import { lensGrid, lensWriters } from '../../web/rooms/models/lens/task.js'
import { room } from '../../web/rooms/models/room.js'
import { tokenText } from '../../web/rooms/models/run/read-text.js'
import { createStore } from '../../web/shell/store.js'
import { Tokenizer } from '../models/tokenizer.js'
import { filesOf } from './golden-files.js'

const qkv = await load()
const folder = fileURLToPath(new URL('../goldens/models/gpt2-tiny/', import.meta.url))
const files = Object.fromEntries(
  readdirSync(folder)
    .filter(name => /^(config|model|tokenizer)/.test(name))
    .map(name => [name, readFileSync(folder + name)]),
)
const sizes = { layers: 3, words: 8, vocab: 384 }

test('the setting contains lens, state and pins, and drops missing ones', () => {
  for (const setting of [
    { lens: 'logit', cell: undefined, pins: [], written: undefined },
    { lens: 'jacobian', cell: { layer: 2, position: 7 }, pins: [17, 203], written: 3 },
  ])
    assert.deepEqual(readLens(writeLens(/** @type {any} */ (setting)), sizes), setting)
  const nothing = { lens: 'logit', cell: undefined, pins: [], written: undefined }
  for (const text of [
    '',
    'x',
    'logit 4.1',
    'logit 1.9',
    'logit 0.0',
    'logit 1.2 x',
    'logit p384',
    'logit p',
    'logit w3',
  ])
    assert.deepEqual(readLens(text, sizes), nothing, text)
  assert.deepEqual(readLens('logit p1.1.2.3.4.5', sizes).pins, [1, 2, 3, 4])
})

test('the grid has the words of the logit lens, with the reader’s changes, and ranks of pins', async () => {
  const model = await loadModel(qkv, files, { tokenizer: Tokenizer })
  const ids = [5, 9, 30, 5, 9, 17, 20, 31]
  const hooks = { 'layers.0.heads.1': 0 }
  const asked = /** @type {const} */ ({ lens: 'logit', file: '', shipped: '', pins: [7], first: 0 })
  const watch = { signal: new AbortController().signal, onProgress() {}, rest: async () => {} }
  const grid = await lensGrid(model, { ids }, hooks, asked, 64, watch)
  assert.ok(!grid.isTooLarge)
  const want = await readout(model, 'logit', { ids }, { topK: 10, tokens: [7], hooks })
  const plain = await readout(model, 'logit', { ids }, { topK: 10 })
  assert.deepEqual([grid.layers, grid.top, grid.ids], [[0, 1, 2], 10, want.topIds.data])
  assert.notDeepEqual(grid.shares, plain.topProbabilities.data)
  assert.deepEqual(grid.ranks, want.ranks?.data)
  assert.deepEqual(
    grid.words,
    ids.map(id => tokenText(model, id)),
  )
  assert.equal(grid.names.get(7), tokenText(model, 7))
  assert.deepEqual(grid.origin, { from: 'logit' })
  const part = await lensGrid(model, { ids }, hooks, { ...asked, first: 3 }, 4, watch)
  assert.ok(!part.isTooLarge)
  assert.deepEqual([part.words, part.count, part.first], [grid.words.slice(3, 7), 8, 3])
  assert.deepEqual(part.ids.slice(0, 40), grid.ids.slice(30, 70))
  model.dispose()
})

test('a Jacobian lens is fitted once, on texts of the model’s own, and its last row is the answer', async () => {
  const model = await loadModel(qkv, files, { tokenizer: Tokenizer })
  /** @type {number[]} */
  const steps = []
  const watch = {
    signal: new AbortController().signal,
    onProgress: (/** @type {{ done: number, total: number }} */ { done, total }) => {
      assert.equal(total, 12)
      if (done > 0) steps.push(done)
    },
    rest: async () => {},
  }
  const ids = [5, 9, 30, 5, 9, 17, 20, 31]
  const asked = /** @type {const} */ ({ lens: 'jacobian', file: '', shipped: '', pins: [], first: 0 })
  const grid = await lensGrid(model, { ids }, {}, asked, 64, watch)
  assert.ok(!grid.isTooLarge)
  assert.deepEqual(
    steps,
    Array.from({ length: 12 }, (_, n) => n + 1),
  )
  assert.deepEqual(grid.origin, { from: 'fit', texts: 12, tokens: 48 })
  const logit = await readout(model, 'logit', { ids }, { topK: 10 })
  const last = 2 * ids.length * 10
  assert.deepEqual(grid.ids.slice(last), logit.topIds.data.slice(last))
  assert.notDeepEqual(grid.shares.slice(0, last), logit.topProbabilities.data.slice(0, last))
  await lensGrid(model, { ids: [1, 2] }, {}, asked, 64, watch)
  assert.equal(steps.length, 12)
  model.dispose()
})

const nowhere = { file: '', shipped: '' }
/** @param {AbortSignal} [signal] @param {(progress: { done: number, total: number }) => void} [onProgress] */
const watching = (signal = new AbortController().signal, onProgress = () => {}) => ({
  signal,
  onProgress,
  rest: async () => {},
})

test('a tuned lens is fitted too; a cancelled fit continues', async () => {
  const model = await loadModel(qkv, files, { tokenizer: Tokenizer })
  const asked = /** @type {const} */ ({ lens: 'tuned', ...nowhere, pins: [], first: 0 })
  const stop = new AbortController()
  /** @type {number[]} */
  const steps = []
  const note = (/** @type {{ done: number, total: number }} */ { done, total }) => {
    assert.equal(total, 240)
    if (done > 0) steps.push(done)
    if (steps.length === 20) stop.abort()
  }
  await assert.rejects(lensGrid(model, { ids: [5, 9, 30] }, {}, asked, 64, watching(stop.signal, note)), {
    name: 'AbortError',
  })
  const before = steps.length
  assert.ok(before >= 20 && before < 30, `${before}`)
  const grid = await lensGrid(model, { ids: [5, 9, 30] }, {}, asked, 64, watching(undefined, note))
  assert.ok(!grid.isTooLarge)
  assert.deepEqual(
    steps,
    Array.from({ length: 240 }, (_, n) => n + 1),
  )
  assert.deepEqual(grid.origin, { from: 'fit', texts: 48, tokens: 48 })
  const logit = await readout(model, 'logit', { ids: [5, 9, 30] }, { topK: 10 })
  assert.deepEqual(grid.ids.slice(-30), logit.topIds.data.slice(-30))
  assert.notDeepEqual(grid.shares.slice(0, 30), logit.topProbabilities.data.slice(0, 30))
  model.dispose()
})

test('a lens that is saved opens as a file, and one that ships by its address; a lens of another model is refused', async () => {
  const model = await loadModel(qkv, files, { tokenizer: Tokenizer })
  const ids = [5, 9, 30, 5, 9, 17]
  const asked = { ids: { ids }, lens: /** @type {const} */ ('jacobian') }
  const fitted = await lensGrid(
    model,
    { ids },
    {},
    { lens: asked.lens, ...nowhere, pins: [3], first: 0 },
    64,
    watching(),
  )
  const { name, data } = await lensBytes(model, { lens: asked.lens, ...nowhere }, watching())
  assert.equal(name, 'jacobian-lens.pt')
  await assert.rejects(lensBytes(model, { lens: 'logit', ...nowhere }, watching()), /no file/)
  const other = await loadModel(qkv, files, { tokenizer: Tokenizer })
  const { signal } = watching()
  const read = (/** @type {BlobPart} */ bytes) => readFile({ source: new File([bytes], 'my.pt'), token: '' }, signal)
  const lens = await read(data)
  assert.deepEqual(keep(other, 'my.pt', lens), { name: 'my.pt', lens: 'jacobian' })
  const shipped = `data:application/octet-stream;base64,${Buffer.from(data).toString('base64')}`
  for (const [from, of] of /** @type {const} */ ([
    ['file', { file: 'my.pt', shipped: '' }],
    ['shipped', { file: '', shipped }],
  ])) {
    const grid = await lensGrid(other, { ids }, {}, { lens: asked.lens, ...of, pins: [3], first: 0 }, 64, watching())
    assert.ok(!grid.isTooLarge && !fitted.isTooLarge)
    assert.equal(grid.origin.from, from)
    assert.deepEqual(grid.ids, fitted.ids)
    assert.ok(grid.shares.every((share, n) => Math.abs(share - fitted.shares[n]) < 2e-3)) // the file has float16
  }
  const llama = await loadModel(
    qkv,
    Object.fromEntries(filesOf('llama3-made').map(path => [basename(path), readFileSync(path)])),
    { tokenizer: Tokenizer },
  )
  assert.throws(() => keep(llama, 'my.pt', lens), /lens/)
  await assert.rejects(read('no zip'), /no file of torch.save/)
  for (const each of [model, other, llama]) each.dispose()
})

test('who wrote a word comes with its rank in each layer, and the parts sum to its score', async () => {
  const model = await loadModel(qkv, files, { tokenizer: Tokenizer })
  const ids = [5, 9, 30, 5, 9, 17]
  const at = { lens: /** @type {const} */ ('logit'), ...nowhere, layer: 1, position: 3, token: 7 }
  const { ranks, layers, parts, rest, score } = await lensWriters(model, { ids }, {}, at, watching())
  const want = await readout(model, 'logit', { ids }, { tokens: [7], positions: [3] })
  assert.deepEqual([layers, ranks], [[0, 1, 2], want.ranks?.data])
  const sum = parts.reduce((total, { share }) => total + share, rest)
  assert.ok(Math.abs(sum - score) <= 1e-5, `${sum} for ${score}`)
  const first = await lensWriters(model, { ids }, {}, { ...at, layer: 0 }, watching())
  const named = first.parts.map(({ kind, layer }) => `${kind} ${layer}`)
  assert.deepEqual(new Set(named), new Set(['embedding 0', 'mlp 0', 'head 0']), 'no part of a later layer')
  model.dispose()
})

test('the open panel asks for its grid, and another text drops the selected state and keeps the pins', async () => {
  const store = createStore(room, { qkv, link: '' })
  const settled = async () => {
    do await new Promise(resolve => setTimeout(resolve))
    while (Object.values(store.state.got).some(got => got?.is === 'waiting'))
  }
  const { act } = store
  act.bring(filesOf('gpt2-tiny').map(path => new File([readFileSync(path)], basename(path))))
  await settled()
  act.type('The cat that chased the dog')
  await settled()
  const got = () => store.state.got.lens
  assert.equal(got(), undefined)
  act.setLens('logit 2.6 p7')
  await settled()
  const lens = got()
  assert.ok(lens?.is === 'here' && !lens.value.isTooLarge)
  assert.deepEqual(lens.value.pins, [7])
  assert.match(store.link(), /lens=logit(\+|%20| )2\.6/)
  act.setLens('logit 2.6 p7 w9')
  await settled()
  const writers = store.state.got.lensWriters
  assert.ok(writers?.is === 'here')
  const { score, parts, rest } = writers.value
  assert.equal(parts.length, 8)
  const sum = parts.reduce((total, { share }) => total + share, rest)
  assert.ok(Math.abs(sum - score) <= 1e-5, `${sum} for ${score}`)
  assert.ok(
    parts.every(({ layer }) => layer < 2),
    'parts below the state',
  )
  act.type('The cat')
  assert.equal(store.state.settings.lens, 'logit p7')
  await settled()
  act.setLens('')
  assert.equal(got(), undefined)
})
