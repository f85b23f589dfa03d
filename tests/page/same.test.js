// Tests isSame, by which the page compares two values without writing both as JSON.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSame } from '../../web/shell/same.js'

const REQUEST = { model: 'a', input: { text: 'Lily and Tom', more: [3] }, row: undefined, changes: [] }

test('requests are compared by content; an undefined property counts as missing', () => {
  for (const same of [
    REQUEST,
    structuredClone(REQUEST),
    { ...REQUEST, second: undefined },
    JSON.parse(JSON.stringify(REQUEST)),
  ])
    assert.equal(isSame(REQUEST, same), true, JSON.stringify(same))
  const { model, ...others } = REQUEST
  for (const other of [
    undefined,
    null,
    others,
    { ...REQUEST, model: 'b' },
    { ...REQUEST, row: 0 },
    { ...REQUEST, changes: {} },
    { ...REQUEST, input: { text: 'Lily and Tom', more: [3, 4] } },
  ])
    assert.equal(isSame(REQUEST, other), false, JSON.stringify(other))
  assert.deepEqual([isSame(Number.NaN, Number.NaN), isSame([], {}), isSame('1', 1)], [true, false, false])
})
