// What each layer says, in the room "Models", without a browser: the setting, the grid, and what the panel asks for.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from 'qkv'
import { readout } from 'qkv/interpret'
import { loadModel } from 'qkv/models'
import { readLens, writeLens } from '../../web/rooms/models/lens-setting.js'
import { lensGrid } from '../../web/rooms/models/lens-task.js'
import { tokenText } from '../../web/rooms/models/read-text.js'
import { room } from '../../web/rooms/models/room.js'
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

test('the setting holds lens, state and pins, and drops what is not there', () => {
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
  const watch = { signal: new AbortController().signal, onProgress() {}, rest: async () => {} }
  const grid = await lensGrid(model, { ids }, hooks, { lens: 'logit', pins: [7] }, watch)
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
  assert.equal(grid.fittedOn, undefined)
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
      steps.push(done)
    },
    rest: async () => {},
  }
  const ids = [5, 9, 30, 5, 9, 17, 20, 31]
  const asked = /** @type {const} */ ({ lens: 'jacobian', pins: [] })
  const grid = await lensGrid(model, { ids }, {}, asked, watch)
  assert.ok(!grid.isTooLarge)
  assert.deepEqual(
    steps,
    Array.from({ length: 12 }, (_, n) => n + 1),
  )
  assert.deepEqual(grid.fittedOn, { texts: 12, tokens: 48 })
  const logit = await readout(model, 'logit', { ids }, { topK: 10 })
  const last = 2 * ids.length * 10
  assert.deepEqual(grid.ids.slice(last), logit.topIds.data.slice(last))
  assert.notDeepEqual(grid.shares.slice(0, last), logit.topProbabilities.data.slice(0, last))
  await lensGrid(model, { ids: [1, 2] }, {}, asked, watch)
  assert.equal(steps.length, 12)
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
