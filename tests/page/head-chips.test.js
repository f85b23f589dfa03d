// Tests, without a room, the texts and effects of the chips of changes and of a head's switches.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChanges, writeChanges } from '../../web/attention-head/changes.js'
import { changeInWords, changesBar } from '../../web/attention-head/changes-bar.js'
import { headButtons, headSelect } from '../../web/attention-head/head-switch.js'
import { elementsOf, having, keyOf, ofClass } from './template.js'

/** @import { Change } from '../../web/attention-head/head.js' */

const t = /** @type {any} */ (keyOf)
const head = /** @type {const} */ ({ stack: '', layer: 1, head: 0 })

/** Makes a bar of changes, and records what its buttons set. @param {string} text @param {object} [more] */
function barOf(text, more = {}) {
  const made = { changes: '' }
  const set = (/** @type {Change[]} */ changes) => {
    made.changes = writeChanges(changes)
  }
  return { made, bar: changesBar({ t, changes: readChanges(text), set, none: 'none yet', ...more }) }
}

test('a chip describes each kind of change, with its tokens if they are known', () => {
  const tokens = { queries: ['a', 'b'], keys: ['c', 'd'], replaced: ['e'] }
  const words = (/** @type {string} */ text, known = tokens) => changeInWords(t, readChanges(text), known)
  assert.equal(words('2.1=0'), 'change.off {"name":"2.1"}')
  assert.equal(words('e2.1=mean'), 'change.mean {"name":"e2.1"}')
  assert.equal(words('2.1=0.5'), 'change.scale {"name":"2.1","factor":0.5}')
  assert.equal(words('2.1:2>1=hide'), 'change.hide {"name":"2.1","query":"b","key":"c"}')
  assert.equal(words('2.1:2>1=hide', /** @type {any} */ ({})), 'change.hideOne {"name":"2.1"}')
  assert.equal(words('2.1:2>1=hide 2.1:2>2=hide'), 'change.hideSeveral {"name":"2.1","count":2}')
  assert.equal(words('2.1:2>9=0.25'), 'change.weight {"name":"2.1","query":"b","key":9,"value":0.25}')
  assert.equal(words('2:*=patch'), 'change.patchAll {"at":"2"}')
  assert.equal(words('d2:1=patch'), 'change.patch {"at":"d2","word":"a","position":1,"other":"e"}')
  assert.equal(words('2:2=patch'), 'change.patchNone {"at":"2","word":"b","position":2,"count":1}')
})

test('a chip switches, scales and removes its changes, all hidden cells of a head at once', () => {
  const text = '2.1=0.5 2.1:2>1=hide 2.1:3>1=hide ~3:*=patch'
  const { made, bar } = barOf(text)
  const switches = having(bar, 'role', 'switch')
  assert.deepEqual(
    switches.map(({ attributes }) => attributes['aria-checked']),
    [true, true, false],
  )
  switches[1].listeners.click({})
  assert.equal(made.changes, '2.1=0.5 ~2.1:2>1=hide ~2.1:3>1=hide ~3:*=patch')
  ofClass(bar, 'change-remove')[1].listeners.click({})
  assert.equal(made.changes, '2.1=0.5 ~3:*=patch')
  const fields = ofClass(bar, 'change-factor')
  assert.equal(fields.length, 1, 'heads alone have a factor')
  fields[0].listeners.change({ target: { value: '-2' } })
  assert.equal(made.changes, '2.1=-2 2.1:2>1=hide 2.1:3>1=hide ~3:*=patch')
  having(bar, 'id', 'changes-restore')[0].listeners.click({})
  assert.equal(made.changes, '')
})

test('without changes there is a note; of many changes 40 are shown; undo and redo appear if they can act', () => {
  const { bar } = barOf('')
  assert.match(elementsOf(bar)[0].text, /none yet/)
  assert.equal(having(bar, 'id', 'changes-restore').length + having(bar, 'id', 'changes-undo').length, 0)
  const many = Array.from({ length: 50 }, (_, i) => `${i + 1}.1=0`).join(' ')
  const { bar: long } = barOf(many, { undo: () => {} })
  assert.equal(ofClass(long, 'change').length, 40)
  assert.match(elementsOf(long)[0].text, /changesMore {"count":10}/)
  assert.equal(having(long, 'id', 'changes-undo').length, 1)
  assert.equal(having(long, 'id', 'changes-redo').length, 0)
})

test('the switches of a head set its output, and show its state', () => {
  let made = ''
  const given = (/** @type {string} */ text) => ({
    t,
    changes: readChanges(text),
    set: (/** @type {Change[]} */ changes, mark = '') => {
      made = `${writeChanges(changes)}${mark && ` (${mark})`}`
    },
  })
  const pressed = (/** @type {string} */ text) =>
    having(headButtons(given(text), head), 'aria-pressed', true).map(({ attributes }) => attributes['data-how'])
  assert.deepEqual(['', '2.1=0', '2.1=mean', '~2.1=0', '2.1=0.5'].map(pressed), [['on'], ['off'], ['mean'], ['on'], []])
  having(headButtons(given('2.2=0'), head), 'data-how', 'mean')[0].listeners.click({})
  assert.equal(made, '2.1=mean 2.2=0')
  having(headButtons(given('2.1=0 2.2=0'), head), 'data-how', 'on')[0].listeners.click({})
  assert.equal(made, '2.2=0')
  const [select] = ofClass(headSelect(given('2.1=0.5'), head), 'head-state')
  assert.equal(select.attributes['.value'], 'scale')
  select.listeners.change({ target: { value: 'off' } })
  assert.equal(made, '2.1=0')
  ofClass(headSelect(given('2.1=0.5'), head), 'head-factor')[0].listeners.input({ target: { value: '1.5' } })
  assert.equal(made, '2.1=1.5 (factor 2.1)')
  assert.equal(ofClass(headSelect(given('2.1=0'), head), 'head-factor').length, 0)
})
