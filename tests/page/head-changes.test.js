// Tests changes to heads: links restore them, a place has at most one, they are sorted in the model's order, and the hidden cells of a head
// form one chip.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  factorOf,
  groupsOf,
  headName,
  hiddenCells,
  isIn,
  isSamePlace,
  readChanges,
  withCell,
  withChange,
  withFactor,
  withoutChange,
  writeChanges,
} from '../../web/attention-head/changes.js'

const head = /** @type {const} */ ({ stack: '', layer: 1, head: 0 })

test('changes of every kind survive a link; invalid ones are left out', () => {
  const text = '2.1=0 2.3=mean ~3.4=0.5 2.1:7>3=hide 2.1:8>3=0.25 2:5=patch 3:*=patch e1.2=0 c2.2:1>9=hide'
  assert.equal(writeChanges(readChanges(text)), text)
  for (const bad of '2.1 x=3 0.1=0 2.0=0 2.1=NaN 2.1:0>1=hide 2.1:1>2=7 2.1:1>2=-0.1 2:0=patch 2.1:3=patch 2=0 2.1=1e9 2.1=boom ='.split(
    ' ',
  ))
    assert.deepEqual(readChanges(bad), [], bad)
  const [off] = readChanges(text)
  const changed = withChange(readChanges('3.1=0 2.1=0.5'), off)
  assert.equal(writeChanges(changed), '2.1=0 3.1=0', 'in the model’s order, one for each place')
})

test('a link has one change for each place, the last one, and no more than 2000', () => {
  assert.equal(writeChanges(readChanges('1.1=0 2.1=0 1.1=0.5')), '1.1=0.5 2.1=0')
  assert.equal(readChanges(Array.from({ length: 5000 }, () => '1.1=0').join(' ')).length, 1)
  assert.equal(readChanges(Array.from({ length: 5000 }, (_, i) => `1.1:${i + 1}>1=hide`).join(' ')).length, 2000)
})

test('an edited weight and a hidden key of one cell are one place, a head and its layer are two', () => {
  const [off, hide, weight, other, patch, all] = readChanges(
    '2.1=0 2.1:7>3=hide d2.1:7>3=0.5 2.1:3>7=hide 2:3=patch 2:*=patch',
  )
  assert.ok(isSamePlace(hide, { ...weight, stack: '' }))
  for (const [a, b] of [
    [off, hide],
    [hide, weight],
    [hide, other],
    [off, patch],
    [patch, all],
  ])
    assert.ok(!isSamePlace(a, b), writeChanges([a, b]))
})

test('the factor of a head is 1 without a change, and while the change is switched off', () => {
  let changes = withFactor([], head, 'mean')
  assert.equal(factorOf(changes, head), 'mean')
  changes = withFactor(changes, head, 0.5)
  assert.equal(writeChanges(changes), '2.1=0.5')
  assert.equal(factorOf(changes, { ...head, stack: 'decoder' }), 1)
  assert.equal(factorOf([{ ...changes[0], isOn: false }], head), 1)
  assert.deepEqual(withFactor(changes, head, 1), [])
})

test('cells of a head are hidden and shown one by one, and are one chip', () => {
  let changes = withFactor(
    withChange([], { kind: 'weight', isOn: true, ...head, query: 3, key: 1, value: 0.5 }),
    head,
    0,
  )
  changes = withCell(withCell(withCell(changes, head, 2, 0, true), head, 2, 1, true), head, 1, 0, true)
  assert.equal(writeChanges(changes), '2.1=0 2.1:2>1=hide 2.1:3>1=hide 2.1:3>2=hide 2.1:4>2=0.5')
  assert.deepEqual(
    groupsOf(changes).map(group => writeChanges(group)),
    ['2.1=0', '2.1:2>1=hide 2.1:3>1=hide 2.1:3>2=hide', '2.1:4>2=0.5'],
  )
  changes = withCell(changes, head, 2, 1, false)
  assert.deepEqual(
    hiddenCells(changes, head).map(({ query, key }) => [query, key]),
    [
      [1, 0],
      [2, 0],
    ],
  )
  const [, suspended] = groupsOf(changes)[1]
  changes = withChange(changes, { ...suspended, isOn: false })
  assert.equal(hiddenCells(changes, head).length, 1, 'a cell that is shown while its change is switched off')
  assert.equal(groupsOf(changes).length, 4, 'what is switched off is a chip by itself')
  assert.equal(withoutChange(changes, suspended).length, changes.length - 1)
})

test('a change of a layer, head or stack that a model lacks is dropped', () => {
  const stacks = { encoder: { layers: 2, numHeads: 3 }, decoder: { layers: 1, numHeads: 3 } }
  const is = (/** @type {string} */ text) => readChanges(text).map(change => isIn(change, stacks))
  assert.deepEqual(is('e2.3=0 d1:*=patch e1.1:1>900=hide'), [true, true, true])
  assert.deepEqual(is('1.1=0 c1.1=0 e3.1=0 e2.4=0 d2:1=patch'), [false, false, false, false, false])
})

test('layers and heads are shown counted from 1', () => {
  assert.equal(headName(head), '2.1')
  assert.equal(headName({ stack: 'cross', layer: 0, head: 9 }), 'c1.10')
  assert.equal(headName({ layer: 0, head: 9 }), '1.10')
})
