// Tests "Next word, by hand" of the room "Models" without a browser: the bars are the probabilities with which generate draws, and the KV cache grows
// by a row.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choose } from '../../src/models/generate/generation.js'
import { drawn, sharesOf } from '../../web/rooms/models/prediction/next-word.js'
import { begin } from './models-store.js'

test('the bars after temperature, top-k and top-p are the probabilities with which generate draws', () => {
  const logits = new Float32Array([2, 0.5, 1.5, -1, 1.9, 0, -3, 1])
  const all = logits.map(Math.exp).reduce((a, b) => a + b)
  const probabilities = logits.map(x => Math.exp(x) / all)
  const named = Array.from(logits.keys(), id => ({ id })).sort((a, b) => logits[b.id] - logits[a.id])
  for (const cut of [
    { temperature: 1, topK: 50, topP: 1 },
    { temperature: 0.5, topK: 3, topP: 1 },
    { temperature: 2, topK: 50, topP: 0.6 },
    { temperature: 1.5, topK: 5, topP: 0.8 },
    { temperature: 0, topK: 50, topP: 1 },
  ]) {
    const { shares, kept } = sharesOf(probabilities, named, cut)
    assert.ok(Math.abs(shares.reduce((a, b) => a + b) - 1) < 1e-6)
    assert.equal(shares.filter(share => share > 0).length, kept)
    const counts = named.map(() => 0)
    const steps = 2000
    for (let n = 0; n < steps; n++) {
      const chance = (n + 0.5) / steps
      const { id } = choose(logits, { ...cut, minP: 0 }, () => chance)
      counts[named.findIndex(each => each.id === id)]++
    }
    for (const [n, share] of shares.entries())
      assert.ok(Math.abs(counts[n] / steps - share) < 0.002, `${JSON.stringify(cut)}: ${counts[n] / steps}, ${share}`)
  }
  assert.deepEqual([drawn([0.5, 0.25, 0.25], 0.49), drawn([0.5, 0.25, 0.25], 0.51), drawn([1, 0], 0.999)], [0, 1, 0])
})

test('an accepted word is appended to the text, a row of keys and values is added, and both can be undone', async () => {
  const { store, act, settled, shown } = await begin()
  assert.equal(store.state.got.nextWord, undefined)
  act.show({ hasNextWord: true })
  await settled()
  const next = () => {
    const { nextWord } = store.state.got
    assert.ok(nextWord?.is === 'here')
    return nextWord.value
  }
  const before = next()
  assert.deepEqual(before.ids, shown().run?.ids)
  assert.equal(before.named[0].id, shown().run?.top[0].id)
  assert.deepEqual(
    before.rows.map(({ k, v }) => [k.dims[0], v.dims[0]]),
    Array(3).fill([before.ids.length, before.ids.length]),
  )
  assert.equal(before.rowBytes, 3 * 2 * 4 * before.rows[0].k.dims[1])
  assert.ok(before.milliseconds.cached > 0 && before.milliseconds.whole > 0)
  const [, { id }] = before.named
  act.takeWord(id)
  await settled()
  assert.deepEqual(next().ids, [...before.ids, id])
  const [old, now] = [before, next()].map(({ rows }) => rows[2].v.data)
  assert.deepEqual(now.slice(0, old.length).map(Math.fround), old, 'the rows before stay as they are')
  act.takeBack()
  await settled()
  assert.deepEqual([store.state.settings.generated, next().ids], [[], before.ids])
})
