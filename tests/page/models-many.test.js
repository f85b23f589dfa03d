// Tests, without a browser, a head over many sentences: its scores are those of each sentence alone, and a dot leads to the map of its sentence.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manyPanel } from '../../web/rooms/models/many/panel.js'
import { spreadOf } from '../../web/rooms/models/many/spread.js'
import { shownOf } from '../../web/rooms/models/shown.js'
import { begin, types } from './models-store.js'
import { having, keyOf } from './template.js'

const SENTENCES = ['The cat sat on the cat', 'The dog that chased the cat', 'A dog', 'The cat sat on the cat']
const head = /** @type {const} */ ({ stack: '', layer: 1, head: 2 })

test('mean and spread are those of a sample', () => {
  const { n, mean, spread } = spreadOf([0.2, 0.4, 0.9])
  assert.deepEqual([n, mean.toFixed(6), spread.toFixed(6)], [3, '0.500000', '0.360555'])
  assert.equal(spreadOf([0.3]).spread, 0)
})

for (const changes of [[], [{ kind: 'hide', isOn: true, ...head, query: 1, key: 0 }]])
  test(`each sentence has the scores that it has alone, ${changes.length ? 'with' : 'without'} the reader’s changes`, async () => {
    const own = await begin()
    const { store, act } = own
    act.openHead(head)
    if (changes.length) act.change(/** @type {any} */ (changes))
    await own.settled()
    assert.ok(!types(store).includes('many'))
    act.show({ hasMany: true, many: `${SENTENCES.join('\n')}\n\n ${'the '.repeat(300)}` })
    await own.settled()
    const got = /** @type {any} */ (store.state.got.many)
    assert.equal(got.is, 'here')
    const { sentences } = got.value
    assert.deepEqual(sentences.slice(0, 3).map((/** @type {any} */ { text }) => text), SENTENCES.slice(0, 3)) // biome-ignore format: one line
    assert.equal(sentences.length, 4, 'a sentence counts once')
    assert.equal(sentences[3].scores, undefined, 'a long one is not read')
    for (const { text, scores } of sentences.slice(0, 3)) {
      act.type(text)
      await own.settled()
      const { run, maps } = own.shown()
      const all = /** @type {any} */ (run?.scores[''])
      const at = head.layer * /** @type {any} */ (maps).numHeads + head.head
      for (const [name, value] of Object.entries(scores))
        assert.ok(Math.abs(value - all[name][at]) < 1e-6, `${text}: ${name}: ${value} is not ${all[name][at]}`)
    }
    const [repeated, , short] = sentences
    assert.ok('induction' in repeated.scores)
    assert.ok('previous' in short.scores)
    store.close()
  })

test('the panel shows mean and spread of the score, and a sentence leads to its map with the head open', async () => {
  const own = await begin()
  const { store, act } = own
  act.openHead(head)
  act.show({ hasMany: true, many: SENTENCES.join('\n'), manyBy: 'previous' })
  await own.settled()
  const t = /** @type {any} */ (Object.assign(keyOf, { elements: {} }))
  const drawn = () => {
    const { state } = store
    return manyPanel(/** @type {any} */ ({ ...state, ...shownOf(state), t, act }), head, /** @type {any} */ (keyOf))
  }
  const { sentences } = /** @type {any} */ (store.state.got.many).value
  const { mean } = spreadOf(sentences.map((/** @type {any} */ { scores }) => scores.previous))
  const [said] = having(drawn(), 'id', 'models-many-mean')
  assert.equal(said.attributes['data-mean'], mean)
  const [first] = having(drawn(), 'aria-pressed')
  const text = SENTENCES.find(each => first.text.endsWith(each))
  first.listeners.click({})
  await own.settled()
  assert.equal(store.state.settings.prompt, text)
  assert.deepEqual(own.shown().head, head)
  assert.equal(store.state.got.many?.is, 'here', 'nothing is measured again')
  store.close()
})
