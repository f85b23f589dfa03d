// Tests that the room "Models" answers at once: at least one of 30 runs must take at most twice its goal. The bound grows with the time that this
// machine needs for a frame of a blank page, if this is more than 17 ms. npm run bench:room prints medians beside the goals.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened, openMade } from './golden-models.js'
import { go, page, usePage } from './open.js'
import { comeNear, firstPicture, LAST, noteAnswers, PANEL_NAMES, STORY, timesOf } from './room-speed.js'
import { yardstick } from './typing.js'

const STORIES = '#2&room=models&models.checkpoint=stories'
usePage({ hash: STORIES })
const MOST_RUNS = 30
const FRAME = 17

/** Returns how many times longer than FRAME this machine takes for a frame, but at least 1. Leaves the page blank. */
const slowness = async () => Math.max(1, (await yardstick(page)) / FRAME)

/**
 * Returns the least time of several runs. Stops after the first run within the bound.
 * @param {string[]} texts two, which take turns
 * @param {'key' | 'answer'} name
 * @param {number} bound
 */
async function least(texts, name, bound) {
  let best = Infinity
  for (let n = 0; n < MOST_RUNS && !(best <= bound); n++) {
    const times = await timesOf(page, texts[n % 2])
    best = Math.min(best, times[name])
  }
  return best
}

test('from a key to the paint of all heads of the stories model at 40 tokens: at most 2 x 60 ms', async t => {
  const bound = 120 * (await slowness())
  await go(STORIES)
  await opened('')
  const texts = LAST.map(word => `${STORY} ${word}`)
  const { tokens, heads } = await timesOf(page, texts[1])
  assert.deepEqual([tokens, heads], [40, 6])
  const best = await least(texts, 'key', bound)
  t.diagnostic(`${best.toFixed(1)} ms`)
  assert.ok(best <= bound, `${best} ms of ${bound}`)
})

test('from the answer to the paint of 144 maps of 64 tokens: at most 2 x 150 ms', async t => {
  const bound = 300 * (await slowness())
  await noteAnswers(page)
  await go(STORIES)
  await opened('')
  const sizes = { layers: 12, heads: 12, d: 48, vocab: 100, positions: 64 }
  await openMade(sizes)
  const texts = [1, 2].map(last => [...Array.from({ length: 63 }, (_, i) => (i * 37) % 100), last].join(' '))
  const { tokens, heads } = await timesOf(page, texts[1])
  assert.deepEqual([tokens, heads], [64, 144])
  const best = await least(texts, 'answer', bound)
  t.diagnostic(`${best.toFixed(1)} ms`)
  assert.ok(best <= bound, `${best} ms of ${bound}`)
})

test('the panels that explain an answer are loaded when the pointer enters the room: opening one loads nothing more', async t => {
  await go(`${STORIES}&models.prompt=${encodeURIComponent(`${STORY} ${LAST[0]}`)}&models.at=2.1`)
  await opened('')
  const loaded = await comeNear(page)
  const before = loaded.length
  for (const name of PANEL_NAMES) t.diagnostic(`${name}: ${(await firstPicture(page, name)).toFixed(0)} ms`)
  assert.deepEqual(loaded.slice(before), [])
})
